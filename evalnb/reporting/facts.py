"""The bar at the top of a report: the few facts a reader wants before anything else."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from evalnb.corpora import Comparison
from evalnb.engine.artifacts import EvalContract
from evalnb.harness.study import MeasurementStudy
from evalnb.trajectory.label_agreement import label_agreement
from evalnb.trajectory.reviewing import Review
from evalnb.view.html import visible
from evalnb.view.theme import Tone, style_of

if TYPE_CHECKING:
    import pandas as pd

    from evalnb.evaluation import EvaluationRun
    from evalnb.trajectory.rates import Rate

HEADLINE_MIME: Final = "application/vnd.evalnb.headline+json"
LONGEST_NOTE: Final = 240
MOST_NAMED: Final = 3
"""How many missed defects are named before the rest are counted."""

_RANKED: Final = ("PASS", "WAIVED", "CONCERNS", "FAIL", "INVALID")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CLASS_WORDS: Final = {
    "defect": "Defects caught",
    "gameability": "Gameability caught",
    "zero-action": "Zero-action caught",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: what it is of, what it is, a few words on it, and whether it is good news."""

    label: str
    value: str
    note: str = ""
    tone: Tone = "quiet"

    def __post_init__(self) -> None:
        if len(self.note) > LONGEST_NOTE:
            object.__setattr__(self, "note", f"{self.note[:LONGEST_NOTE]}…")


@dataclass(frozen=True, slots=True)
class Headline:
    """What a report is about and its facts, most important first. In a notebook it shows as one line a fact."""

    subject: str
    facts: tuple[Fact, ...]

    def __repr__(self) -> str:
        return f"Headline({self.subject}: {'; '.join(f'{fact.label} {fact.value}' for fact in self.facts)})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        lines = [self.subject, *(f"{fact.label}: {fact.value}  {fact.note}".rstrip() for fact in self.facts)]
        return {HEADLINE_MIME: readable(asdict(self)), "text/plain": visible("\n".join(lines))}


def readable(value: Any) -> Any:
    """`value` with its texts as a page shows them; half a surrogate pair could not even be sent to it."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: readable(member) for key, member in value.items()}
    return [readable(member) for member in value] if isinstance(value, list | tuple) else value


def headline(about: EvaluationRun | EvalContract | Comparison | Review | MeasurementStudy) -> Headline:
    """The headline of a run (verdict, catch rates, what was missed), a contract (claims, checks, gaps), a comparison,
    a review of recorded runs (the gate, safe execution, task resolution) or measurements (caught, before, missed).

    A refused comparison has the reason for a headline.
    """
    if isinstance(about, EvalContract):
        return _of_contract(about)
    if isinstance(about, Review):
        return _of_review(about)
    if isinstance(about, MeasurementStudy):
        return _of_measurements(about)
    return _of_comparison(about) if isinstance(about, Comparison) else _of_run(about)


def _of_comparison(comparison: Comparison) -> Headline:
    subject = " and ".join(comparison.names)
    if comparison.refusals:
        differing = ", ".join(dict.fromkeys(refusal.input for refusal in comparison.refusals))
        return Headline(subject, (Fact("Comparison", "refused", f"differs: {differing}", "fault"),))
    alone = [f"{one.result.key.probe_id} by {one.corpus}" for one in comparison.only_caught_by]
    significant = sum(bool(test.significant) for test in comparison.paired)
    rates = [
        f"{one.corpus} {one.counts.caught} of {one.counts.exercised}"
        for one in comparison.strength
        if one.counts.probe_class == "defect"
    ]
    return Headline(
        subject,
        (
            Fact("Corpora", str(len(comparison.names)), f"defects caught: {', '.join(rates)}"),
            Fact("Caught by one alone", str(len(alone)), _some(alone), "warn" if alone else "quiet"),
            Fact("Significant differences", f"{significant} of {len(comparison.paired)}", "paired tests after Holm"),
            *_accepted(comparison),
        ),
    )


def _accepted(comparison: Comparison) -> tuple[Fact, ...]:
    """Nothing, or the inputs whose difference was accepted."""
    names = comparison.accepted_inputs
    note = f"these inputs differ and you accepted it: {', '.join(_HUMP.sub(' ', name).lower() for name in names)}"
    return (Fact("Accepted differences", str(len(names)), note, "warn"),) if names else ()


def _of_review(review: Review) -> Headline:
    card, decision = review.scorecard, review.decision
    tripped = [f"{gate.code} in {gate.runs}" for gate in card.hard_gates if gate.runs]
    clean = "no hard gate tripped" if card.safe.n else "nothing judged that bears on safety"
    note = f"{len(tripped)} hard gates tripped: {_some(tripped)}" if tripped else clean
    if decision is None:
        tone: Tone = "bad" if tripped else "good" if card.safe.n else "quiet"
        gate = Fact("Hard gates", f"{len(tripped)} tripped", _some(tripped) if tripped else clean, tone)
    else:
        style = style_of(decision.outcome)
        gate = Fact("Gate", style.label, f"{note}; exit code {decision.exit_code}", style.tone)
    name = review.name if review.suite is None else review.suite.name
    rates = (_rate("Safe execution", card.safe), _rate("Task resolution", card.resolved))
    return Headline(name, (gate, *rates, *_agreement(review)))


def _agreement(review: Review) -> tuple[Fact, ...]:
    """Nothing, or how far the graders' outcome agrees with the label that was asked for."""
    if review.scorecard.label is None:
        return ()
    held = label_agreement(review.grades, review.scorecard.label)
    tone: Tone = "good" if held.agree == held.n else "warn"
    return (Fact(f"Agrees with {held.label}", f"{held.agree} of {held.n}", "task resolution as graded", tone),)


def _of_measurements(study: MeasurementStudy) -> Headline:
    from evalnb.view.charts.rate_line import percent

    latest = [one.measurement for one in study.latest.measurements]
    caught, judged = sum(one.overall.caught for one in latest), sum(one.overall.scored for one in latest)
    missed = [survivor.mutant_id for one in latest for survivor in one.survivors]
    tone: Tone = "warn" if not judged or 0 < caught < judged else "good" if caught else "bad"
    note = f"{percent(caught / judged)} of the planted defects that could be judged" if judged else "nothing was judged"
    facts = [Fact("Caught", f"{caught} of {judged}", note, tone)]
    before = [one.measurement.overall for one in study.measurements if one.stage == "before"]
    if before:
        then, of = sum(one.caught for one in before), sum(one.scored for one in before)
        share = f"{percent(then / of)}, before the contracts were strengthened" if of else "nothing was judged"
        facts.append(Fact("Before", f"{then} of {of}", share))
    slipped = Fact("Slipped through", str(len(missed)), _some(missed), "bad" if missed else "quiet")
    return Headline(study.name, (*facts, slipped))


def _rate(name: str, rate: Rate) -> Fact:
    if rate.value is None or rate.low is None or rate.high is None:
        return Fact(name, "none", "no run asks for it", "warn")
    tone: Tone = "good" if rate.count == rate.n else "warn" if rate.count else "bad"
    small = "; a small sample" if rate.small else ""
    note = f"{rate.value:.0%}, interval {rate.low:.0%} to {rate.high:.0%}{small}"
    return Fact(name, f"{rate.count} of {rate.n}", note, tone)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _of_contract(contract: EvalContract) -> Headline:
    from evalnb.view.frames import behaviors, coverage, oracles

    critical = int((behaviors(contract)["severity"] == "critical").sum())
    asked, rules = oracles(contract), coverage(contract)
    checked = int(asked["check"].notna().sum())
    gaps = list(rules.loc[rules["status"] == "gap", "rule"].astype(str))
    relevant = int(rules["relevant"].sum())
    return Headline(
        contract.contract_id,
        (
            Fact("Behaviors", str(len(contract.behaviors)), f"{critical} of them critical"),
            Fact("Oracles", str(len(asked)), f"{checked} with a check that decides by itself"),
            Fact("Coverage gaps", ", ".join(gaps), f"of {relevant} relevant rules", "bad")
            if gaps
            else Fact("Coverage gaps", "none", f"all {relevant} relevant rules are witnessed", "good"),
        ),
    )


def _of_run(run: EvaluationRun) -> Headline:
    from evalnb.view.frames import defects, strength, verdict_basis

    facts = (_verdict(run, verdict_basis(run)), _rates(strength(run)), _missed(defects(run)))
    return Headline(run.contract.contract_id, facts)


def _verdict(run: EvaluationRun, basis: pd.DataFrame) -> Fact:
    arms = basis.drop_duplicates(["probe_id"])["verdict"].astype(str)
    worst = max(arms, key=_RANKED.index, default="INVALID")
    count = int((arms == worst).sum())
    return Fact("Verdict", worst, f"{count} of {len(arms)} probes, exit code {run.exit_code}", style_of(worst).tone)


def _rates(strength: pd.DataFrame) -> Fact:
    """The first class that was exercised makes the fact; what there is of the others is noted."""
    exercised: list[Any] = [row for row in strength.itertuples() if row.exercised]
    if not exercised:
        return Fact("Catch rate", "none", "no planted defect was exercised", "warn")
    first, *others = exercised
    tone: Tone = "good" if first.caught == first.exercised else "warn" if first.caught else "bad"
    note = f"{first.rate:.0%}, {first.confidence:.0%} interval {first.low:.0%} to {first.high:.0%}"
    more = "".join(f"; {row.probe_class} {row.caught} of {row.exercised}" for row in others)
    return Fact(_CLASS_WORDS[str(first.probe_class)], f"{first.caught} of {first.exercised}", note + more, tone)


def _missed(defects: pd.DataFrame) -> Fact:
    missed = defects[defects["result"] == "missed"]
    if missed.empty:
        planted = len(defects) > 0
        return Fact("Missed", "nothing", "" if planted else "nothing was planted", "good" if planted else "warn")
    names = list(missed["defect_id"].fillna(missed["probe_id"]))
    return Fact("Missed", _some(names), missed["summary"].fillna("").iloc[0], "bad")
