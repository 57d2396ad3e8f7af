"""Outcomes, coverage, defects, pre-flight and dominance: order, merging, density, and what the sentence counts."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.view.charts import coverage_matrix, defects_caught, dominance_matrix, outcome_matrix, preflight_board
from evalnb.view.charts.cells import MAX_COLUMNS, MAX_ROWS
from tests.view.charts.samples import (
    SAMPLES,
    check,
    data,
    defect,
    domain,
    layer_of,
    layers,
    mark,
    outcome,
    table,
)


def outcomes(oracles: int, probes: int, trials: int = 1, states: tuple[str, ...] = ("caught", "missed")) -> Any:
    return table(
        "outcomes",
        *(
            outcome(f"O-{o:03}", f"P-{p:03}", states[(o * p + t) % len(states)], t, severity="low")
            for p in range(1, probes + 1)
            for t in range(1, trials + 1)
            for o in range(1, oracles + 1)
        ),
    )


def test_probes_stand_by_severity_and_both_axes_by_number() -> None:
    rows = [
        outcome("O-010", "P-010", "caught", severity="low"),
        outcome("O-002", "P-002", "caught", severity="low"),
        outcome("O-002", "P-100", "caught", severity="critical"),
        outcome("O-002", "P-007", "caught", severity="material"),
    ]
    spec = outcome_matrix(table("outcomes", *rows)).to_dict()
    assert domain(spec, "x") == ["P-100", "P-007", "P-002", "P-010"]
    assert domain(spec, "y") == ["O-002", "O-010"]


def test_states_have_their_shape_and_color_and_the_legend_names_those_present() -> None:
    spec = outcome_matrix(SAMPLES["outcomes"]).to_dict()
    assert domain(spec, "color") == domain(spec, "shape") == ["caught", "missed", "not applicable"]
    encoding = layer_of(spec, "point")["encoding"]
    assert len(set(encoding["shape"]["scale"]["range"])) == 3
    assert encoding["color"]["legend"]["title"] is None
    assert spec["description"] == "2 oracles over 2 probes and 1 trial: 1 caught, 1 missed, 1 not applicable."


def test_few_trials_stand_side_by_side() -> None:
    spec = outcome_matrix(outcomes(2, 3, trials=3)).to_dict()
    assert domain(spec, "xOffset") == ["1", "2", "3"]
    assert len(data(spec)) == 2 * 3 * 3


def test_many_trials_share_a_cell_that_says_whether_they_agree() -> None:
    rows = [
        *(outcome("O-001", f"P-{p:03}", "caught", t) for p in range(1, 31) for t in (1, 2)),
        *(outcome("O-002", f"P-{p:03}", state, t) for p in range(1, 31) for t, state in ((1, "caught"), (2, "missed"))),
        *(
            outcome("O-003", f"P-{p:03}", state, t)
            for p in range(1, 31)
            for t, state in ((1, "abstained"), (2, "missed"))
        ),
    ]
    spec = outcome_matrix(table("outcomes", *rows)).to_dict()
    cells = {record["row"]: record for record in data(spec) if record["column"] == "P-030"}
    assert [cells[oracle]["state"] for oracle in ("O-001", "O-002", "O-003")] == ["caught", "sometimes caught", "mixed"]
    assert cells["O-002"]["tally"] == "1 caught, 1 missed"
    assert "xOffset" not in layer_of(spec, "point")["encoding"]


def test_one_probe_of_two_runs_is_two_columns() -> None:
    rows = [outcome("O-001", "P-001", "caught"), {**outcome("O-001", "P-001", "missed"), "run_id": "s"}]
    assert domain(outcome_matrix(table("outcomes", *rows)).to_dict(), "x") == ["P-001 r", "P-001 s"]


@pytest.mark.parametrize(
    ("oracles", "probes", "kinds"),
    [
        (4, 4, ["rect", "point", "text"]),
        (40, 8, ["rect", "point"]),
        (200, 50, ["point"]),
    ],
)
def test_the_more_there_is_the_less_is_drawn_of_each(oracles: int, probes: int, kinds: list[str]) -> None:
    spec = outcome_matrix(outcomes(oracles, probes)).to_dict()
    assert [mark(layer) for layer in layers(spec)] == kinds
    assert len(data(spec)) == oracles * probes
    assert spec["height"] == len(domain(spec, "y")) * {4: 40, 40: 22, 200: 13}[oracles]


def test_what_is_beyond_the_most_that_is_drawn_is_folded_not_lost() -> None:
    spec = outcome_matrix(outcomes(MAX_ROWS + 50, MAX_COLUMNS + 5, states=("caught",))).to_dict()
    assert len(domain(spec, "y")) == MAX_ROWS
    assert domain(spec, "y")[-1] == "… 51 more"
    assert domain(spec, "x")[-1] == "… 6 more"
    folded = next(one for one in data(spec) if one["row"] == "… 51 more" and one["column"] == "… 6 more")
    assert folded["state"] == "caught"
    assert folded["tally"] == "306 caught"


def test_rules_keep_their_order_and_one_contract_shows_why() -> None:
    spec = coverage_matrix(SAMPLES["coverage"]).to_dict()
    assert domain(spec, "y")[0] == "success indicator separation"
    assert domain(spec, "y")[-1] == "state change read back"
    assert [record["reason"] for record in data(spec)] == ["nobody looks", "all seen"]
    assert [layer["encoding"]["text"]["field"] for layer in layers(spec) if mark(layer) == "text"] == [
        "state",
        "reason",
    ]
    assert spec["description"] == "1 contract: 1 of 2 relevant rules witnessed; 1 gap in whole-body."


def contracts(count: int) -> Any:
    rows = (
        {"contract": f"contract-{n}", "rule": rule, "status": "gap" if n % 2 else "witnessed", "severity": "low"}
        for n in range(count)
        for rule in ("whole-body", "per-record")
    )
    return table("coverage", *rows)


def test_many_contracts_stand_below_each_other() -> None:
    spec = coverage_matrix(contracts(20)).to_dict()
    assert domain(spec, "y")[:3] == ["contract-0", "contract-1", "contract-2"]
    assert domain(spec, "x")[1] == "whole body"


def test_very_many_contracts_are_counted() -> None:
    spec = coverage_matrix(contracts(1000)).to_dict()
    counts = {(one["rule"], one["status"]): one["contracts"] for one in data(spec)}
    assert counts["whole-body", "gap"] == counts["whole-body", "witnessed"] == 500
    assert domain(spec, "shape") == ["witnessed", "gap", "not relevant"]


def test_defects_stand_by_severity_and_the_first_column_is_what_they_came_to() -> None:
    spec = defects_caught(SAMPLES["defects"]).to_dict()
    assert domain(spec, "y") == ["D-001 critical", "D-002 low"]
    assert domain(spec, "x") == ["result", "O-001", "O-002", "O-010"]
    cells = {(one["row"], one["column"]): one["state"] for one in data(spec)}
    assert cells == {
        ("D-001 critical", "result"): "missed",
        ("D-001 critical", "O-002"): "missed",
        ("D-002 low", "result"): "caught",
        ("D-002 low", "O-001"): "caught",
        ("D-002 low", "O-010"): "caught",
    }
    assert spec["description"] == "1 of 2 planted defects caught; missed D-001 (critical)."


def test_what_was_never_tried_is_not_counted_as_missed() -> None:
    rows = [
        defect("D-001", "low", "caught", "O-001"),
        defect("D-002", "low", "not exercised"),
        defect("D-003", "low", "invalid"),
    ]
    assert (
        defects_caught(table("defects", *rows)).to_dict()["description"]
        == "1 of 3 planted defects caught; 1 not exercised; 1 invalid."
    )


def test_a_defect_of_two_probes_is_told_apart_by_its_probe() -> None:
    rows = [defect("D-001", "low", "caught"), {**defect("D-001", "low", "missed"), "probe_id": "P-009"}]
    assert domain(defects_caught(table("defects", *rows)).to_dict(), "y") == ["D-001 P-001 low", "D-001 P-009 low"]


def test_a_failed_check_is_seen_among_satisfied_ones() -> None:
    rows = [
        check("seeded-fault-fired", "open", "satisfied", "D-001"),
        check("seeded-fault-fired", "open", "failed", "D-002: silent"),
        check("state-reset", None, "satisfied"),
    ]
    spec = preflight_board(table("preflight_checks", *rows)).to_dict()
    cells = {(one["row"], one["column"]): one for one in data(spec)}
    assert cells["seeded fault fired", "open"]["state"] == "failed"
    assert cells["seeded fault fired", "open"]["note"] == "D-002: silent"
    assert cells["seeded fault fired", "open"]["checks"] == "1 satisfied, 1 failed"
    assert domain(spec, "x") == ["environment", "open"]
    assert domain(spec, "y") == ["state reset", "seeded fault fired"]
    assert spec["description"] == "2 of 3 checks satisfied; failed: seeded-fault-fired of open."


def test_many_operations_stand_below_each_other_and_name_their_interface_where_there_are_two() -> None:
    rows = [check("interface-present", f"operation-{n}", "exempt") for n in range(1, 12)]
    rows.append({**check("interface-present", "operation-1", "satisfied"), "interface_id": "shop"})
    spec = preflight_board(table("preflight_checks", *rows)).to_dict()
    assert domain(spec, "y")[0] == "desk/operation-1"
    assert domain(spec, "y")[-1] == "shop/operation-1"
    assert domain(spec, "x") == ["interface present"]


def test_dominance_is_read_from_the_row_to_the_column() -> None:
    spec = dominance_matrix(SAMPLES["dominance"]).to_dict()
    cells = {(one["row"], one["column"]): one["state"] for one in data(spec)}
    assert cells == {("old", "new"): "weaker", ("new", "old"): "stronger"}
    assert domain(spec, "x") == domain(spec, "y") == ["old", "new"]
    assert spec["description"] == "1 pair of 2 sides: new dominates old."


def test_two_long_names_that_begin_alike_are_two_rows() -> None:
    long = "x" * 100_000
    rows = [{"a": f"{long}1", "b": f"{long}2", "relation": "equivalent"}]
    names = domain(dominance_matrix(table("dominance", *rows)).to_dict(), "y")
    assert len(set(names)) == 2
    assert max(map(len, names)) < 70
