"""The one place where the engine awaits a port that its caller supplied, and the abort signal it hands over.

The engine opens nothing itself: a port is an object with asynchronous methods, passed in. spec: 01 §10, 07 §10
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.faults import RuntimeFault

Request = TypeVar("Request")
Response = TypeVar("Response")


class AbortError(Exception):
    """The reason an abort carries when its caller gave none."""


class AbortSignal:
    """Tells a port that its caller no longer wants the answer. Made and fired by an `AbortController`."""

    __slots__ = ("_listeners", "_reason")

    def __init__(self) -> None:
        self._reason: BaseException | None = None
        self._listeners: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """Whether the abort has happened."""
        return self._reason is not None

    @property
    def reason(self) -> BaseException | None:
        """Why it was aborted; None as long as it is not."""
        return self._reason

    def on_abort(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` once when the abort happens, at once if it already has.

        Returns a function that takes the listener away again; calling that one twice does no harm.
        """
        if self.aborted:
            listener()
            return lambda: None
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove


class AbortController:
    """Owns one signal and is the only thing that can abort it."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal: Final = AbortSignal()

    def abort(self, reason: BaseException | None = None) -> None:
        """Abort the signal. The first reason stays; every listener is called once, in the order of registration."""
        signal = self.signal
        if signal.aborted:
            return
        signal._reason = reason if reason is not None else AbortError("the call was aborted")
        listeners, signal._listeners = signal._listeners, []
        for listener in listeners:
            listener()


@dataclass(frozen=True, slots=True)
class PortBoundary(Generic[Request, Response]):
    """What may cross towards a port and back: a parser and an artifact path for each direction.

    A parser returns the message or raises `ShapeError`.
    """

    parse_request: Callable[[object], Request]
    parse_response: Callable[[object], Response]
    request_path: str
    response_path: str


async def invoke_port(
    method: Callable[[Request, AbortSignal], Awaitable[object]],
    request: object,
    signal: AbortSignal,
    boundary: PortBoundary[Request, Response],
) -> Response:
    """Call a port method exactly once and return its parsed answer.

    No retry, no cache, no reading of the answer. The call is not raced against the signal: stopping early is the
    port's duty. Raises RuntimeFault: `aborted`, `schema-parse-failure` (the request), `port-failure`,
    `port-contract-violation` (the answer), or whatever fault the port raised. spec: 07 §10
    """
    if signal.aborted:
        raise RuntimeFault("aborted", boundary.request_path, "the signal was aborted before the call", signal.reason)
    parsed_request = _parse(
        boundary.parse_request, request, "schema-parse-failure", boundary.request_path, "the request"
    )
    answer = await _answer(method, parsed_request, signal, boundary.response_path)
    return _parse(
        boundary.parse_response, answer, "port-contract-violation", boundary.response_path, "the port's answer"
    )


async def _answer(
    method: Callable[[Request, AbortSignal], Awaitable[object]],
    request: Request,
    signal: AbortSignal,
    response_path: str,
) -> object:
    try:
        return await method(request, signal)
    except RuntimeFault:
        raise
    except Exception as error:
        if signal.aborted:
            raise RuntimeFault("aborted", response_path, "the signal was aborted during the call", error) from error
        raise RuntimeFault("port-failure", response_path, f"the port raised {type(error).__name__}", error) from error


Message = TypeVar("Message")


def _parse(parser: Callable[[object], Message], raw: object, code: str, path: str, what: str) -> Message:
    try:
        return parser(raw)
    except ShapeError as error:
        raise RuntimeFault(code, path, f"{what} does not have the declared shape", error) from error


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One line about the progress of a run. `stage` is the stage that speaks, not the command."""

    run_id: str
    stage: str
    message: str


DiagnosticSink = Callable[[Diagnostic], None]


def emit_diagnostic(sink: DiagnosticSink | None, run_id: str, message: str) -> None:
    """Hand one pre-flight line to `sink`; nothing happens without one, and what a sink raises propagates.

    spec: 01 §10.1
    """
    if sink is not None:
        sink(Diagnostic(run_id=run_id, stage="preflight", message=message))
