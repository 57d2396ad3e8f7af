"""The real server behind the recorder: a process group of ours, whose lines go to the agent and some of them to us."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

from evalnb.adapters.budget import first_of
from evalnb.adapters.process_group import Launch, ProcessGroup
from evalnb.engine.json_values import Json
from evalnb.recording.frames import Frame, LineBuffer, encoded, is_response, parsed

TakeLine = Callable[[bytes, Frame | None], None]


class RecordedServer:
    """A running server. `take` gets each line it writes, beside the message the line holds; our own requests' answers
    are kept from it."""

    def __init__(self, group: ProcessGroup, heard: _Heard) -> None:
        self._group = group
        self._heard = heard
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, launch: Launch, take: TakeLine, on_stderr: Callable[[bytes], None]) -> RecordedServer:
        """Start the server; raises `LaunchFailure`."""
        heard = _Heard(take)
        return cls(await ProcessGroup.launch(launch, heard.take_chunk, on_stderr), heard)

    @property
    def ended(self) -> asyncio.Future[int]:
        """The server's exit code, once it has ended by itself."""
        return self._group.ended

    def send(self, line: bytes) -> None:
        """Send one line."""
        self._group.write(line + b"\n")

    async def ask(self, method: str, params: dict[str, Json], within: float) -> Frame | None:
        """The answer to a request of our own; None when it did not come within `within` seconds."""
        request_id = f"evalnb-{next(self._ids)}"
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._heard.awaited[request_id] = answer
        self.send(encoded({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}))
        await first_of(answer, self._group.ended, timeout=within)
        return answer.result() if answer.done() else None

    async def close(self) -> None:
        """Kill the server and everything it started."""
        await self._group.kill()


class _Heard:
    """What the server writes, cut into lines."""

    def __init__(self, take: TakeLine) -> None:
        self.awaited: dict[str, asyncio.Future[Frame]] = {}
        self._take = take
        self._buffer = LineBuffer()

    def take_chunk(self, chunk: bytes) -> None:
        for line in self._buffer.take(chunk):
            held = parsed(line)
            if not isinstance(held, list):
                self._take_one(line, held)
                continue
            # A batch: its messages are looked at one by one, as if each had come on a line.
            for member in held:
                frame = member if isinstance(member, dict) else None
                self._take_one(encoded(member), frame)

    def _take_one(self, line: bytes, frame: Frame | None) -> None:
        if frame is not None and is_response(frame) and isinstance(frame["id"], str):
            answer = self.awaited.pop(frame["id"], None)
            if answer is not None:
                if not answer.done():
                    answer.set_result(frame)
                return
        self._take(line, frame)
