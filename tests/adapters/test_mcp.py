"""The MCP adapter over stdio: policy, frames, every line of the reading table, every failure, sessions, secrets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.mcp import McpAdapter, ToolCallReport
from evalnb.adapters.mcp_results import ToolAnswer
from evalnb.adapters.mcp_servers import ToolCall
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController, AbortSignal
from tests.adapters.servers import program
from tests.adapters.servers.scripted import OPENED
from tests.adapters.targets import command_request, fault_of, mcp_policy, mcp_request, observe

Steps = list[list[Any]]


def server(steps: Steps, log: Path | None = None) -> tuple[str, ...]:
    return program("scripted", json.dumps(steps), *([] if log is None else [str(log)]))


def adapter_for(steps: Steps, log: Path | None = None, **policy: Any) -> McpAdapter:
    return McpAdapter(mcp_policy(server(steps, log), **policy))


def answered(frame: Any) -> dict[str, Any]:
    """How a whole answer to `tools/call` is observed."""
    observed = observe(adapter_for([["open"], ["say", json.dumps(frame)]]), mcp_request())
    return {"isError": observed.is_error, "result": observed.result.model_dump()}


class Recorded:
    """A mechanism that starts nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

    async def call_tool(self, call: ToolCall, abort: AbortSignal) -> ToolAnswer:
        self.calls.append(call)
        return ToolAnswer(False, {"kind": "absent"}, "structured")

    async def aclose(self) -> None:
        return


# --- policy


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({**mcp_request(), "interfaceId": "elsewhere"}, "interface-not-authorized"),
        (mcp_request(tool="Echo"), "tool-not-authorized"),
        (command_request(), "interface-not-authorized"),
    ],
)
def test_a_denial_starts_nothing(request_: dict[str, Any], reason: str) -> None:
    mechanism = Recorded()
    fault = fault_of(McpAdapter(mcp_policy(("true",)), mechanism), request_)
    assert (fault.code, fault.artifact_path, fault.reason) == ("forbidden-target", "ProbeRequest", reason)
    assert mechanism.calls == []


def test_the_environment_is_path_and_what_the_policy_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/host/bin")
    monkeypatch.setenv("EVALNB_HOST_ONLY", "x")
    mechanism = Recorded()
    for environment in ({}, {"A": "1"}, {"PATH": "/other"}):
        observe(McpAdapter(mcp_policy(("true",), serverEnvironment=environment), mechanism), mcp_request())
    given = [dict(call.server.environment) for call in mechanism.calls]  # type: ignore[union-attr]
    assert given == [{"PATH": "/host/bin"}, {"PATH": "/host/bin", "A": "1"}, {"PATH": "/other"}]


# --- frames


def test_the_frames_of_a_session_are_exactly_these(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    adapter = adapter_for([["open"], ["say", '{"jsonrpc":"2.0","id":2,"result":{}}']], log)
    observe(adapter, mcp_request({"b": 1, "a": [1e21, None, {"é": "\n"}], "2": True}))
    assert log.read_text() == (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"eval-quality","version":"0"}}}\n'
        '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":'
        '{"2":true,"b":1,"a":[1e+21,null,{"é":"\\n"}]}}}\n'
    )


def test_nothing_is_sent_before_initialize_was_answered_acceptably(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    fault = fault_of(adapter_for([["read"], ["say", '{"id":1,"error":{"code":1}}'], ["read"]], log), mcp_request())
    assert fault.code == "port-failure"
    assert len(log.read_text().splitlines()) == 1


# --- reading lines

ANSWER = '{"id":2,"result":{"structuredContent":5}}'
ACCENTED = ANSWER.replace("5", '"é"')


@pytest.mark.parametrize(
    "before",
    [
        "",
        "   \t",
        "[1]",
        "null",
        '"text"',
        '{"id":null,"result":{}}',
        '{"id":true,"result":{}}',
        '{"id":[2],"result":{}}',
        '{"id":3,"result":{}}',
        '{"id":"two","result":{}}',
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}',
        '{"jsonrpc":"2.0","id":2,"method":"ping"}',
        '{"id":2,"method":"x","result":{"structuredContent":"no answer"}}',
        '{"jsonrpc":"2.0","id":7,"method":"roots/list"}',
    ],
)
def test_what_answers_nothing_is_passed_over(before: str) -> None:
    observed = observe(adapter_for([["open"], ["say", before], ["say", ANSWER]]), mcp_request())
    assert observed.result.model_dump() == {"kind": "json", "value": 5}


@pytest.mark.parametrize("spelling", ['"2"', "2.0", "2e0"])
def test_an_id_answers_by_its_text(spelling: str) -> None:
    steps = [["open"], ["say", ANSWER.replace('"id":2', f'"id":{spelling}')]]
    assert observe(adapter_for(steps), mcp_request()).result.model_dump()["value"] == 5


def test_a_server_is_never_answered(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    steps = [["open"], ["say", '{"jsonrpc":"2.0","id":9,"method":"ping"}'], ["sleep", 0.1], ["say", ANSWER]]
    observe(adapter_for(steps, log), mcp_request())
    assert len(log.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "steps",
    [
        [["bytes", ACCENTED.encode().hex()[:80]], ["sleep", 0.05], ["bytes", ACCENTED.encode().hex()[80:] + "0a"]],
        [["write", ACCENTED], ["close"], ["exit", 0]],
    ],
)
def test_chunks_and_an_unterminated_rest_make_lines(steps: Steps) -> None:
    assert observe(adapter_for([["open"], *steps]), mcp_request()).result.model_dump()["value"] == "é"


@pytest.mark.parametrize("steps", [[["say", "Listening..."]], [["open"], ["say", "x" * 5000]], [["bytes", "ff0a"]]])
def test_a_line_that_is_not_json_ends_the_session(steps: Steps) -> None:
    fault = fault_of(adapter_for([*steps, ["sleep", 30]]), mcp_request())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")
    assert len(fault.detail) < 300


# --- the answer to initialize


@pytest.mark.parametrize(
    "answer",
    [
        '{"id":1,"result":{}}',
        '{"id":1,"result":null}',
        '{"id":1,"result":"yes","error":null}',
        '{"id":1,"result":{"protocolVersion":"1999-01-01"}}',
        '{"id":"1","result":{"protocolVersion":7,"serverInfo":[]}}',
        OPENED,
    ],
)
def test_any_result_opens_the_session(answer: str) -> None:
    steps = [["read"], ["say", answer], ["read"], ["read"], ["say", ANSWER]]
    assert observe(adapter_for(steps), mcp_request()).is_error is False


@pytest.mark.parametrize("answer", ['{"id":1}', '{"id":1,"error":null}', '{"id":1,"error":"no","result":{}}'])
def test_anything_else_is_a_port_failure(answer: str) -> None:
    fault = fault_of(adapter_for([["read"], ["say", answer], ["sleep", 30]]), mcp_request())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")


def test_the_fault_carries_the_error_of_the_server() -> None:
    steps = [["read"], ["say", '{"id":1,"error":{"code":-32600,"message":"too old"}}'], ["sleep", 30]]
    assert "too old" in fault_of(adapter_for(steps), mcp_request()).detail


# --- the answer to tools/call


@pytest.mark.parametrize(
    ("frame", "is_error", "result"),
    [
        ({"id": 2, "error": {"code": -32602, "message": "bad"}}, True, {"code": -32602, "message": "bad"}),
        ({"id": 2, "error": "plain", "result": {}}, True, "plain"),
        ({"id": 2, "error": False}, True, False),
        ({"id": 2, "error": None, "result": {"structuredContent": [1]}}, False, [1]),
        ({"id": 2, "result": {"structuredContent": None}}, False, None),
        ({"id": 2, "result": {"structuredContent": {"a": 1}, "isError": True}}, True, {"a": 1}),
        ({"id": 2, "result": {"structuredContent": 1, "isError": "true"}}, False, 1),
    ],
)
def test_an_answer_is_an_observation(frame: Any, is_error: bool, result: Any) -> None:
    assert answered(frame) == {"isError": is_error, "result": {"kind": "json", "value": result}}


@pytest.mark.parametrize(
    ("frame", "is_error"),
    [
        ({"id": 2}, False),
        ({"id": 2, "result": None}, False),
        ({"id": 2, "result": [1]}, False),
        ({"id": 2, "result": {"content": [{"type": "text", "text": "prose"}]}}, False),
        ({"id": 2, "result": {"content": [{"type": "text", "text": "prose"}], "isError": True}}, True),
    ],
)
def test_an_answer_without_structured_content_has_no_result(frame: Any, is_error: bool) -> None:
    assert answered(frame) == {"isError": is_error, "result": {"kind": "absent"}}


# --- failures


def test_stdout_counts_the_whole_session_and_stderr_is_capped_too() -> None:
    size = len(OPENED) + 1 + len(ANSWER) + 1
    assert observe(adapter_for([["open"], ["say", ANSWER]], maxOutputBytes=size), mcp_request()).is_error is False
    for steps, limit in (
        ([["open"], ["say", ANSWER]], size - 1),
        ([["open"], ["err", "x" * 1000], ["sleep", 30]], 999),
    ):
        fault = fault_of(adapter_for(steps, maxOutputBytes=limit), mcp_request())
        assert (fault.code, fault.artifact_path) == ("budget-exhausted", "McpProbeRequest")


def test_a_chunk_past_the_cap_answers_nothing_even_when_it_holds_an_answer() -> None:
    steps = [["open"], ["say", ANSWER + "\n" + " " * 1000]]
    fault = fault_of(adapter_for(steps, maxOutputBytes=len(OPENED) + len(ANSWER) + 500), mcp_request())
    assert fault.code == "budget-exhausted"


@pytest.mark.parametrize(
    ("steps", "phase"), [([["sleep", 30]], "initialize"), ([["open"], ["sleep", 30]], "tools/call")]
)
def test_the_elapsed_fault_names_the_phase(steps: Steps, phase: str) -> None:
    fault = fault_of(adapter_for(steps, maxElapsedMs=1500), mcp_request())
    assert (fault.code, fault.artifact_path) == ("budget-exhausted", "McpProbeRequest")
    assert phase in fault.detail


@pytest.mark.parametrize("command", [("no-such-server-here",), ("true",), ("sh", "-c", "exit 3")])
def test_a_server_that_does_not_open_a_session_is_a_port_failure(command: tuple[str, ...]) -> None:
    fault = fault_of(McpAdapter(mcp_policy(command)), mcp_request())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")


@pytest.mark.parametrize(("step", "exit_code"), [(["exit", 0], 0), (["exit", 3], 3), (["signal", 9], -9)])
def test_a_server_that_ends_during_a_call_is_an_observation(step: list[Any], exit_code: int) -> None:
    observed = observe(adapter_for([["open"], step]), mcp_request())
    assert observed.model_dump(by_alias=True, exclude_unset=True) == {
        "kind": "mcp",
        "probeId": "leg-1",
        "interfaceId": "mcp",
        "operationId": "op",
        "isError": True,
        "result": {"kind": "absent"},
        "exitCode": exit_code,
    }


def test_nothing_after_the_answer_turns_it_into_a_failure() -> None:
    steps = [["open"], ["say", ANSWER + "\nnot json"], ["err", "x" * 5000], ["exit", 3]]
    assert observe(adapter_for(steps), mcp_request()).result.model_dump()["value"] == 5


def test_a_malformed_last_line_comes_before_the_end_of_the_server() -> None:
    assert fault_of(adapter_for([["open"], ["write", "oops"], ["exit", 0]]), mcp_request()).code == "port-failure"


def test_an_abort_wins() -> None:
    async def abort() -> RuntimeFault:
        controller = AbortController()
        probe = asyncio.ensure_future(adapter_for([["open"], ["sleep", 30]]).probe(mcp_request(), controller.signal))
        await asyncio.sleep(0.2)
        controller.abort()
        with pytest.raises(RuntimeFault) as caught:
            await probe
        return caught.value

    fault = asyncio.run(abort())
    assert (fault.code, fault.artifact_path) == ("aborted", "ProbeObservation")


# --- one session a run


def counting(calls: int) -> Steps:
    """A server that answers its calls with their number."""
    steps: Steps = [["read"], ["say", OPENED], ["read"]]
    for number in range(calls):
        frame = {"id": number + 2, "result": {"structuredContent": {"n": number}}}
        steps += [["read"], ["say", json.dumps(frame)]]
    return steps


def several(adapter: McpAdapter, count: int) -> list[Any]:
    async def call_all() -> list[Any]:
        outcomes: list[Any] = []
        async with adapter:
            for _ in range(count):
                try:
                    observed = await adapter.probe(mcp_request(), AbortController().signal)
                    outcomes.append(observed.exit_code if observed.exit_code is not None else observed.result.value)
                except RuntimeFault as fault:
                    outcomes.append(fault.code)
        return outcomes

    return asyncio.run(call_all())


def test_a_session_a_call_starts_a_server_each_time(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    assert several(adapter_for(counting(3), log), 3) == [{"n": 0}] * 3
    assert log.read_text().count('"initialize"') == 3


def test_a_session_a_run_keeps_one_server(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    adapter = McpAdapter(mcp_policy(server(counting(3), log), {"session": "per-run"}))
    assert several(adapter, 3) == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert log.read_text().count('"initialize"') == 1


def test_a_kept_session_answers_the_server(tmp_path: Path) -> None:
    log = tmp_path / "frames"
    steps = [["open"], ["say", '{"jsonrpc":"2.0","id":9,"method":"ping"}'], ["read"], ["say", ANSWER]]
    adapter = McpAdapter(mcp_policy(server(steps, log), {"session": "per-run"}))
    assert several(adapter, 1) == [5]
    assert json.loads(log.read_text().splitlines()[3]) == {"jsonrpc": "2.0", "id": 9, "result": {}}


@pytest.mark.parametrize(
    ("end", "outcomes"),
    [
        ([["exit", 3]], [{"n": 0}, 3, "port-failure"]),
        ([["say", "not json"], ["sleep", 30]], [{"n": 0}, "port-failure", "port-failure"]),
        ([["sleep", 30]], [{"n": 0}, "budget-exhausted", "port-failure"]),
    ],
)
def test_a_kept_session_that_ended_is_not_opened_again(end: Steps, outcomes: list[Any], tmp_path: Path) -> None:
    log = tmp_path / "frames"
    command = server([*counting(1), ["read"], *end], log)
    adapter = McpAdapter(mcp_policy(command, {"session": "per-run"}, maxElapsedMs=1500))
    assert several(adapter, 3) == outcomes
    assert log.read_text().count('"initialize"') == 1


def test_the_caps_of_a_kept_session_hold_for_each_call() -> None:
    big = {"id": 2, "result": {"structuredContent": "x" * 600}}
    steps = [["open"], ["say", json.dumps(big)], ["read"], ["say", json.dumps({**big, "id": 3})]]
    adapter = McpAdapter(mcp_policy(server(steps), {"session": "per-run"}, maxOutputBytes=1000))
    assert several(adapter, 2) == ["x" * 600] * 2


# --- secrets


def test_a_secret_reaches_the_server_and_is_masked_wherever_it_comes_back() -> None:
    script = (
        "read a; echo '" + OPENED + "'; read b; read c; "
        'echo "{\\"id\\":2,\\"result\\":{\\"structuredContent\\":{\\"t\\":\\"got $TOKEN\\"}}}"'
    )
    policy = mcp_policy(("sh", "-c", script), {"secrets": {"TOKEN": {"env": "MY_TOKEN"}}})
    reports: list[ToolCallReport] = []
    adapter = McpAdapter(policy, environment={"MY_TOKEN": "hunter2hunter2"}, on_call=reports.append)
    assert observe(adapter, mcp_request()).result.model_dump()["value"] == {"t": "got [secret:MY_TOKEN]"}
    assert "hunter2" not in repr(reports)


@pytest.mark.parametrize(
    "script", ['echo "failed with $TOKEN"; sleep 30', 'read a; echo "{\\"id\\":1,\\"error\\":\\"$TOKEN\\"}"']
)
def test_a_secret_is_masked_in_a_fault(script: str) -> None:
    policy = mcp_policy(("sh", "-c", script), {"secrets": {"TOKEN": {"env": "MY_TOKEN"}}})
    fault = fault_of(McpAdapter(policy, environment={"MY_TOKEN": "hunter2hunter2"}), mcp_request())
    assert fault.code == "port-failure"
    assert "[secret:MY_TOKEN]" in fault.detail
    assert "hunter2" not in f"{fault}{fault.cause}{fault.__cause__}{fault.__context__ and ''}"
