"""An oracle carries a direction for the evaluator and a check for the scorer, and the check contains the direction.

spec: 04 §5 C17, C18, C32
"""

from __future__ import annotations

from collections.abc import Iterable

from evalnb.engine.artifacts import Direction, Oracle
from evalnb.engine.compile.subject import Subject
from evalnb.engine.compile.walks import ExpressionSite, pointers_of
from evalnb.engine.faults import StructuralFailure


def check_oracle_channels(oracles: Iterable[Oracle]) -> None:
    """C17. Refuses an oracle without a direction, else without a check (`oracle-missing-channel`)."""
    for oracle in oracles:
        missing = "direction" if oracle.direction is None else "check" if oracle.check is None else None
        if missing is not None:
            raise StructuralFailure(
                "oracle-missing-channel",
                f"EvalContract.oracles[id={oracle.id}].{missing}",
                f"oracle {oracle.id} has no {missing}; it needs a direction for the evaluator and a check for the"
                " scorer",
            )


def check_oracle_alignment(subject: Subject) -> None:
    """C18. Refuses a direction that its check does not contain (`direction-check-misaligned`)."""
    sites = iter(subject.oracle_sites)
    for oracle in subject.contract.oracles:
        if oracle.check is None:
            continue
        site = next(sites)
        if oracle.direction is not None:
            _check_contained(oracle, oracle.direction, site)


def _check_contained(oracle: Oracle, direction: Direction, site: ExpressionSite) -> None:
    targets = {visit.substituted for visit in pointers_of(site)}
    unread = next((target for target in direction.evidence_targets if target not in targets), None)
    if unread is not None:
        field, detail = "evidenceTargets", f'names "{unread}", which the check never reads; both must name one evidence'
    elif direction.relation not in {visit.node.op for visit in site.visits}:
        field, detail = "relation", f'states the relation "{direction.relation}", which appears nowhere in the check'
    elif direction.polarity != oracle.polarity:
        field, detail = "polarity", f'states "{direction.polarity}" where the oracle states "{oracle.polarity}"'
    else:
        return
    path = f"EvalContract.oracles[id={oracle.id}].direction.{field}"
    raise StructuralFailure("direction-check-misaligned", path, f"the direction of oracle {oracle.id} {detail}")


def check_step_references(subject: Subject) -> None:
    """C32. Refuses a direction that names steps a sealed brief could not tell apart (`irreducible-step-reference`)."""
    # Imported here: seal compiles before it seals, so at import time the two packages would wait for each other.
    from evalnb.engine.seal.step_reference import irreducible_steps

    for oracle in subject.contract.oracles:
        if oracle.direction is None or not oracle.direction.evidence_targets:
            continue
        failure = irreducible_steps(oracle.direction.evidence_targets, subject.index)
        if failure is not None:
            raise StructuralFailure(
                failure.code,
                f"EvalContract.oracles[id={oracle.id}].direction.evidenceTargets",
                failure.detail,
            )
