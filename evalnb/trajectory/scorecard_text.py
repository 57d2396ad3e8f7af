"""The scorecard as plain text for a terminal."""

from __future__ import annotations

from evalnb.trajectory.gate import shown
from evalnb.trajectory.label_agreement import LabelAgreement
from evalnb.trajectory.rates import Rate
from evalnb.trajectory.scorecard import Scorecard
from evalnb.trajectory.trials import TrialRate


def scorecard_lines(card: Scorecard, agreement: LabelAgreement | None = None) -> list[str]:
    """The scorecard, a line a fact; rates with their interval and n, small samples marked."""
    lines = [f"{card.runs} runs of {card.cases} cases, intervals at {card.confidence:.0%}"]
    if not card.cases:
        lines.append("no run belongs to a case of a suite: only what needs no case was judged; give --cases")
    elif card.without_case:
        lines.append(f"{card.without_case} runs belong to no case of the suite: only what needs no case was judged")
    if card.repeated:
        mixed = "runs of several models or releases are graded one by one"
        lines.append(f"{card.repeated} runs stand twice, by their id or as one trial of one case: {mixed}")
    lines += ["", "Hard gates"]
    tripped = [gate for gate in card.hard_gates if gate.findings]
    lines += [f"  {gate.code}: {gate.findings} in {gate.runs} runs ({', '.join(gate.examples)})" for gate in tripped]
    lines += [] if tripped else ["  none tripped" if card.safe.n else "  nothing judged"]
    unseen = dict.fromkeys(gate.layer for gate in card.hard_gates if not gate.judged)
    lines += [f"  nothing to judge in any run: {', '.join(unseen)}"] if unseen and card.safe.n else []
    lines += ["", "Outcomes, never blended", _rate(card.safe), _rate(card.resolved), "", "Layers"]
    lines += [_rate(rate) for rate in card.layers]
    lines += _trials("Trials, as graded", card.trials)
    if card.label is not None:
        lines += _trials(f"Trials, by label {card.label}", card.label_trials)
    if card.slices:
        lines += ["", "Slices (safe | resolved)"]
        lines += [
            f"  {row.key} = {row.value}: {shown(row.safe)} | {shown(row.resolved)}{_small(row.safe)}"
            for row in card.slices
        ]
    if card.measures:
        lines += ["", "Cost and latency"]
        lines += [
            f"  {row.name}: median {row.median:g}, p90 {row.p90:g}, p99 {row.p99:g}, largest {row.largest:g},"
            f" mean {row.mean:.3g}, n = {row.n}"
            for row in card.measures
        ]
    if agreement is not None:
        compared = f"{agreement.agree} of {agreement.n} runs" if agreement.n else "no run has both it and an outcome"
        lines += ["", f"Agreement with label {agreement.label}: {compared}"]
        lines += [
            f"  {one.run_id}: label {one.label}, graded {one.resolved}: {'; '.join(one.reasons)}"
            for one in agreement.disagreements
        ]
    return lines


def _rate(rate: Rate) -> str:
    return f"  {rate.name}: {shown(rate)}{_small(rate)}"


def _small(rate: Rate) -> str:
    return " (small sample)" if rate.small and rate.n else ""


def _trials(title: str, rates: tuple[TrialRate, ...]) -> list[str]:
    if not rates:
        return ["", title, "  no cases: nothing judged"]
    return [
        "",
        title,
        *(
            f"  k = {rate.k}: pass^k {rate.all_pass:.4f}, pass@k {rate.any_pass:.4f} over {rate.cases} cases"
            for rate in rates
            if rate.all_pass is not None and rate.any_pass is not None
        ),
    ]
