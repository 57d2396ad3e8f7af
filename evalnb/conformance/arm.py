"""How an assertion of an arm is run: its own fresh subject, one call, what must come of it and how many calls below.

spec: 10 §9.3
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from evalnb.conformance.calling import Rejected, Resolved, Settlement, call, counted, staged
from evalnb.conformance.report import Claim, Outcome
from evalnb.conformance.subjects import BuiltSubject, PortSubject
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.port_messages import ProbeObservation, ProbeRequest
from evalnb.engine.preflight.probe_port import parse_probe_observation, parse_probe_request

S = TypeVar("S", bound=PortSubject)


@dataclass(frozen=True, slots=True)
class Observed:
    """The observation must satisfy `problem_of`, which says what is wrong with it or nothing."""

    problem_of: Callable[[Any, ProbeObservation], str]


@dataclass(frozen=True, slots=True)
class Refused:
    """The call must reject with exactly this code."""

    code: str


@dataclass(frozen=True, slots=True)
class PinnedCalls:
    """How many mechanism calls the request must have led to.

    `expected` gives the number, or the text of how the subject's own policy contradicts what the request stands for.
    """

    expected: Callable[[Any, ProbeRequest], int | str]


@dataclass(frozen=True, slots=True)
class ArmAssertion(Generic[S]):
    """One row of an arm's table."""

    id: str
    title: str
    request: Callable[[S], Any]
    expects: Observed | Refused
    calls: PinnedCalls | None = None

    @property
    def claim(self) -> Claim:
        """What the report calls it."""
        return Claim(self.id, self.title)


def anything(subject: Any, observation: ProbeObservation) -> str:
    """Every observation is right."""
    return ""


def other_kind(observation: ProbeObservation, expected: str) -> str:
    """The detail of an observation of a kind that the predicate is not about."""
    return f'observed an observation of kind "{observation.kind}", expected {expected}'


async def arm_outcome(assertion: ArmAssertion[S], subject: S) -> Outcome:
    """Run one assertion against a fresh `resolves` build."""
    problems: list[str] = []
    async with staged(subject, "resolves") as stage:
        if stage.built is not None:
            problems = await _problems(assertion, subject, stage.built)
    if stage.problem:
        problems = [stage.problem]
    return Outcome(assertion.id, assertion.title, passed=not problems, detail="; ".join(problems))


async def _problems(assertion: ArmAssertion[S], subject: S, built: BuiltSubject) -> list[str]:
    try:
        raw = assertion.request(subject)
        request = parse_probe_request(raw)
    except ShapeError as error:
        return [f"the subject's request does not have the shape of a probe request: {error}"]
    settlement = await call(subject, built, raw)
    if isinstance(assertion.expects, Observed):
        found = [_observation_problem(assertion.expects, subject, request, settlement)]
    else:
        found = [_refusal_problem(assertion.expects, settlement)]
    if assertion.calls is not None:
        found.append(_count_problem(assertion.calls, subject, request, built))
    return [problem for problem in found if problem]


def _observation_problem(expects: Observed, subject: Any, request: ProbeRequest, settlement: Settlement) -> str:
    if not isinstance(settlement, Resolved):
        return f"{settlement}, expected it to resolve"
    try:
        observation = parse_probe_observation(settlement.value)
    except ShapeError as error:
        return f"the value is no probe observation: {error}"
    for field in ("kind", "probe_id", "interface_id", "operation_id"):
        asked, answered = getattr(request, field), getattr(observation, field)
        if asked != answered:
            return f"the observation answers {field} {answered!r} to a request with {asked!r}"
    return expects.problem_of(subject, observation)


def _refusal_problem(expects: Refused, settlement: Settlement) -> str:
    if isinstance(settlement, Rejected) and settlement.code == expects.code:
        return ""
    return f"{settlement}, expected a rejection with {expects.code}"


def _count_problem(calls: PinnedCalls, subject: Any, request: ProbeRequest, built: BuiltSubject) -> str:
    expected = calls.expected(subject, request)
    if isinstance(expected, str):
        return expected
    count = counted(built.underlying_calls)
    if count.problem:
        return count.problem
    return "" if count.calls == expected else f"mechanism calls: {count.calls}, expected {expected}"
