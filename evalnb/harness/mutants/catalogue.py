"""The operators: what each plants, what it applies to, and where it plants it on one operation.

An operator is applied at places that the clean system's answers show; which of them, the seed decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evalnb.engine.coverage.verdicts import RuleId
from evalnb.engine.json_values import Json, json_kind
from evalnb.harness.mutants.answers import indicator_path
from evalnb.harness.mutants.planted_port import NEEDS_SHADOW
from evalnb.harness.mutants.sites import OperationView, Site
from evalnb.harness.mutants.spec import MutantSpec

Parameters: TypeAlias = Mapping[str, Any]
Places: TypeAlias = Callable[[OperationView], Iterable[Parameters]]


@dataclass(frozen=True, slots=True)
class MutationOperator:
    """One kind of defect. `kinds` are the interface kinds it applies to, `rule` the discipline rule it belongs to."""

    name: str
    summary: str
    kinds: frozenset[str]
    rule: RuleId
    places: Places


_ALL: Final = frozenset({"api", "mcp", "cli"})
_COUNT: Final = re.compile(r"count|total|size|length|number|num", re.IGNORECASE)
_NAME: Final = re.compile(r"id$|^name$|^key$", re.IGNORECASE)


def operators() -> tuple[MutationOperator, ...]:
    """Every operator, in a fixed order."""
    return _OPERATORS


def plan_mutants(
    views: Iterable[OperationView], seed: int, chosen: Iterable[str] | None = None, sites: int = 1
) -> list[MutantSpec]:
    """The mutants of every chosen operator on every operation it applies to, at most `sites` of them each.

    Raises ValueError for a name that no operator has.
    """
    names = None if chosen is None else list(chosen)
    known = {operator.name for operator in _OPERATORS}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise ValueError(f"no mutation operator is called {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    views = list(views)
    specs: list[MutantSpec] = []
    for operator in _OPERATORS:
        if names is not None and operator.name not in names:
            continue
        for view in views:
            specs += _on_operation(operator, view, seed, sites)
    return specs


def applies(operator: MutationOperator, view: OperationView) -> bool:
    """Whether the operator can be planted on the operation at all."""
    if view.kind not in operator.kinds or (operator.name in NEEDS_SHADOW and not view.has_shadow):
        return False
    return any(True for _ in operator.places(view))


def _on_operation(operator: MutationOperator, view: OperationView, seed: int, sites: int) -> Iterator[MutantSpec]:
    if not applies(operator, view):
        return
    places = list(operator.places(view))
    chosen = places if len(places) <= sites else view.random(seed, operator.name).sample(places, sites)
    for number, parameters in enumerate(chosen, 1):
        suffix = f"-{number}" if len(chosen) > 1 else ""
        yield MutantSpec(
            mutant_id=f"{operator.name}-{view.interface_id}-{view.operation.operation_id}{suffix}",
            operator=operator.name,
            interface_id=view.interface_id,
            operation_id=view.operation.operation_id,
            summary=f"{operator.summary}{_where(parameters)}",
            parameters=parameters,
        )


def _where(parameters: Parameters) -> str:
    if "path" in parameters:
        return f" at /{'/'.join(parameters['path'])}"
    if "key" in parameters:
        return f": {parameters['channel']} {parameters['key']}"
    return f": {parameters['artifact']}" if "artifact" in parameters else ""


def _at(wanted: Callable[[OperationView, Site], bool], named: bool = False) -> Places:
    """A place for each site that is wanted; `named` adds the key by which records are told apart."""

    def places(view: OperationView) -> Iterator[Parameters]:
        for site in view.sites():
            if wanted(view, site):
                more = {"key": _record_key(site.value)} if named else {}
                yield {"path": list(site.path), **more}

    return places


def _everywhere(when: Callable[[OperationView], bool]) -> Places:
    """One place, the operation itself."""

    def places(view: OperationView) -> Iterator[Parameters]:
        if when(view):
            yield {}

    return places


def _records(least: int) -> Callable[[OperationView, Site], bool]:
    return lambda view, site: isinstance(site.value, list) and len(site.value) >= least


def _record_key(value: Json) -> str:
    record = value[0] if isinstance(value, list) and value else None
    keys = list(record) if isinstance(record, dict) else []
    return next((key for key in keys if _NAME.search(key)), keys[0] if keys else "")


def _is_swappable(view: OperationView, site: Site) -> bool:
    value = site.value
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) and len(one) > 1 for one in value)


def _is_field(view: OperationView, site: Site) -> bool:
    return bool(site.path) and not site.path[-1].isdecimal()


def _is_scalar(view: OperationView, site: Site) -> bool:
    return json_kind(site.value) in ("string", "number") and (bool(site.path) or isinstance(site.value, str))


def _is_boolean(view: OperationView, site: Site) -> bool:
    return isinstance(site.value, bool)


def _is_count(view: OperationView, site: Site) -> bool:
    value = site.value
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    lengths = {len(other.value) for other in view.sites() if isinstance(other.value, list) and other.value}
    named = bool(site.path) and _COUNT.search(site.path[-1]) is not None
    return named or (value in lengths and _is_field(view, site))


def _is_plain_field(view: OperationView, site: Site) -> bool:
    """A field that says something besides success; whether success is told has operators of its own."""
    return _is_field(view, site) and site.path != indicator_path(view.operation) and site.value is not None


def _scalars(view: OperationView) -> Iterator[Parameters]:
    yield from _at(_is_scalar)(view)
    if view.kind == "cli" and any(not answer.is_json and answer.value for answer in view.answers):
        yield {}


def _constants(view: OperationView) -> Iterator[Parameters]:
    """The answer to one call, given to all: of different calls that the plan makes, the first one's."""
    answers = [answer for answer in view.answers if answer.is_json]
    if len({repr(answer.inputs) for answer in answers}) > 1:
        yield {"value": answers[0].value, "failed": answers[0].failed}


def _arguments(view: OperationView) -> Iterator[Parameters]:
    """Every key that a successful call sent, but for those of the path, without which there is no address."""
    keys = {
        (channel, key): None
        for answer in view.answers
        if not answer.failed
        for channel, sent in answer.inputs.items()
        if channel != "path"
        for key in sent
    }
    for channel, key in keys:
        yield {"channel": channel, "key": key}


def _artifacts(view: OperationView) -> Iterator[Parameters]:
    for artifact in view.artifacts:
        yield {"artifact": artifact}


def _any_failed(view: OperationView) -> bool:
    return any(answer.failed for answer in view.answers)


def _any_succeeded(view: OperationView) -> bool:
    return any(not answer.failed for answer in view.answers)


def _answers_object(view: OperationView) -> bool:
    return any(isinstance(answer.value, dict) and answer.is_json and not answer.failed for answer in view.answers)


def _operator(name: str, summary: str, rule: RuleId, places: Places, kinds: Iterable[str] = _ALL) -> MutationOperator:
    return MutationOperator(name, summary, frozenset(kinds), rule, places)


_READ_BACK: Final[RuleId] = "state-change-read-back"
_COMPLETE: Final[RuleId] = "omission-and-completeness"
_PER_RECORD: Final[RuleId] = "per-record"
_WHOLE: Final[RuleId] = "whole-body"
_MALFORMED: Final[RuleId] = "malformed-input"
_SUCCESS: Final[RuleId] = "success-indicator-separation"
_SIBLING: Final[RuleId] = "sibling-cross-check"

_OPERATORS: Final[tuple[MutationOperator, ...]] = (
    _operator(
        "dropped-write", "a write is acknowledged and never happens", _READ_BACK, _everywhere(lambda v: v.writes)
    ),
    _operator("doubled-write", "a write happens twice", _READ_BACK, _everywhere(lambda v: v.writes)),
    _operator("stale-read", "a read does not see the last write", _READ_BACK, _everywhere(lambda v: not v.writes)),
    _operator("delayed-effect", "a write takes effect one call too late", _READ_BACK, _everywhere(lambda v: v.writes)),
    _operator("lost-argument", "an argument never reaches the system", _WHOLE, _arguments),
    _operator("constant-answer", "the input is ignored: every call is answered alike", _SIBLING, _constants),
    _operator(
        "swallowed-error", "a failure is reported as success", _MALFORMED, _everywhere(_any_failed), ("api", "mcp")
    ),
    _operator("spurious-error", "a success is reported as failure", _SUCCESS, _everywhere(_any_succeeded)),
    _operator("emptied-collection", "a collection comes out empty", _COMPLETE, _at(_records(1))),
    _operator("truncated-collection", "the last record is missing", _COMPLETE, _at(_records(2))),
    _operator("duplicated-record", "a record comes twice", _COMPLETE, _at(_records(1))),
    _operator("foreign-record", "a record of somebody else is among the others", _COMPLETE, _at(_records(1))),
    _operator("off-by-one-count", "a count is one too high", _SIBLING, _at(_is_count)),
    _operator("dropped-field", "a field is missing", _WHOLE, _at(_is_plain_field)),
    _operator("nulled-field", "a field is null", _WHOLE, _at(_is_plain_field)),
    _operator("wrong-type", "a field has another type", _WHOLE, _at(_is_plain_field)),
    _operator("flipped-boolean", "a boolean says the opposite", _SUCCESS, _at(_is_boolean)),
    _operator("altered-scalar", "a value is another one", _PER_RECORD, _scalars),
    _operator("swapped-records", "two records hold each other's values", _PER_RECORD, _at(_is_swappable, named=True)),
    _operator(
        "reordered-collection",
        "a collection comes in reverse order",
        _PER_RECORD,
        _at(lambda view, site: _records(2)(view, site) and site.path in view.ordered),
    ),
    _operator(
        "echoed-input", "input that should be refused is accepted and echoed", _MALFORMED, _everywhere(_any_failed)
    ),
    _operator("leaked-field", "a field that nobody asked for is in the answer", _WHOLE, _everywhere(_answers_object)),
    _operator("zeroed-exit", "a failing command ends with exit code 0", _SUCCESS, _everywhere(_any_failed), ("cli",)),
    _operator("truncated-artifact", "half of a written file is missing", _WHOLE, _artifacts, ("cli",)),
    _operator("wrong-artifact", "a written file holds something else", _WHOLE, _artifacts, ("cli",)),
)
