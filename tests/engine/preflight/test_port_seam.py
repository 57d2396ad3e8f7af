"""Awaiting a port: when it is called, what crosses the boundary, and which fault each mishap becomes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import (
    AbortController,
    AbortError,
    AbortSignal,
    Diagnostic,
    PortBoundary,
    emit_diagnostic,
    invoke_port,
)


def a_text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ShapeError((Issue((), "invalid_type", "expected a string"),))
    return raw.strip()


BOUNDARY = PortBoundary(a_text, a_text, request_path="Ask", response_path="Answer")


class Port:
    """Answers with `answer`, or raises it; counts its calls."""

    def __init__(self, answer: object, before: Callable[[], None] = lambda: None) -> None:
        self.answer, self.before, self.received = answer, before, list[str]()

    async def ask(self, request: str, signal: AbortSignal) -> object:
        self.received.append(request)
        self.before()
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def call(port: Port, request: object = "hello", controller: AbortController | None = None) -> str:
    signal = (controller or AbortController()).signal
    return asyncio.run(invoke_port(port.ask, request, signal, BOUNDARY))


def fault_of(port: Port, request: object = "hello", controller: AbortController | None = None) -> RuntimeFault:
    with pytest.raises(RuntimeFault) as caught:
        call(port, request, controller)
    return caught.value


def test_the_port_gets_the_parsed_request_once_and_its_parsed_answer_comes_back() -> None:
    port = Port(" fine ")
    assert call(port, " hello ") == "fine"
    assert port.received == ["hello"]


def test_an_aborted_signal_comes_before_everything_else() -> None:
    controller, port, reason = AbortController(), Port("fine"), TimeoutError("enough")
    controller.abort(reason)
    fault = fault_of(port, request=7, controller=controller)
    assert (fault.code, fault.artifact_path, fault.cause) == ("aborted", "Ask", reason)
    assert port.received == []


def test_a_bad_request_is_not_sent() -> None:
    port = Port("fine")
    fault = fault_of(port, request=7)
    assert (fault.code, fault.artifact_path) == ("schema-parse-failure", "Ask")
    assert isinstance(fault.cause, ShapeError)
    assert port.received == []


def test_a_fault_of_the_port_passes_unchanged_even_after_an_abort() -> None:
    controller, denied = AbortController(), RuntimeFault("forbidden-target", "ProbeRequest", "not that host")
    assert fault_of(Port(denied, controller.abort), controller=controller) is denied


def test_any_other_error_is_a_port_failure() -> None:
    error = ConnectionError("refused")
    fault = fault_of(Port(error))
    assert (fault.code, fault.artifact_path, fault.cause) == ("port-failure", "Answer", error)


def test_any_other_error_after_an_abort_is_the_abort() -> None:
    controller, error = AbortController(), ConnectionError("closed")
    fault = fault_of(Port(error, controller.abort), controller=controller)
    assert (fault.code, fault.artifact_path, fault.cause) == ("aborted", "Answer", error)


@pytest.mark.parametrize("answer", [None, {"error": "no"}])
def test_an_answer_of_another_shape_breaks_the_contract_of_the_port(answer: object) -> None:
    fault = fault_of(Port(answer))
    assert (fault.code, fault.artifact_path) == ("port-contract-violation", "Answer")
    assert isinstance(fault.cause, ShapeError)


def test_an_answer_that_arrives_in_spite_of_an_abort_counts() -> None:
    controller = AbortController()
    assert call(Port("fine", controller.abort), controller=controller) == "fine"


def test_cancelling_the_caller_is_no_failure_of_the_port() -> None:
    with pytest.raises(asyncio.CancelledError):
        call(Port(asyncio.CancelledError()))


def test_a_signal_keeps_its_first_reason_and_calls_each_listener_once() -> None:
    controller, heard = AbortController(), list[str]()
    controller.signal.on_abort(lambda: heard.append("first"))
    remove = controller.signal.on_abort(lambda: heard.append("removed"))
    remove()
    remove()
    controller.abort()
    controller.abort(ValueError("late"))
    assert isinstance(controller.signal.reason, AbortError)
    controller.signal.on_abort(lambda: heard.append("late"))
    assert heard == ["first", "late"]


def test_diagnostics_reach_the_sink_and_need_none() -> None:
    lines = list[Diagnostic]()
    emit_diagnostic(lines.append, "run-1", "hello")
    emit_diagnostic(None, "run-1", "nobody listens")
    assert lines == [Diagnostic("run-1", "preflight", "hello")]
