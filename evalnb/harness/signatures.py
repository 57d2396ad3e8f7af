"""From observed differences to a condition that tells the defect: true where it showed, false on every clean answer.

A clause is about one call: what was sent, and what came back that a clean system does not answer. A signature is one
clause or several of one operation; a manifestation witness is the clause of the pre-flight's own call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from evalnb.engine.artifacts import Expression, Observation
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.compile.reachability import unreachable_on
from evalnb.engine.evaluate import make_operation_denotes_collection, make_resolve_operand, resolve_check, walk
from evalnb.engine.evaluate.collection_typing import addresses_collection
from evalnb.engine.json_values import Absent, Json, json_equal
from evalnb.engine.operations import AnyOperation, channel_shape, declares_key, input_channels
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.harness.differences import (
    Difference,
    Hidden,
    TreePath,
    answer_tree,
    differences,
    is_hidden,
    leaves,
    pointer_at,
)
from evalnb.harness.requests import credential_mark

OBSERVED: Final = "observed"
_MOST_CONDITIONS: Final = 12
_MOST_LEAVES: Final = 4
_MOST_OF_ANSWER: Final = 80
_REGEX_STEPS: Final = 1_000_000

Document = Mapping[str, Any]
Condition = Callable[[str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Clause:
    """What tells the defect in one call; conditions are templates over the step they are put to.

    `conditions` tell it from clean answers, `rest` from the answers of other defects: everything else the answer says.
    """

    step_id: str
    channel: str
    conditions: tuple[Condition, ...]
    rest: tuple[Condition, ...]

    def at(self, step_id: str) -> dict[str, Any]:
        """The clause about a step, or about `observed`."""
        return _all([condition(step_id) for condition in self.conditions])

    def whole_at(self, step_id: str) -> dict[str, Any]:
        """The clause about a leg, which fires on this very answer and on no other defect's."""
        return _all([condition(step_id) for condition in (*self.conditions, *self.rest)])


def clauses(
    operation: AnyOperation,
    clean: Mapping[str, Document],
    trials: Sequence[Mapping[str, Document]],
    hidden: Mapping[str, Hidden],
    carried: frozenset[str],
) -> list[Clause]:
    """A clause for every step of the operation whose answer differed, in plan order.

    `clean` and `trials` hold observations by step, of the operation alone; `carried` are the channels that a leg of
    the pre-flight carries back, the only ones a witness can speak of.
    """
    found = []
    for step_id, clean_answer in clean.items():
        mutated = [trial[step_id] for trial in trials if step_id in trial]
        showing = [(one, differences(clean_answer, one, hidden.get(step_id, ()))) for one in mutated]
        showing = [(one, differing) for one, differing in showing if differing]
        if showing:
            clause = _clause(step_id, operation, clean_answer, showing, hidden.get(step_id, ()), carried)
            if clause is not None:
                found.append(clause)
    # A file's name means something in one contract only, so no signature may speak of it where it need not.
    return [clause for clause in found if clause.channel != "artifact"] or found


def signature_predicate(found: Sequence[Clause]) -> dict[str, Any]:
    """One predicate over the observed call out of all clauses."""
    made = [clause.at(OBSERVED) for clause in found]
    return made[0] if len(made) == 1 else {"op": "any", "operands": made}


def holds(predicate: Mapping[str, Any], observation: Observation, operation: AnyOperation) -> bool:
    """Whether a predicate over `observed` is true of an observation, as the witness match decides it."""
    expression = validated(Expression, predicate)
    return (
        resolve_check(
            expression,
            make_resolve_operand({OBSERVED: observation}, {}),
            make_operation_denotes_collection(operation),
            {},
            _REGEX_STEPS,
            "signature",
        ).resolution
        == "true"
    )


def equality(pointer: str, value: Json) -> dict[str, Any]:
    """The value at a pointer is this one."""
    return {"op": "equality", "operands": [{"pointer": pointer}, {"literal": value}]}


def unary(op: str, pointer: str) -> dict[str, Any]:
    """`existence` or `absence` of what a pointer addresses."""
    return {"op": op, "operands": [{"pointer": pointer}]}


def negated(expression: Mapping[str, Any]) -> dict[str, Any]:
    """The expression does not hold."""
    return {"op": "not", "operands": [expression]}


def keys_shape(pointer: str, required: Iterable[str], permitted: Iterable[str]) -> dict[str, Any]:
    """The object at a pointer has the required keys and no others than those permitted."""
    descriptor = {"requiredKeys": list(required), "permittedKeys": list(permitted), "types": {}}
    return {"op": "shape", "operands": [{"pointer": pointer}], "descriptor": descriptor}


def _clause(
    step_id: str,
    operation: AnyOperation,
    clean: Document,
    showing: Sequence[tuple[Document, Sequence[Difference]]],
    hidden: Hidden,
    carried: frozenset[str],
) -> Clause | None:
    differing = showing[0][1]
    told = [difference for difference in differing if difference.path[0] in carried] or list(differing)
    # What the contract leaves no room for is told by other places, where there are any.
    written = [one for one in told if _is_writable(one, operation, clean)] or told
    conditions: list[Condition] = []
    for difference in written[:_MOST_CONDITIONS]:
        stable = all(_same_again(difference, others) for _, others in showing[1:])
        conditions += _conditions(difference, operation, clean, hidden, stable)
    if not conditions:
        return None
    calls = [one for one, _ in showing]
    told_conditions = (*_sent(operation, calls), *conditions[:_MOST_CONDITIONS])
    return Clause(step_id, written[0].path[0], told_conditions, tuple(_rest(operation, calls, hidden, carried)))


def _all(made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return made[0] if len(made) == 1 else {"op": "all", "operands": list(made)}


def _rest(
    operation: AnyOperation, calls: Sequence[Document], hidden: Hidden, carried: frozenset[str]
) -> Iterator[Condition]:
    """All that the answer says and that stayed the same in every trial; headers tell of the transport, not of it."""
    first, others = answer_tree(calls[0]), [answer_tree(call) for call in calls[1:]]
    roots = [(channel,) for channel in first if channel in carried and channel not in ("response-headers", "artifact")]
    told = (leaf for root in roots for leaf in leaves(root, first[root[0]], hidden))
    same = (
        (path, value)
        for path, value in told
        if "*" not in path
        and _is_declared(path, operation)
        and all(json_equal(value, walk(other, path)) for other in others)
    )
    for path, value in islice(same, _MOST_OF_ANSWER):
        yield _equal(path, value)
    for end in islice((end for root in roots for end in _ends(root, first[root[0]], hidden)), _MOST_OF_ANSWER):
        if _is_declared(end, operation) and all(isinstance(walk(other, end), Absent) for other in others):
            yield _templated(end, partial(unary, "absence"))
    for root in roots:
        keys = _object_keys(root, calls[0])
        if keys and all(_object_keys(root, call) == keys for call in calls[1:]):
            told_keys = [key for key in keys if not is_hidden((*root, key), hidden)]
            yield _templated(root, partial(keys_shape, required=told_keys, permitted=keys))


def _ends(path: TreePath, value: Json, hidden: Hidden) -> Iterator[TreePath]:
    """The place behind the last element of every array, where there is nothing."""
    if is_hidden(path, hidden):
        return
    if isinstance(value, list):
        yield (*path, str(len(value)))
    members = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, member in members:
        if key != "*":
            yield from _ends((*path, str(key)), member, hidden)


def _same_again(difference: Difference, others: Sequence[Difference]) -> bool:
    again = next((other for other in others if other.path == difference.path), None)
    if again is None or isinstance(again.mutated, Absent) or isinstance(difference.mutated, Absent):
        return again is not None and again.mutated is difference.mutated
    return json_equal(again.mutated, difference.mutated)


def _sent(operation: AnyOperation, calls: Sequence[Document]) -> Iterator[Condition]:
    """What the call sent, as far as it is declared and was the same in every trial."""
    for channel in input_channels(operation):
        keys = calls[0]["callInputs"].get(channel)
        for key, value in (keys or {}).items():
            if calls[0]["principal"] is not None and value == credential_mark(calls[0]["principal"]):
                continue
            same = all(json_equal((call["callInputs"].get(channel) or {}).get(key), value) for call in calls[1:])
            if same and key != "*" and declares_key(channel_shape(operation, channel), key):
                yield _equal(("call-inputs", channel, key), value)


def _conditions(
    difference: Difference, operation: AnyOperation, clean: Document, hidden: Hidden, stable: bool
) -> list[Condition]:
    path, mutated = difference.path, difference.mutated
    if isinstance(mutated, Absent):
        return [_missing(difference, operation, clean)]
    if isinstance(difference.clean, Absent) and not _is_declared(path, operation):
        return [_unexpected(path, operation, clean)]
    if not stable:
        if isinstance(difference.clean, (Absent, dict, list)):
            return [_templated(path, lambda pointer: unary("existence", pointer))]
        value = difference.clean
        return [
            _templated(path, lambda pointer: negated(equality(pointer, value))),
            _templated(path, lambda pointer: unary("existence", pointer)),
        ]
    if not isinstance(mutated, (dict, list)):
        return [_equal(path, mutated)]
    if isinstance(mutated, dict) and isinstance(difference.clean, list):
        # The members of an array and of an object with those positions as keys are told alike; the shape is not.
        return [_templated(path, lambda pointer: keys_shape(pointer, [], mutated))]
    told = [leaf for leaf in leaves(path, mutated, hidden) if _is_declared(leaf[0], operation)][:_MOST_LEAVES]
    if told:
        return [_equal(leaf, value) for leaf, value in told]
    if isinstance(mutated, dict):
        return [_templated(path, lambda pointer: keys_shape(pointer, mutated, mutated))]
    empty = _templated((*path, "0"), lambda pointer: unary("absence", pointer))
    return [_templated(path, lambda pointer: unary("existence", pointer)), empty]


def _missing(difference: Difference, operation: AnyOperation, clean: Document) -> Condition:
    """The value is not there. A declared collection that is missing proves nothing, so its object is asked."""
    path = difference.path
    if not _is_collection(path, operation):
        return _templated(path, lambda pointer: unary("absence", pointer))
    keys = _object_keys(path[:-1], clean)
    return _templated(path[:-1], lambda pointer: negated(keys_shape(pointer, [path[-1]], keys)))


def _unexpected(path: Sequence[str], operation: AnyOperation, clean: Document) -> Condition:
    """A key that the contract leaves no room for can only be told by the shape of the object it stands in."""
    declared = operation.response_descriptor
    keys = dict.fromkeys([*declared.required_keys, *declared.permitted_keys, *_object_keys(path[:-1], clean)])
    return _templated(path[:-1], lambda pointer: negated(keys_shape(pointer, [], keys)))


def _object_keys(path: Sequence[str], clean: Document) -> list[str]:
    value = walk(answer_tree(clean), path)
    return list(value) if isinstance(value, dict) else []


def _is_writable(difference: Difference, operation: AnyOperation, clean: Document) -> bool:
    return _is_declared(difference.path, operation) or isinstance(difference.clean, Absent)


def _is_declared(path: Sequence[str], operation: AnyOperation) -> bool:
    return unreachable_on(parse_interaction_pointer(pointer_at(OBSERVED, path)), operation) is None


def _is_collection(path: Sequence[str], operation: AnyOperation) -> bool:
    return addresses_collection(parse_interaction_pointer(pointer_at(OBSERVED, path)), operation)


def _equal(path: Sequence[str], value: Json) -> Condition:
    return _templated(path, lambda pointer: equality(pointer, value))


def _templated(path: Sequence[str], make: Condition) -> Condition:
    return lambda step_id: make(pointer_at(step_id, path))


def carried_channels_of(operation: AnyOperation) -> frozenset[str]:
    """What a leg of the pre-flight carries back."""
    from evalnb.engine.compile.witnesses import carried_channels

    return frozenset(carried_channels(operation)) - {"call-inputs"}
