"""Arguments: first the tool's JSON Schema, then the case's rules, which a schema cannot say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalnb.engine.json_values import Json
from evalnb.trajectory.cases import (
    AnyOfRule,
    ArgumentRule,
    DerivedRule,
    ExactRule,
    NormalizedRule,
    NotFromModelRule,
)
from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.grading import grader
from evalnb.trajectory.normal_form import NORMAL_FORMS, normal_value
from evalnb.trajectory.run_view import Call, RunView

_SHOWN = 80


@grader("arguments")
def arguments(view: RunView) -> list[Finding] | None:
    """None for a run without a call that a schema or a rule says anything about."""
    found: list[Finding] = []
    judged = False
    unusable: set[str] = set()
    for call in view.calls:
        given = call.event.arguments
        if given is None:
            judged = True
            found.append(finding("arguments-unreadable", f"{call.name}: no JSON object", (call.number,), call.name))
            continue
        check = view.suite.input_check(view, call.name)
        if check is None:
            continue
        judged = True
        if check.problem is not None:
            if call.name not in unusable:
                unusable.add(call.name)
                found.append(finding("schema-unusable", f"{call.name}: {check.problem}", (call.number,), call.name))
            continue
        for violation in check.violations(given):
            detail = f"{call.name}{violation.pointer}: {violation.keyword}: {violation.message}"
            found.append(finding("schema-violation", detail, (call.number,), call.name))
    if view.case is not None and view.case.argument_rules:
        for rule in view.case.argument_rules:
            for call in view.calls:
                if call.name == rule.tool and call.event.arguments is not None:
                    judged = True
                    found += _broken(view, call, call.event.arguments, rule)
    return found if judged else None


def _broken(view: RunView, call: Call, given: Mapping[str, Json], rule: ArgumentRule) -> Iterator[Finding]:
    values = list(values_at(dict(given), rule.argument.split(".")))
    place = (call.number,)
    if isinstance(rule, NotFromModelRule):
        if values:
            yield finding("argument-from-model", f"{call.name}: the model gave {rule.argument}", place, call.name)
        return
    if not values:
        yield finding("argument-missing", f"{call.name}: {rule.argument} is not given", place, call.name)
        return
    for value in values:
        if isinstance(rule, DerivedRule):
            wanted = derived_value(view, rule.derived_from)
            if normal_value(value) != normal_value(wanted):
                detail = f"{call.name}: {rule.argument} is {_shown(value)}, not {_shown(wanted)} of {rule.derived_from}"
                yield finding("argument-not-derived", detail, place, call.name)
        elif not _accepts(rule, value):
            yield finding("argument-wrong", f"{call.name}: {rule.argument} is {_shown(value)}", place, call.name)


def _accepts(rule: ArgumentRule, value: Json) -> bool:
    if isinstance(rule, ExactRule):
        return value == rule.value and isinstance(value, bool) == isinstance(rule.value, bool)
    if isinstance(rule, NormalizedRule):
        form = NORMAL_FORMS[rule.kind]
        return bool(form(value) == form(rule.value))
    if isinstance(rule, AnyOfRule):
        return normal_value(value) in [normal_value(accepted) for accepted in rule.values]
    return True


def values_at(value: Json, path: list[str]) -> Iterator[Json]:
    """Every value at a dotted path; a part ending in `[]` takes all elements of the array there."""
    if not path:
        yield value
        return
    name, every = (path[0][:-2], True) if path[0].endswith("[]") else (path[0], False)
    if not isinstance(value, dict) or name not in value:
        return
    held = value[name]
    if not every:
        yield from values_at(held, path[1:])
    elif isinstance(held, list):
        for item in held:
            yield from values_at(item, path[1:])


def derived_value(view: RunView, path: str) -> Json:
    """The value the case holds at a dotted path, such as `identity.tenant` or `initialState.state.limit`."""
    if view.case is None:
        return None
    return next(values_at(view.case.model_dump(mode="json", by_alias=True), path.split(".")), None)


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
