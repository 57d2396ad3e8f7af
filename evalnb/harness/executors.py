"""Where the mutants of a measurement run: this process, processes beside it, or a cluster. The answers are the same."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from typing import Any, Final

from evalnb.harness.arms import MutantRun
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.version import __version__

RunOne = Callable[[MutantSpec], MutantRun]
"""Runs one mutated arm; can be sent to another process."""

Check = Callable[[], None]
"""Raises where the mutants that are under way will never be answered."""

_CONNECT_SECONDS: Final = 20
_LOOK_SECONDS: Final = 5
_ALONE_SECONDS: Final = 60
_GO_ON: Final = "what was finished is kept: go on with --resume once it is back, or without a cluster"
_LOST: Final = "the process that ran it ended without an answer"


class ClusterProblem(ValueError):
    """A cluster that cannot run mutants, and what to do about it."""


def run_here(run_one: RunOne, specs: Sequence[MutantSpec]) -> Iterator[MutantRun]:
    """Run the mutants one after another in this process."""
    for spec in specs:
        yield run_one(spec)


def run_in_processes(run_one: RunOne, specs: Sequence[MutantSpec], jobs: int) -> Iterator[MutantRun]:
    """Run up to `jobs` mutants at once, each in a process of this machine; yields them as they finish.

    Where a process is killed, every mutant that was under way in any of them is run again by itself, and only the one
    that loses its process once more is broken.
    """
    lost: list[MutantSpec] = []
    with _processes(jobs) as pool:
        for spec, run in run_on(pool, run_one, specs):
            if run is None:
                lost.append(spec)
            else:
                yield run
    for spec in lost:
        with _processes(1) as pool:
            for _, run in run_on(pool, run_one, [spec]):
                yield run or MutantRun(spec, broken=_LOST)


def run_in_executor(
    executor: Executor,
    run_one: RunOne,
    specs: Sequence[MutantSpec],
    *,
    at_once: int | None = None,
    check: Check | None = None,
) -> Iterator[MutantRun]:
    """Run the mutants wherever `executor` runs them, `at_once` of them handed over at a time, all when None.

    A mutant whose worker is lost is run again by itself, and is broken when it loses that one as well. `check` is
    called whenever a worker was lost, and every few seconds while none answers; it raises where going on is no use.
    """
    lost: list[MutantSpec] = []
    for spec, run in run_on(executor, run_one, specs, at_once=at_once, check=check):
        if run is None:
            lost.append(spec)
        else:
            yield run
    for spec in lost:
        if check is not None:
            check()
        for _, run in run_on(executor, run_one, [spec], check=check):
            if run is None and check is not None:
                check()
            yield run or MutantRun(spec, broken=_LOST)


def run_on(
    executor: Executor,
    run_one: RunOne,
    specs: Iterable[MutantSpec],
    *,
    at_once: int | None = None,
    check: Check | None = None,
) -> Iterator[tuple[MutantSpec, MutantRun | None]]:
    """Each mutant as it finishes; None where its worker was lost. What still waits is cancelled when this is left."""
    waiting = list(reversed(list(specs)))
    # An answer is let go of as soon as it is handed on, so that memory does not grow with the mutants.
    running: dict[Future[MutantRun], MutantSpec] = {}
    try:
        while waiting or running:
            while waiting and (at_once is None or len(running) < at_once):
                spec = waiting.pop()
                try:
                    running[executor.submit(run_one, spec)] = spec
                except _losses():
                    yield spec, None
            finished = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED).done
            if not finished and check is not None:
                check()
            while finished:
                future = finished.pop()
                yield running.pop(future), _result(future)
    finally:
        for future in running:
            future.cancel()


def _result(future: Future[MutantRun]) -> MutantRun | None:
    try:
        return future.result()
    except _losses():
        return None


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster in use: where its mutants run, and what raises `ClusterProblem` once they cannot be run any more."""

    executor: Executor
    check: Check


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """The dask.distributed cluster whose scheduler listens at `address`.

    The workers must have this version of evalnb, and the measured system at the same paths. Raises `ClusterProblem`
    where dask is not installed, nobody answers at the address within 20 s, or a worker cannot run evalnb.
    """
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise ClusterProblem(f"a cluster needs {error.name}; install it with pip install 'evalnb[dask]'") from error
    try:
        # A client that was given no address at all waits for half a minute when it is thrown away.
        distributed.comm.resolve_address(address)
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterProblem(f"no cluster answers at {address}: {error or type(error).__name__}") from error
    with client:
        _check_workers(client, address)
        with client.get_executor(pure=False) as executor:
            yield Cluster(executor, _Watch(client, address).check)


class _Watch:
    """Notices that a cluster is gone; a cluster may be without workers for a while, while they start anew."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._alone_since: float | None = None

    def check(self) -> None:
        """Raises `ClusterProblem` where the scheduler does not answer, or has had no worker for a minute."""
        try:
            workers = self._client.sync(self._client.scheduler.ncores, callback_timeout=_CONNECT_SECONDS)
        except Exception as error:
            # What a client raises whose scheduler is gone depends on the moment.
            raise ClusterProblem(f"the cluster at {self._address} is gone; {_GO_ON}") from error
        now = time.monotonic()
        self._alone_since = None if workers else self._alone_since or now
        if self._alone_since is not None and now - self._alone_since >= _ALONE_SECONDS:
            raise ClusterProblem(f"the cluster at {self._address} has lost all its workers; {_GO_ON}")


def _check_workers(client: Any, address: str) -> None:
    try:
        versions = client.run(_version)
    except Exception as error:
        # Whatever a worker raises is raised here.
        raise ClusterProblem(f"a worker of {address} cannot run evalnb: {error}") from error
    if not versions:
        raise ClusterProblem(f"the cluster at {address} has no workers; start some and try again")
    for worker, version in sorted(versions.items()):
        if version != __version__:
            raise ClusterProblem(f"worker {worker} has evalnb {version} where this is {__version__}; install the same")


def _version() -> str:
    return __version__


def _losses() -> tuple[type[BaseException], ...]:
    """What a future raises whose worker was lost, and which is not the mutant's own doing."""
    losses: list[type[BaseException]] = [BrokenExecutor, CancelledError]
    try:
        from distributed.client import ClosedClientError
        from distributed.scheduler import KilledWorker
    except ModuleNotFoundError:
        return tuple(losses)
    return (*losses, ClosedClientError, KilledWorker)


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_leave_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """A worker finishes its mutant and ends its systems; stopping is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
