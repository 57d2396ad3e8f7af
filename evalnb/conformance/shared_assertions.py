"""The six assertions that every port method must pass (spec: 10 §9.2)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from evalnb.conformance.calling import Rejected, Resolved, Settlement, Stage, call, call_and_abort, counted, staged
from evalnb.conformance.report import Claim, Outcome
from evalnb.conformance.subjects import BuiltSubject, PortSubject, Scenario
from evalnb.engine.artifacts.issues import ShapeError

TYPED_FAULT: Final = "typed-fault"
ONE_CALL_ON_SUCCESS: Final = "single-underlying-call-on-success"
ONE_CALL_ON_FAILURE: Final = "single-underlying-call-on-failure"
PROMPT_ABORT: Final = "prompt-abort"
NO_IN_BAND_ERROR: Final = "no-in-band-error"
SCHEMA_VALID_RETURN: Final = "schema-valid-return"

_TITLES: Final = {
    TYPED_FAULT: "a failure is a declared fault with a place",
    ONE_CALL_ON_SUCCESS: "a successful call asks the mechanism once",
    ONE_CALL_ON_FAILURE: "a failing call asks the mechanism once and does not retry",
    PROMPT_ABORT: "an abort rejects the call promptly",
    NO_IN_BAND_ERROR: "an error inside the mechanism's answer is never returned as a result",
    SCHEMA_VALID_RETURN: "what a call returns has the response's shape",
}

ResponseParser = Callable[[object], object]
"""The response a value is; ShapeError where it is none."""


@dataclass(frozen=True, slots=True)
class MethodUnderTest:
    """One port method: its prefix in the identifiers, and its own response schema."""

    prefix: str
    parse_response: ResponseParser

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The six assertions about this method, in report order."""
        return tuple(Claim(f"{self.prefix}/{name}", title) for name, title in _TITLES.items())


async def shared_outcomes(method: MethodUnderTest, subject: PortSubject) -> list[Outcome]:
    """The outcomes of the six assertions, in the order they were run."""
    found: dict[str, str] = {}
    for scenario, judge in _SCENARIOS:
        async with staged(subject, scenario) as stage:
            failures = await judge(method, subject, stage)
        for name, failure in failures.items():
            found[name] = stage.problem or failure
    return [
        Outcome(f"{method.prefix}/{name}", _TITLES[name], passed=not failure, detail=failure)
        for name, failure in found.items()
    ]


# A judge answers, by assertion, why it failed; an empty text where it held.


async def _judge_resolving(method: MethodUnderTest, subject: PortSubject, stage: Stage) -> dict[str, str]:
    if stage.built is None:
        return {ONE_CALL_ON_SUCCESS: "", SCHEMA_VALID_RETURN: ""}
    settlement = await call(subject, stage.built, subject.sample_request)
    unresolved = "" if isinstance(settlement, Resolved) else f"{settlement}, expected it to resolve"
    return {
        ONE_CALL_ON_SUCCESS: unresolved or _calls_other_than_one(stage.built),
        SCHEMA_VALID_RETURN: unresolved or _shape_problem(method, settlement),
    }


async def _judge_failing(method: MethodUnderTest, subject: PortSubject, stage: Stage) -> dict[str, str]:
    if stage.built is None:
        return {TYPED_FAULT: "", ONE_CALL_ON_FAILURE: ""}
    settlement = await call(subject, stage.built, subject.sample_request)
    typed = _undeclared(settlement)
    if not typed and isinstance(settlement, Rejected) and not settlement.artifact_path:
        typed = f"{settlement}, expected a place that is not empty"
    return {TYPED_FAULT: typed, ONE_CALL_ON_FAILURE: _calls_other_than_one(stage.built)}


async def _judge_hanging(method: MethodUnderTest, subject: PortSubject, stage: Stage) -> dict[str, str]:
    if stage.built is None:
        return {PROMPT_ABORT: ""}
    settlement = await call_and_abort(subject, stage.built)
    aborted = isinstance(settlement, Rejected) and settlement.code == "aborted"
    return {PROMPT_ABORT: "" if aborted else f"{settlement}, expected a rejection with aborted"}


async def _judge_in_band(method: MethodUnderTest, subject: PortSubject, stage: Stage) -> dict[str, str]:
    if stage.built is None:
        return {NO_IN_BAND_ERROR: ""}
    return {NO_IN_BAND_ERROR: _undeclared(await call(subject, stage.built, subject.sample_request))}


_Judge: TypeAlias = Callable[[MethodUnderTest, PortSubject, Stage], Awaitable[dict[str, str]]]

_SCENARIOS: Final[tuple[tuple[Scenario, _Judge], ...]] = (
    ("resolves", _judge_resolving),
    ("fails", _judge_failing),
    ("hangs", _judge_hanging),
    ("in-band-error", _judge_in_band),
)


def _undeclared(settlement: Settlement) -> str:
    declared = isinstance(settlement, Rejected) and settlement.code is not None
    return "" if declared else f"{settlement}, expected a rejection with a declared fault"


def _calls_other_than_one(built: BuiltSubject) -> str:
    count = counted(built.underlying_calls)
    if count.problem:
        return count.problem
    return "" if count.calls == 1 else f"mechanism calls: {count.calls}, expected 1"


def _shape_problem(method: MethodUnderTest, settlement: Settlement) -> str:
    assert isinstance(settlement, Resolved)
    try:
        method.parse_response(settlement.value)
    except ShapeError as error:
        return f"the value does not have the response's shape: {error}"
    return ""
