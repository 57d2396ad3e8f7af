"""Charts of measurements: rates in groups, what became of every defect, before and after."""

from __future__ import annotations

from evalnb.view.charts import catch_changes, mutant_catch_rates, mutant_matrix
from tests.view.charts.samples import SAMPLES, data, domain, layer_of, mutant, mutant_rate, table


def test_rates_before_and_after_stand_together_and_name_their_counts() -> None:
    spec = mutant_catch_rates(SAMPLES["mutant_rates"]).to_dict()
    assert [one["numbers"] for one in data(spec)][0::2] == ["0 of 2 · before", "2 of 2 · after"]
    assert layer_of(spec, "point")["encoding"]["yOffset"]["scale"]["domain"] == ["before", "after"]
    assert "before: 1 of 6 caught, nothing in dropped-write; after: 5 of 6 caught." in spec["description"]


def test_only_the_grouping_that_is_asked_for_is_drawn() -> None:
    frame = table("mutant_rates", mutant_rate("measured", "dropped-write", 1, 2))
    assert mutant_catch_rates(frame, "severity").to_dict()["description"].endswith("nothing to show.")
    assert [one["numbers"] for one in data(mutant_catch_rates(frame).to_dict())] == ["1 of 2 · 50%"]


def test_the_matrix_crosses_operators_with_operations_and_shows_ones_own_defects_apart() -> None:
    frame = table("mutants", mutant("user", "desk/open", "missed"), mutant("dropped-write", "desk/open", "caught"))
    spec = mutant_matrix(frame).to_dict()
    assert domain(spec, "y") == ["own: user-desk/open".replace("user-", ""), "dropped-write"]
    assert domain(spec, "x") == ["open"]


def test_a_change_is_a_line_from_a_ring_to_a_dot_and_a_missing_rate_is_no_dot() -> None:
    spec = catch_changes(SAMPLES["before_after"]).to_dict()
    assert [one["numbers"] for one in data(spec) if one["stage"] == "before"] == ["25% → 100%", "– → 50%"]
    assert [one["rate"] for one in data(spec)] == [0.25, 1.0, None, 0.5]
    assert spec["description"] == "Catch rates of 2 groups: 1 rose, most in desk from 25% to 100%; 0 fell."
