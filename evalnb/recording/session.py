"""Record one session: start the real server, stand between it and the agent, write the run, leave no process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evalnb.adapters.process_group import Launch, LaunchFailure, WatchdogLost
from evalnb.engine.json_values import Json
from evalnb.recording.approval_policy import ApprovalPolicy, ApprovalRule, Mode, rules_of_mode
from evalnb.recording.approvals import Approvals
from evalnb.recording.call_route import CallRoute
from evalnb.recording.fault_plan import FaultPlan
from evalnb.recording.frames import is_writable
from evalnb.recording.journal import Journal
from evalnb.recording.line_streams import AgentLines
from evalnb.recording.outcomes import structured_answer
from evalnb.recording.proxy import Proxy
from evalnb.recording.recorded_server import RecordedServer
from evalnb.recording.tool_surface import ToolSurface
from evalnb.trajectory.cases import Case, Suite
from evalnb.trajectory.events import RunIdentity, StateObservation
from evalnb.trajectory.redaction import Redactor

# The agent's program gives its server about two seconds to end by itself; the last look at the state is shorter.
_STATE_SECONDS: Final = 1.5
_FIRST_STATE_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Recording:
    """What is recorded and how.

    `state_tool` is a tool of the server that tells its authoritative state: it is read before the first call and at
    the end, and hidden from the agent. `case` gives the run its request and scope, `suite` tells which tools only read.
    """

    server: Sequence[str]
    out: Path
    identity: RunIdentity
    redact: Redactor
    faults: FaultPlan = field(default_factory=FaultPlan)
    surface: ToolSurface = field(default_factory=ToolSurface)
    approvals: Mode | None = None
    approval_policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    state_tool: str | None = None
    case: Case | None = None
    suite: Suite | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """How a session ended: events in the run, what became of each fault, and the server's failure, if it failed."""

    run_id: str
    events: int
    faults: tuple[str, ...]
    failure: str | None = None


async def record(
    recording: Recording, warn: Callable[[str], None], *, read_from: int = 0, write_to: int = 1
) -> Recorded:
    """Serve one agent over two descriptors until it leaves, the server ends, or a signal comes.

    Raises `FileProblem` where the recording cannot be written. Where the server cannot be started there is no run.
    """
    journal = Journal(recording.out, recording.identity, recording.redact)
    try:
        session = _Session(recording, journal, warn)
        failure = await session.run(read_from, write_to)
        events = journal.finish(session.labels(), ended=True if session.proxy.ended_by_answer else None)
        return Recorded(journal.builder.identity.run_id, events, tuple(recording.faults.report()), failure)
    finally:
        journal.close()


class _Session:
    def __init__(self, recording: Recording, journal: Journal, warn: Callable[[str], None]) -> None:
        self._recording = recording
        self._journal = journal
        self._warn = warn
        self._agent = AgentLines()
        hidden = recording.surface.hidden | ({recording.state_tool} if recording.state_tool else set())
        surface = ToolSurface(frozenset(hidden), recording.surface.offered)
        self.proxy = Proxy(journal, surface, self._agent.write, warn)
        self._server: RecordedServer | None = None

    async def run(self, read_from: int, write_to: int) -> str | None:
        """The whole session; why it ended, where that was not the agent's leaving."""
        recording = self._recording
        launch = Launch(tuple(recording.server), dict(os.environ), os.getcwd())
        try:
            self._server = await RecordedServer.start(launch, self.proxy.take_server_line, _to_stderr)
        except LaunchFailure as error:
            return str(error)
        try:
            self._begin()
            route = CallRoute(self.proxy, recording.faults, self._approvals(), self._before_first, self._warn)
            self.proxy.connect(self._server, route)
            await self._agent.open(read_from, write_to)
            failure = await self._serve(self._server)
            await self.proxy.end(failure)
            if failure is None:
                await self._observe("after", _STATE_SECONDS)
            return failure
        finally:
            # The server first: closing it takes no time, and nothing of it may outlive the recorder.
            await self._server.close()
            await self._agent.close()

    def labels(self) -> dict[str, Json]:
        """What the completed run says of its recording."""
        recording = self._recording
        told: dict[str, Json] = {"recorder": "evalnb record"}
        if self.proxy.server_name is not None:
            told["server"] = self.proxy.server_name
        if recording.faults.rules:
            told["faults"] = list(recording.faults.report())
        if recording.approvals is not None:
            told["approvals"] = recording.approvals
        if recording.surface.hidden:
            told["hidden tools"] = sorted(recording.surface.hidden)
        if recording.surface.offered:
            told["renamed tools"] = dict(recording.surface.offered)
        return told

    def _begin(self) -> None:
        case, builder, at = self._recording.case, self._journal.builder, self._journal.now
        self._journal.begin()
        if case is None:
            return
        builder.policy(None, at, roles=case.identity.roles, allowed_tools=case.tools.allowed)
        builder.user(case.request, at)
        self._journal.flush()

    async def _serve(self, server: RecordedServer) -> str | None:
        """Pass lines on until somebody leaves; the failure of the server, or None."""
        loop = asyncio.get_running_loop()
        stopped: asyncio.Future[None] = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, _settle, stopped)
        reading = loop.create_task(self._read_agent())
        try:
            leaving: list[asyncio.Future[Any]] = [reading, server.ended, stopped]
            await asyncio.wait(leaving, return_when=asyncio.FIRST_COMPLETED)
            if server.ended.done() and not reading.done():
                return _ending_of(server.ended)
            return None
        finally:
            reading.cancel()

    async def _read_agent(self) -> None:
        while (line := await self._agent.lines.get()) is not None:
            await self.proxy.take_agent_line(line)

    def _approvals(self) -> Approvals | None:
        recording = self._recording
        if recording.approvals is None:
            return None
        rule_for: Callable[[str], ApprovalRule] = recording.approval_policy.rule_for
        if recording.approvals != "policy":
            rule_for = rules_of_mode(recording.approvals, self._only_reads)
        return Approvals(self._journal, rule_for, recording.identity.tenant, recording.approval_policy.valid_seconds)

    def _only_reads(self, tool: str) -> bool:
        """What the suite says of a tool; where it says nothing, the server's own hint."""
        specs = {spec.name: spec for spec in self._recording.suite.tools} if self._recording.suite else {}
        return not specs[tool].changes_state if tool in specs else tool in self.proxy.only_reading

    async def _before_first(self) -> None:
        await self._observe("before", _FIRST_STATE_SECONDS)

    async def _observe(self, phase: Any, within: float) -> None:
        tool = self._recording.state_tool
        if tool is None or self._server is None:
            return
        params = {"name": tool, "arguments": {}, **self.proxy.envelope()}
        answer = await self._server.ask("tools/call", params, within)
        state = None if answer is None else structured_answer(answer)
        if state is None or not is_writable(state):
            self._warn(f"the state tool {tool} told no state {phase} the run that could be recorded")
            return
        self._journal.builder.state(StateObservation(0, self._journal.now, tool, state, phase))
        self._journal.flush()


def _ending_of(ended: asyncio.Future[int]) -> str:
    error = ended.exception()
    if isinstance(error, WatchdogLost):
        return str(error)
    return f"the server ended with exit code {ended.result()}"


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _to_stderr(chunk: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(2, chunk)


def identity_of_run(
    case: Case | None, given: Mapping[str, str | int | None], run_id: str, slices: Mapping[str, str]
) -> RunIdentity:
    """The identity of a run: what is given, then what the case says."""
    told = {name: value for name, value in given.items() if value is not None}
    if case is not None:
        told.setdefault("case_id", case.id)
        for name, value in (("tenant", case.identity.tenant), ("user", case.identity.user)):
            if value is not None:
                told.setdefault(name, value)
    return RunIdentity(run_id=run_id, slices=dict(slices), **told)  # type: ignore[arg-type]
