"""Where the mutants of a measurement run: this process, processes beside it, or a cluster. The answers are the same."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context
from typing import Any, Final

from evalnb.harness.arms import MutantRun
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.version import __version__

RunOne = Callable[[MutantSpec], MutantRun]
"""Runs one mutated arm; can be sent to another process."""

_CONNECT_SECONDS: Final = 20
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


def run_in_executor(executor: Executor, run_one: RunOne, specs: Sequence[MutantSpec]) -> Iterator[MutantRun]:
    """Run the mutants wherever `executor` runs them; one whose worker is lost is broken."""
    for spec, run in run_on(executor, run_one, specs):
        yield run or MutantRun(spec, broken=_LOST)


def run_on(
    executor: Executor, run_one: RunOne, specs: Sequence[MutantSpec]
) -> Iterator[tuple[MutantSpec, MutantRun | None]]:
    """Each mutant as it finishes; None where its worker was lost. What still waits is cancelled when this is left."""
    futures = {executor.submit(run_one, spec): spec for spec in specs}
    pending = set(futures)
    try:
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                try:
                    run = future.result()
                except _losses():
                    run = None
                yield futures[future], run
    finally:
        for future in pending:
            future.cancel()


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """An executor over the dask.distributed cluster whose scheduler listens at `address`.

    The workers must have this version of evalnb, and the measured system at the same paths. Raises `ClusterProblem`
    where dask is not installed, nobody answers at the address within 20 s, or a worker cannot run evalnb.
    """
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise ClusterProblem(f"a cluster needs {error.name}; install it with pip install 'evalnb[dask]'") from error
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterProblem(f"no cluster answers at {address}: {error or type(error).__name__}") from error
    with client:
        _check_workers(client, address)
        with client.get_executor(pure=False) as executor:
            yield executor


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
    losses: list[type[BaseException]] = [BrokenProcessPool, CancelledError]
    try:
        from distributed.scheduler import KilledWorker
    except ModuleNotFoundError:
        return tuple(losses)
    return (*losses, KilledWorker)


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
