"""Scripted agents: unchanged MCP clients that connect to `evalnb record`, and what is recorded and graded of them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult, Notification

from evalnb.trajectory.cases import Case, Suite, ToolSpec
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.grading import RunGrade, grade
from evalnb.trajectory.loading import load
from evalnb.trajectory.redaction import redactor
from tests.recording.orders_server import TOOLS

EVALNB = ["-c", "from evalnb.cli.main import main; raise SystemExit(main())"]
ORDERS = str(Path(__file__).with_name("orders_server.py"))
KEY = b"a key for tests only, 32 bytes.."
_EFFECTS = {"orders.cancel": "destructive", "payments.refund": "financial", "admin.purge": "destructive"}
SPECS = tuple(
    ToolSpec(
        name=name,
        input_schema=takes,
        output_schema=gives,
        effect=_EFFECTS.get(name, "read"),
        operation_id_argument="operationId" if name in ("orders.cancel", "payments.refund") else None,
    )
    for name, _, takes, gives, _ in TOOLS
)


def case(**fields: Any) -> Case:
    """A case of tenant acme with what a test does not care about filled in."""
    base = {"id": "c", "class": "happy", "intent": "orders", "request": "Please see to order-481."}
    return Case.model_validate({**base, "identity": {"tenant": "acme", "roles": ["support"]}, **fields})


class Agent:
    """What a script does: calls, listings, and words of its own that its host tells the recorder."""

    def __init__(self, client: Client, recording: Path, asked: list[str]) -> None:
        self.client = client
        self.recording = recording
        self.asked = asked

    async def tools(self) -> list[str]:
        """Every page of the list."""
        names, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return names

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The result, or the error that the agent is left with."""
        try:
            return await self.client.call_tool(tool, arguments)
        except (MCPError, RuntimeError, ValueError) as error:
            return error

    async def tell(self, type: str, **fields: Any) -> None:
        """An event that only the host knows."""
        told = Notification[dict[str, Any], str](method="notifications/evalnb/event", params={"type": type, **fields})
        await self.client.session.send_notification(told)  # type: ignore[arg-type]

    async def answer(self, text: str) -> None:
        await self.tell("final_answer", text=text)

    def lines(self) -> list[dict[str, Any]]:
        """What is recorded by now."""
        return [json.loads(line) for line in self.recording.read_text(encoding="utf-8").splitlines()]


Script = Callable[[Agent], Awaitable[None]]


@dataclass(frozen=True)
class Play:
    """One run: what the agent does, the recorder's options, the server's flags, and the user's answer to questions."""

    script: Script
    options: Sequence[str] = ()
    server: Sequence[str] = ()
    faults: Sequence[dict[str, Any]] = ()
    accepts: bool | None = None
    mode: str = "auto"


@dataclass(frozen=True)
class Played:
    """What came of one run."""

    run: Trajectory
    grade: RunGrade
    codes: frozenset[str] = field(default=frozenset())


@asynccontextmanager
async def recorded_client(
    out: Path,
    options: Sequence[str] = (),
    server: Sequence[str] = (sys.executable, ORDERS, "--tenant", "acme"),
    *,
    accepts: bool | None = None,
    mode: str = "auto",
) -> AsyncIterator[Agent]:
    """A client connected to the server through `evalnb record`."""
    asked: list[str] = []

    async def elicit(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept" if accepts else "decline", content={} if accepts else None)

    command = [*EVALNB, "record", "--out", str(out), *options, "--", *server]
    parameters = StdioServerParameters(command=sys.executable, args=command)
    callback = None if accepts is None else elicit
    async with Client(parameters, mode=mode, elicitation_callback=callback) as client:
        yield Agent(client, out, asked)


def play(one: Play, given: Case, folder: Path) -> Played:
    """Run a script against the orders server, read the recording, grade it."""
    folder.mkdir(parents=True, exist_ok=True)
    out, key, suite_file = folder / "run.jsonl", folder / "key", folder / "suite.json"
    key.write_bytes(KEY)
    suite = Suite(name="orders", tools=SPECS, cases=(given,))
    suite_file.write_text(suite.model_dump_json(by_alias=True), encoding="utf-8")
    options = ["--redaction-key", str(key), "--cases", str(suite_file), "--case", given.id, *one.options]
    if one.faults:
        plan = folder / "faults.json"
        plan.write_text(json.dumps({"seed": 1, "faults": list(one.faults)}), encoding="utf-8")
        options += ["--faults", str(plan)]
    server = (sys.executable, ORDERS, "--tenant", "acme", *one.server)

    async def main() -> None:
        async with recorded_client(out, options, server, accepts=one.accepts, mode=one.mode) as agent:
            await one.script(agent)

    asyncio.run(main())
    return graded(out, suite)


def graded(out: Path, suite: Suite) -> Played:
    """The one run of a recording, graded."""
    redact = redactor(KEY)
    (run,) = load(out, redact=redact)
    found = grade([run], suite, redact=redact)[0]
    return Played(run, found, frozenset(one.code for one in found.findings))


def events(run: Trajectory, kind: str) -> Iterator[Any]:
    """The events of one type."""
    return (event for event in run.events if event.type == kind)
