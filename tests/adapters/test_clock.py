"""The clock port: the system time as an instant in UTC."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from evalnb.adapters.clock import SystemClock
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController


def read(clock: SystemClock, request: Any = None) -> str:
    answer = asyncio.run(clock.read({} if request is None else request, AbortController().signal))
    return answer.now


def test_the_time_is_now_in_milliseconds() -> None:
    before = datetime.now(UTC)
    now = read(SystemClock())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", now)
    assert abs((datetime.fromisoformat(now) - before).total_seconds()) < 5


def test_another_mechanism_tells_the_time() -> None:
    assert read(SystemClock(lambda: "2024-02-29T00:00:00Z")) == "2024-02-29T00:00:00Z"


@pytest.mark.parametrize("answer", [None, 0, "yesterday", "2023-02-29T00:00:00Z", "2024-01-01T00:00:00+01:00"])
def test_what_is_no_instant_breaks_the_contract(answer: object) -> None:
    with pytest.raises(RuntimeFault) as caught:
        read(SystemClock(lambda: answer))
    assert (caught.value.code, caught.value.artifact_path) == ("port-contract-violation", "ClockReadResponse")


def test_a_request_is_empty() -> None:
    with pytest.raises(RuntimeFault) as caught:
        read(SystemClock(), {"zone": "UTC"})
    assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", "ClockReadRequest")


def test_a_failing_mechanism_is_a_port_failure() -> None:
    def stopped() -> str:
        raise OSError("no clock")

    with pytest.raises(RuntimeFault) as caught:
        read(SystemClock(stopped))
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "ClockReadResponse")
