"""The proxy between an agent and its tool server: everything passes, tools/list and tools/call are looked at.

A line that is not changed travels as it was written.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.json_values import Json
from evalnb.recording import host_events
from evalnb.recording.call_log import CallLog
from evalnb.recording.call_route import CallRoute
from evalnb.recording.frames import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    SERVER_GONE,
    Frame,
    UnreadableLine,
    encoded,
    error_frame,
    id_key,
    is_one_line,
    is_response,
    is_writable,
    messages_of,
    params_of,
)
from evalnb.recording.journal import Journal
from evalnb.recording.recorded_server import RecordedServer
from evalnb.recording.tool_surface import ToolSurface, described

_ENVELOPE_PREFIX: Final = "io.modelcontextprotocol/"
CLIENT_CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"


@dataclass(frozen=True, slots=True)
class _Awaited:
    """A request of the agent whose answer is looked at."""

    method: str
    is_first_page: bool = True


class Proxy:
    """One session. `to_agent` sends a line to the agent; `warn` tells the person who started the recorder."""

    def __init__(
        self,
        journal: Journal,
        surface: ToolSurface,
        to_agent: Callable[[bytes], None],
        warn: Callable[[str], None],
    ) -> None:
        self.journal = journal
        self.surface = surface
        self.log = CallLog(journal)
        self.ended_by_answer = False
        self.server_name: str | None = None
        self.only_reading: set[str] = set()
        self._listed: set[str] = set()
        self._told_unknown: set[str] = set()
        self._to_agent = to_agent
        self._warn = warn
        self._server: RecordedServer | None = None
        self._route: CallRoute | None = None
        self._awaited: dict[str, _Awaited] = {}
        self._answers: dict[str, asyncio.Future[Frame]] = {}
        self._questions: dict[str, asyncio.Future[Frame]] = {}
        self._question_ids = itertools.count(1)
        self._refused_ids = itertools.count(1)
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._pages = 0
        self._capabilities: Mapping[str, Any] = {}
        self._envelope: dict[str, Any] = {}
        self._is_modern = False

    def connect(self, server: RecordedServer, route: CallRoute) -> None:
        """Give the proxy the server, and the way each call takes."""
        self._server, self._route = server, route

    # From the agent.

    async def take_agent_line(self, line: bytes) -> None:
        """One line of the agent; returns once it is on its way, or held. A batch travels message by message."""
        try:
            frames = messages_of(line)
        except UnreadableLine as problem:
            self._warn(f"a line of the agent was not passed on: {problem}")
            self.reply(error_frame(None, PARSE_ERROR, f"evalnb record passes on single messages only: {problem}"))
            return
        as_written = len(frames) == 1 and line.lstrip()[:1] == b"{" and is_one_line(line)
        for frame in frames:
            await self._take_message(frame, line if as_written else encoded(frame))

    async def _take_message(self, frame: Frame, line: bytes) -> None:
        method = frame.get("method")
        if method == host_events.METHOD:
            self._take_host_event(frame)
        elif is_response(frame) and id_key(frame["id"]) in self._questions:
            self._questions.pop(id_key(frame["id"])).set_result(frame)
        elif method == "tools/call" and (refusal := self._no_call(frame)) is not None:
            self._refuse_call(frame, refusal)
        elif method == "tools/call":
            self._look_at_envelope(frame)
            self._start_call(frame)
            await asyncio.sleep(0)  # the call sets out before the next line is read
        elif method == "notifications/cancelled":
            self._cancel(frame, line)
        else:
            self._note_request(frame)
            self._forward(line)

    def _note_request(self, frame: Frame) -> None:
        method = frame.get("method")
        if not isinstance(method, str) or "id" not in frame:
            return
        self._look_at_envelope(frame)
        if method in ("initialize", "server/discover"):
            if method == "initialize":
                held = params_of(frame).get("capabilities")
                self._capabilities = held if isinstance(held, dict) else {}
                self._is_modern = False
            self._awaited[id_key(frame["id"])] = _Awaited(method)
        elif method == "tools/list":
            first = not params_of(frame).get("cursor")
            self._awaited[id_key(frame["id"])] = _Awaited(method, is_first_page=first)

    def _look_at_envelope(self, frame: Frame) -> None:
        """Sessions without a handshake say in every request who asks."""
        meta = params_of(frame).get("_meta")
        if not isinstance(meta, dict) or CLIENT_CAPABILITIES not in meta:
            return
        self._is_modern = True
        self._envelope = {key: value for key, value in meta.items() if key.startswith(_ENVELOPE_PREFIX)}
        held = meta[CLIENT_CAPABILITIES]
        self._capabilities = held if isinstance(held, dict) else {}

    def _take_host_event(self, frame: Frame) -> None:
        try:
            self.ended_by_answer |= host_events.take_host_event(self.journal, params_of(frame))
        except ValueError as error:
            self._warn(f"an event of the host was left out: {error}")

    def _no_call(self, frame: Frame) -> str | None:
        """Why a message asks for a call that cannot be followed to its answer; None where it can."""
        if "id" not in frame:
            return "a call without an id"
        if id_key(frame["id"]) in self._calls:
            return "a call under the id of one that is under way"
        return None if isinstance(params_of(frame).get("name"), str) else "a call that names no tool"

    def _refuse_call(self, frame: Frame, why: str) -> None:
        """Keep from the server what nobody could record; the agent hears of it where that ends no other call."""
        self._warn(f"{why} was not passed on")
        params = params_of(frame)
        stand_in = f"evalnb-refused-{next(self._refused_ids)}"
        failure = error_frame(stand_in, INVALID_REQUEST, f"evalnb record does not pass on {why}")
        self.log.called(stand_in, str(params.get("name", "")), params.get("arguments"), params.get("_meta"))
        self.log.answered(stand_in, failure)
        if "id" in frame and id_key(frame["id"]) not in self._calls:
            self.reply({**failure, "id": frame["id"]})

    def _start_call(self, frame: Frame) -> None:
        key = id_key(frame["id"])
        task = asyncio.get_running_loop().create_task(self._carried(frame))
        self._calls[key] = task
        task.add_done_callback(lambda done: self._call_done(key))

    async def _carried(self, frame: Frame) -> None:
        """Bring a call to its answer, whatever goes wrong on the way."""
        assert self._route is not None
        try:
            await self._route.take(frame)
        except Exception as error:  # noqa: BLE001
            # An agent that is never answered waits for ever, and a call that is not in the recording never happened.
            why = f"the call could not be recorded: {type(error).__name__}: {error}"
            self._warn(why)
            failure = error_frame(frame["id"], INTERNAL_ERROR, why)
            self.log.broken(frame["id"], str(params_of(frame)["name"]), failure)
            self.reply(failure)

    def _call_done(self, key: str) -> None:
        self._calls.pop(key, None)
        self._answers.pop(key, None)

    def _cancel(self, frame: Frame, line: bytes) -> None:
        request_id = params_of(frame).get("requestId")
        key = id_key(request_id)
        was_forwarded = key in self._answers or key not in self._calls
        task = self._calls.get(key)
        if task is not None:
            self.log.give_up(request_id, "the agent stopped waiting")
            task.cancel()
        if was_forwarded:
            self._forward(line)

    # From the server.

    def take_server_line(self, line: bytes, frame: Frame | None) -> None:
        """One line of the server; what cannot be recorded is told, and an answer of that kind does not pass."""
        if frame is None:
            self._to_agent(line)
            return
        try:
            self._take_server_message(line, frame)
        except Exception as error:  # noqa: BLE001
            why = f"a message of the server could not be recorded: {type(error).__name__}: {error}"
            self._warn(why)
            self._to_agent(encoded(error_frame(frame["id"], INTERNAL_ERROR, why)) if is_response(frame) else line)

    def _take_server_message(self, line: bytes, frame: Frame) -> None:
        if is_response(frame):
            key = id_key(frame["id"])
            answer = self._answers.pop(key, None)
            if answer is not None:
                if not answer.done():
                    answer.set_result(frame)
                return
            awaited = self._awaited.pop(key, None)
            if awaited is not None and (changed := self._looked_at(awaited, frame)) is not None:
                self._to_agent(encoded(changed))
                return
        elif frame.get("method") == "notifications/tools/list_changed":
            self.journal.builder.tools_changed(None, self.journal.now)
            self.journal.flush()
        self._to_agent(line)

    def _looked_at(self, awaited: _Awaited, frame: Frame) -> Frame | None:
        """The answer in the form the agent gets it; None where it stays as it is."""
        result = frame.get("result")
        if not isinstance(result, dict):
            return None
        if awaited.method != "tools/list":
            self._note_server(result)
            return None
        tools = result.get("tools")
        if not isinstance(tools, list):
            return None
        page = self.surface.page(tools)
        self._pages = 1 if awaited.is_first_page else self._pages + 1
        self._tell_unknown(tools, is_first=awaited.is_first_page, is_last=not result.get("nextCursor"))
        writable = [
            tool if is_writable(tool) else {"name": tool.get("name")} for tool in page if isinstance(tool, dict)
        ]
        self.journal.builder.discovered(
            described(writable, self.log.server_version),
            self.journal.now,
            page=self._pages,
            more=bool(result.get("nextCursor")),
        )
        self.journal.flush()
        for tool in page:
            self._note_hints(tool)
        return None if page == tools else {**frame, "result": {**result, "tools": page}}

    def _tell_unknown(self, tools: list[Any], *, is_first: bool, is_last: bool) -> None:
        """Warn of a tool to hide or rename that the server does not list: a slip of the pen would go unseen."""
        if is_first:
            self._listed.clear()
        self._listed |= {tool["name"] for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)}
        if is_last:
            for name in sorted(self.surface.names - self._listed - self._told_unknown):
                self._told_unknown.add(name)
                self._warn(f"the server lists no tool {name}, which is to be hidden or renamed")

    def _note_hints(self, tool: Any) -> None:
        name, hints = (tool.get("name"), tool.get("annotations")) if isinstance(tool, dict) else (None, None)
        if isinstance(name, str):
            self.only_reading.discard(name)
            if isinstance(hints, dict) and hints.get("readOnlyHint") is True:
                self.only_reading.add(name)

    def _note_server(self, result: dict[str, Any]) -> None:
        info = result.get("serverInfo")
        if not isinstance(info, dict):
            meta = result.get("_meta")
            info = meta.get(f"{_ENVELOPE_PREFIX}serverInfo") if isinstance(meta, dict) else None
        if isinstance(info, dict):
            self.server_name = str(info.get("name", "")) or None
            self.log.server_version = str(info.get("version", "")) or None

    # What a call's way needs.

    def reply(self, frame: Frame) -> None:
        """Send one message to the agent."""
        self._to_agent(encoded(frame))

    async def pass_on(self, frame: Frame) -> Frame:
        """Forward a call and wait for the server's answer; the end of the server is an answer, too."""
        assert self._server is not None
        key = id_key(frame["id"])
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        self._server.send(encoded(frame))
        return await answer

    def can_ask(self) -> bool:
        """Whether the agent's program can put a question before its user."""
        return isinstance(self._capabilities.get("elicitation"), dict)

    @property
    def is_modern(self) -> bool:
        """Whether questions are asked in the answer to the call, which is then made again."""
        return self._is_modern

    async def ask_agent(self, params: dict[str, Any]) -> Json:
        """The answer to a question; None when the agent's program refused it."""
        request_id = f"evalnb-question-{next(self._question_ids)}"
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._questions[id_key(request_id)] = answer
        self.reply({"jsonrpc": "2.0", "id": request_id, "method": "elicitation/create", "params": params})
        try:
            frame = await answer
        finally:
            self._questions.pop(id_key(request_id), None)
        result: Json = frame.get("result")
        return result

    def envelope(self) -> dict[str, Any]:
        """What a request of our own says of itself, in a session without a handshake."""
        return {"_meta": self._envelope} if self._envelope else {}

    async def end(self, reason: str | None) -> None:
        """Close every open call; with a `reason` the agent is answered, too."""
        tasks = dict(self._calls)
        for task in tasks.values():
            task.cancel()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*tasks.values(), return_exceptions=True), 5)
        if reason is None:
            return
        for request_id in self.log.open_ids():
            failure = error_frame(request_id, SERVER_GONE, reason)
            self.log.answered(request_id, failure)
            self.reply(failure)

    def _forward(self, line: bytes) -> None:
        assert self._server is not None
        self._server.send(line)
