"""The evidence that oracle checks and rubric criteria address must be producible, and every named file declared.

spec: 04 §4 C5, C6; §7 C27
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evalnb.engine.artifacts import RubricBody
from evalnb.engine.compile.operation_signatures import operation_path
from evalnb.engine.compile.reachability import unreachable_on, unreachable_reason
from evalnb.engine.compile.subject import Subject
from evalnb.engine.compile.walks import ExpressionSite, OperationOfStep, pointers_of
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation, declared_artifacts, described_artifact
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer


class _PlacedPointer(NamedTuple):
    pointer: str
    path: str
    operation_of_step: OperationOfStep


def check_artifact_references(subject: Subject) -> None:
    """C5. Refuses a described or addressed file its operation does not declare (`unresolved-artifact-reference`)."""
    for interface in subject.interfaces:
        for operation in interface.operations:
            nominated = described_artifact(operation)
            if nominated is not None and nominated not in declared_artifacts(operation):
                raise StructuralFailure(
                    "unresolved-artifact-reference",
                    f"{operation_path(interface, operation)}.descriptorChannel.artifactId",
                    f'nominates the "{nominated}" artifact, which operation "{operation.operation_id}" does not'
                    " declare it"
                    " writes; add it to `artifacts` or describe another channel",
                )
    for placed in _placed_pointers(subject):
        if is_bound_element(placed.pointer):
            continue
        target = parse_interaction_pointer(placed.pointer)
        if target.channel != "artifact":
            continue
        addressed = placed.operation_of_step(target.step_id)
        if addressed is not None and target.artifact_id not in declared_artifacts(addressed):
            raise StructuralFailure(
                "unresolved-artifact-reference",
                placed.path,
                f'"{placed.pointer}" names the "{target.artifact_id}" artifact, which operation'
                f' "{addressed.operation_id}"'
                " does not declare it writes",
            )


def _placed_pointers(subject: Subject) -> Iterator[_PlacedPointer]:
    """Every interaction pointer of the contract outside input bindings, in the order C5 reads them."""
    checks = iter(subject.oracle_sites)
    of_plan = subject.operation_of_step
    for oracle in subject.contract.oracles:
        root = f"EvalContract.oracles[id={oracle.id}]"
        if oracle.check is not None:
            yield from _of_site(next(checks))
        if oracle.direction is not None:
            for i, pointer in enumerate(oracle.direction.evidence_targets):
                yield _PlacedPointer(pointer, f"{root}.direction.evidenceTargets[{i}]", of_plan)
    for rubric in subject.contract.rubrics:
        for criterion in rubric.criteria:
            path = f"EvalContract.rubrics[id={rubric.id}].criteria[id={criterion.id}].evidence"
            yield _PlacedPointer(criterion.evidence, path, of_plan)
    for site in subject.witness_sites:
        yield from _of_site(site)


def _of_site(site: ExpressionSite) -> Iterator[_PlacedPointer]:
    for visit in pointers_of(site):
        yield _PlacedPointer(visit.pointer, site.path + visit.suffix, site.operation_of_step)


def check_evidence_reachability(sites: Iterable[ExpressionSite], index: PlanIndex) -> None:
    """C6. Refuses the first pointer that no declared step can answer (`unreachable-check-evidence`)."""
    for site in sites:
        for visit in pointers_of(site):
            reason = unreachable_reason(visit.pointer, index)
            if reason is not None:
                raise StructuralFailure(
                    "unreachable-check-evidence", site.path + visit.suffix, f'"{visit.pointer}" {reason}'
                )


def check_reachable_on(site: ExpressionSite, operation: AnyOperation) -> None:
    """Refuses the first pointer that `operation` itself cannot answer, whatever step the pointer names.

    spec: 04 §6.3 row 7, 09 §3.11 row 6
    """
    for visit in pointers_of(site):
        if is_bound_element(visit.pointer):
            continue
        reason = unreachable_on(parse_interaction_pointer(visit.pointer), operation)
        if reason is not None:
            raise StructuralFailure(
                "unreachable-check-evidence", site.path + visit.suffix, f'"{visit.pointer}" {reason}'
            )


def check_rubric_evidence(rubrics: Iterable[RubricBody], index: PlanIndex) -> None:
    """C27. Refuses a criterion whose evidence no declared step can answer (`rubric-evidence-unreachable`)."""
    for rubric in rubrics:
        for criterion in rubric.criteria:
            reason = unreachable_reason(criterion.evidence, index)
            if reason is not None:
                raise StructuralFailure(
                    "rubric-evidence-unreachable",
                    f"EvalContract.rubrics[id={rubric.id}].criteria[id={criterion.id}].evidence",
                    f'"{criterion.evidence}" {reason}',
                )
