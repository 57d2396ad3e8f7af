"""The probe of a mutant: where its defect shows, the condition that tells it, and the evidence for both sides.

Built so that the qualification gate can accept it (spec: 09 §3); whether it does is for the gate to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import Behavior, EvalContract, Observation, Oracle
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.operations import operation_kind
from evalnb.engine.plan_index import DeclaredOperation, PlanIndex
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.harness.arms import FaultLeg, MutantRun
from evalnb.harness.differences import TreePath, differences
from evalnb.harness.evaluator import TrialReport, pointers_read
from evalnb.harness.measurement import CleanArm
from evalnb.harness.observing import observation_of
from evalnb.harness.signatures import Clause, carried_channels_of, clauses, holds, signature_predicate

CLEAN_PROBE_ID: Final = "P-000"
_CHANNELS: Final = ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")
# The one operator whose defect is doing nothing.
_ZERO_ACTION: Final = frozenset({"dropped-write"})

Reference = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Manifestation:
    """One operation where a mutant showed, and what tells it there."""

    home: DeclaredOperation
    fault: FaultLeg
    clauses: tuple[Clause, ...]
    predicate: Mapping[str, Any]
    satisfying: tuple[frozenset[str], ...]
    unwitnessed: tuple[str, ...]
    cited: tuple[bool, ...]
    fires_on_clean: bool

    @property
    def step_id(self) -> str:
        return self.fault.step_id

    @property
    def shown(self) -> int:
        """In how many trials the condition is true of some call."""
        return sum(bool(one) for one in self.satisfying)


@dataclass(frozen=True, slots=True)
class Attribution:
    """The behavior that a mutant is counted under, and the oracle that stands for it in scoring."""

    behavior: Behavior
    oracle_id: str | None


@dataclass(frozen=True, slots=True)
class ProbeEvidence:
    """The files a probe names."""

    spec: Reference
    clean: Reference
    mutated: Reference


def manifestations(
    contract: EvalContract, index: PlanIndex, clean: CleanArm, run: MutantRun, reports: Sequence[TrialReport]
) -> list[Manifestation]:
    """Every operation where the mutant showed, the ones first whose showing some finding points at."""
    found = []
    for fault in run.faults:
        home = index.operation_of_step(fault.step_id)
        if home is None:
            continue
        manifestation = _manifestation(index, clean, run, reports, home, fault)
        if manifestation is not None:
            found.append(manifestation)
    # Stable: among equals the operation that showed it first.
    return sorted(found, key=lambda one: (bool(one.unwitnessed), -sum(one.cited)))


def attribution(contract: EvalContract, index: PlanIndex, step_id: str, paths: Sequence[TreePath]) -> Attribution:
    """The behavior whose oracles look closest at where the defect shows; caught or not plays no part.

    Closest is an oracle that reads the very place, then one that reads the call, then one that reads the operation.
    """
    oracles = {oracle.id: oracle for oracle in contract.oracles}
    step = index.require_step(step_id)
    same_operation = {one.step_id for one in index.steps_using(step.interface_id, step.operation_id)}
    best: tuple[int, Attribution] | None = None
    for behavior in contract.behaviors:
        for oracle_id in behavior.oracles:
            if oracle_id not in oracles:
                continue
            rank = _distance(oracles[oracle_id], step_id, paths, same_operation)
            if best is None or rank < best[0]:
                best = rank, Attribution(behavior, oracle_id)
    return Attribution(contract.behaviors[0], None) if best is None else best[1]


def probe_document(
    run: MutantRun,
    probe_id: str,
    found: Manifestation,
    attributed: Attribution,
    evidence: ProbeEvidence,
    *,
    system_id: str,
    source_digest: str,
    rolled_back: bool,
) -> dict[str, Any]:
    """The probe as it is written."""
    spec = run.spec
    number = probe_id.removeprefix("P-")
    leg_id = f"fault-{spec.mutant_id}"
    clause = next((one for one in found.clauses if one.step_id == found.step_id), found.clauses[0])
    return {
        "schemaVersion": 6,
        "parentDigest": None,
        "revisionCount": 0,
        "probeId": probe_id,
        "probeClass": "zero-action" if spec.operator in _ZERO_ACTION else "defect",
        "behaviorId": attributed.behavior.id,
        "systemId": system_id,
        "implementationDigest": digest_artifact({"source": source_digest, "mutant": spec.document}, "implementation"),
        "artifactDigest": evidence.spec["digest"],
        "commitDigest": source_digest,
        "rationale": f"{spec.operator}: {spec.summary}. It shows first in the step {found.step_id}.",
        "expectedClean": False,
        "defects": [
            {
                "defectId": f"D-{number}",
                "behaviorId": attributed.behavior.id,
                "summary": spec.summary,
                "severity": attributed.behavior.severity,
                "oracleEvidence": [evidence.mutated],
                "source": "controlled-mutation",
                "manifestationWitness": {
                    "legId": leg_id,
                    "interfaceId": found.home.interface_id,
                    "operationId": found.home.operation.operation_id,
                    "inputs": found.fault.inputs,
                    "relation": clause.whole_at(leg_id),
                },
            }
        ],
        "defectSignature": _signature(found),
        "qualification": {
            "route": "controlled-mutation",
            "mutationSource": f"evalnb measure, mutant {spec.mutant_id}",
            "mutationOperator": spec.operator,
            "targetArtifact": evidence.spec,
            "expectedObservableFailure": spec.summary,
            "baselinePassEvidence": evidence.clean,
            "mutatedFailEvidence": evidence.mutated,
            "rollbackVerified": rolled_back and run.rolled_back,
        },
    }


def clean_probe_document(
    contract: EvalContract, evidence: Reference, *, system_id: str, source_digest: str
) -> dict[str, Any]:
    """The clean control: the system as it is."""
    return {
        "schemaVersion": 6,
        "parentDigest": None,
        "revisionCount": 0,
        "probeId": CLEAN_PROBE_ID,
        "probeClass": "zero-action",
        "behaviorId": contract.behaviors[0].id,
        "systemId": system_id,
        "implementationDigest": source_digest,
        "artifactDigest": evidence["digest"],
        "commitDigest": source_digest,
        "rationale": "The system as it is. An evaluation that finds a defect here finds it in itself.",
        "expectedClean": True,
        "defects": [],
        "qualification": {
            "route": "clean-control",
            "baselinePassEvidence": evidence,
            "revisionCommitDigest": source_digest,
            "noKnownDefectStatement": "Nothing is planted, and no check of the contract is violated.",
        },
    }


def _manifestation(
    index: PlanIndex,
    clean: CleanArm,
    run: MutantRun,
    reports: Sequence[TrialReport],
    home: DeclaredOperation,
    fault: FaultLeg,
) -> Manifestation | None:
    def on_home(steps: Mapping[str, Any]) -> dict[str, Any]:
        key = (home.interface_id, home.operation.operation_id)
        return {s: d for s, d in steps.items() if (d["interfaceId"], d["operationId"]) == key}

    mutated = [on_home(trial.steps) for trial in run.trials]
    carried = carried_channels_of(home.operation)
    told = clauses(home.operation, on_home(clean.steps), mutated, clean.hidden, carried)
    if not told:
        return None
    predicate = signature_predicate(told)

    def fires(document: Mapping[str, Any]) -> bool:
        observation: Observation = observation_of(document)
        return holds(predicate, observation, home.operation)

    satisfying = tuple(frozenset(d["observationId"] for d in trial.values() if fires(d)) for trial in mutated)
    unwitnessed: list[str] = []
    cited: list[bool] = []
    for trial, true_here, report in zip(mutated, satisfying, reports, strict=True):
        ids = {document["observationId"] for document in trial.values()}
        citations = [ids.intersection(finding["observationIds"]) for finding in report.findings]
        cited.append(any(true_here & citation for citation in citations))
        unwitnessed += [
            finding["oracleId"]
            for finding, citation in zip(report.findings, citations, strict=True)
            if citation and not citation & true_here
        ]
    fires_on_clean = any(fires(d) for trial in clean.trials for d in on_home(trial.steps).values())
    return Manifestation(
        home, fault, tuple(told), predicate, satisfying, tuple(unwitnessed), tuple(cited), fires_on_clean
    )


def _signature(found: Manifestation) -> dict[str, Any]:
    operation: Any = found.home.operation
    kind = operation_kind(operation)
    address: dict[str, Any] = (
        {"toolName": operation.tool_name}
        if kind == "mcp"
        else {"invocation": operation.invocation.model_dump(mode="json", by_alias=True)}
        if kind == "cli"
        else {"method": operation.method, "pathTemplate": operation.path_template}
    )
    return {
        "interfaceKind": kind,
        **address,
        "observableChannel": found.clauses[0].channel,
        "condition": {
            "selector": {"inputBinding": dict.fromkeys(_CHANNELS)},
            "predicate": found.predicate,
        },
    }


def _distance(oracle: Oracle, step_id: str, paths: Sequence[TreePath], same_operation: set[str]) -> int:
    if oracle.check is None:
        return 4
    read = [parse_interaction_pointer(pointer) for pointer in pointers_read(oracle.check)]
    here = [tree_path(target) for target in read if target.step_id == step_id and target.channel != "call-inputs"]
    if any(overlaps(one, path) for one in here for path in paths):
        return 0
    if any(target.step_id == step_id for target in read):
        return 1
    return 2 if any(target.step_id in same_operation for target in read) else 3


def tree_path(target: Any) -> TreePath:
    """A parsed pointer as a path of the answer tree."""
    return (target.channel, *(() if target.artifact_id is None else (target.artifact_id,)), *target.tail)


def overlaps(one: TreePath, other: TreePath) -> bool:
    """Whether one path lies at, above or below the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def differing_paths(clean: CleanArm, run: MutantRun, step_id: str) -> list[TreePath]:
    """Where a step's answers differed, in the first trial that showed it."""
    for trial in run.trials:
        if step_id in trial.steps and step_id in clean.steps:
            found = differences(clean.steps[step_id], trial.steps[step_id], clean.hidden.get(step_id, ()))
            if found:
                return [difference.path for difference in found]
    return []
