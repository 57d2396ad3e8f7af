"""Every format becomes the same events, and what a format holds beyond them is reported."""

from __future__ import annotations

import contextlib
import copy
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from evalnb.files import FileProblem
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.importers.reading import status_of_text
from evalnb.trajectory.line_format import line_schema
from evalnb.trajectory.loading import Trajectories, load, stream, write_lines
from tests.trajectory.runs import Run

ARGUMENTS = {"orderId": "481"}
SHAPE = ["user_request", "tool_call", "tool_result", "final_answer"]

CHAT = [
    {"role": "user", "content": "Where is order 481?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "orders.get", "arguments": json.dumps(ARGUMENTS)}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
    {"role": "assistant", "content": "It is shipped."},
]
BLOCKS = [
    {"role": "user", "content": "Where is order 481?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "orders.get", "input": ARGUMENTS}]},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "shipped"}]}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is shipped."}]},
]
INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "orders", "model": "m"},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "messages": [
                {"role": "user", "content": "attachment://q"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c1", "function": "orders.get", "arguments": ARGUMENTS}],
                },
                {"role": "tool", "tool_call_id": "c1", "function": "orders.get", "content": "shipped"},
                {"role": "assistant", "content": "It is shipped."},
            ],
            "attachments": {"q": "Where is order 481?"},
            "scores": {"match": {"value": "C"}},
        }
    ],
}
TAU = [
    {
        "task_id": 3,
        "trial": 1,
        "reward": 1.0,
        "info": {"task": {"actions": []}},
        "traj": [*CHAT, {"role": "user", "content": "###STOP###"}],
    }
]


def rpc(**body: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **body}


MCP = [
    rpc(id=1, method="tools/list"),
    rpc(id=1, result={"tools": [{"name": "orders.get", "inputSchema": {"type": "object"}}], "nextCursor": "p2"}),
    rpc(id=2, method="tools/list", params={"cursor": "p2"}),
    rpc(id=2, result={"tools": []}),
    {
        "timestamp": "2026-01-01T00:00:00Z",
        "message": rpc(id=3, method="tools/call", params={"name": "orders.get", "arguments": ARGUMENTS}),
    },
    {
        "timestamp": "2026-01-01T00:00:02Z",
        "message": rpc(
            id=3, result={"content": [{"type": "text", "text": "shipped"}], "structuredContent": {"state": "shipped"}}
        ),
    },
    rpc(method="notifications/tools/list_changed"),
    rpc(id=4, method="tools/call", params={"name": "orders.get", "arguments": ARGUMENTS}),
    rpc(id=4, error={"code": -32602, "message": "no such tool"}),
    rpc(id=5, method="ping"),
    rpc(id=5, result={}),
]


def attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value if isinstance(value, str) else json.dumps(value)}}


def span(span_id: str, start: int, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    listed = [attribute(key, value) for key, value in attributes.items()]
    return {
        "traceId": "t1",
        "spanId": span_id,
        "name": span_id,
        "startTimeUnixNano": str(start * 10**9),
        "endTimeUnixNano": str((start + 1) * 10**9),
        "attributes": listed,
        **more,
    }


ASKED = {"role": "user", "parts": [{"type": "text", "content": "Where is order 481?"}]}
CALLED = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "orders.get", "arguments": ARGUMENTS}],
}
GOT = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "shipped"}]}
TOLD = {"role": "assistant", "parts": [{"type": "text", "content": "It is shipped."}], "finish_reason": "stop"}
SPANS = [
    span(
        "s2",
        2,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "orders.get",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.result": "shipped",
        },
    ),
    span(
        "s1", 1, {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [ASKED], "gen_ai.output.messages": [CALLED]}
    ),
    span(
        "s3",
        4,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [ASKED, CALLED, GOT],
            "gen_ai.output.messages": [TOLD],
        },
    ),
]


def otlp(spans: list[Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def lines(values: list[Any]) -> str:
    return "\n".join(json.dumps(value) for value in values)


FILES = {
    "chat, one array": (json.dumps(CHAT), "chat messages"),
    "chat, a line a message": (lines(CHAT), "chat messages"),
    "chat, a record a line": (lines([{"messages": CHAT}]), "chat messages"),
    "blocks": (json.dumps({"messages": BLOCKS}), "chat of content blocks"),
    "blocks, an array": (json.dumps(BLOCKS), "chat of content blocks"),
    "inspect": (json.dumps(INSPECT), "inspect_ai log"),
    "spans": (json.dumps(otlp(SPANS)), "OpenTelemetry spans (OTLP JSON)"),
}  # fmt: skip


def loaded(path: Path, text: str) -> Trajectories:
    file = path / "trace.json"
    file.write_text(text, encoding="utf-8")
    return load(file)


def kinds(run: Trajectory) -> list[str]:
    return [event.type for event in run if event.type != "model_decision"]


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_told_and_read_in_order(name: str, tmp_path: Path) -> None:
    text, title = FILES[name]
    found = loaded(tmp_path, text)
    assert found.reports[0].format == title
    assert len(found) == 1
    run = found[0]
    assert kinds(run) == SHAPE
    call, result = (next(event for event in run if event.type == kind) for kind in SHAPE[1:3])
    assert (call.name, call.arguments) == ("orders.get", ARGUMENTS)  # type: ignore[attr-defined]
    assert (result.call_number, result.text, result.status) == (call.number, "shipped", "ok")  # type: ignore[attr-defined]
    assert not [note for note in run.notes if note.code != "ordered-by-start"]


def test_tau_runs_carry_case_trial_reward_and_end(tmp_path: Path) -> None:
    run = loaded(tmp_path, json.dumps(TAU))[0]
    assert (run.identity.case_id, run.identity.trial, run.identity.ended) == ("tau-3", 1, True)
    assert run.identity.labels == {"reward": 1.0}
    assert kinds(run) == [*SHAPE, "user_request"]


def test_a_tau_run_cut_off_is_noted(tmp_path: Path) -> None:
    run = loaded(tmp_path, json.dumps([{**TAU[0], "traj": CHAT[:3]}]))[0]
    assert run.identity.ended is False
    assert [note.code for note in run.notes] == ["unended-run"]


def test_mcp_pages_changes_errors_and_times(tmp_path: Path) -> None:
    found = loaded(tmp_path, lines(MCP))
    run = found[0]
    assert kinds(run) == [
        "tools_discovered",
        "tools_discovered",
        "tool_call",
        "tool_result",
        "tool_list_changed",
        "tool_call",
        "tool_result",
    ]
    pages = [(event.page, event.more) for event in run if event.type == "tools_discovered"]  # type: ignore[attr-defined]
    assert pages == [(1, True), (2, False)]
    results = [event for event in run if event.type == "tool_result"]
    assert [result.status for result in results] == ["ok", "protocol-error"]  # type: ignore[attr-defined]
    assert results[0].structured == {"state": "shipped"}  # type: ignore[attr-defined]
    assert results[0].at - run.event(3).at == 2.0  # type: ignore[operator]
    assert dict(found.reports[0].dropped) == {"request 'ping'": 1, "response to 'ping'": 1}


def test_spans_in_the_order_they_ended_are_taken_by_start_and_said_so(tmp_path: Path) -> None:
    run = loaded(tmp_path, json.dumps(otlp(SPANS)))[0]
    assert [note.code for note in run.notes] == ["ordered-by-start"]


ELICITED = [
    ("c2s", rpc(id=2, method="tools/call", params={"name": "cancel", "arguments": {"id": 1}})),
    ("s2c", rpc(id=2, method="elicitation/create", params={"message": "Sure?"})),
    ("c2s", rpc(id=2, result={"action": "accept", "content": {}})),
    ("s2c", rpc(id=2, result={"content": [{"type": "text", "text": "cancelled"}]})),
]


@pytest.mark.parametrize("told", [True, False], ids=["with a direction", "without"])
def test_what_a_server_asks_under_the_id_of_a_call_is_not_its_result(told: bool, tmp_path: Path) -> None:
    text = lines([{"direction": side, "message": message} if told else message for side, message in ELICITED])
    run = loaded(tmp_path, text)[0]
    [result] = [event for event in run.events if event.type == "tool_result"]
    assert (result.status, result.text) == ("ok", "cancelled")  # type: ignore[attr-defined]
    assert run.notes == ()


def test_a_chat_that_turns_to_blocks_after_its_beginning_loses_nothing(tmp_path: Path) -> None:
    plain = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]}
    found = loaded(tmp_path, lines([plain, {"messages": BLOCKS}]))
    alone = loaded(tmp_path, lines([{"messages": BLOCKS}]))
    assert [event.type for event in found[1].events] == [event.type for event in alone[0].events]
    assert "tool_call" in [event.type for event in found[1].events]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"error": null, "order": 1}', "ok"),
        ('{"order": 1, "error": "no such order"}', "execution-error"),
        ('{ "error": {"message": "rate limit reached"}}', "rate-limit"),
        ('{"success": true, "error": "none"}', "ok"),
        ('{"error": "cut off', "execution-error"),
        ('{"text": "the word \\"error\\" alone"}', "ok"),
        ("Error: total price is 1429.00, more than the card holds", "execution-error"),
        ("Error: HTTP 429", "rate-limit"),
        ("Error: status code: 429", "rate-limit"),
        ("Error: the call timed out", "timeout"),
        ("A list of error codes", "ok"),
    ],
)
def test_a_text_tells_its_status(text: str, status: str) -> None:
    assert status_of_text(text) == status


def tool_span(number: int, call_id: str | None, arguments: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.call.result": "ok",
    }
    attributes |= {} if call_id is None else {"gen_ai.tool.call.id": call_id}
    attributes |= {} if arguments is None else {"gen_ai.tool.call.arguments": arguments}
    return span(f"t{number}", 10 + 2 * number, attributes)


def chat_span(start: int, given: list[Any], said: list[Any]) -> dict[str, Any]:
    told = {"gen_ai.input.messages": given, "gen_ai.output.messages": said}
    return span(f"c{start}", start, {"gen_ai.operation.name": "chat", **told})


def asking(*calls: tuple[str | None, Any]) -> dict[str, Any]:
    parts = [{"type": "tool_call", "id": call_id, "name": "refund", "arguments": given} for call_id, given in calls]
    return {"role": "assistant", "parts": parts}


def answering(*answers: tuple[str | None, str]) -> dict[str, Any]:
    parts = [{"type": "tool_call_response", "id": call_id, "response": said} for call_id, said in answers]
    return {"role": "tool", "parts": parts}


ONE, TWO = {"order": 1}, {"order": 2}
TWICE = [ASKED, asking(("c", ONE)), answering(("c", "ok")), asking(("c", ONE)), answering(("c", "ok"))]


@pytest.mark.parametrize(
    ("spans", "calls"),
    [
        ([tool_span(1, "c", ONE), tool_span(2, "c", ONE), tool_span(3, "c", TWO)], [ONE, ONE, TWO]),
        ([tool_span(1, None, ONE), tool_span(2, None, ONE)], [ONE, ONE]),
        ([chat_span(1, [ASKED], [asking(("c", ONE))]), tool_span(1, "c", ONE)], [ONE]),
        ([chat_span(1, [ASKED], [asking(("c", ONE))]), tool_span(1, "c", None)], [ONE]),
        ([chat_span(1, [ASKED], [asking((None, ONE))]), tool_span(1, None, ONE)], [ONE]),
        ([chat_span(1, [ASKED], [asking(("c", ONE))]), tool_span(1, "c", ONE), tool_span(2, "c", ONE)], [ONE, ONE]),
        ([chat_span(1, [ASKED], [asking((None, ONE), (None, TWO))])], [ONE, TWO]),
        ([chat_span(1, TWICE[:1], TWICE[1:2]), chat_span(5, TWICE[:3], TWICE[3:4]), chat_span(9, TWICE, [TOLD])], [ONE, ONE]),
        ([chat_span(1, TWICE, [TOLD]), chat_span(5, TWICE, [TOLD])], [ONE, ONE]),
        ([chat_span(1, [ASKED], TWICE[1:3]), chat_span(5, [{**ASKED, "parts": []}, *TWICE[1:3]], [TOLD])], [ONE]),
    ],
)  # fmt: skip
def test_every_call_of_a_trace_is_one_call(spans: list[Any], calls: list[Any], tmp_path: Path) -> None:
    run = loaded(tmp_path, json.dumps(otlp(spans)))[0]
    assert [event.arguments for event in run.events if event.type == "tool_call"] == calls  # type: ignore[attr-defined]
    results = [event for event in run.events if event.type == "tool_result"]
    answered = [event.call_number for event in results]  # type: ignore[attr-defined]
    assert len(answered) == len(set(answered)) == len(calls) or "missing-result" in str(run.notes)


def test_a_prompt_that_is_a_window_onto_the_conversation_adds_nothing(tmp_path: Path) -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "parts": [{"type": "text", "content": text}]}

    told = [said("user" if number % 2 == 0 else "assistant", f"text {number}") for number in range(8)]
    rules = said("system", "Be brief.")
    spans = [chat_span(2 * end, [rules, *told[max(0, end - 3) : end]], [told[end]]) for end in range(1, 8, 2)]
    run = loaded(tmp_path, json.dumps(otlp(spans)))[0]
    assert [getattr(event, "text", None) for event in run.events[1:]] == [f"text {number}" for number in range(8)]


def test_an_eval_archive_reads_as_its_json(tmp_path: Path) -> None:
    archive = tmp_path / "log.eval"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("header.json", json.dumps({key: value for key, value in INSPECT.items() if key != "samples"}))
        file.writestr("samples/1_epoch_1.json", json.dumps(INSPECT["samples"][0]))
    (tmp_path / "log.json").write_text(json.dumps(INSPECT))
    assert load(archive).runs == load(tmp_path / "log.json").runs


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    archive = tmp_path / "log.eval"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({key: value for key, value in INSPECT.items() if key != "samples"}))
        file.writestr("samples/1_epoch_1.json", json.dumps(INSPECT["samples"][0]))
    whole = archive.read_bytes()
    for place in range(40, len(whole) - 60, 7):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with contextlib.suppress(FileProblem):
            load(archive)


def test_an_archive_packed_with_zstandard_reads_where_the_extra_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archives = pytest.importorskip("backports.zstd.zipfile")
    archive = tmp_path / "log.eval"
    with archives.ZipFile(archive, "w", archives.ZIP_ZSTANDARD) as file:
        file.writestr("header.json", json.dumps({key: value for key, value in INSPECT.items() if key != "samples"}))
        file.writestr("samples/1_epoch_1.json", json.dumps(INSPECT["samples"][0]))
    (tmp_path / "log.json").write_text(json.dumps(INSPECT))
    assert load(archive).runs == load(tmp_path / "log.json").runs
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    if sys.version_info < (3, 14):
        with pytest.raises(FileProblem, match=r"packed with zstandard: pip install 'evalnb\[inspect\]'"):
            load(archive)


def test_what_no_event_stands_for_is_counted(tmp_path: Path) -> None:
    chat = [
        {**CHAT[0], "flavour": 1},
        {"role": "critic", "content": "hm"},
        {"role": "user", "content": [{"type": "image_url"}]},
    ]
    report = loaded(tmp_path, json.dumps(chat)).reports[0]
    assert dict(report.dropped) == {
        "message key 'flavour'": 1,
        "message of role 'critic'": 1,
        "content part of kind 'image_url'": 1,
    }
    assert report.notes.counts == {"unknown-role": 1, "not-text": 1}


@pytest.mark.parametrize(
    "text, status",
    [
        ("Error: no such order", "execution-error"),
        ('{"error": "no"}', "execution-error"),
        ("Error: request timed out", "timeout"),
        ("Error: rate limit reached", "rate-limit"),
        ("No errors found", "ok"),
        ("", "ok"),
    ],
)
def test_a_failing_result_is_told_from_its_text(text: str, status: str, tmp_path: Path) -> None:
    run = loaded(tmp_path, json.dumps([*CHAT[:2], {**CHAT[2], "content": text}]))[0]
    assert run.events[-1].status == status  # type: ignore[attr-defined]


def test_own_lines_come_back_the_same_and_fit_the_documented_schema(tmp_path: Path) -> None:
    run = Run(tenant="acme", labels={"reward": 1}, slices={"language": "ar"}).user("Cancel 481 \ud800 ü")
    run.offers("orders.get").asks("orders.cancel", digest="d", expires_at=5.0).decides(False)
    run.call("orders.get", ARGUMENTS, at=3.0).call("orders.get", "{bad", status="timeout").state({"a": [1, None]})
    run.builder.retry(5, 7, "again")
    run.builder.handoff("person", None)
    run.builder.tools_changed("new")
    run.builder.policy("be kind", roles=("agent",), allowed_tools=("orders.get",))
    whole = [run.says("Done.").done(), Run(case_id="empty").done()]
    file = tmp_path / "runs.jsonl"
    assert write_lines(whole, file) == 2
    validator = Draft202012Validator(line_schema())
    for line in file.read_text().splitlines():
        validator.validate(json.loads(line))
    redacted_again = load(file)
    assert redacted_again.runs == tuple(whole)


def test_a_stream_gives_runs_one_by_one_and_counts_as_it_goes(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(lines([{"messages": CHAT}] * 3))
    opened = stream(file)
    first = next(iter(opened))
    assert (first.run_id, opened.report.runs) == ("runs-1", 1)
    assert len(list(opened)) == 2


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(json.dumps(CHAT))
    (tmp_path / "a.json").write_text(json.dumps(BLOCKS))
    (tmp_path / "readme.md").write_text("no trace")
    assert [run.run_id for run in load(tmp_path)] == ["a", "b"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text("old")

    def broken() -> Any:
        yield Run().user("x").done()
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_lines(broken(), file)
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["runs.jsonl"]


@pytest.mark.parametrize(
    "text, problem",
    [
        ("", "holds no JSON"),
        ("[]", "holds no run"),
        ("{", "line 1: no JSON"),
        ('[{"role": "user"},\n{"role": ]', "line 2: no JSON"),
        ('[{"role": "user"}', "the array never closes"),
        ('[{"role": "user"},]', "a comma stands before the end"),
        ('[{"role": "user"}] x', "text follows the end"),
        ('[{"role": "user", "content": NaN}]', "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
        ('{"weather": "fine"}', "fits no trace format"),
        ('[{"role": "user"}, 5]', "message 2 is no object"),
        ('[{"task_id": 1, "traj": {}}]', "traj is no array"),
        ('[{"role": "assistant", "tool_calls": [{}]}]', "has no name"),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}', "tools/call names no tool"),
        ('{"type": "run", "schema": "evalnb-trajectory/9", "runId": "r"}', "evalnb-trajectory/9"),
    ],
)
def test_what_does_not_fit_fails_with_its_line_and_reason(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as caught:
        loaded(tmp_path, text)
    assert problem in str(caught.value)


RUN_LINE = {"type": "run", "schema": "evalnb-trajectory/1", "runId": "r"}


@pytest.mark.parametrize(
    "added, problem",
    [
        ([{"type": "dance", "run": "r", "number": 1}], "line 2: type 'dance'"),
        ([{"type": "user_request", "run": "r"}], "lacks 'number'"),
        ([{"type": "user_request", "run": "r", "number": True}], "is bool, not integer"),
        ([{"type": "user_request", "run": "r", "number": 1, "mood": 1}], "no field 'mood'"),
        ([{"type": "user_request", "run": "s", "number": 1}], "among those of 'r'"),
        ([{"type": "tool_result", "run": "r", "number": 1, "status": "odd"}], "none of ok"),
        ([{"type": "user_request", "run": "r", "number": 1}] * 2, "line 3: event number 1 does not go beyond 1"),
        ([{**RUN_LINE, "runId": "s"}, RUN_LINE], "line 3: run 'r' was finished before"),
    ],
)
def test_a_wrong_line_of_our_own_fails_with_its_line_and_reason(added: list[Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as caught:
        loaded(tmp_path, lines([RUN_LINE, *added]))
    assert problem in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"gone\.json: cannot be read"):
        load(tmp_path / "gone.json")


WIDE = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "be kind"}]},
        {**CHAT[1], "usage": {"prompt_tokens": 3, "completion_tokens": 2}, "model": "m"},
        CHAT[2],
    ],
    "tools": [{"type": "function", "function": {"name": "orders.get", "parameters": {"type": "object"}}}],
    "labels": {"good": True},
}
MORE_FILES = {
    "chat with tools": json.dumps(WIDE),
    "tau": json.dumps(TAU),
    "mcp": lines(MCP[:-2]),
    **{name: text for name, (text, _) in FILES.items()},
}


WHOLE = {"attachment that no message refers to"}


def objects(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all objects of a document."""
    found = [path] if isinstance(value, dict) else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [inner for key, item in pairs for inner in objects(item, (*path, key))]


@pytest.mark.parametrize("name", MORE_FILES)
def test_whatever_a_trace_says_is_kept_or_counted(name: str, tmp_path: Path) -> None:
    """A key that no format has, put into each object of the trace in turn; it may be counted with what it is part of."""
    text = MORE_FILES[name]
    documents = [json.loads(text)] if text[:1] == "[" or "\n" not in text else [json.loads(line) for line in text.splitlines()]  # fmt: skip
    # Attributes of spans are pairs of a key and a value, and have no other keys.
    for path in (one for one in objects(documents) if "attributes" not in one):
        changed = copy.deepcopy(documents)
        held: Any = changed
        for key in path:
            held = held[key]
        held["zebra"] = "crossing"
        found = loaded(tmp_path, lines(changed))
        write_lines(found.runs, tmp_path / "runs.jsonl")
        kept = (tmp_path / "runs.jsonl").read_text()
        (tmp_path / "runs.jsonl").unlink()
        counted = [what for what in found.reports[0].dropped if "zebra" in what or any(f"key {key!r}" in what for key in path)]  # fmt: skip
        assert "crossing" in kept or counted or WHOLE & set(found.reports[0].dropped), path
