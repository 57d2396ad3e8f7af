"""The cards of a pre-flight verdict, of an evidence artifact, and of one scoring."""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import EvidenceArtifact, Outcome, PreflightVerdict
from evalnb.engine.artifacts.evidence import ContractScoringEvidence, Strength
from evalnb.engine.score.strength import STRENGTH_CLASSES, class_of
from evalnb.engine.scoring import ScoreResult
from evalnb.view.badges import badge
from evalnb.view.cards.parts import (
    Fact,
    bullets,
    code,
    counted,
    digest,
    facts,
    fold,
    footer,
    frame,
    rate_bar,
    section,
    small_table,
)
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import text_html
from evalnb.view.theme import style_of

_CHECK_ORDER = ("failed", "satisfied", "exempt")


def preflight_card(verdict: PreflightVerdict) -> Html:
    """Whether the environment could be measured, the failed checks first."""
    failed = [check for check in verdict.checks if check.outcome == "failed"]
    ordered = sorted(verdict.checks, key=lambda check: _CHECK_ORDER.index(check.outcome))
    return frame(
        "Pre-flight",
        verdict.run_id,
        badge("satisfied", label="passed") if verdict.passed else badge("failed"),
        facts(Fact("checks", len(verdict.checks)), Fact("failed", len(failed))),
        small_table(
            ["check", "operation", "outcome", "why"],
            (
                [
                    check.kind,
                    ".".join(part for part in (check.interface_id, check.operation_id) if part) or "–",
                    badge(check.outcome),
                    "" if check.note is None else text_html(check.note),
                ]
                for check in ordered
            ),
        ),
        footer(join(["fixture ", digest(verdict.fixture_digest)]), f"schema version {verdict.schema_version}"),
        tone="good" if verdict.passed else "bad",
    )


def evidence_card(evidence: EvidenceArtifact) -> Html:
    """The verdict of one scored probe, why, and how every oracle came out in every trial."""
    verdict = verdict_of(evidence)
    recommendation = None
    if isinstance(evidence, ContractScoringEvidence):
        recommendation = Fact("recommended", evidence.system_recommendation_recorded)
    return frame(
        "Evidence, contract scoring" if evidence.mode == "contract-scoring" else "Evidence, production",
        join([evidence.scored_probe_id or "no probe", " in ", evidence.run_id]),
        badge(verdict),
        facts(
            Fact("probe", _caught(evidence)),
            Fact("trials", f"{evidence.trials.completed} of {evidence.trials.declared_minimum} wanted"),
            Fact("exit code", evidence.exit_code),
            Fact("coverage gaps", len(evidence.coverage_gaps)),
            Fact("uncited findings", len(evidence.uncited_findings)),
            recommendation,
        ),
        reasons(evidence.verdict_basis),
        section("Outcomes", outcome_table(evidence.outcomes)),
        fold("Strength", _strength(evidence.strength)),
        fold(counted(len(evidence.coverage_gaps), "coverage gap"), bullets(gap.rule for gap in evidence.coverage_gaps))
        if evidence.coverage_gaps
        else None,
        footer(
            join(["scoring version ", digest(evidence.scoring_version)]),
            join(["comparability key ", digest(evidence.comparability_key)]),
            f"schema version {evidence.schema_version}",
        ),
        tone=style_of(verdict).tone,
    )


def score_card(result: ScoreResult) -> Html:
    """One scoring: the evidence where there is any, and what stood against it."""
    verdict = result.ladder.verdict or "INVALID"
    failures = result.qualification.failures
    unqualified = None
    if failures:
        listed = (join([code(one.code), f" {one.artifact_path}: ", one.detail]) for one in failures)
        unqualified = section("The probe does not qualify", bullets(listed))
    evidence = result.artifact
    return frame(
        "Score",
        evidence.scored_probe_id if evidence is not None and evidence.scored_probe_id else "one probe",
        badge(verdict),
        facts(
            Fact("exit code", result.ladder.exit_code),
            Fact("evidence", "none: the run is invalid" if evidence is None else evidence.run_id),
            Fact("probe qualifies", "no" if failures else "yes"),
        ),
        reasons(result.ladder.basis),
        unqualified,
        section("Outcomes", outcome_table(evidence.outcomes)) if evidence is not None else None,
        tone=style_of(verdict).tone,
    )


def verdict_of(evidence: EvidenceArtifact) -> str:
    """The verdict that the artifact carries, about the contract or about the system."""
    if isinstance(evidence, ContractScoringEvidence):
        return evidence.contract_verdict
    return evidence.production_verdict


def reasons(basis: Sequence[str]) -> Html:
    """Why the verdict is what it is."""
    if not basis:
        return tag("p", "Nothing stood against it.", class_="enb-quiet")
    return section("Why", bullets((text_html(reason) for reason in basis), most=12))


def outcome_table(outcomes: Sequence[Outcome]) -> Html:
    """A row an oracle, a column a trial."""
    trials = sorted({outcome.trial_index for outcome in outcomes})
    by_oracle: dict[str, dict[int, Outcome]] = {}
    for outcome in outcomes:
        by_oracle.setdefault(outcome.oracle_id, {})[outcome.trial_index] = outcome
    heads = ["oracle", *(f"trial {trial}" for trial in trials)]
    return small_table(
        heads,
        ([code(oracle), *(_outcome(found.get(trial)) for trial in trials)] for oracle, found in by_oracle.items()),
        empty="no oracle was scored",
    )


def _outcome(outcome: Outcome | None) -> Child:
    if outcome is None:
        return tag("span", "–", class_="enb-quiet")
    said = f"{style_of(outcome.disposition).label}; check {style_of(outcome.corroboration).label}"
    return join([badge(outcome.state), " ", tag("span", said, class_="enb-quiet enb-note")])


def _caught(evidence: EvidenceArtifact) -> Child:
    for reduction in evidence.reduced_probe_outcomes:
        if any(vote.state in ("passed-clean-control", "false-positive") for vote in reduction.trial_votes):
            return badge(reduction.trial_votes[0].state)
        if not reduction.exercised:
            return badge("not exercised")
        return badge("caught" if reduction.caught else "missed")
    return "–"


def _strength(strength: Strength) -> Html:
    rows: list[list[Child]] = []
    for name in STRENGTH_CLASSES:
        measured = class_of(strength.vector, name)
        if measured is not None:
            rows.append([name, f"{measured.caught} of {measured.exercised}", rate_bar(measured.rate)])
    note = (
        "comparable with other runs" if strength.comparable else f"not comparable: {strength.note or 'no reason given'}"
    )
    return tag(
        "div",
        small_table(["class", "caught of exercised", "rate"], rows, empty="the probe is of no strength class"),
        tag("p", note, class_="enb-quiet"),
    )
