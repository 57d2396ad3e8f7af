"""What the recorder passes on, keeps back, writes down, and leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.process_group import Launch
from evalnb.recording.call_route import CallRoute
from evalnb.recording.fault_plan import FaultPlan
from evalnb.recording.journal import Journal
from evalnb.recording.proxy import Proxy
from evalnb.recording.recorded_server import RecordedServer
from evalnb.recording.tool_surface import ToolSurface
from evalnb.trajectory.cases import Suite, ToolSpec
from evalnb.trajectory.events import RunIdentity, Trajectory
from evalnb.trajectory.loading import load
from evalnb.trajectory.redaction import redactor
from tests.adapters.survivors import MARK, marked, survivors
from tests.installed import require, search_path
from tests.recording.agents import EVALNB, ORDERS, Agent, Play, case, events, play, recorded_client
from tests.recording.raw_agent import RAW_SERVER, RawAgent
from tests.recording.raw_server import INFO

CANCEL = {"orderId": "order-481", "operationId": "op-1"}


def only_run(path: Path) -> Trajectory:
    (run,) = load(path)
    return run


def kinds(run: Trajectory) -> list[str]:
    return [event.type for event in run.events]


def statuses(run: Trajectory) -> list[str]:
    return [event.status for event in events(run, "tool_result")]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_pages_calls_and_state_are_recorded_in_both_generations_of_the_protocol(mode: str, tmp_path: Path) -> None:
    async def script(agent: Agent) -> None:
        assert len(await agent.tools()) == 6
        await agent.call("orders.get", orderId="order-481")
        await agent.call("orders.get", orderId="order-900")

    options = ("--state-tool", "state.read")
    run = play(Play(script, options, ("--page-size", "3"), mode=mode), case(), tmp_path).run
    assert kinds(run) == [
        "policy_scope", "user_request", "tools_discovered", "tools_discovered", "tools_discovered", "state_observation",
        "tool_call", "tool_result", "tool_call", "tool_result", "state_observation",
    ]  # fmt: skip
    pages = [(event.page, event.more, len(event.tools)) for event in events(run, "tools_discovered")]
    assert pages == [(1, True, 3), (2, True, 3), (3, False, 0)]
    assert statuses(run) == ["ok", "execution-error"]
    assert {event.tool_version for event in events(run, "tool_call")} == {"1.4.0"}
    assert run.identity.tenant == "acme"
    assert run.identity.labels["server"] == "orders"


def test_tools_are_hidden_and_renamed(tmp_path: Path) -> None:
    async def script(agent: Agent) -> None:
        names = await agent.tools()
        assert "admin.purge" not in names
        assert "orders.get" not in names
        assert "lookup" in names
        assert (await agent.call("lookup", orderId="order-481")).structured_content["total"] == 40
        for gone in ("admin.purge", "orders.get", "state.read"):
            assert "Unknown tool" in str(await agent.call(gone))

    options = ("--hide", "admin.purge", "--rename", "orders.get=lookup", "--state-tool", "state.read")
    run = play(Play(script, options), case(), tmp_path).run
    assert [event.name for event in events(run, "tool_call")] == ["lookup", "admin.purge", "orders.get", "state.read"]
    assert statuses(run) == ["ok", *["protocol-error"] * 3]
    (last,) = [event for event in events(run, "state_observation") if event.phase == "after"]
    assert "order-481" in last.state["orders"]


def test_a_tool_to_hide_or_rename_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    with RawAgent(tmp_path / "run.jsonl", "--hide", "ecko", "--hide", "die", "--rename", "aks=question") as agent:
        agent.greet()
        for number in (2, 3):
            agent.say(id=number, method="tools/list")
            agent.hear()
    told = [line for line in agent.errors.splitlines() if "lists no tool" in line]
    assert [line.split("no tool ")[1].split(",")[0] for line in told] == ["aks", "ecko"]


def test_every_other_line_passes_as_it_was_written(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        assert agent.greet() == json.dumps({"jsonrpc": "2.0", "id": 0, "result": INFO})
        odd = '{"jsonrpc": "2.0",  "id": "x", "method": "resources/read", "params": {"n": 1.50, "big": 12345678901234567890}}'
        agent.write(odd)
        assert agent.read() == json.dumps({"jsonrpc": "2.0", "id": "x", "result": {"heard": json.loads(odd)}})
        agent.call(1, "garbage")
        assert agent.read() == "not json at all"
        assert agent.hear()["method"] == "notifications/tools/list_changed"
        assert agent.hear()["id"] == 1
        agent.call(2, "ask")
        question = agent.hear()
        assert question["id"] == "server-1"
        agent.say(id="server-1", result={"action": "accept", "content": {"which": "this"}})
        assert '"which": "this"' in agent.hear()["result"]["content"][0]["text"]
    assert agent.process.returncode == 0
    assert "raw server is up" in agent.errors
    assert kinds(only_run(out)) == ["tool_call", "tool_list_changed", "tool_result", "tool_call", "tool_result"]


CALL = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": 1}}}
HIDDEN = {**CALL, "id": 8, "params": {"name": "fork", "arguments": {}}}
INNER = json.dumps(CALL)


@pytest.mark.parametrize(
    "line",
    [
        INNER[:-1] + ',"method":"tools/call"}',
        INNER.replace('"method"', '"method": "ping", "method"'),
        INNER.replace('"name"', '"name": "hang", "name"'),
        INNER.replace('{"a": 1}', '{"a": NaN}'),
        INNER.replace('{"a": 1}', '{"a": 1e999}'),
        INNER.replace('{"a": 1}', "[" * 600 + "]" * 600),
        f"{INNER} {INNER}",
        f"{INNER},",
        f"\ufeff{INNER}",
        f"[[{INNER}]]",
        "[]",
        f"[{INNER}, 1]",
        "not json",
    ],
    ids=lambda line: str(line)[:40],
)
def test_a_line_that_could_be_read_in_two_ways_reaches_no_server(line: str, tmp_path: Path) -> None:
    with RawAgent(tmp_path / "run.jsonl", "--approvals", "deny") as agent:
        agent.greet()
        agent.write(line)
        assert agent.hear()["error"]["code"] == -32700
        agent.say(id=9, method="ping")
        assert agent.hear()["id"] == 9
    assert [told for told in agent.errors.splitlines() if told.startswith("read ") and "tools/call" in told] == []
    assert "a line of the agent was not passed on: " in agent.errors


@pytest.mark.parametrize("end", ["\r", "\u2028", "\x85"])
def test_no_program_finds_a_second_message_within_a_line(end: str, tmp_path: Path) -> None:
    held = (
        f'{{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {{"note":{end if end == chr(13) else ""}{INNER}}}}}'
    )
    if end != "\r":
        held = json.dumps(
            {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"note": f"a{end}b"}}, ensure_ascii=False
        )
    with RawAgent(tmp_path / "run.jsonl", "--approvals", "deny") as agent:
        agent.greet()
        agent.write(held)
        heard = agent.hear()
    assert heard["result"]["heard"]["params"] == json.loads(held)["params"]
    [told] = [told for told in agent.errors.split("\n") if '"ping"' in told]
    assert end not in told.rstrip("\r")


def test_every_call_of_a_batch_is_held_hidden_and_recorded(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out, "--approvals", "deny", "--hide", "fork") as agent:
        agent.greet()
        agent.write(json.dumps([CALL, HIDDEN]))
        answers = {answer["id"]: answer for answer in (agent.hear(), agent.hear())}
    assert "Unknown tool" in answers[8]["error"]["message"]
    assert answers[7]["result"]["isError"] is True
    assert "tools/call" not in "".join(told for told in agent.errors.splitlines() if told.startswith("read "))
    assert sorted(statuses(only_run(out))) == ["denied", "protocol-error"]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({key: value for key, value in CALL.items() if key != "id"}, "a call without an id"),
        ({**CALL, "params": ["echo", {}]}, "a call that names no tool"),
        ({**CALL, "params": {"name": ["echo"]}}, "a call that names no tool"),
    ],
)
def test_a_call_that_cannot_be_followed_is_recorded_and_not_passed_on(
    message: dict[str, Any], why: str, tmp_path: Path
) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.write(json.dumps(message))
        if "id" in message:
            assert why in agent.hear()["error"]["message"]
    assert f"{why} was not passed on" in agent.errors
    assert "tools/call" not in "".join(told for told in agent.errors.splitlines() if told.startswith("read "))
    assert statuses(only_run(out)) == ["protocol-error"]


def test_a_second_call_under_an_open_id_does_not_take_its_answer(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.call(1, "hang")
        agent.call(1, "echo")
        agent.say(id=2, method="ping")
        assert agent.hear()["id"] == 2
    assert "under the id of one that is under way was not passed on" in agent.errors
    assert statuses(only_run(out))[0] == "protocol-error"


@pytest.mark.parametrize("tool", ["nan", "deep"])
def test_an_answer_that_no_recording_can_hold_is_malformed_and_costs_nothing_else(tool: str, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    for session in ("before", tool, "after"):
        with RawAgent(out) as agent:
            agent.greet()
            agent.call(1, tool if session == tool else "batch")
            answers = [agent.hear()] if session == tool else [agent.hear(), agent.hear()]
            assert answers[-1]["id"] == 1
            assert "result" in answers[-1]
    assert [statuses(run) for run in load(out)] == [["ok"], ["malformed"], ["ok"]]


def test_a_call_that_cannot_be_recorded_is_answered_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    sent: list[bytes] = []
    monkeypatch.setattr("evalnb.recording.outcomes.mcp_text", lambda *given: 1 / 0)

    async def main() -> None:
        journal = Journal(tmp_path / "run.jsonl", RunIdentity(run_id="r"), redactor())
        journal.begin()
        proxy = Proxy(journal, ToolSurface(), sent.append, told.append)
        server = await RecordedServer.start(
            Launch(RAW_SERVER, dict(os.environ), str(tmp_path)), proxy.take_server_line, lambda chunk: None
        )

        async def nothing() -> None:
            return None

        proxy.connect(server, CallRoute(proxy, FaultPlan(), None, nothing, told.append))
        try:
            await proxy.take_agent_line(json.dumps(CALL).encode())
            while not any(b'"id":7' in line for line in sent):
                await asyncio.sleep(0.01)
        finally:
            await server.close()
        journal.finish({}, ended=None)

    asyncio.run(asyncio.wait_for(main(), 20))
    [answer] = [json.loads(line) for line in sent if b'"id":7' in line]
    assert "ZeroDivisionError" in answer["error"]["message"]
    assert "ZeroDivisionError" in told[0]
    assert statuses(only_run(tmp_path / "run.jsonl")) == ["protocol-error"]


def test_a_call_that_the_server_wants_again_is_one_call(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.call(1, "more", a=1)
        assert agent.hear()["result"]["requestState"] == "s1"
        given = {"name": "more", "arguments": {"a": 1}, "requestState": "s1", "inputResponses": {"q": {}}}
        agent.say(id=2, method="tools/call", params=given)
        assert [agent.hear(), agent.hear()][1]["id"] == 2
    run = only_run(out)
    assert kinds(run) == ["tool_call", "tool_list_changed", "tool_result"]
    assert statuses(run) == ["ok"]
    assert run.notes == ()


def test_calls_are_held_and_answered_by_the_user(tmp_path: Path) -> None:
    """An approved call may be made again; changed arguments need a decision of their own; a denial changes nothing."""

    async def script(agent: Agent) -> None:
        await agent.tools()
        await agent.call("orders.get", orderId="order-481")
        for order in ("order-481", "order-481", "order-482"):
            await agent.call("orders.cancel", orderId=order, operationId="op-1")
        assert len(agent.asked) == 2
        assert "order-482" in agent.asked[1]

    given = case(approvals={"required": ["orders.cancel"], "unnecessary": ["orders.get"]})
    played = play(Play(script, ("--approvals", "ask"), accepts=True), given, tmp_path / "yes")
    assert played.codes == frozenset()
    assert [event.approved for event in events(played.run, "approval_decision")] == [True, True]

    async def denied(agent: Agent) -> None:
        await agent.tools()
        result = await agent.call("orders.cancel", **CANCEL)
        assert result.is_error
        assert "was denied" in result.content[0].text

    options = ("--approvals", "ask", "--state-tool", "state.read")
    played = play(Play(denied, options, accepts=False), given, tmp_path / "no")
    assert statuses(played.run) == ["denied"]
    assert played.codes <= {"execution-error"}
    assert [event.state["effects"] for event in events(played.run, "state_observation")] == [[], []]


def test_a_client_that_cannot_ask_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def script(agent: Agent) -> None:
        result = await agent.call("orders.cancel", **CANCEL)
        assert "offers no elicitation" in result.content[0].text

    assert statuses(play(Play(script, ("--approvals", "ask")), case(), tmp_path).run) == ["denied"]


@pytest.mark.parametrize("mode,status", [("allow", "ok"), ("deny", "denied")])
def test_one_ruling_for_every_call_that_changes(mode: str, status: str, tmp_path: Path) -> None:
    async def script(agent: Agent) -> None:
        await agent.call("orders.get", orderId="order-481")
        await agent.call("orders.cancel", **CANCEL)

    run = play(Play(script, ("--approvals", mode)), case(), tmp_path).run
    assert statuses(run) == ["ok", status]
    assert [event.tool for event in events(run, "approval_request")] == ["orders.cancel"]


def test_a_servers_hint_yields_to_the_suite(tmp_path: Path) -> None:
    """The server calls its reads harmless; who knows better says so, and the call is held."""
    suite = Suite(name="s", tools=(ToolSpec(name="orders.get", effect="external"),), cases=())
    path = tmp_path / "suite.json"
    path.write_text(suite.model_dump_json(by_alias=True), encoding="utf-8")
    out = tmp_path / "run.jsonl"

    async def main() -> None:
        async with recorded_client(out, ["--approvals", "deny", "--cases", str(path)]) as agent:
            await agent.tools()
            assert (await agent.call("orders.get", orderId="order-481")).is_error
            assert not (await agent.call("orders.list")).is_error

    asyncio.run(main())
    assert statuses(only_run(out)) == ["denied", "ok"]


def test_a_policy_file_rules_by_tool(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "default: deny\nvalidSeconds: 60\nrules:\n"
        "  - {tool: orders.cancel, ruling: ask, consequence: It cannot be taken back.}\n"
        "  - {tool: 'orders.*', ruling: pass}\n",
        encoding="utf-8",
    )

    async def script(agent: Agent) -> None:
        await agent.call("orders.get", orderId="order-481")
        await agent.call("orders.cancel", **CANCEL)
        await agent.call("payments.refund", orderId="order-481", amount=1)
        assert "It cannot be taken back." in agent.asked[0]

    options = ("--approvals", "policy", "--approval-policy", str(policy))
    run = play(Play(script, options, accepts=True), case(), tmp_path / "run").run
    assert statuses(run) == ["ok", "ok", "denied"]
    requests = list(events(run, "approval_request"))
    assert all(0 < request.expires_at - request.at <= 60 for request in requests)


def test_what_only_the_host_knows_is_recorded_and_kept_from_the_server(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out, "--case", "c", "--cases", str(_suite(tmp_path))) as agent:
        agent.greet()
        for told in (
            {"type": "model_decision", "text": "Let me look.", "inputTokens": 12},
            {"type": "handoff", "to": "a person"},
            {"type": "tool_result", "text": "invented"},
            {"type": "nonsense"},
            {"type": "final_answer", "text": "Write to ann@example.com."},
        ):
            agent.say(method="notifications/evalnb/event", params=told)
        agent.say(id=5, method="ping")
        assert agent.hear()["id"] == 5
    run = only_run(out)
    assert kinds(run) == ["policy_scope", "user_request", "model_decision", "handoff", "final_answer"]
    assert "ann@" not in out.read_text(encoding="utf-8")
    assert run.identity.ended is True
    assert agent.errors.count("an event of the host was left out") == 2


def _suite(folder: Path) -> Path:
    path = folder / "suite.json"
    path.write_text(json.dumps({"name": "s", "cases": [json.loads(case().model_dump_json(by_alias=True))]}))
    return path


def test_secrets_and_personal_data_are_never_written(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.call(1, "echo", mail="ann@example.com", password="hunter2", deep=[{"apiKey": "abc"}])
        heard = [agent.hear(), agent.hear()]
        assert "hunter2" in heard[1]["result"]["content"][0]["text"]
        text = out.read_text(encoding="utf-8")
        assert '"tool_result"' in text
        assert not [secret for secret in ("ann@", "hunter2", '"abc"') if secret in text]
    assert "hunter2" not in out.read_text(encoding="utf-8")


LEAKY = """
import json, sys
SECRET = "ann.lee42@example.com"
TOOL = {"name": "tell", "description": SECRET, "title": SECRET,
        "inputSchema": {"type": "object", "description": SECRET, "properties": {"a": {"default": SECRET}}},
        "outputSchema": {"type": "object", "title": SECRET}}
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if method == "initialize":
        say(id=number, result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "instructions": SECRET,
                               "serverInfo": {"name": SECRET, "version": SECRET}})
    elif method == "tools/list":
        say(id=number, result={"tools": [TOOL]})
    elif method == "tools/call":
        how = asked["params"]["arguments"].get("how")
        if how == "protocol":
            say(id=number, error={"code": -32000, "message": SECRET, "data": SECRET})
        else:
            say(method="notifications/message", params={"level": "info", "data": SECRET})
            say(id=number, result={"content": [{"type": "text", "text": SECRET}], "isError": how == "execution",
                                   "structuredContent": {"told": SECRET}, "_meta": {"about": SECRET}})
    elif number is not None:
        say(id=number, result={})
"""


def test_a_secret_anywhere_in_a_recorded_session_is_not_written(tmp_path: Path) -> None:
    secret, out, server = "ann.lee42@example.com", tmp_path / "run.jsonl", tmp_path / "server.py"
    server.write_text(LEAKY, encoding="utf-8")
    told: list[dict[str, Any]] = [
        {"type": "user_request", "text": secret},
        {"type": "policy_scope", "text": secret, "roles": [secret], "allowedTools": [secret]},
        {"type": "model_decision", "text": secret, "model": secret},
        {"type": "approval_request", "approvalId": secret, "tool": secret, "tenant": secret, "callId": secret},
        {"type": "approval_decision", "approvalId": secret, "approved": True, "decidedBy": secret, "reason": secret},
        {"type": "handoff", "to": secret, "reason": secret},
        {"type": "state_observation", "source": secret, "state": {"of": secret}, "phase": "after"},
        {"type": "final_answer", "text": secret, "model": secret},
    ]
    options = [
        part for name in ("tenant", "user", "model", "prompt-version", "release") for part in (f"--{name}", secret)
    ]
    with RawAgent(out, *options, "--run-id", secret, server=(sys.executable, str(server))) as agent:
        agent.greet()
        agent.say(id=10, method="tools/list")
        assert secret in agent.read()
        for number, how in enumerate(("well", "execution", "protocol"), 11):
            agent.call(number, "tell", how=how, a=secret, deep=[{"b": secret}])
            while '"id":' not in (heard := agent.read()).replace(" ", ""):
                assert heard
        for event in told:
            agent.say(method="notifications/evalnb/event", params=event)
        agent.say(id=20, method="ping")
        agent.read()
    text = out.read_text(encoding="utf-8")
    assert secret not in text
    assert {event["type"] for event in told} | {"tools_discovered", "tool_call", "tool_result"} <= {
        json.loads(line)["type"] for line in text.splitlines()
    }


def test_a_killed_recorder_leaves_whole_lines_and_no_process(tmp_path: Path) -> None:
    mark, out = str(tmp_path), tmp_path / "run.jsonl"
    with RawAgent(out, env={**os.environ, MARK: mark}) as agent:
        agent.greet()
        agent.call(1, "fork")
        assert [agent.hear(), agent.hear()][1]["id"] == 1
        agent.call(2, "hang")
        agent.say(id=3, method="ping")
        agent.hear()
        assert len(marked(mark)) >= 3
        agent.process.send_signal(signal.SIGKILL)
    assert survivors(mark) == []
    assert kinds(only_run(out)) == ["tool_call", "tool_list_changed", "tool_result", "tool_call"]
    with out.open("a", encoding="utf-8") as file:
        file.write('{"type":"tool_res')  # what a full disk leaves
    with RawAgent(out) as again:
        again.greet()
        again.call(1, "echo")
        again.hear()
    first, second = load(out)
    assert first.run_id != second.run_id
    assert kinds(second)[:1] == ["tool_call"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_session_and_completes_the_recording(number: int, tmp_path: Path) -> None:
    mark, out = str(tmp_path), tmp_path / "run.jsonl"
    with RawAgent(out, env={**os.environ, MARK: mark}) as agent:
        agent.greet()
        agent.call(1, "hang")
        agent.say(id=3, method="ping")
        agent.hear()
        agent.process.send_signal(number)
    assert agent.process.returncode == 0
    assert survivors(mark) == []
    run = only_run(out)
    assert run.identity.labels["server"] == "raw"
    assert [note.code for note in run.notes] == ["missing-result"]


def test_the_end_of_the_server_is_told_to_the_agent(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.call(1, "die")
        assert agent.hear()["error"]["message"] == "the server ended with exit code 7"
        assert agent.read() == ""
    assert agent.process.returncode == 5
    assert "the server ended with exit code 7" in agent.errors
    assert statuses(only_run(out)) == ["protocol-error"]


def test_a_server_that_cannot_be_started(tmp_path: Path) -> None:
    with RawAgent(tmp_path / "run.jsonl", server=("/nowhere/server",)) as agent:
        assert agent.read() == ""
    assert agent.process.returncode == 5
    assert "/nowhere/server cannot be started" in agent.errors
    assert "nothing happened that could be recorded" in agent.errors
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_cannot_be_started_adds_nothing_to_a_recording(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        agent.say(id=2, method="tools/call", params={"name": "echo", "arguments": {}})
        agent.hear()
    before = out.read_bytes()
    assert before
    with RawAgent(out, server=("/nowhere/server",)) as agent:
        assert agent.read() == ""
    assert out.read_bytes() == before


@pytest.mark.parametrize("held", ["a shopping list\n", '{"schema": "something-else/1"}\n', "{", "[]\n"])
def test_a_file_that_is_no_recording_is_left_as_it_is(held: str, tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text(held, encoding="utf-8")
    with RawAgent(out) as agent:
        assert agent.read() == ""
    assert agent.process.returncode == 64
    assert "is no recording that a run could be added to; name another file" in agent.errors
    assert out.read_text(encoding="utf-8") == held


def test_a_run_is_added_behind_one_whose_last_line_has_no_line_feed(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    for _ in range(2):
        with RawAgent(out) as agent:
            agent.greet()
            agent.say(id=2, method="tools/call", params={"name": "echo", "arguments": {}})
            agent.hear()
        out.write_bytes(out.read_bytes().rstrip(b"\n"))
    first, second = load(out)
    assert kinds(first) == kinds(second)
    assert "tool_result" in kinds(first)


def test_a_file_is_no_agent(tmp_path: Path) -> None:
    out, lines = tmp_path / "run.jsonl", tmp_path / "lines"
    lines.write_text("{}\n", encoding="utf-8")
    command = [sys.executable, *EVALNB, "record", "--out", str(out), "--", *RAW_SERVER]
    with lines.open(encoding="utf-8") as given:
        done = subprocess.run(command, stdin=given, capture_output=True, text=True)
    assert done.returncode == 64
    assert "standard input: is a file" in done.stderr


def test_a_recording_is_written_by_one_recorder_at_a_time(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    with RawAgent(out) as agent:
        agent.greet()
        with RawAgent(out) as second:
            assert second.read() == ""
        assert second.process.returncode == 64
        assert "is being recorded by another session" in second.errors


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--approvals", "policy"], "go together"),
        (["--case", "c"], "--cases"),
        (["--rename", "a"], "--rename a"),
        (["--rename", "a=b", "--rename", "c=b"], "given twice"),
        (["--faults", "FILE"], "faults.0.kind"),
        (["--faults", "/nowhere.yaml"], "not found"),
    ],
)
def test_a_wrong_command_line_starts_nothing(options: list[str], complaint: str, tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("faults:\n  - {kind: earthquake, tool: a}\n", encoding="utf-8")
    given = [str(faults) if option == "FILE" else option for option in options]
    out = tmp_path / "run.jsonl"
    command = [sys.executable, *EVALNB, "record", "--out", str(out), *given, "--", *RAW_SERVER]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 64
    assert complaint in done.stderr
    assert not out.exists()


def test_two_trials_of_one_configuration_are_two_runs_in_one_file(tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"

    async def main() -> None:
        for _ in range(2):
            async with recorded_client(out, ["--trial", "3"], (sys.executable, ORDERS, "--tenant", "acme")) as agent:
                await agent.call("orders.list")

    asyncio.run(main())
    assert [run.identity.trial for run in load(out)] == [3, 3]


def test_a_published_server_behind_the_recorder(tmp_path: Path) -> None:
    """server-memory: one call loses its answer after it was made; the agent looks and does not make it twice."""
    server = require("mcp-server-memory")
    entity = {"name": "Ann", "entityType": "person", "observations": ["likes tea"]}
    faults = tmp_path / "faults.yaml"
    faults.write_text("faults:\n  - {kind: timeout-after-commit, tool: create_entities}\n", encoding="utf-8")
    runs: dict[str, Any] = {}
    for name, looks in (("careless", False), ("careful", True)):
        folder = tmp_path / name
        folder.mkdir()
        environment = [f"PATH={search_path()}", f"MEMORY_FILE_PATH={folder / 'memory.jsonl'}"]

        async def main(out: Path, given: list[str], careful: bool) -> None:
            options = ["--faults", str(faults), "--state-tool", "read_graph"]
            async with recorded_client(out, options, ["/usr/bin/env", *given, server]) as agent:
                assert "create_entities" in await agent.tools()
                assert "timed out" in str(await agent.call("create_entities", entities=[entity]))
                if careful:
                    found = await agent.call("search_nodes", query="Ann")
                    assert "likes tea" in found.content[0].text
                else:
                    await agent.call("create_entities", entities=[entity])

        asyncio.run(main(folder / "run.jsonl", environment, looks))
        runs[name] = only_run(folder / "run.jsonl")
    assert statuses(runs["careful"]) == ["timeout", "ok"]
    assert "retry" not in kinds(runs["careful"])
    assert "retry" in kinds(runs["careless"])
    for run in runs.values():
        before, after = events(run, "state_observation")
        assert len(before.state["entities"]) == 0
        assert len(after.state["entities"]) == 1
