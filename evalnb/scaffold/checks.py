"""The expressions of a first contract: that an answer has its form, that a write shows, that input matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.json_values import Json, json_equal
from evalnb.scaffold.draft import Channels, DraftOperation, Kind
from evalnb.scaffold.json_shapes import KeyShape
from evalnb.scaffold.read_back import ReadBack
from evalnb.scaffold.trials import Trial, differing_keys

_BODY: Final[Mapping[Kind, str]] = {"api": "response-body", "cli": "stdout", "mcp": "response-body"}
_STATUS: Final[Mapping[Kind, str]] = {"api": "response-status", "cli": "exit-code", "mcp": "response-status"}
_GOOD: Final[Mapping[Kind, int]] = {"api": 200, "cli": 0, "mcp": 0}
_REFUSALS: Final = (400, 404, 422)

Check = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Witness:
    """Two inputs and how their answers differ; `seen` when the difference was observed."""

    first: Channels
    second: Channels
    relation: Callable[[str, str], Check]
    seen: bool


def pointer(step: str, channel: str, *tail: str) -> Check:
    """An operand that points into what a step or a leg observed."""
    return {"pointer": "/".join(["/interactions", step, channel, *(_token(one) for one in tail)])}


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def operator(name: str, *operands: Check) -> Check:
    """An expression."""
    return {"op": name, "operands": list(operands)}


def _all(checks: Sequence[Check]) -> Check:
    return checks[0] if len(checks) == 1 else operator("all", *checks)


def oracle(identity: str, check: Check, scope: str, negative: str, commentary: str | None) -> Check:
    """An oracle that directs to everything its check reads."""
    return {
        "id": identity,
        "direction": {
            "evidenceTargets": list(dict.fromkeys(_pointers(check))),
            "relation": check["op"],
            "polarity": "expects-hold",
            "scope": scope,
            "negativeDomain": negative,
        },
        "check": check,
        "polarity": "expects-hold",
        "commentary": commentary,
    }


def _pointers(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("pointer"), str) and not value["pointer"].startswith("@"):
            yield value["pointer"]
        for item in value.values():
            yield from _pointers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _pointers(item)


def shape_check(
    kind: Kind,
    step: str,
    answer: KeyShape,
    status: int | None,
    *,
    read_back: tuple[ReadBack, str] | None,
    channel: str | None,
) -> Check:
    """That a call succeeds and its answer holds what it must, records included; and that a write can be read back."""
    good = _GOOD[kind] if status is None else status
    checks = [operator("equality", pointer(step, _STATUS[kind]), {"literal": good})]
    checks += [operator("existence", pointer(step, _BODY[kind], key)) for key in answer.required]
    for key in answer.required:
        items = answer.item_keys(key)
        if answer.types.get(key) == "array" and items and "/" not in key and "~" not in key:
            each = operator("existence", {"pointer": f"@/{_token(items[0])}"})
            checks.append({"op": "for-all", "collection": pointer(step, _BODY[kind], key), "predicate": each})
    if read_back is not None and channel is not None:
        checks.append(_shows(kind, step, channel, *read_back))
    return _all(checks)


def _shows(kind: Kind, step: str, channel: str, read_back: ReadBack, reading: str) -> Check:
    if read_back.collection is None or read_back.item_key is None:
        text = pointer(reading, _BODY[kind], read_back.in_text or "text")
        return operator("containment", text, pointer(step, "call-inputs", channel, read_back.sent))
    sent = pointer(step, "call-inputs", channel, read_back.sent, "0", read_back.item_key)
    known = operator("equality", {"pointer": f"@/{_token(read_back.item_key)}"}, sent)
    return {"op": "for-any", "collection": pointer(reading, _BODY[kind], read_back.collection), "predicate": known}


def malformed_check(kind: Kind, step: str) -> Check:
    """That a malformed call is refused."""
    status = pointer(step, _STATUS[kind])
    match kind:
        case "mcp":
            return operator("equality", status, {"literal": 1})
        case "cli":
            return operator("not", operator("equality", status, {"literal": 0}))
        case "api":
            return operator("any", *(operator("equality", status, {"literal": code}) for code in _REFUSALS))


def witness_for(
    kind: Kind,
    operation: DraftOperation,
    trial: Trial | None,
    answer: KeyShape,
    volatile: Sequence[str],
    given: Mapping[str, Json],
) -> Witness | None:
    """The witness of an operation: the difference that its trial showed, else one that still has to be shown.

    None for an operation that takes no input.
    """
    if operation.varied is None:
        return None
    first, second = operation.inputs(0, given), operation.inputs(1, given)
    if trial is not None and trial.second is not None:
        one, other = trial.first, trial.second
        if one.status != other.status and (one.good or other.good):
            if not one.good:
                first, second, one, other = second, first, other, one
            return Witness(first, second, _statuses(kind, one.status, other.status), seen=True)
        key = _observed_difference(trial, answer, volatile, first)
        if key is not None:
            return Witness(first, second, _bodies(kind, *key), seen=True)
    # A write is not called to find out; what it takes and answers with is where its answers differ most likely.
    taken = [key for shape in operation.channels.values() for key in shape.permitted]
    likely = sorted(
        (key for key in answer.permitted if f"/{_token(key)}" not in volatile), key=lambda key: key not in taken
    )
    return Witness(first, second, _bodies(kind, *likely[:1]), seen=False)


def _observed_difference(
    trial: Trial, answer: KeyShape, volatile: Sequence[str], inputs: Channels
) -> tuple[str, ...] | None:
    """Where two good answers differ: a declared key that is not volatile, or nowhere in particular for text."""
    assert trial.second is not None
    one, other = trial.first, trial.second
    if not (one.good and other.good):
        return None
    if isinstance(one.body, dict) and isinstance(other.body, dict):
        kept = {key for key in answer.permitted if not any(_covers(pointer, key) for pointer in volatile)}
        differing = [key for key in differing_keys(one.body, other.body) if key in kept]
        echoed = [value for values in inputs.values() for value in values.values()]
        if any(json_equal(one.body[key], value) for key in differing for value in echoed):
            # What differs beside an echo may do so by the hour; the whole answer, volatile parts left out, does not.
            return ()
        return (differing[0],) if differing else None
    stable = json_equal(one.body, trial.again.body)
    return () if stable and not answer.permitted and not json_equal(one.body, other.body) else None


def _covers(volatile: str, key: str) -> bool:
    return volatile == f"/{_token(key)}"


def _bodies(kind: Kind, *tail: str) -> Callable[[str, str], Check]:
    def relation(first: str, second: str) -> Check:
        pair = (pointer(leg, _BODY[kind], *tail) for leg in (first, second))
        return operator("not", operator("deep-equality", *pair))

    return relation


def _statuses(kind: Kind, one: int, other: int) -> Callable[[str, str], Check]:
    def relation(first: str, second: str) -> Check:
        pairs = zip((first, second), (one, other), strict=True)
        return _all([operator("equality", pointer(leg, _STATUS[kind]), {"literal": code}) for leg, code in pairs])

    return relation
