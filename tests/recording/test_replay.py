"""A recording in the place of the server: what is answered, what is not, and that every line says what it proves."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from evalnb.recording.replay import CAVEAT, Replay, Unmatched
from evalnb.recording.replay_server import build_server
from evalnb.trajectory.loading import load
from evalnb.trajectory.redaction import redactor
from tests.recording.agents import EVALNB, KEY, Agent, Play, case, play, recorded_client
from tests.trajectory.runs import REDACT, Run

CANCEL = {"orderId": "order-481", "reason": "ann@example.com asked", "operationId": "op-1"}


def replay(match: Any = "strict") -> Replay:
    run = (
        Run()
        .offers("orders.get", "orders.cancel")
        .call("orders.get", {"orderId": "a", "limit": 2}, "first")
        .call("orders.get", {"orderId": "a", "limit": 2}, "second")
        .call("orders.cancel", {"orderId": "a", "operationId": "op-1"}, "gone", status="timeout")
        .call("orders.cancel", {"orderId": "b", "operationId": "op-2"}, "Internal", status="protocol-error")
        .call("orders.cancel", {"orderId": "c", "operationId": "op-3"}, "shipped", status="execution-error")
    )
    return Replay(run.done(), match, REDACT)


def texts(served: Replay, *calls: dict[str, Any]) -> list[str | None]:
    found = [served.answer("orders.get", arguments) for arguments in calls]
    return [None if isinstance(one, Unmatched) else one.text for one in found]


def test_strict_answers_in_the_recorded_order_and_no_more() -> None:
    served = replay()
    same = {"limit": 2, "orderId": "a"}
    assert texts(served, same, {"orderId": "a", "limit": 2.0}, same) == ["first", "second", None]
    assert texts(served, {"orderId": " a ", "limit": 2}, {"orderId": "z"}) == [None, None]
    assert isinstance(served.answer("orders.drop", {}), Unmatched)
    assert [one.reason for one in served.unmatched] == [
        "was called more often than it was recorded",
        "was recorded with other arguments only",
        "was recorded with other arguments only",
        "was never recorded",
    ]


def test_lenient_takes_other_spellings_and_gives_the_last_answer_again() -> None:
    served = replay("lenient")
    assert texts(served, {"orderId": " a ", "limit": 2.0}, *[{"orderId": "a", "limit": 2}] * 2) == [
        "first", "second", "second",
    ]  # fmt: skip
    assert texts(served, {"orderId": "z"}) == [None]
    again = served.answer("orders.cancel", {"orderId": "a", "operationId": "another"})
    assert not isinstance(again, Unmatched)
    assert again.status == "timeout"


def test_every_line_of_the_report_says_what_a_replay_proves() -> None:
    served = replay()
    texts(served, {"orderId": "a", "limit": 2}, {"orderId": "z"}, {"orderId": "y"})
    lines = served.report()
    assert len(lines) == 2
    assert "1 calls answered, 2 not, 4 recorded answers not asked for" in lines[0]
    assert "with other arguments only, 2 times" in lines[1]
    assert all(CAVEAT in line for line in lines)


def test_failures_come_back_as_the_failures_they_were() -> None:
    async def main() -> None:
        async with Client(build_server(replay())) as client:
            assert CAVEAT in (client.instructions or "")
            assert [tool.name for tool in (await client.list_tools()).tools] == ["orders.get", "orders.cancel"]
            for order, code in (("a", -32001), ("b", -32603), ("z", -32602)):
                number = {"a": 1, "b": 2}.get(order, 9)
                with pytest.raises(MCPError) as caught:
                    await client.call_tool("orders.cancel", {"orderId": order, "operationId": f"op-{number}"})
                assert caught.value.error.code == code
            assert CAVEAT in caught.value.error.message
            refused = await client.call_tool("orders.cancel", {"orderId": "c", "operationId": "op-3"})
            assert refused.is_error

    asyncio.run(main())


async def tidies_up(agent: Agent) -> None:
    await agent.tools()
    await agent.call("orders.get", orderId="order-481")
    await agent.call("orders.cancel", **CANCEL)


def test_a_recorded_agent_runs_again_without_the_server(tmp_path: Path) -> None:
    """The recorder stands before the replay as before any server; redacted arguments match under the same key."""
    live = play(Play(tidies_up), case(), tmp_path / "live").run
    recording, key, again = tmp_path / "live" / "run.jsonl", tmp_path / "live" / "key", tmp_path / "again.jsonl"
    server = [sys.executable, *EVALNB, "replay", str(recording), "--redaction-key", str(key)]

    async def main() -> None:
        async with recorded_client(again, ["--redaction-key", str(key)], server) as agent:
            await tidies_up(agent)

    asyncio.run(main())
    (run,) = load(again, redact=redactor(KEY))
    shown = [(event.type, getattr(event, "text", None)) for event in run.events]
    assert shown == [(event.type, getattr(event, "text", None)) for event in live.events[2:]]
    assert run.identity.labels["server"] == "evalnb replay"


def test_the_command_reports_and_names_what_is_wrong(tmp_path: Path) -> None:
    two = tmp_path / "two.jsonl"
    play(Play(tidies_up), case(), tmp_path)
    text = (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    run_id = load(tmp_path / "run.jsonl")[0].run_id
    two.write_text(text + text.replace(run_id, "other"), encoding="utf-8")

    async def main() -> None:
        command = [*EVALNB, "replay", str(two), "--run", "other", "--match", "lenient"]
        async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
            assert "lenient matching" in (client.instructions or "")
            assert (await client.call_tool("orders.get", {"orderId": "order-481"})).structured_content["total"] == 40

    asyncio.run(main())
    for arguments, complaint in (([], "holds 2 runs"), (["--run", "none"], "has no run 'none'")):
        command = [sys.executable, *EVALNB, "replay", str(two), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 64
        assert complaint in done.stderr
    done = subprocess.run(
        [sys.executable, *EVALNB, "replay", str(two), "--run", "other"], capture_output=True, text=True, input=""
    )
    assert done.returncode == 0
    assert all(CAVEAT in line for line in done.stderr.splitlines())
