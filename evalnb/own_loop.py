"""Runs a coroutine to its end from anywhere, a notebook cell with its running event loop included."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` returns or raises. An interrupt cancels it and waits until it has ended what it started."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    result: Result = _InThread(work).result()
    return result


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    runner = asyncio.Runner()
    try:
        with _undisturbed():
            runner.get_loop()
        return runner.run(work)
    finally:
        with _undisturbed():
            runner.close()
        # One that was interrupted before it began is not waited for.
        work.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A loop that an interrupt meets half made or half closed complains of that: the interrupt comes a moment later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    held = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in held:
        signal.signal(number, lambda which, frame: came.append(which))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


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
