"""tau-bench runs of any domain and any state: other tools, crashed runs, missing labels, older messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalnb.files import FileProblem
from evalnb.trajectory.events import ToolCall, ToolResult
from evalnb.trajectory.grading import RunGrade, grade
from evalnb.trajectory.label_agreement import label_agreement
from evalnb.trajectory.loading import Trajectories, load, write_lines
from evalnb.trajectory.scorecard import scorecard
from evalnb.trajectory.tau_cases import tau_suite
from evalnb.trajectory.tool_effects import changes_state

ITEMS = {"type": "array", "items": {"type": "string"}}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    for name, properties in {
        "find_user_id_by_email": {"email": {"type": "string"}},
        "get_order_details": {"order_id": {"type": "string"}},
        "exchange_delivered_order_items": {"order_id": {"type": "string"}, "item_ids": ITEMS, "new_item_ids": ITEMS},
        "modify_user_address": {"user_id": {"type": "string"}, "zip": {"type": "string"}},
        "transfer_to_human_agents": {"summary": {"type": "string"}},
    }.items()
]
EXCHANGE = {"order_id": "#W1", "item_ids": ["11", "22"], "new_item_ids": ["33", "44"]}
TASK = {
    "user_id": "yusuf",
    "instruction": "Exchange both",
    "actions": [
        {"name": "get_order_details", "kwargs": {"order_id": "#W1"}},
        {"name": "exchange_delivered_order_items", "kwargs": EXCHANGE},
    ],
    "outputs": [],
}
STOP = {"role": "user", "content": "###STOP###"}


def call(name: str, arguments: Any, call_id: str = "c") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "function": function}]}


def answer(text: str, call_id: str = "c", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


def conversation(arguments: Any = EXCHANGE, said: str = '{"status": "exchange requested"}') -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Please exchange both."},
        {"role": "assistant", "content": "I exchange 11 for 33 and 22 for 44, yes?"},
        {"role": "user", "content": [{"type": "text", "text": "Yes"}, {"type": "text", "text": "please"}]},
        call("exchange_delivered_order_items", arguments),
        answer(said, name="exchange_delivered_order_items"),
        {"role": "assistant", "content": "Done.", "tool_calls": None, "function_call": None},
        STOP,
    ]


def record(traj: Any, **more: Any) -> dict[str, Any]:
    return {"task_id": 5, "trial": 0, "reward": 1.0, "info": {"task": TASK}, "traj": traj, **more}


def without(body: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in keys}


def graded(folder: Path, runs: list[Any], tools: bool = True) -> tuple[Trajectories, tuple[RunGrade, ...]]:
    (folder / "runs.json").write_text(json.dumps(runs))
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    made = tau_suite(folder / "runs.json", folder / "tools.json" if tools else None)
    found = load(folder / "runs.json")
    return found, grade(found, made.suite)


RETURN = {"order_id": "#W1", "item_ids": ["11", "22"], "payment_method_id": "p"}
FLIGHTS = {"reservation_id": "R", "flights": [{"flight_number": "HAT1", "date": "2024-05-20"}]}
ADDRESS = {"user_id": "yusuf", "address1": "1 Elm St", "zip": "90001"}


def task(*actions: tuple[str, Any], outputs: tuple[str, ...] = ()) -> dict[str, Any]:
    listed = [{"name": name, "kwargs": arguments} for name, arguments in actions]
    return {"task": {**TASK, "actions": listed, "outputs": list(outputs)}}


def says(text: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": calls[0]["tool_calls"]} if calls else {})}


LOOK = call("get_order_details", {"order_id": "#W1"})


@pytest.mark.parametrize(
    "output, told, stated",
    [
        ("1234.5", [says("It is $1,234.50.")], True),
        ("Blue", [says("The BLUE one")], True),
        ("327", [says("I expect 327.", LOOK), answer("{}"), says("Done.")], False),
        ("327", [says("I look.", LOOK), answer("{}"), says("It is 327.")], True),
        ("10 days", [says("You stay 10"), says("days longer.")], False),
        ("10 days", [says("10  days")], False),
        ("1,000", [says("It is 1,000.")], False),
        ("327", [call("transfer_to_human_agents", {"summary": "327"}), answer("Transfer successful")], False),
    ],
)
@pytest.mark.parametrize("tools", [True, False])
def test_an_output_is_stated_as_the_benchmark_reads_it(
    output: str, told: list[Any], stated: bool, tools: bool, tmp_path: Path
) -> None:
    run = record([{"role": "user", "content": "hi"}, *told, STOP], info=task(outputs=(output,)))
    _, grades = graded(tmp_path, [run], tools)
    assert grades[0].resolved is stated


@pytest.mark.parametrize(
    "tool, wanted, made, equal",
    [
        ("return_delivered_order_items", RETURN, {**RETURN, "item_ids": ["22", "11"]}, True),
        ("return_delivered_order_items", RETURN, {**RETURN, "item_ids": ["22", "33"]}, False),
        ("modify_pending_order_items", EXCHANGE, {**EXCHANGE, "item_ids": ["22", "11"], "new_item_ids": ["44", "33"]}, True),
        ("modify_pending_order_items", EXCHANGE, {**EXCHANGE, "new_item_ids": ["44", "33"]}, False),
        ("update_reservation_flights", FLIGHTS, {**FLIGHTS, "flights": [{**FLIGHTS["flights"][0], "origin": "EWR"}]}, True),  # type: ignore[dict-item]
        ("update_reservation_flights", FLIGHTS, {**FLIGHTS, "flights": [{**FLIGHTS["flights"][0], "date": "2024-05-21"}]}, False),  # type: ignore[dict-item]
        ("update_reservation_flights", FLIGHTS, {**FLIGHTS, "cabin": "business"}, False),
    ],
)  # fmt: skip
def test_calls_compare_without_schemas_as_with_them(
    tool: str, wanted: Any, made: Any, equal: bool, tmp_path: Path
) -> None:
    traj = [{"role": "user", "content": "yes"}, call(tool, made), answer("{}"), STOP]
    _, grades = graded(tmp_path, [record(traj, info=task((tool, wanted)))], tools=False)
    assert grades[0].resolved is equal


@pytest.mark.parametrize(
    "tool, made, resolved",
    [
        ("modify_user_address", [{**ADDRESS, "zip": "90002"}, ADDRESS], True),
        ("modify_user_address", [ADDRESS, ADDRESS], True),
        ("modify_user_address", [ADDRESS, {**ADDRESS, "zip": "90002"}], False),
        ("modify_user_address", [ADDRESS, {**ADDRESS, "user_id": "mia"}], False),
        ("cancel_pending_order", [ADDRESS, ADDRESS], False),
    ],
)
def test_what_writes_one_thing_whole_counts_as_it_was_written_last(
    tool: str, made: list[Any], resolved: bool, tmp_path: Path
) -> None:
    calls = [part for number, given in enumerate(made) for part in (call(tool, given, f"c{number}"), answer("{}", f"c{number}"))]  # fmt: skip
    run = record([{"role": "user", "content": "yes"}, *calls, STOP], info=task((tool, ADDRESS)))
    _, grades = graded(tmp_path, [run], tools=False)
    assert grades[0].resolved is resolved


def test_a_tool_that_only_the_ground_truth_names_is_one_of_the_tools(tmp_path: Path) -> None:
    traj = [{"role": "user", "content": "yes"}, call("cancel_pending_order", ADDRESS), answer("{}"), STOP]
    info = task(("cancel_pending_order", ADDRESS))
    _, grades = graded(tmp_path, [record(traj, info=info), record([STOP], info=info, trial=1)])
    assert [one.resolved for one in grades] == [True, False]


def test_runs_of_one_id_and_two_ground_truths_are_of_two_cases(tmp_path: Path) -> None:
    """As in a file of two domains, or of two releases of the benchmark."""
    idle = record([{"role": "user", "content": "hi"}, STOP], info=task())
    runs = [record(conversation()), {**idle, "trial": 1}, {**idle, "trial": 2}]
    found, grades = graded(tmp_path, runs)
    assert [one.resolved for one in grades] == [True, True, True]
    assert len({one.case_id for one in grades}) == 2
    assert grades[0].case_id == "tau-5"
    write_lines(found, tmp_path / "own.jsonl")
    (tmp_path / "one.json").write_text(json.dumps(runs[:1]))
    again = grade(load(tmp_path / "own.jsonl"), tau_suite(tmp_path / "one.json").suite)
    assert [one.has_case for one in again] == [True, False, False]


@pytest.mark.parametrize("tools", [True, False])
def test_another_domain_is_graded_by_what_its_tools_change(tools: bool, tmp_path: Path) -> None:
    wrong = {**EXCHANGE, "new_item_ids": ["33", "55"]}
    address = [call("modify_user_address", {"user_id": "yusuf", "zip": "1"}), answer("{}")]
    runs = [
        record(conversation()),
        record(conversation(wrong), trial=1, reward=0.0),
        record(conversation(said="Error: order cannot be exchanged"), trial=2, reward=0.0),
        record([*conversation()[:-1], *address, STOP], trial=3, reward=0.0),
        record(conversation()[:-1], trial=4, reward=0.0),
    ]
    _, grades = graded(tmp_path, runs, tools)
    assert [one.resolved for one in grades] == [True, False, False, False, False]
    assert label_agreement(grades, "reward").agree == 5
    assert "forbidden-call" in {one.code for one in grades[3].findings}


def test_lists_of_ids_mean_the_same_in_any_order_and_stay_side_by_side(tmp_path: Path) -> None:
    turned = {**EXCHANGE, "item_ids": ["22", "11"], "new_item_ids": ["44", "33"]}
    crossed = {**EXCHANGE, "new_item_ids": ["44", "33"]}
    _, grades = graded(tmp_path, [record(conversation(turned)), record(conversation(crossed), trial=1)])
    assert [one.resolved for one in grades] == [True, False]


def test_a_crashed_run_gives_no_case_and_counts_as_unresolved(tmp_path: Path) -> None:
    crashed = record([], trial=1, reward=0.0, info={"error": "boom", "traceback": "..."})
    found, grades = graded(tmp_path, [crashed, record(conversation(), trial=0), record(None, trial=2, info=None)])
    assert [one.resolved for one in grades] == [False, True, False]
    assert found.reports[0].dropped["info key 'traceback'"] == 1
    assert {note.code for note in found[0].notes} == {"empty-run", "unended-run"}
    made = tau_suite(tmp_path / "runs.json")
    assert (made.runs, made.without_truth, len(made.suite.cases)) == (3, 2, 1)


@pytest.mark.parametrize(
    "change, labels, lost",
    [
        ({"reward": 1}, {"reward": 1}, None),
        ({"reward": True}, {"reward": True}, None),
        ({"reward": None}, {}, None),
        ({"reward": "1.0"}, {}, "reward that is no number"),
        ({"trial": "second"}, {"reward": 1.0}, "trial that is no whole number"),
        ({"trial": None}, {"reward": 1.0}, None),
        ({"info": "none"}, {"reward": 1.0}, "info that is no object"),
        ({"model": "m"}, {"reward": 1.0}, "record key 'model'"),
    ],
)
def test_labels_of_any_kind_are_kept_or_counted(
    change: dict[str, Any], labels: dict[str, Any], lost: str | None, tmp_path: Path
) -> None:
    (tmp_path / "runs.json").write_text(json.dumps([{**record(conversation()), **change}]))
    found = load(tmp_path / "runs.json")
    assert found[0].identity.labels == labels
    assert (lost in found.reports[0].dropped) == (lost is not None)


def test_runs_without_reward_and_trial_are_told_apart_and_have_no_label_rate(tmp_path: Path) -> None:
    runs = [without(record(conversation()), "reward", "trial")] * 2
    found, grades = graded(tmp_path, runs)
    assert [run.run_id for run in found] == ["tau-5/0", "tau-5/0#2"]
    card = scorecard(grades, label="reward")
    assert card.label_trials == ()
    assert [rate.all_pass for rate in card.trials] == [1.0, 1.0]
    assert label_agreement(grades, "reward").n == 0


def test_a_task_that_changes_nothing_is_resolved_by_changing_nothing(tmp_path: Path) -> None:
    idle = record([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "No."}, STOP])
    runs = [{**idle, "info": {"task": {**TASK, "actions": actions}}, "task_id": n} for n, actions in enumerate(([], None))]  # fmt: skip
    runs.append({**record(conversation()), "info": {"task": {**TASK, "actions": []}}, "task_id": 0, "trial": 1})
    _, grades = graded(tmp_path, runs)
    assert [one.resolved for one in grades] == [True, True, False]


def test_a_handoff_ends_a_run_whatever_its_result_is_named(tmp_path: Path) -> None:
    handed = [*conversation()[:-1], call("transfer_to_human_agents", {"summary": "s"}, "t"), answer("Transferred", "t")]
    _, grades = graded(tmp_path, [record(handed)])
    assert grades[0].resolved


def test_the_older_form_of_calls_pairs_with_its_results(tmp_path: Path) -> None:
    older = [
        {"role": "user", "content": "Yes, exchange 11"},
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "exchange_delivered_order_items", "arguments": json.dumps(EXCHANGE)},
        },
        {"role": "function", "name": "exchange_delivered_order_items", "content": "{}"},
        STOP,
    ]
    found, grades = graded(tmp_path, [record(older)])
    calls = [event for event in found[0] if isinstance(event, ToolCall)]
    results = [event for event in found[0] if isinstance(event, ToolResult)]
    assert results[0].call_number == calls[0].number
    assert not found[0].notes
    assert grades[0].resolved


def test_an_unknown_action_is_a_failure(tmp_path: Path) -> None:
    stray = [call("teleport_order", {}, "t"), answer("Unknown action teleport_order", "t")]
    found, grades = graded(tmp_path, [record([*conversation()[:-1], *stray, STOP])], tools=False)
    assert [event.status for event in found[0] if isinstance(event, ToolResult)] == ["ok", "execution-error"]
    assert grades[0].resolved


def test_actions_of_any_shape_are_no_crash(tmp_path: Path) -> None:
    actions = [5, {"name": None}, {"name": ["x"]}, {"kwargs": {}}, {"name": "respond", "kwargs": {"content": "hi"}}]
    runs = [record(conversation(), info={"task": {**TASK, "actions": actions, "outputs": "none"}})]
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    case = tau_suite(tmp_path / "runs.json").suite.cases[0]
    assert case.effects is not None
    assert case.effects.calls == ()
    assert case.answer is not None
    assert case.answer.must_state == ()


def test_the_tools_that_change_state_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text(json.dumps([record(conversation())]))
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    made = tau_suite(tmp_path / "runs.json", tmp_path / "tools.json", changes=["modify_user_address"])
    assert made.changing == ("modify_user_address",)
    with pytest.raises(FileProblem, match="lists no tool fly"):
        tau_suite(tmp_path / "runs.json", tmp_path / "tools.json", changes=["fly"])


@pytest.mark.parametrize(
    "name, changes",
    [
        ("get_order_details", False),
        ("orders.get", False),
        ("shop__list_orders", False),
        ("searchFlights", False),
        ("think", False),
        ("transfer_to_human_agents", False),
        ("transfer_money", True),
        ("cancel_order", True),
        ("orders.cancel", True),
        ("updateAddress", True),
        ("check_balance", False),
        ("check_in_passenger", True),
        ("frobnicate", True),
        ("", True),
    ],
)
def test_a_tool_changes_state_unless_its_name_says_that_it_reads(name: str, changes: bool) -> None:
    assert changes_state(name) is changes


def test_the_benchmarks_own_tools_change_what_they_change() -> None:
    changing = [
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    ]
    reading = [
        "calculate",
        "find_user_id_by_email",
        "find_user_id_by_name_zip",
        "get_order_details",
        "get_product_details",
        "get_user_details",
        "get_reservation_details",
        "list_all_product_types",
        "list_all_airports",
        "search_direct_flight",
        "search_onestop_flight",
        "think",
        "transfer_to_human_agents",
    ]
    assert [name for name in changing + reading if changes_state(name)] == changing


def test_what_a_server_says_goes_before_the_name() -> None:
    assert changes_state("get_token", {"readOnlyHint": False})
    assert not changes_state("refresh", {"readOnlyHint": True})
    assert changes_state("refresh", {"readOnlyHint": "yes"})
