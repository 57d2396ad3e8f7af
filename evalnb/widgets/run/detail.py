"""One outcome in full: the check over the evidence, the calls it cites, what was reported, and where that led."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from evalnb.engine.artifacts import DefectFinding, Finding, Observation, Outcome, SealedRunRecord
from evalnb.evaluation import EvaluationRun
from evalnb.evaluation.run import ArmResult
from evalnb.view.badges import badge
from evalnb.view.cards.parts import bullets, code, counted, fold
from evalnb.view.cards.runs import verdict_of
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import text_html
from evalnb.view.words import resolution_in_words
from evalnb.widgets.pages import call, columns, lead, named, page, part, quiet, title

LADDER: Final = ("INVALID", "FAIL", "CONCERNS", "WAIVED", "PASS")
MOST_CALLS: Final = 40


def outcome_page(run: EvaluationRun, arm: ArmResult, record: SealedRunRecord, oracle_id: str) -> str:
    """The page of one oracle in one trial. Raises `KeyError` for an oracle that the contract has not."""
    outcome = _outcome(arm, record.trial_index, oracle_id)
    tree = resolution_in_words(
        run.contract, oracle_id, record, regex_match_step_budget=run.evaluation.policy.regex_match_step_budget
    )
    findings = [finding for finding in record.findings if finding.oracle_id == oracle_id]
    direction = next((one.text for one in run.brief.directions if one.oracle_id == oracle_id), "")
    return page(
        title(oracle_id, f"{arm.arm.probe.probe_id}, trial {record.trial_index}", *_states(outcome)),
        text_html(direction, 240),
        part("Where that led", *_ladder(arm, oracle_id)),
        columns(
            part("How the check came out", tree.html),
            tag(
                "div",
                part("What the evaluator said", _said(record, oracle_id, outcome)),
                part("Findings", [_finding(one) for one in findings] or quiet("no finding cites this oracle")),
                part("Cited evidence", *_evidence(record, outcome, findings, oracle_id)),
            ),
        ),
    )


def _outcome(arm: ArmResult, trial_index: int, oracle_id: str) -> Outcome | None:
    outcomes = () if arm.evidence is None else arm.evidence.outcomes
    return next((one for one in outcomes if one.oracle_id == oracle_id and one.trial_index == trial_index), None)


def _states(outcome: Outcome | None) -> Iterator[Html]:
    if outcome is None:
        yield badge("invalid", label="no outcome: the arm is invalid")
        return
    yield badge(outcome.state)
    yield badge(outcome.severity)


def _said(record: SealedRunRecord, oracle_id: str, outcome: Outcome | None) -> Html:
    given = [one for one in record.oracle_dispositions if one.oracle_id == oracle_id]
    disposition = given[0] if len(given) == 1 else None
    rows: list[tuple[str, Child]] = []
    if disposition is None:
        said: Child = "nothing" if not given else f"{len(given)} times, so it does not count"
        rows.append(("disposition", said))
    else:
        rows.append(("disposition", badge(disposition.disposition)))
        rows.append(("rests on", join(map(code, disposition.observation_ids), " ") or "no observation"))
        if disposition.note:
            rows.append(("note", text_html(disposition.note)))
    if outcome is not None:
        check = outcome.check_resolution
        rows.append(("the check", badge(check.resolution) if check is not None else "did not run"))
        rows.append(("together", badge(outcome.corroboration)))
        rows.append(("resolved from", code(outcome.resolved_from) if outcome.resolved_from else "no finding"))
    return named(rows)


def _evidence(
    record: SealedRunRecord, outcome: Outcome | None, findings: Iterable[Finding], oracle_id: str
) -> Iterator[Html]:
    cited = dict.fromkeys(
        [
            *(one for finding in findings for one in finding.observation_ids),
            *(
                one
                for given in record.oracle_dispositions
                if given.oracle_id == oracle_id
                for one in given.observation_ids
            ),
        ]
    )
    selected = () if outcome is None else outcome.selected_observation_ids
    calls = sorted(record.observations, key=lambda one: one.sequence)
    shown = [one for one in calls if one.observation_id in cited]
    missing = [one for one in cited if one not in {call.observation_id for call in calls}]
    yield from (call(one, cited=True) for one in shown[:MOST_CALLS])
    if not cited:
        yield quiet("the evaluator cites nothing")
    if missing:
        yield tag("p", "Cited, but not in the record: ", join(map(code, missing), ", "))
    read = [one for one in calls if one.observation_id in selected and one.observation_id not in cited]
    if read:
        yield fold(f"{counted(len(read), 'more call')} that the check reads", *map(call, read[:MOST_CALLS]))
    rest = [one for one in calls if one.observation_id not in cited and one.observation_id not in selected]
    if rest:
        yield fold(f"{counted(len(rest), 'other call')} of the trial", *_brief(rest))


def _brief(calls: list[Observation]) -> Iterator[Html]:
    yield from (fold(join([code(one.observation_id), f" {one.operation_id}"]), call(one)) for one in calls[:MOST_CALLS])
    if len(calls) > MOST_CALLS:
        yield quiet(f"and {len(calls) - MOST_CALLS} more")


def _finding(finding: Finding) -> Html:
    quotes = finding.quoted_evidence if isinstance(finding, DefectFinding) else ()
    return tag(
        "div",
        tag(
            "div",
            badge(finding.finding_type),
            code(finding.finding_id),
            badge(finding.severity),
            tag("span", f"confidence {finding.confidence:g}", class_="enb-quiet"),
            class_="enbw-callhead",
        ),
        lead(finding.summary),
        [tag("blockquote", text_html(one.quote), " ", tag("span", one.channel, class_="enb-source")) for one in quotes],
        class_="enbw-finding",
    )


def _ladder(arm: ArmResult, oracle_id: str) -> Iterator[Child]:
    """The rungs, the one that decided, and its reasons with those about this oracle first."""
    verdict, ladder = verdict_of(arm), arm.score.ladder
    rungs = (
        tag("li", badge(rung) if rung == verdict else rung, aria_current="step" if rung == verdict else None)
        for rung in LADDER
    )
    yield tag("ol", rungs, class_="enbw-ladder", aria_label="verdict ladder, worst first")
    if ladder.fired_rows:
        yield tag("p", "Decided by ", join(map(code, ladder.fired_rows), ", "), f"; exit code {ladder.exit_code}.")
    if not ladder.basis:
        yield quiet("No rung above had anything to say.")
    own = [reason for reason in ladder.basis if oracle_id in reason]
    others = [reason for reason in ladder.basis if oracle_id not in reason]
    if own:
        yield bullets((tag("strong", text_html(reason)) for reason in own), most=12)
    if others:
        yield fold(f"{counted(len(others), 'reason')} not about this oracle", bullets(map(text_html, others), most=30))
