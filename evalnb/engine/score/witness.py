"""Whether the planted defect showed in a trial's evidence, and whether the evaluator pointed at where it showed.

spec: 09 §5.1
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from evalnb.engine.artifacts import DefectFinding, DefectSignature, Observation, SeededProbe
from evalnb.engine.evaluate import admits, make_operation_denotes_collection, make_resolve_operand, resolve_check
from evalnb.engine.plan_index import DeclaredOperation
from evalnb.engine.score.ingest import ValidatedObservations
from evalnb.engine.score.outcome import WitnessResult
from evalnb.engine.score.qualify.channels import OBSERVED

REGEX_MATCH_STEP_BUDGET: Final = 1_000_000
"""Fixed for signatures; no policy changes it."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The candidates by what the signature's condition says of them, each part in order of sequence."""

    satisfying: tuple[str, ...] = ()
    refuting: tuple[str, ...] = ()
    inconclusive: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WitnessMatch:
    """What a trial shows of a signed probe, measured on the evidence and never on the evaluator's quotations.

    `observation_ids` are all candidates in order of sequence; `witness_observation_ids` those satisfying ones that a
    finding about this probe cites.
    """

    result: WitnessResult
    home_operation_resolved: bool
    exercised: bool
    observation_ids: tuple[str, ...] = ()
    partition: Partition = Partition()
    witness_observation_ids: tuple[str, ...] = ()
    unwitnessed_finding_ids: tuple[str, ...] = ()
    basis: Literal["measured"] = "measured"


@dataclass(frozen=True, slots=True)
class _Claims:
    """What the findings about the probe cite: satisfying observations, and findings that cite none of them."""

    witnessed: frozenset[str]
    unwitnessed_finding_ids: tuple[str, ...]


def match_witness(probe: SeededProbe, home: DeclaredOperation | None, trial: ValidatedObservations) -> WitnessMatch:
    """Match a signed probe against one trial. `home` is the signature's operation, where it resolves.

    Raises what evaluating the condition raises. A probe without a signature is a TypeError.
    """
    signature = probe.defect_signature
    if signature is None:
        raise TypeError(f"probe {probe.probe_id} carries no defect signature to match")
    on_home = [] if home is None else [o for o in trial.observations if is_on_home(o, home)]
    exercised = [o for o in on_home if o.provenance == "evaluator-chosen"]
    if home is None or not exercised:
        return WitnessMatch("unexercised", home_operation_resolved=home is not None, exercised=False)
    binding = signature.condition.selector.input_binding
    candidates = sorted(
        (o for o in exercised if admits(binding, o, home.operation)),
        key=lambda o: (o.sequence, o.observation_id),
    )
    partition = _partition(probe.probe_id, signature, home, candidates)
    claims = _claims(probe.probe_id, trial, {o.observation_id for o in on_home}, partition)
    witnesses = tuple(dict.fromkeys(one for one in partition.satisfying if one in claims.witnessed))
    return WitnessMatch(
        result=_result(partition, witnesses, claims.unwitnessed_finding_ids),
        home_operation_resolved=True,
        exercised=True,
        observation_ids=tuple(o.observation_id for o in candidates),
        partition=partition,
        witness_observation_ids=witnesses,
        unwitnessed_finding_ids=claims.unwitnessed_finding_ids,
    )


def is_on_home(observation: Observation, home: DeclaredOperation) -> bool:
    """Whether the observation is a call of the home operation."""
    return observation.interface_id == home.interface_id and observation.operation_id == home.operation.operation_id


def _partition(
    probe_id: str, signature: DefectSignature, home: DeclaredOperation, candidates: Iterable[Observation]
) -> Partition:
    path = f"Probe[probeId={probe_id}].defectSignature.condition.predicate"
    denotes_collection = make_operation_denotes_collection(home.operation)
    parts: dict[str, list[str]] = {"true": [], "false": [], "insufficient-evidence": []}
    for observation in candidates:
        resolution = resolve_check(
            signature.condition.predicate,
            make_resolve_operand({OBSERVED: observation}, {}),
            denotes_collection,
            {},
            REGEX_MATCH_STEP_BUDGET,
            path,
        ).resolution
        parts[resolution].append(observation.observation_id)
    return Partition(
        satisfying=tuple(parts["true"]),
        refuting=tuple(parts["false"]),
        inconclusive=tuple(parts["insufficient-evidence"]),
    )


def _claims(probe_id: str, trial: ValidatedObservations, on_home: set[str], partition: Partition) -> _Claims:
    satisfying = frozenset(partition.satisfying)
    witnessed: set[str] = set()
    unwitnessed: list[str] = []
    for finding in trial.findings:
        if not isinstance(finding, DefectFinding) or finding.probe_id != probe_id:
            continue
        cited = on_home.intersection(finding.observation_ids)
        if cited and cited.isdisjoint(satisfying):
            unwitnessed.append(finding.finding_id)
        witnessed |= cited & satisfying
    return _Claims(frozenset(witnessed), tuple(sorted(unwitnessed)))


def _result(partition: Partition, witnesses: tuple[str, ...], unwitnessed: tuple[str, ...]) -> WitnessResult:
    if unwitnessed:
        return "unwitnessed-claim"
    if partition.satisfying:
        return "matched" if witnesses else "manifested-unclaimed"
    return "vacuous" if partition.inconclusive and not partition.refuting else "not-triggered"
