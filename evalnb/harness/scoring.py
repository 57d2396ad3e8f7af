"""Scoring the arms of a measurement with the ordinary stages: one joint pre-flight, then every arm by itself.

All arms share one pre-flight, so that their evidence is one scoring and can be aggregated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalnb.engine.artifacts import EvalContract, PreflightVerdict
from evalnb.engine.preflight import preflight_from_observations
from evalnb.engine.scoring import ScoreInputs, ScoreResult, run_score
from evalnb.harness.arms import TrialRun
from evalnb.harness.evaluator import TrialReport, recommendation
from evalnb.harness.judging import ScorableArm
from evalnb.harness.paperwork import Sealed

Reference = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JointPreflight:
    """The pre-flight over all arms that pass it together, and why others had to be left out, by probe id."""

    verdict: PreflightVerdict
    left_out: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ScoringSetting:
    """What all arms are scored with."""

    sealed: Sealed
    contract: EvalContract
    verdict: PreflightVerdict
    policy: Mapping[str, Any]
    manifest: Mapping[str, Any]
    corpus_digest: str


def joint_preflight(
    contract: EvalContract,
    arms: Mapping[str, ScorableArm],
    legs: Sequence[Mapping[str, Any]],
    fault_answer: Callable[[str], Mapping[str, Any]],
    run_id: str,
) -> JointPreflight:
    """One pre-flight over every arm, `arms` by probe id; an arm whose defect is not told from another's is left out.

    `fault_answer` reads the answer to the fault leg of a probe; all of them are in memory only while this lasts.
    """
    kept = {probe_id: fault_answer(probe_id) for probe_id in arms}
    left_out: dict[str, tuple[str, ...]] = {}
    while True:
        probes = [arms[probe_id].probe for probe_id in kept]
        verdict = preflight_from_observations(contract, probes, run_id, [*legs, *kept.values()])
        failed: dict[str, list[str]] = {}
        for check in verdict.checks:
            if check.outcome == "failed" and check.kind in ("seeded-faults-scoped", "seeded-fault-fired"):
                defect_id = (check.note or "").partition(":")[0]
                failed.setdefault(defect_id.replace("D-", "P-", 1), []).append(f"{check.kind}: {check.note}")
        found = [probe_id for probe_id in kept if probe_id in failed]
        if not found:
            return JointPreflight(verdict, left_out)
        # The last one only: with it gone, those before it may be told apart.
        last = found[-1]
        left_out[last] = tuple(failed[last])
        del kept[last]


def trial_records(
    sealed: Sealed,
    name: str,
    probe_id: str,
    trials: Sequence[TrialRun],
    reports: Sequence[TrialReport],
    actions: Reference,
    manifest: Reference,
) -> list[dict[str, Any]]:
    """The sealed run records of one arm."""
    advice = recommendation(reports)
    return [
        sealed.record(
            arm=name,
            trial=number,
            probe_id=probe_id,
            observations=trial.observations,
            report=report,
            recommendation=advice,
            seconds=trial.seconds,
            actions=actions,
            manifest=manifest,
        )
        for number, (trial, report) in enumerate(zip(trials, reports, strict=True), 1)
    ]


def score_arm(
    setting: ScoringSetting, probe: Mapping[str, Any], records: Iterable[Mapping[str, Any]], oracle_id: str | None
) -> ScoreResult:
    """Score one arm. Raises RuntimeFault as scoring does."""
    return run_score(
        ScoreInputs(
            record=list(records),
            manifest=setting.manifest,
            configuration=setting.sealed.configuration,
            contract=setting.contract,
            probe=probe,
            preflight_verdict=setting.verdict,
            policy=setting.policy,
            corpus_digest=setting.corpus_digest,
            designated_oracle_id=oracle_id,
        )
    )
