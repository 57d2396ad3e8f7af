"""A supervisor and a closed terminal end a command as Ctrl-C does: systems end, and what is finished is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Within it, SIGTERM and SIGHUP interrupt this process; a thread that is not the main one cannot ask for that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in _ENDING}
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A command that a script started in the background ignores interrupts, and has to end all the same.
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    # Whoever handles an interrupt now, such as an event loop that cancels its task, handles this one.
    signal.raise_signal(signal.SIGINT)
