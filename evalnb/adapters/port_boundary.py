"""The steps every adapter method runs: parse, check, call once, race the abort, check again, parse (spec: 10 §2)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortSignal, PortBoundary

Request = TypeVar("Request")
Response = TypeVar("Response")
Raw = TypeVar("Raw")


@dataclass(frozen=True, slots=True)
class PortMethod(Generic[Request, Response, Raw]):
    """One adapter method as data.

    `precheck` does no I/O; `call` is the one mechanism call; `postcheck` may do I/O and judges what came back;
    `assemble` builds the untyped response that the boundary then parses.
    """

    boundary: PortBoundary[Request, Response]
    call: Callable[[Request, AbortSignal], Coroutine[Any, Any, Raw]]
    assemble: Callable[[Request, Raw], object]
    precheck: Callable[[Request], None] | None = None
    postcheck: Callable[[Request, Raw], Coroutine[Any, Any, None]] | None = None


async def run_port_method(method: PortMethod[Request, Response, Raw], request: object, signal: AbortSignal) -> Response:
    """Run one adapter method; every failure leaves as a `RuntimeFault` at the boundary's request or response path."""
    boundary = method.boundary
    if signal.aborted:
        raise RuntimeFault("aborted", boundary.request_path, "the call was aborted before it began", signal.reason)
    try:
        parsed = boundary.parse_request(request)
    except ShapeError as error:
        raise RuntimeFault(
            "schema-parse-failure", boundary.request_path, "the request does not have its declared shape", error
        ) from error
    try:
        if method.precheck is not None:
            method.precheck(parsed)
        raw = await _race(method.call(parsed, signal), signal, boundary.response_path)
        if method.postcheck is not None:
            await _race(method.postcheck(parsed, raw), signal, boundary.response_path)
    except RuntimeFault:
        raise
    except Exception as error:
        if signal.aborted:
            _abort(signal, boundary.response_path, error)
        raise RuntimeFault("port-failure", boundary.response_path, _text(error), error) from error
    try:
        return boundary.parse_response(method.assemble(parsed, raw))
    except ShapeError as error:
        raise RuntimeFault(
            "port-contract-violation",
            boundary.response_path,
            "the mechanism's answer does not have the declared shape",
            error,
        ) from error


async def _race(work: Coroutine[Any, Any, Raw], signal: AbortSignal, response_path: str) -> Raw:
    """The work's result, unless the abort comes first; an abandoned work is cancelled and its end is swallowed."""
    if signal.aborted:
        work.close()
        _abort(signal, response_path)
    loop = asyncio.get_running_loop()
    aborted: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not aborted.done():
            aborted.set_result(None)

    def on_abort() -> None:
        loop.call_soon_threadsafe(settle)

    remove = signal.on_abort(on_abort)
    task = asyncio.ensure_future(work)
    racers: list[Awaitable[Any]] = [task, aborted]
    try:
        await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)  # type: ignore[type-var]
        if signal.aborted:
            _abort(signal, response_path)
        return task.result()
    finally:
        remove()
        aborted.cancel()
        if not task.done():
            task.cancel()
            task.add_done_callback(_swallow)


def _swallow(task: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()


def _abort(signal: AbortSignal, path: str, cause: BaseException | None = None) -> NoReturn:
    raise RuntimeFault("aborted", path, "the call was aborted before its answer", signal.reason or cause)


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
