"""The rows of the verdict ladder, one table a rung, each saying why it fires.

The tables lie beside the chapter's: same order, same names, same strings. spec: 09 §10.1
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from evalnb.engine.json_values import number_text
from evalnb.engine.score.reduce import INVALIDATING_STATES
from evalnb.engine.score.scored import Assessment, LadderOutcome
from evalnb.engine.score.severity import at_or_above

Rung = Literal["invalid", "FAIL", "CONCERNS", "WAIVED"]
Speak = Callable[[Assessment], Iterable[str]]

BEHAVIOURAL_FAILURES: Final = ("missed", "abstained", "bypassed", "false-positive")


@dataclass(frozen=True, slots=True)
class LadderRow:
    """A row: its rung and what it has to say, a string a reason, none where it does not fire.

    `evidence` marks a row about how much was observed rather than about what was seen; `production_only` a row that
    the contract-scoring ladder lacks.
    """

    name: str
    rung: Rung
    speak: Speak
    evidence: bool = False
    production_only: bool = False


def _of_states(a: Assessment, states: Collection[str]) -> list[LadderOutcome]:
    return [outcome for outcome in a.outcomes if outcome.resolution.state in states]


def _invalidated_by(a: Assessment, condition: str) -> list[str]:
    return [o.oracle_id for o in a.outcomes if condition in o.resolution.invalidating_conditions]


def _reaches_floor(a: Assessment, severity: str) -> bool:
    return at_or_above(severity, a.severity_floor)


def _cap_breach(a: Assessment) -> list[str]:
    invalidated, cap = len(a.trials.invalidated_attempts), a.re_execution_cap
    if invalidated <= cap:
        return []
    return [f"{invalidated} invalidated attempts exceeded the re-execution cap of {number_text(cap)}"]


def _below_minimum(a: Assessment) -> list[str]:
    completed, minimum = a.trials.completed, a.trials.declared_minimum
    if completed >= minimum:
        return []
    return [f"{number_text(completed)} completed trials below the declared minimum of {number_text(minimum)}"]


def _lineage_inconsistent(a: Assessment) -> list[str]:
    chain = a.lineage_chain
    sound = chain.length_consistent and chain.no_repeated_digest and chain.no_gap
    return [] if sound else ["presented lineage chain is internally inconsistent"]


def _recommended(a: Assessment, recommendation: str) -> list[str]:
    return [f"evaluator recommendation {recommendation}"] if a.evaluator_recommendation == recommendation else []


def _when(holds: bool, text: str) -> list[str]:
    return [text] if holds else []


INVALID_ROWS: Final = (
    LadderRow(
        "invalidating-state",
        "invalid",
        lambda a: [f"oracle {o.oracle_id} resolved {o.resolution.state}" for o in _of_states(a, INVALIDATING_STATES)],
    ),
    LadderRow(
        "failed-preflight",
        "invalid",
        lambda a: _when(not a.preflight_passed, "pre-flight verdict did not pass"),
    ),
    LadderRow(
        "isolation-manifest-violation",
        "invalid",
        lambda a: [f"isolation manifest violation: {text}" for text in a.isolation_violation],
    ),
    LadderRow("re-execution-cap-breach", "invalid", _cap_breach),
    LadderRow(
        "disposition-missing",
        "invalid",
        lambda a: [
            f"oracle {oracle} is required and carries no disposition"
            for oracle in _invalidated_by(a, "disposition-missing")
        ],
    ),
    LadderRow(
        "required-check-unresolved",
        "invalid",
        lambda a: [
            f"oracle {o.oracle_id} is required and its check never resolved"
            for o in a.outcomes
            if o.required and not o.check_resolved
        ],
    ),
    LadderRow(
        "selector-ambiguity",
        "invalid",
        lambda a: [f"oracle {oracle}: selector ambiguity" for oracle in _invalidated_by(a, "selector-ambiguity")],
    ),
    LadderRow(
        "unwitnessed-claim",
        "invalid",
        lambda a: [
            f"oracle {oracle}: unwitnessed detection claim"
            for oracle in _invalidated_by(a, "unwitnessed-detection-claim")
        ],
    ),
    LadderRow(
        "unwitnessed-quotation",
        "invalid",
        lambda a: [
            f"finding {q.finding_id}: unwitnessed quotation on channel {q.channel}" for q in a.unwitnessed_quotations
        ],
    ),
    LadderRow(
        "duplicate-record-identifier",
        "invalid",
        lambda a: [
            f'duplicate {d.subject} identifier "{d.identifier}" ({d.occurrences} occurrences)'
            for d in a.duplicate_record_identifiers
        ],
    ),
    LadderRow(
        "dangling-citation",
        "invalid",
        lambda a: [
            f"finding {c.finding_id} cites unresolved observation(s): {', '.join(c.unresolved_observation_ids)}"
            for c in a.dangling_citations
        ],
    ),
    LadderRow(
        "dangling-disposition-citation",
        "invalid",
        lambda a: [
            f"oracle {c.oracle_id} disposition cites unresolved observation(s): "
            f"{', '.join(c.unresolved_observation_ids)}"
            for c in a.dangling_disposition_citations
        ],
    ),
    LadderRow(
        "forbidden-input-not-withheld",
        "invalid",
        lambda a: [
            f"forbidden input admitted rather than withheld: {name}"
            for condition in a.forbidden_inputs_not_withheld
            for name in condition.inputs
        ],
    ),
    LadderRow(
        "cross-artifact-disagreement",
        "invalid",
        lambda a: [
            f'record and manifest disagree on {d.field}: record "{d.record_value}", manifest "{d.manifest_value}"'
            for d in a.cross_artifact_disagreements
        ],
    ),
    LadderRow(
        "evaluator-configuration-absent",
        "invalid",
        lambda a: ["evaluator configuration absent" for _ in a.evaluator_configuration_absent],
    ),
    LadderRow(
        "evaluator-configuration-digest-mismatch",
        "invalid",
        lambda a: [
            f'evaluator configuration digest mismatch: declared "{m.declared_digest}", computed "{m.computed_digest}"'
            for m in a.evaluator_configuration_digest_mismatches
        ],
    ),
    LadderRow(
        "judge-result-unscored",
        "invalid",
        lambda a: [
            f"judge result unscored: rubric {j.rubric_id} criterion {j.criterion_id}" for j in a.judge_results_unscored
        ],
    ),
    LadderRow(
        "trial-set-field-disagreement",
        "invalid",
        lambda a: [f"trial-set field disagreement: {text}" for text in a.trial_set_disagreements],
    ),
)

FAIL_ROWS: Final = (
    LadderRow(
        "behavioural-failure-at-or-above-floor",
        "FAIL",
        lambda a: [
            f"oracle {o.oracle_id} resolved {o.resolution.state} at or above the severity floor"
            for o in _of_states(a, BEHAVIOURAL_FAILURES)
            if _reaches_floor(a, o.severity)
        ],
    ),
    LadderRow("evidence-incomplete", "FAIL", lambda a: _when(a.reported_incomplete, "evidence reported incomplete")),
    LadderRow(
        "evidence-over-truncated",
        "FAIL",
        lambda a: _when(a.over_truncated, "evidence truncated past its disclosed bound"),
    ),
    LadderRow("evidence-unavailable", "FAIL", lambda a: _when(a.unavailable, "evidence unavailable")),
    LadderRow(
        "evidence-internally-inconsistent",
        "FAIL",
        lambda a: _when(a.internally_inconsistent, "evidence internally inconsistent"),
    ),
    LadderRow("lineage-chain-inconsistent", "FAIL", _lineage_inconsistent),
    LadderRow("evaluator-recommendation-fail", "FAIL", lambda a: _recommended(a, "FAIL"), production_only=True),
)

CONCERNS_ROWS: Final = (
    LadderRow(
        "behavioural-failure-below-floor",
        "CONCERNS",
        lambda a: [
            f"oracle {o.oracle_id} resolved {o.resolution.state} below the severity floor"
            for o in _of_states(a, BEHAVIOURAL_FAILURES)
            if not _reaches_floor(a, o.severity)
        ],
    ),
    LadderRow(
        "coverage-gap-at-or-above-floor",
        "CONCERNS",
        lambda a: [
            f"coverage gap {gap.rule} unsatisfied at or above the severity floor"
            for gap in a.coverage_gaps
            if not gap.satisfied and _reaches_floor(a, gap.severity)
        ],
    ),
    LadderRow(
        "finding-confidence-below-threshold",
        "CONCERNS",
        lambda a: [
            f"finding {f.finding_id} confidence {number_text(f.confidence)} below the policy threshold"
            for f in a.findings
            if f.confidence < a.confidence_threshold
        ],
    ),
    LadderRow(
        "uncited-defect-finding",
        "CONCERNS",
        lambda a: [f"finding {gap.finding_id}: defect finding citing no oracle" for gap in a.uncited_defect_findings],
    ),
    LadderRow("below-minimum-trial-count", "CONCERNS", _below_minimum, evidence=True),
    LadderRow(
        "oracle-unreached",
        "CONCERNS",
        lambda a: [f"oracle {o.oracle_id} resolved unreached" for o in _of_states(a, ("unreached",))],
        evidence=True,
    ),
    LadderRow(
        "evaluator-recommendation-concerns",
        "CONCERNS",
        lambda a: _recommended(a, "CONCERNS"),
        production_only=True,
    ),
)

WAIVED_ROWS: Final = (
    LadderRow(
        "waiver-honoured",
        "WAIVED",
        lambda a: [
            f"oracle {o.oracle_id} waived (not-applicable)"
            for o in a.outcomes
            if o.resolution.waiver_rule == "waiver-honoured"
        ],
    ),
)

ROWS: Final[tuple[LadderRow, ...]] = INVALID_ROWS + FAIL_ROWS + CONCERNS_ROWS + WAIVED_ROWS
