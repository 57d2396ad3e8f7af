"""Catch rates and the comparison of corpora: dots, intervals, numbers, and classes without a rate."""

from __future__ import annotations

from evalnb.view.charts import catch_rates, strength_comparison
from evalnb.view.charts.rate_line import percent
from tests.view.charts.samples import SAMPLES, data, layer_of, layers, mark, strength, table


def test_a_rate_is_a_dot_on_its_interval_with_the_numbers_beside_it() -> None:
    spec = catch_rates(SAMPLES["strength"]).to_dict()
    assert [mark(layer) for layer in layers(spec)] == ["rule", "point", "text"]
    rule, point = layer_of(spec, "rule")["encoding"], layer_of(spec, "point")["encoding"]
    assert (rule["x"]["field"], rule["x2"]["field"], point["x"]["field"]) == ("low", "high", "rate")
    assert point["x"]["scale"]["domainMin"] == 0
    assert point["x"]["axis"]["values"] == [0, 0.25, 0.5, 0.75, 1]
    assert data(spec)[0]["numbers"] == "3 of 4 · 75%"


def test_a_class_without_a_rate_says_why() -> None:
    spec = catch_rates(
        table("strength", strength("defect", 0, 0), {**strength("gameability", 0, 0), "eligible": 2})
    ).to_dict()
    assert [one["numbers"] for one in data(spec)] == ["no probe", "none exercised"]
    assert [one["rate"] for one in data(spec)] == [None, None]
    assert {"filter": "isValid(datum.rate)"} in layer_of(spec, "point")["transform"]


def test_the_sentence_gives_counts_rates_and_intervals() -> None:
    assert catch_rates(SAMPLES["strength"]).to_dict()["description"] == (
        "Caught of the exercised probes, with 95% intervals: defect 3 of 4 (75%, 38% to 88%); gameability no probe."
    )


def test_a_floor_is_a_tick_and_a_word() -> None:
    rows = [
        strength("defect", 3, 4, floor=0.8, decision="does-not-meet"),
        strength("gameability", 1, 1, floor=0.5, decision="meets"),
    ]
    spec = catch_rates(table("strength", *rows)).to_dict()
    assert layer_of(spec, "tick")["encoding"]["x"]["field"] == "floor"
    assert [one["numbers"] for one in data(spec)] == ["3 of 4 · 75% below floor 80%", "1 of 1 · 100% ≥ floor 50%"]


def test_a_rate_that_may_not_be_compared_is_a_ring_and_says_so() -> None:
    spec = catch_rates(table("strength", strength("defect", 1, 2, comparable=False))).to_dict()
    assert data(spec)[0]["numbers"] == "1 of 2 · 50% · not comparable"
    assert layer_of(spec, "point")["encoding"]["shape"]["field"] == "comparable"


def test_corpora_stand_within_a_class_and_are_named_beside_their_dots() -> None:
    spec = strength_comparison(SAMPLES["corpus_strength"]).to_dict()
    encoding = layer_of(spec, "point")["encoding"]
    assert encoding["yOffset"]["scale"]["domain"] == ["old", "new"]
    assert encoding["shape"]["scale"]["domain"] == encoding["color"]["scale"]["domain"] == ["old", "new"]
    assert len(set(encoding["shape"]["scale"]["range"])) == 2
    assert [one["numbers"] for one in data(spec)] == ["1 of 4 · old", "3 of 4 · new"]
    assert spec["description"] == "Catch rates of 2 corpora: defect from 25% in old to 75% in new."


def test_of_very_many_corpora_some_are_drawn_and_all_are_counted() -> None:
    rows = [{"corpus": f"corpus-{n}", **strength("defect", 1, 2)} for n in range(100)]
    spec = strength_comparison(table("corpus_strength", *rows)).to_dict()
    assert len(data(spec)) == 30
    assert spec["description"] == "Catch rates of 100 corpora (the first 30 are drawn): defect 50% in each."


def test_nearly_all_is_not_all() -> None:
    assert [percent(share) for share in (0, 0.001, 0.25, 0.999, 1)] == ["0%", "0.1%", "25%", "99.9%", "100%"]
