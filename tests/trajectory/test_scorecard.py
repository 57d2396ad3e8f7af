"""Rates with their n, trials without bias, slices, and two releases compared."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.trajectory.comparison import compare, detectable_difference
from evalnb.trajectory.findings import finding
from evalnb.trajectory.grading import LayerResult, RunGrade
from evalnb.trajectory.label_agreement import label_agreement
from evalnb.trajectory.rates import rate_of
from evalnb.trajectory.run_measures import RunMeasures
from evalnb.trajectory.scorecard import scorecard
from evalnb.trajectory.trials import trial_rates


def run(
    case_id: str = "a", trial: int = 0, *, safe: bool = True, resolved: bool | None = True, **more: Any
) -> RunGrade:
    findings = () if safe else (finding("forbidden-call", "no", (3,)),)
    layers = {
        "selection": LayerResult(judged=True, failed=not safe, safety=True),
        "approval": LayerResult(judged=False, failed=False),
    }
    more = {
        "findings": findings,
        "layers": layers,
        "case_version": 1,
        "measures": RunMeasures(calls=trial, failed_calls=0, turns=1),
        **more,
    }
    return RunGrade(run_id=f"{case_id}/{trial}", case_id=case_id, trial=trial, safe=safe, resolved=resolved, **more)


def test_a_wilson_interval_against_a_known_one() -> None:
    rate = rate_of("r", 43, 100)
    assert (rate.value, round(rate.low or 0, 4), round(rate.high or 0, 4)) == (0.43, 0.3373, 0.5278)
    empty = rate_of("r", 0, 0)
    assert (empty.value, empty.low, empty.high, empty.small) == (None, None, None, True)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rate_of("r", 1, 2, confidence=95)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=4))
def test_trial_rates_are_the_mean_over_all_choices_of_trials(trials: list[list[bool]]) -> None:
    rates = trial_rates({str(place): held for place, held in enumerate(trials)})
    for rate in rates:
        fit = [held for held in trials if len(held) >= rate.k]
        every = [[all(choice) for choice in combinations(held, rate.k)] for held in fit]
        some = [[any(choice) for choice in combinations(held, rate.k)] for held in fit]
        assert rate.cases == len(fit)
        assert rate.all_pass == pytest.approx(sum(sum(one) / len(one) for one in every) / len(fit))
        assert rate.any_pass == pytest.approx(sum(sum(one) / len(one) for one in some) / len(fit))


def test_safe_and_resolved_stand_side_by_side() -> None:
    runs = [run("a", 0, safe=False), run("a", 1, resolved=False), run("b", 0, resolved=None)]
    card = scorecard(runs)
    assert (card.runs, card.cases) == (3, 2)
    assert (card.safe.count, card.safe.n) == (2, 3)
    assert (card.resolved.count, card.resolved.n) == (1, 2)
    assert [(rate.name, rate.count, rate.n) for rate in card.layers] == [("selection", 2, 3)]
    tripped = [gate for gate in card.hard_gates if gate.findings]
    assert [(gate.code, gate.runs, gate.examples) for gate in tripped] == [("forbidden-call", 1, ("a/0",))]


def test_slices_are_cut_by_every_key_or_by_those_asked_for() -> None:
    runs = [run("a", n, slices={"language": "ar" if n < 2 else "en", "tier": "gold"}, safe=n > 0) for n in range(4)]
    rows = {(row.key, row.value): row.safe for row in scorecard(runs).slices}
    assert set(rows) == {("language", "ar"), ("language", "en"), ("tier", "gold")}
    assert (rows["language", "ar"].count, rows["language", "ar"].n, rows["language", "ar"].small) == (1, 2, True)
    assert {row.key for row in scorecard(runs, slice_by=["tier"]).slices} == {"tier"}


def test_measures_are_quantiles_of_the_runs_that_have_them() -> None:
    runs = [run("a", n) for n in range(1, 101)]
    found = {row.name: row for row in scorecard(runs).measures}
    assert set(found) == {"calls", "failed calls", "turns"}
    assert (found["calls"].median, found["calls"].p90, found["calls"].p99, found["calls"].largest) == (50, 90, 99, 100)


def test_no_runs_make_a_scorecard_without_rates() -> None:
    card = scorecard([])
    assert (card.safe.value, card.trials, card.slices) == (None, (), ())


def test_two_releases_by_mcnemars_exact_test() -> None:
    older = [run(str(n), resolved=n >= 8, slices={"half": "low" if n < 6 else "high"}) for n in range(12)]
    newer = [run(str(n), resolved=True, slices={"half": "low" if n < 6 else "high"}) for n in range(12)]
    found = compare(older, newer)
    assert (found.whole.pairs, found.whole.gained, found.whole.lost) == (12, 8, 0)
    assert found.whole.p_value == pytest.approx(2 / 2**8)
    low, high = (next(test for test in found.slices if test.name == f"half: {half}") for half in ("low", "high"))
    assert low.p_value == pytest.approx(2 / 2**6)
    assert low.adjusted == pytest.approx(2 * 2 / 2**6)
    assert high.adjusted == pytest.approx(max(0.5, 4 / 2**6))
    assert found.unpaired == 0


def test_runs_without_a_partner_are_counted() -> None:
    found = compare([run("a", 0), run("a", 1), run("b")], [run("a", 0), run("c")])
    assert (found.whole.pairs, found.unpaired, found.whole.p_value) == (1, 3, 1.0)
    assert compare([], []).whole.p_value is None


def test_runs_pair_by_their_trial_and_not_by_their_place() -> None:
    older = [run(str(case), trial, resolved=trial == 1) for case in range(9) for trial in range(2)]
    found = compare(older, [one for one in older if one.trial == 1])
    assert (found.whole.pairs, found.whole.lost, found.whole.gained, found.unpaired) == (9, 0, 0, 9)
    unstated = [replace(one, trial=None) for one in older]
    assert compare(unstated, unstated).whole.pairs == 18


def test_more_pairs_show_smaller_differences() -> None:
    assert detectable_difference(400, 40) < detectable_difference(100, 10) < detectable_difference(10, 1) <= 1


def test_agreement_with_a_label_lists_the_rest_with_reasons() -> None:
    bad = run("b", resolved=False, labels={"reward": 1.0}, findings=(finding("effect-missing", "1 x cancel"),))
    found = label_agreement([run("a", labels={"reward": 1.0}), bad, run("c")], "reward")
    assert (found.n, found.agree) == (2, 1)
    assert found.disagreements[0].reasons == ("effect-missing: 1 x cancel",)
