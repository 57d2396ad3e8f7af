"""Runs a coroutine to its end from anywhere, a notebook cell with its running event loop included."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` returns or raises. An interrupt cancels it and waits until it has ended what it started."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: Result = _InThread(work).result()
    return result


class _InThread:
    """A coroutine in a thread with an event loop of its own."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self._work = work
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._thread = threading.Thread(target=self._run, name="evalnb-own-loop", daemon=True)

    def result(self) -> Any:
        self._thread.start()
        try:
            self._thread.join()
        except BaseException:
            self._loop.call_soon_threadsafe(self._cancel)
            self._thread.join()
            raise
        assert self._task is not None
        return self._task.result()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        async def main() -> None:
            self._task = asyncio.ensure_future(self._work)
            await asyncio.wait([self._task])

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(main())
