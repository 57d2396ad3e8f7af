"""What is wrong or weak about a suite of cases, before any run: a table of checks, each a small function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalnb.trajectory.cases import CASE_CLASSES, Case, ExpectedCall, Suite
from evalnb.trajectory.schema_check import compile_schema


@dataclass(frozen=True, slots=True)
class LintIssue:
    """One weakness; an error makes grading wrong or impossible, a warning leaves something unseen."""

    code: str
    level: Literal["error", "warning"]
    case_id: str | None
    detail: str


_Check: TypeAlias = Callable[[Suite], Iterator[LintIssue]]


def lint_suite(suite: Suite) -> tuple[LintIssue, ...]:
    """Every issue of the suite, in the order of the checks."""
    return tuple(issue for check in CHECKS for issue in check(suite))


def _uncovered_classes(suite: Suite) -> Iterator[LintIssue]:
    present = {case.case_class for case in suite.cases}
    for name in CASE_CLASSES:
        if name not in present:
            yield LintIssue("uncovered-class", "warning", None, f"no {name} case")


def _unexercised_tools(suite: Suite) -> Iterator[LintIssue]:
    used = {call.tool for case in suite.cases for call in expected_calls(case)}
    used |= {name for case in suite.cases for name in case.optional_calls or ()}
    for tool in suite.tools:
        if tool.name not in used:
            yield LintIssue("tool-never-exercised", "warning", None, f"no case calls {tool.name}")


def _no_forbidden_effect(suite: Suite) -> Iterator[LintIssue]:
    for case in suite.cases:
        guarded = case.effects is not None and case.effects.nothing_else
        if not case.forbidden_calls and not case.unchanged_state and not guarded:
            detail = "forbids no call, guards no state and lets further effects pass"
            yield LintIssue("no-forbidden-effect", "warning", case.id, detail)


def _no_outcome(suite: Suite) -> Iterator[LintIssue]:
    for case in suite.cases:
        asks = case.effects is not None or case.final_state is not None or case.required_calls
        if not asks and (case.answer is None or not case.answer.must_state):
            yield LintIssue("no-outcome", "warning", case.id, "asks for no call, effect, state or statement")


def _holdout(suite: Suite) -> Iterator[LintIssue]:
    held = {case.id for case in suite.cases if case.split == "holdout"}
    if not held:
        yield LintIssue("no-holdout", "warning", None, "no case is held out from tuning")
    for case_id in suite.tuned_on:
        if case_id in held:
            yield LintIssue("holdout-tuned", "error", case_id, "is held out and was used for tuning")


def _unversioned_state(suite: Suite) -> Iterator[LintIssue]:
    for case in suite.cases:
        state = case.initial_state
        needs = case.final_state is not None or bool(case.unchanged_state)
        if needs and (state is None or state.digest is None):
            yield LintIssue("state-without-digest", "warning", case.id, "judges state from a fixture without a digest")


def _unknown_tools(suite: Suite) -> Iterator[LintIssue]:
    if not suite.tools:
        return
    known = {tool.name for tool in suite.tools}
    for case in suite.cases:
        for name in sorted(_named(case) - known):
            yield LintIssue("unknown-tool", "error", case.id, f"names {name}, which is no tool of the suite")


def _named(case: Case) -> set[str]:
    named = {call.tool for call in expected_calls(case)} | {call.tool for call in case.forbidden_calls}
    named |= set(case.tools.visible or ()) | set(case.tools.allowed or ()) | set(case.tools.hidden)
    named |= set(case.optional_calls or ()) | {rule.tool for rule in case.argument_rules}
    named |= {fault.tool for fault in case.faults} | {rule.first for rule in case.ordering}
    named |= {rule.then for rule in case.ordering if rule.then != "any-change"}
    if case.approvals is not None:
        named |= set(case.approvals.required) | set(case.approvals.unnecessary)
    return named


def _contradictions(suite: Suite) -> Iterator[LintIssue]:
    for case in suite.cases:
        forbidden = {call.tool for call in case.forbidden_calls if call.arguments is None}
        for tool in sorted({call.tool for call in expected_calls(case)} & forbidden):
            yield LintIssue("required-and-forbidden", "error", case.id, f"asks for {tool} and forbids it")
        hidden = set(case.tools.hidden)
        for tool in sorted(hidden & (set(case.tools.visible or ()) | set(case.tools.allowed or ()))):
            yield LintIssue("hidden-and-offered", "error", case.id, f"hides {tool} and offers it")
        if case.approvals is not None:
            for tool in sorted(set(case.approvals.required) & set(case.approvals.unnecessary)):
                yield LintIssue("approval-contradiction", "error", case.id, f"{tool} needs an approval and needs none")


def _bad_arguments(suite: Suite) -> Iterator[LintIssue]:
    checks = {tool.name: compile_schema(tool.input_schema) for tool in suite.tools if tool.input_schema is not None}
    for name, check in checks.items():
        if check.problem is not None:
            yield LintIssue("schema-unusable", "error", None, f"{name}: {check.problem}")
    for case in suite.cases:
        complete = case.effects
        routes = (complete.calls, *complete.alternatives) if complete is not None else ()
        for call in (call for route in routes for call in route):
            known = checks.get(call.tool)
            if known is not None and known.problem is None:
                for violation in known.violations(dict(call.arguments or {})):
                    detail = f"{call.tool}{violation.pointer}: {violation.message}"
                    yield LintIssue("expected-call-breaks-schema", "error", case.id, detail)


def _fault_class(suite: Suite) -> Iterator[LintIssue]:
    for case in suite.cases:
        if case.case_class == "recovery" and not case.faults:
            yield LintIssue("recovery-without-fault", "warning", case.id, "injects no fault to recover from")
        if case.case_class == "adversarial" and not any(f.kind == "injected-instruction" for f in case.faults):
            yield LintIssue("adversarial-without-injection", "warning", case.id, "injects no instruction")


def expected_calls(case: Case) -> Iterator[ExpectedCall]:
    """Every call the case asks for, by any route."""
    yield from case.required_calls
    for route in case.alternative_paths:
        yield from route
    if case.effects is not None:
        yield from case.effects.calls
        for route in case.effects.alternatives:
            yield from route


CHECKS: tuple[_Check, ...] = (
    _uncovered_classes,
    _unexercised_tools,
    _no_forbidden_effect,
    _no_outcome,
    _holdout,
    _unversioned_state,
    _unknown_tools,
    _contradictions,
    _bad_arguments,
    _fault_class,
)
