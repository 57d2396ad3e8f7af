"""The boundary of an adapter method: what each step's failure becomes, and that an abort always wins."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController, AbortSignal, PortBoundary


def parse_text(raw: object) -> str:
    if not isinstance(raw, str):
        raise ShapeError(())
    return raw


BOUNDARY = PortBoundary(parse_text, parse_text, "Request", "Response")


async def answer(request: str, signal: AbortSignal) -> str:
    return request.upper()


def method(**changes: Any) -> PortMethod[str, str, Any]:
    parts: dict[str, Any] = {"boundary": BOUNDARY, "call": answer, "assemble": lambda request, raw: raw}
    return PortMethod(**{**parts, **changes})


def fault_of(method_: PortMethod[str, str, Any], request: object = "x") -> tuple[str, str]:
    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(run_port_method(method_, request, AbortController().signal))
    return caught.value.code, caught.value.artifact_path


def raising(error: Exception) -> Any:
    async def call(request: str, signal: AbortSignal) -> str:
        raise error

    return call


def test_an_answer_passes_through() -> None:
    assert asyncio.run(run_port_method(method(), "abc", AbortController().signal)) == "ABC"


def test_each_failure_has_its_code_and_place() -> None:
    own = RuntimeFault("budget-exhausted", "Elsewhere", "enough")

    def precheck(request: str) -> None:
        raise own

    async def postcheck(request: str, raw: str) -> None:
        raise ValueError("late")

    assert fault_of(method(), 7) == ("schema-parse-failure", "Request")
    assert fault_of(method(call=raising(OSError("gone")))) == ("port-failure", "Response")
    assert fault_of(method(call=raising(own))) == ("budget-exhausted", "Elsewhere")
    assert fault_of(method(precheck=precheck)) == ("budget-exhausted", "Elsewhere")
    assert fault_of(method(postcheck=postcheck)) == ("port-failure", "Response")
    assert fault_of(method(assemble=lambda request, raw: 7)) == ("port-contract-violation", "Response")


def test_an_abort_wins_over_a_mechanism_that_never_settles() -> None:
    async def never(request: str, signal: AbortSignal) -> str:
        await asyncio.Event().wait()
        return ""

    async def scenario() -> RuntimeFault:
        controller = AbortController()
        asyncio.get_running_loop().call_later(0.01, controller.abort, KeyboardInterrupt("stop"))
        with pytest.raises(RuntimeFault) as caught:
            await run_port_method(method(call=never), "x", controller.signal)
        return caught.value

    fault = asyncio.run(scenario())
    assert (fault.code, fault.artifact_path) == ("aborted", "Response")
    assert isinstance(fault.cause, KeyboardInterrupt)


def test_the_late_failure_of_an_abandoned_mechanism_is_swallowed() -> None:
    complaints: list[Any] = []

    async def stubborn(request: str, signal: AbortSignal) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise OSError("too late") from None
        return ""

    async def scenario() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        controller = AbortController()
        asyncio.get_running_loop().call_later(0.01, controller.abort)
        with pytest.raises(RuntimeFault):
            await run_port_method(method(call=stubborn), "x", controller.signal)
        await asyncio.sleep(0.01)

    asyncio.run(scenario())
    gc.collect()
    assert complaints == []


def test_no_abort_listener_is_left_behind() -> None:
    controller = AbortController()
    asyncio.run(run_port_method(method(), "abc", controller.signal))
    assert controller.signal._listeners == []
