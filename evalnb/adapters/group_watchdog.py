"""Stands between a host and its target: starts the target, and kills all of it when the host lets go or dies.

The program of a bare interpreter of its own, started by `process_group`; it imports nothing of the package. What it is
told travels over the link whose descriptor it is given. spec: 10 §10

Every start of a target waits for this program's own, so it does without `typing` and `signal`: loading either takes
half as long as the interpreter does.

On Linux it is a child subreaper as well: whatever the target starts stays below it, also what left the group by a
second session, so a kill can follow the children that the kernel lists until none is left. Elsewhere the process
group alone is killed.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]
import marshal
import os
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

KILL_ATTEMPTS = 100
KILL_INTERVAL = 0.005
# A target that keeps hopping into new sessions moves between two looks; several looks an attempt outrun it.
LOOKS_PER_ATTEMPT = 20
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
_RESET = (*_IGNORED, signal.SIGPIPE, signal.SIGXFSZ)


def main(link: int) -> None:
    """Serve one target: read its description, start it, report how it ended, end it when told or left alone."""
    os.set_inheritable(link, False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _control_process(_SET_CHILD_SUBREAPER, 1)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    argv, environment, cwd = _read_description(link)
    target = _start(argv, environment, cwd, link)
    if target is not None:
        _watch(link, wake, target)
    os._exit(0)  # the host waits for this end, and an interpreter takes its time to tidy up


def _control_process(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _read_description(link: int) -> tuple[list[bytes], dict[bytes, bytes], bytes]:
    length = int.from_bytes(_read_exactly(link, 4), "big")
    description: tuple[list[bytes], dict[bytes, bytes], bytes] = marshal.loads(_read_exactly(link, length))
    return description


def _read_exactly(fd: int, count: int) -> bytes:
    parts = []
    while count > 0:
        part = os.read(fd, count)
        if not part:
            sys.exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _tell(link: int, *message: str | int | bytes) -> None:
    body = marshal.dumps(message)
    try:
        os.write(link, len(body).to_bytes(4, "big") + body)
    except OSError:
        return  # the host is gone, which the loop notices by itself


def _start(argv: list[bytes], environment: dict[bytes, bytes], cwd: bytes, link: int) -> int | None:
    """The target's process id once it runs; None after the link was told why it does not."""
    problems, problem = os.pipe()
    gate, gate_opener = os.pipe()
    watchdog = os.getpid()
    target = os.fork()
    if target == 0:
        os.setsid()
        # The host knows the group before anything in it runs, so that it can kill it without this process.
        os.close(gate_opener)
        os.read(gate, 1)
        _become(argv, environment, cwd, problem, watchdog)
    _tell(link, "forked", target)
    for fd in (problem, gate, gate_opener):
        os.close(fd)
    _let_go_of_streams()
    report = b"".join(iter(lambda: os.read(problems, 4096), b""))
    os.close(problems)
    if report:
        os.waitpid(target, 0)
        _tell(link, "failed", *marshal.loads(report))
        return None
    _tell(link, "started", target)
    return target


def _become(argv: list[bytes], environment: dict[bytes, bytes], cwd: bytes, problem: int, watchdog: int) -> NoReturn:
    """Turn this fork into the target: its own session and group, default signals, then its program."""
    named = cwd
    try:
        # The second line: a target whose watchdog was killed goes with it.
        _control_process(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == watchdog:
            signal.set_wakeup_fd(-1)
            for number in _RESET:
                signal.signal(number, signal.SIG_DFL)
            os.chdir(cwd)
            named = argv[0]
            os.execvpe(argv[0], argv, environment)
    except OSError as error:
        os.write(problem, marshal.dumps((error.errno or 0, named)))
    except ValueError:
        os.write(problem, marshal.dumps((0, named)))
    finally:
        os._exit(127)


def _let_go_of_streams() -> None:
    """Keep no end of the target's pipes, so that they close with the target."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _watch(link: int, wake: int, target: int) -> None:
    poll = select.poll()
    poll.register(link, select.POLLIN)
    poll.register(wake, select.POLLIN)
    host = _host_handle()
    if host is not None:
        poll.register(host, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if wake in ready:
            os.read(wake, 512)
        _reap(link, target)
        if link in ready:
            if _read_or_end(link) == b"R":
                return
            break
        if host in ready:
            break
    _kill_all(link, wake, target)


def _host_handle() -> int | None:
    """A descriptor that becomes readable when the host ends, even while a fork of the host keeps the link open."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(os.getppid())
    except OSError:
        return None


def _read_or_end(link: int) -> bytes:
    try:
        return os.read(link, 1)
    except OSError:
        return b""


def _reap(link: int, target: int) -> bool:
    """Collect every ended child and report the target's end; whether no child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return False
        if pid == target:
            _tell(link, "ended", status)


def _kill_all(link: int, wake: int, target: int) -> None:
    own_group = os.getpgrp()
    for _ in range(KILL_ATTEMPTS):
        for _ in range(LOOKS_PER_ATTEMPT):
            group_is_gone = not _signal_group(target, signal.SIGKILL)
            for pid in _descendants(os.getpid()):
                _kill(pid, own_group)
            if _reap(link, target) and group_is_gone:
                return
        if _all_end(link, wake, target):
            return


def _all_end(link: int, wake: int, target: int) -> bool:
    """Whether everything ends before the next attempt is due, looked at whenever something does."""
    due = time.monotonic() + KILL_INTERVAL
    while (left := due - time.monotonic()) > 0 and select.select([wake], [], [], left)[0]:
        os.read(wake, 512)
        if _reap(link, target) and not _signal_group(target, 0):
            return True
    return False


def _kill(pid: int, own_group: int) -> None:
    """Kill one descendant and the group it is in, which catches a child that it is just forking."""
    try:
        group = os.getpgid(pid)
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return
    if group != own_group:
        _signal_group(group, signal.SIGKILL)


def _signal_group(group: int, number: int) -> bool:
    """Whether there is such a group to signal; a `number` of 0 only asks."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _descendants(root: int) -> list[int]:
    if not os.path.isdir("/proc/self/task"):
        return []
    found: list[int] = []
    pending = [root]
    while pending:
        children = _children(pending.pop())
        found += children
        pending += children
    return found


def _children(pid: int) -> list[int]:
    """The children of every thread of `pid`; none when it is gone."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as listing:
                children += map(int, listing.read().split())
    except OSError:
        return children
    return children
