"""Frames of recorded runs: what they hold, what cites what, and that nothing is worked out anew."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import evalnb as ev
from evalnb.trajectory.scorecard import scorecard
from evalnb.view import frames
from evalnb.view.frames.columns import Vocabulary, columns_of
from tests.trajectory.runs import Run
from tests.view.recorded import example, hostile

OF_A_REVIEW = (
    "graded_runs",
    "run_events",
    "tool_calls",
    "run_findings",
    "layer_rates",
    "slice_rates",
    "hard_gates",
    "gate_reasons",
    "trial_rates",
    "run_measures",
    "release_comparison",
    "import_report",
)
EVERY = pytest.mark.parametrize("name", OF_A_REVIEW)


def made(name: str, review: Any = None) -> pd.DataFrame:
    return getattr(frames, name)(example() if review is None else review)


def row(frame: pd.DataFrame, **where: Any) -> Any:
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1, where
    return frame.iloc[0]


@EVERY
def test_a_frame_has_the_columns_and_types_it_documents_full_or_empty(name: str) -> None:
    empty = ev.trajectories.Trajectories(())
    nothing = hostile()
    for frame in (made(name), made(name, nothing)):
        assert list(frame.columns) == [column.name for column in columns_of(name)]
        for column in columns_of(name):
            wanted = "category" if isinstance(column.dtype, Vocabulary) else column.dtype
            assert str(frame[column.name].dtype) == wanted
    assert frames.import_report(empty).empty
    assert all(column.name in (getattr(frames, name).__doc__ or "") for column in columns_of(name))


def test_the_scorecard_is_shown_as_it_is_with_outcomes_apart_from_layers() -> None:
    card, rates = example().scorecard, made("layer_rates")
    assert rates["kind"].tolist() == ["outcome", "outcome", *["layer"] * len(card.layers)]
    assert rates["name"].tolist()[:2] == ["safe execution", "task resolution"]
    for shown, rate in zip(rates.itertuples(), (card.safe, card.resolved, *card.layers), strict=True):
        assert (shown.held, shown.n, shown.rate, shown.low, shown.high) == (
            rate.count,
            rate.n,
            rate.value,
            rate.low,
            rate.high,
        )
        assert shown.small == (rate.n < 30)


def test_a_rate_of_no_run_is_missing_not_zero() -> None:
    rates = frames.layer_rates(scorecard([]))
    assert rates["n"].tolist() == [0, 0]
    assert rates["rate"].isna().all()


def test_findings_cite_events_and_events_name_the_findings() -> None:
    found = made("run_findings")
    events = made("run_events")
    for one in found.itertuples():
        for number in one.events.split(", "):
            event = row(events, run_id=one.run_id, number=int(number))
            assert one.code in event["codes"].split(", ")
    quiet = events[events["codes"].isna()]
    assert quiet["bears_on"].isna().all()


def test_an_event_carries_the_gravest_bearing() -> None:
    event = row(made("run_events"), run_id="1.1/note-injection/2", number=7)
    assert event["codes"] == "instructions-in-result, instructions-followed"
    assert event["bears_on"] == "safety"


def test_events_without_grades_cite_nothing() -> None:
    events = frames.run_events(example().runs)
    assert len(events) == sum(map(len, example().runs))
    assert events["codes"].isna().all()


def test_a_call_stands_against_its_schema_and_with_its_approval() -> None:
    calls = made("tool_calls")
    changed = row(calls, run_id="1.1/cancel-placed/2", tool="orders.cancel")
    assert changed["schema"] == "does not fit"
    assert "reason" in changed["violations"]
    assert changed["approval"] == "approved"
    assert changed["effect"] == "destructive"
    missing = row(calls, run_id="1.1/note-injection/2", tool="payments.refund")
    assert (missing["schema"], missing["approval"], missing["status"]) == ("fits", "no request", "ok")
    lost = row(calls[calls["status"] == "timeout"], run_id="1.1/lost-reply/1")
    assert lost["seconds"] == pytest.approx(10.0)
    assert "retry-with-new-operation-id" in lost["codes"]


def test_a_denied_a_late_and_an_unanswered_call_are_told_apart() -> None:
    run = Run().asks("orders.cancel").decides(False).call("orders.cancel", {"orderId": "x"}).asks("a.b", approval="z")
    run.call("a.b", {})
    run.builder.call("open", "c.d", {}, None)
    review = ev.trajectories.Trajectories((run.done(),))
    from evalnb.trajectory.reviewing import review_of

    calls = frames.tool_calls(review_of(review))
    assert calls["approval"].tolist() == ["denied", "undecided", "no request"]
    assert calls["status"].tolist() == ["ok", "ok", "unanswered"]
    assert calls["schema"].tolist() == ["no schema"] * 3


def test_the_worst_run_has_rank_one_and_heads_the_worst() -> None:
    runs = made("graded_runs")
    assert sorted(runs["rank"]) == list(range(1, len(runs) + 1))
    worst = runs.sort_values("rank")["run_id"].tolist()[:3]
    assert worst == [one.run_id for one in example().worst(3)]
    assert row(runs, rank=1)["hard_findings"] == runs["hard_findings"].max()
    assert row(runs, run_id="1.1/cancel-placed/0")["worst_finding"] is pd.NA


def test_the_gate_is_told_rule_by_rule() -> None:
    reasons = made("gate_reasons")
    assert row(reasons, rule="hard gate leaked-identifier")["outcome"] == "blocked"
    assert row(reasons, rule="floor resolved")["outcome"] == "pass"
    assert len(reasons) == len(example().decision.reasons)
    assert frames.gate_reasons(hostile()).empty


def test_hard_gates_are_listed_found_or_not() -> None:
    gates = made("hard_gates")
    assert row(gates, code="forbidden-call")["runs"] == 2
    assert row(gates, code="effect-duplicated")["examples"] is pd.NA


def test_releases_are_compared_by_outcome_and_part() -> None:
    compared = made("release_comparison")
    whole = row(compared, outcome="safe execution", slice="all")
    assert (whole["pairs"], whole["gained"], whole["lost"]) == (18, 7, 3)
    assert whole["difference"] == pytest.approx(whole["newer"] - whole["older"])
    assert whole["p_adjusted"] is pd.NA
    parts = compared[compared["slice"] != "all"]
    assert (parts["p_adjusted"] >= parts["p_value"]).all()
    assert frames.release_comparison(example().grades, ()).empty


def test_trials_and_measures_are_the_scorecards() -> None:
    trials = made("trial_rates")
    assert trials["all_pass"].tolist() == [one.all_pass for one in example().scorecard.trials]
    assert row(made("run_measures"), measure="calls")["largest"] == 3


def test_a_label_is_held_against_the_graders() -> None:
    from evalnb.trajectory.reviewing import review_of
    from tests.trajectory.runs import TOOLS, case

    runs = [
        Run(trial=place, labels={"reward": reward}).call("orders.cancel", {"orderId": "481"}).done()
        for place, reward in enumerate((1.0, 0.0))
    ]
    suite = ev.trajectories.review(ev.trajectories.example()).suite.model_copy(
        update={
            "tools": TOOLS,
            "cases": (case(effects={"calls": [{"tool": "orders.cancel", "arguments": {"orderId": "481"}}]}),),
        }
    )
    differ = frames.label_disagreements(review_of(runs, suite), "reward")
    assert differ["run_id"].tolist() == ["c/1"]
    assert differ["resolved"].tolist() == [True]
    assert differ["label"].tolist() == [False]


def test_what_was_dropped_and_noted_is_in_the_import_report(tmp_path: Any) -> None:
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "hi"}, {"role": "ghost", "content": "boo"}]', "utf-8")
    report = frames.import_report(ev.trajectories.load(path))
    assert report["file"].tolist() == ["chat.json"]
    assert "unknown-role" in report["notes"].iloc[0]


def test_the_same_files_give_the_same_frames() -> None:
    again = ev.trajectories.review(ev.trajectories.example())
    for name in OF_A_REVIEW:
        assert made(name).equals(made(name, again)), name
