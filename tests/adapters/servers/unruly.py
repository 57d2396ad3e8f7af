"""Targets that do not want to end: each is one way of outliving whoever started it.

Everything started here keeps the environment it was given, which is how the tests find it again; the folder that it
names gets a file from every target that has started.
"""

from __future__ import annotations

import os
import signal
import sys
import time

LONG = 600


def forks() -> None:
    for _ in range(3):
        if os.fork() == 0:
            time.sleep(LONG)
    time.sleep(LONG)


def keeps_forking() -> None:
    while True:
        if os.fork() == 0:
            time.sleep(LONG)
        time.sleep(0.01)
        if os.path.exists("/nowhere"):
            return


def double_forks() -> None:
    """A daemon: its own session, its parent gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    time.sleep(LONG)


def daemon_and_leave() -> None:
    """The daemon holds the outputs after its starter has gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LONG)
        os._exit(0)
    os._exit(0)


def hops() -> None:
    """Always another process in another session."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if os.fork() != 0:
            os._exit(0)
        os.setsid()


def ignores_signals() -> None:
    for number in range(1, signal.NSIG):
        if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                continue
    while True:
        time.sleep(LONG)


def holds_pipes() -> None:
    """The children hold the pipes, the target itself exits."""
    for _ in range(2):
        if os.fork() == 0:
            time.sleep(LONG)
    os._exit(0)


def floods() -> None:
    while True:
        os.write(1, b"x" * 65536)


def floods_from_a_daemon() -> None:
    if os.fork() == 0:
        os.setsid()
        floods()
    time.sleep(LONG)


def never_answers() -> None:
    for _ in sys.stdin:
        pass
    time.sleep(LONG)


WAYS = {
    way.__name__: way
    for way in (
        forks,
        keeps_forking,
        double_forks,
        daemon_and_leave,
        hops,
        ignores_signals,
        holds_pipes,
        floods,
        floods_from_a_daemon,
        never_answers,
    )
}

if __name__ == "__main__":
    with open(os.path.join(os.environ["EVALNB_TEST_MARK"], str(os.getpid())), "w", encoding="utf-8"):
        pass
    WAYS[sys.argv[1]]()
