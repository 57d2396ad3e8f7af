"""What scoring reads of contract, probe and policy, worked out once for all trials. spec: 09 §7.1"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalnb.engine.artifacts import Behavior, EvalContract, Oracle, Probe, ScoringPolicy, SeededProbe
from evalnb.engine.compile.walks import expression_site, pointers_of
from evalnb.engine.evaluate import make_denotes_collection, reference_set_keys_of
from evalnb.engine.evaluate.values import DenotesCollection, ReferenceSetKeys
from evalnb.engine.plan_index import DeclaredOperation, PlanIndex
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer
from evalnb.engine.score.designation import designated_oracle
from evalnb.engine.score.ingest import ValidatedObservations
from evalnb.engine.score.outcome import JudgeConduct, Waiver
from evalnb.engine.score.qualify.gate import SealedProbeSet, seal_probe_set, signature_of
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.engine.score.scored import Severity
from evalnb.engine.score.severity import SEVERITIES


@dataclass(frozen=True, slots=True)
class ScoredOracle:
    """An oracle, the steps its check addresses, and the highest severity among the behaviors that list it."""

    oracle: Oracle
    addressed_steps: frozenset[str]
    severity: Severity


@dataclass(frozen=True, slots=True)
class ScoringSubject:
    """One probe against one contract under one policy, ready to score trials.

    `signed_probe` is None for a probe without a signature; `home` is the signature's operation where it resolves.
    """

    contract: EvalContract
    probe: Probe
    policy: ScoringPolicy
    index: PlanIndex
    cardinalities: Mapping[str, str]
    denotes_collection: DenotesCollection
    reference_set_keys: ReferenceSetKeys
    oracles: tuple[ScoredOracle, ...]
    sealed: SealedProbeSet
    signed_probe: SeededProbe | None
    home: DeclaredOperation | None
    probe_severity: Severity
    designated_oracle_id: str | None
    judge_conduct: JudgeConduct
    waiver: Waiver
    evaluation_fault: bool

    @property
    def qualified(self) -> bool:
        return bool(self.sealed.admitted)


def scoring_subject(
    contract: EvalContract,
    probe: Probe,
    policy: ScoringPolicy,
    trials: Sequence[ValidatedObservations],
    *,
    named_oracle: str | None,
    waiver: Waiver,
    evaluation_fault: bool,
) -> ScoringSubject:
    """Everything that holds for the whole call; `named_oracle` has been checked."""
    signature = signature_of(probe)
    home = None if signature is None else resolve_home_operation(signature, contract.permitted_interfaces)
    index = PlanIndex.build(contract)
    return ScoringSubject(
        contract=contract,
        probe=probe,
        policy=policy,
        index=index,
        cardinalities={step.step_id: step.cardinality for step in contract.interaction_plan},
        denotes_collection=make_denotes_collection(contract, index),
        reference_set_keys=reference_set_keys_of(contract),
        oracles=tuple(_scored_oracles(contract)),
        sealed=seal_probe_set([probe], lambda _: None if home is None else home.operation),
        signed_probe=probe if isinstance(probe, SeededProbe) and signature is not None else None,
        home=home,
        probe_severity=next((b.severity for b in contract.behaviors if b.id == probe.behavior_id), "low"),
        designated_oracle_id=designated_oracle(contract, probe, named_oracle),
        judge_conduct=_judge_conduct(contract, trials),
        waiver=waiver,
        evaluation_fault=evaluation_fault,
    )


def _scored_oracles(contract: EvalContract) -> Iterable[ScoredOracle]:
    for oracle in contract.oracles:
        yield ScoredOracle(oracle, _addressed_steps(oracle), _highest_severity(contract.behaviors, oracle.id))


def _addressed_steps(oracle: Oracle) -> frozenset[str]:
    if oracle.check is None:
        return frozenset()
    pointers = (visit.pointer for visit in pointers_of(expression_site(oracle.check, "")))
    return frozenset(parse_interaction_pointer(p).step_id for p in pointers if not is_bound_element(p))


def _highest_severity(behaviors: Iterable[Behavior], oracle_id: str) -> Severity:
    listing = (behavior.severity for behavior in behaviors if oracle_id in behavior.oracles)
    return max(listing, key=SEVERITIES.index, default="low")


def _judge_conduct(contract: EvalContract, trials: Iterable[ValidatedObservations]) -> JudgeConduct:
    if not contract.rubrics:
        return "absent"
    unscored = any(c.kind == "judge-result-unscored" for trial in trials for c in trial.conditions)
    return "malformed" if unscored else "conforming"
