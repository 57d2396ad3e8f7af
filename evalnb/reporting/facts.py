"""The bar at the top of a report: the few facts a reader wants before anything else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.view.theme import Tone, style_of

if TYPE_CHECKING:
    import pandas as pd

    from evalnb.evaluation import EvaluationRun

HEADLINE_MIME: Final = "application/vnd.evalnb.headline+json"
MOST_NAMED: Final = 3
"""How many missed defects are named before the rest are counted."""

_RANKED: Final = ("PASS", "WAIVED", "CONCERNS", "FAIL", "INVALID")
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


@dataclass(frozen=True, slots=True)
class Headline:
    """What a report is about and its facts, most important first. In a notebook it shows as one line a fact."""

    subject: str
    facts: tuple[Fact, ...]

    def __repr__(self) -> str:
        return f"Headline({self.subject}: {'; '.join(f'{fact.label} {fact.value}' for fact in self.facts)})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        lines = [self.subject, *(f"{fact.label}: {fact.value}  {fact.note}".rstrip() for fact in self.facts)]
        return {HEADLINE_MIME: asdict(self), "text/plain": "\n".join(lines)}


def headline(about: EvaluationRun | EvalContract) -> Headline:
    """Of a run: the verdict, the catch rates, and what was missed. Of a contract: its claims, checks and gaps."""
    if isinstance(about, EvalContract):
        return _of_contract(about)
    return _of_run(about)


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
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return Fact("Missed", ", ".join(names[:MOST_NAMED]) + more, str(missed["summary"].iloc[0] or ""), "bad")
