"""The cards of an evaluation folder and of a finished run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evalnb.engine.artifacts import Probe
from evalnb.evaluation import Evaluation, EvaluationRun
from evalnb.evaluation.run import ArmResult
from evalnb.view.badges import badge, rank
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
    section,
    small_table,
)
from evalnb.view.cards.strength import class_table
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import text_html
from evalnb.view.theme import style_of

_WORST_FIRST = ("INVALID", "FAIL", "CONCERNS", "WAIVED", "PASS")


def evaluation_card(evaluation: Evaluation) -> Html:
    """What an evaluation folder holds, before anything is run."""
    contract = evaluation.contract
    contract_id = contract.get("contractId") if isinstance(contract, dict) else None
    trials = sum(len(arm.records) for arm in evaluation.arms)
    return frame(
        "Evaluation",
        str(contract_id) if contract_id is not None else str(evaluation.folder),
        None,
        facts(
            Fact("folder", code(str(evaluation.folder))),
            Fact("run", evaluation.run_id),
            Fact("probes", len(evaluation.arms)),
            Fact("sealed run records", trials),
            Fact("severity floor", badge(evaluation.policy.severity_floor)),
            Fact("trials wanted", evaluation.policy.minimum_trial_count),
        ),
        small_table(
            ["probe", "class", "what was planted", "trials", "findings"],
            (
                [
                    code(arm.probe.probe_id),
                    class_of(arm.probe),
                    text_html(planted(arm.probe)),
                    len(arm.records),
                    sum(len(record.findings) for record in arm.records),
                ]
                for arm in evaluation.arms
            ),
        ),
        fold(
            counted(len(evaluation.digests), "file") + " read",
            small_table(["file", "digest"], ([name, digest(value)] for name, value in evaluation.digests.items())),
        ),
        footer(
            join(["corpus ", digest(evaluation.corpus_digest)]),
            "computed over the probe files" if evaluation.corpus_digest_computed else "given in the folder",
        ),
    )


def run_card(run: EvaluationRun) -> Html:
    """What a whole evaluation came to: the verdict of every arm, what was caught, what was missed."""
    verdicts = [verdict_of(arm) for arm in run.arms]
    worst = min(verdicts, key=_WORST_FIRST.index, default="INVALID")
    seeded = [arm for arm in run.arms if not arm.arm.probe.expected_clean]
    caught = [arm for arm in seeded if result_of(arm) == "caught"]
    missed = [arm for arm in seeded if result_of(arm) != "caught"]
    return frame(
        "Evaluation run",
        run.contract.contract_id,
        badge(worst),
        facts(
            Fact("run", run.evaluation.run_id),
            Fact("pre-flight", badge("satisfied", label="passed") if run.preflight.passed else badge("failed")),
            Fact("planted and caught", f"{len(caught)} of {len(seeded)}"),
            Fact("arms", len(run.arms)),
            Fact("exit code", run.exit_code),
        ),
        small_table(["probe", "class", "trials", "verdict", "came out as", "outcomes"], map(_arm, run.arms)),
        section("Not caught", bullets(_missed(arm) for arm in missed)) if missed else None,
        section("Strength", _strength(run)),
        fold("Why each verdict is what it is", list(_reasons(run))),
        footer(
            join(["corpus ", digest(run.evaluation.corpus_digest)]),
            join(["fixture ", digest(run.preflight.fixture_digest)]),
        ),
        tone=style_of(worst).tone,
    )


def class_of(probe: Probe) -> str:
    """The class a reader knows the probe by."""
    return "clean control" if probe.expected_clean else probe.probe_class


def planted(probe: Probe) -> str:
    """What was planted, in the words of its author."""
    if probe.expected_clean or not probe.defects:
        return "nothing"
    return "; ".join(defect.summary for defect in probe.defects)


def verdict_of(arm: ArmResult) -> str:
    """The verdict of an arm, INVALID where it got none."""
    return arm.score.ladder.verdict or "INVALID"


def result_of(arm: ArmResult) -> str:
    """How the arm's probe came out, as a state of the theme."""
    evidence = arm.evidence
    if evidence is None:
        return "invalid"
    if arm.arm.probe.expected_clean:
        votes = [vote.state for reduced in evidence.reduced_probe_outcomes for vote in reduced.trial_votes]
        return max(set(votes), key=votes.count) if votes else "not exercised"
    if any(reduced.caught for reduced in evidence.reduced_probe_outcomes):
        return "caught"
    exercised = any(reduced.exercised for reduced in evidence.reduced_probe_outcomes)
    return "missed" if exercised else "not exercised"


def _arm(arm: ArmResult) -> list[Child]:
    states = Counter(outcome.state for outcome in arm.evidence.outcomes) if arm.evidence else Counter()
    counts = [badge(state, label=f"{states[state]} {style_of(state).label}") for state in sorted(states, key=rank)]
    return [
        code(arm.arm.probe.probe_id),
        class_of(arm.arm.probe),
        len(arm.arm.records),
        badge(verdict_of(arm)),
        badge(result_of(arm)),
        tag("span", join(counts, " "), class_="enb-badges"),
    ]


def _missed(arm: ArmResult) -> Html:
    return join([code(arm.arm.probe.probe_id), " ", badge(result_of(arm)), " ", text_html(planted(arm.arm.probe))])


def _strength(run: EvaluationRun) -> Html:
    if run.strength_refusal is not None:
        refusal = run.strength_refusal
        return tag("p", "None: ", code(refusal.code), " ", text_html(refusal.detail))
    if run.strength is None:
        return tag("p", "None: no arm left evidence.", class_="enb-quiet")
    return class_table(run.strength)


def _reasons(run: EvaluationRun) -> Iterator[Html]:
    for arm in run.arms:
        basis: list[Child] = [text_html(reason) for reason in arm.score.ladder.basis]
        failures: list[Child] = [join([code(one.code), " ", one.detail]) for one in arm.score.qualification.failures]
        yield tag(
            "div",
            code(arm.arm.probe.probe_id),
            " ",
            badge(verdict_of(arm)),
            bullets([*basis, *failures] or ["nothing stood against it"], most=12),
        )
