"""Calling a port once and saying how the call settled, whoever wrote the port and whatever it raises."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from evalnb.conformance.subjects import BuiltSubject, PortSubject, Scenario
from evalnb.engine.codes import RUNTIME_FAULT_CODES
from evalnb.engine.port_seam import AbortController


@dataclass(frozen=True, slots=True)
class Resolved:
    """The call answered."""

    value: object

    def __str__(self) -> str:
        return "the call resolved"


@dataclass(frozen=True, slots=True)
class Rejected:
    """The call raised. `code` and `artifact_path` are None unless the error is a declared fault."""

    error: BaseException
    code: str | None
    artifact_path: str | None

    def __str__(self) -> str:
        if self.code is not None:
            return f"the call rejected with {self.code} at {self.artifact_path!r}"
        return f"the call rejected with an undeclared error: {type(self.error).__name__}: {self.error}"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """The call was still running when its budget ended."""

    budget_ms: int

    def __str__(self) -> str:
        return f"the call had not settled after {self.budget_ms} ms"


Settlement: TypeAlias = Resolved | Rejected | Unsettled


async def call(subject: PortSubject, built: BuiltSubject, request: Any) -> Settlement:
    """Call the port once with a signal that never aborts."""
    task = asyncio.ensure_future(_invoked(built, request, AbortController()))
    return await _settled(task, subject.call_budget_ms)


async def call_and_abort(subject: PortSubject, built: BuiltSubject) -> Settlement:
    """Call the port, abort after one turn of the event loop, and give it its abort budget to reject."""
    controller = AbortController()
    task = asyncio.ensure_future(_invoked(built, subject.sample_request, controller))
    await asyncio.sleep(0)
    controller.abort()
    return await _settled(task, subject.abort_budget_ms)


async def _invoked(built: BuiltSubject, request: Any, controller: AbortController) -> object:
    return await built.port(request, controller.signal)


async def _settled(task: asyncio.Future[object], budget_ms: int) -> Settlement:
    done, _ = await asyncio.wait({task}, timeout=budget_ms / 1000)
    if not done:
        task.cancel()
        task.add_done_callback(_swallow)
        return Unsettled(budget_ms)
    if task.cancelled():
        return _rejected(asyncio.CancelledError("the port cancelled its own call"))
    error = task.exception()
    return Resolved(task.result()) if error is None else _rejected(error)


def _swallow(task: asyncio.Future[object]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()


def _rejected(error: BaseException) -> Rejected:
    """A declared fault is told by its two texts, never by its class: it may come from another copy of the package."""
    code, path = getattr(error, "code", None), getattr(error, "artifact_path", None)
    if isinstance(code, str) and code in RUNTIME_FAULT_CODES and isinstance(path, str):
        return Rejected(error, code, path)
    return Rejected(error, None, None)


@dataclass(slots=True)
class Stage:
    """A built subject while it is used; `problem` is set when it could not be built or disposed of."""

    built: BuiltSubject | None = None
    problem: str | None = None


@asynccontextmanager
async def staged(subject: PortSubject, scenario: Scenario) -> AsyncIterator[Stage]:
    """The subject built for `scenario` and disposed of afterwards; neither raises, the stage holds what went wrong."""
    stage = Stage()
    try:
        stage.built = await _maybe_awaited(subject.build(scenario))
    except Exception as error:  # noqa: BLE001 - whatever a subject raises is an outcome
        stage.problem = f"build({scenario!r}) raised {type(error).__name__}: {error}"
    yield stage
    if stage.built is None or stage.built.dispose is None:
        return
    try:
        await _maybe_awaited(stage.built.dispose())
    except Exception as error:  # noqa: BLE001 - whatever a subject raises is an outcome
        stage.problem = f"dispose() raised {type(error).__name__}: {error}"


async def _maybe_awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


@dataclass(slots=True)
class Count:
    """The number of mechanism calls, or why it cannot be told."""

    calls: int | None = None
    problem: str = field(default="")


def counted(underlying_calls: Callable[[], int]) -> Count:
    """Ask a subject's counter."""
    try:
        return Count(calls=underlying_calls())
    except Exception as error:  # noqa: BLE001 - whatever a subject raises is an outcome
        return Count(problem=f"underlying_calls() raised {type(error).__name__}: {error}")
