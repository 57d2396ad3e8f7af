"""An oracle for what slipped through: candidates from the differences, general ones first, kept only if they work.

A candidate works when the contract with it compiles, holds on every clean trial, and the score stage says that the
mutant is caught with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.compile import compile_contract
from evalnb.engine.evaluate import walk
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.json_values import Absent, json_kind
from evalnb.engine.operations import AnyOperation
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.harness.differences import Difference, answer_tree, leaves, pointer_at
from evalnb.harness.probes import overlaps, tree_path
from evalnb.harness.related_values import CallPair, relations
from evalnb.harness.signatures import equality, keys_shape, negated, unary

Scores = Callable[[EvalContract, str], bool]
"""Whether the mutant is caught by a contract, given the id of the oracle that was added to it."""

_MOST_DIFFERENCES: Final = 6


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An oracle in contract JSON, the behavior it belongs to, and the contract with it."""

    oracle: Mapping[str, Any]
    behavior_id: str
    contract: EvalContract


def suggest(
    contract: EvalContract,
    behavior_id: str,
    pair: CallPair,
    differing: Sequence[Difference],
    catches: Scores,
    known: Sequence[Mapping[str, Any]] = (),
) -> Suggestion | None:
    """The first candidate that works, None where none does.

    `known` are checks suggested before; one that catches this mutant as well saves the contract an oracle.
    """
    for check in chain(_looking_there(known, pair, differing), candidates(pair, differing)):
        made = _with_oracle(contract, behavior_id, pair, check)
        if made is not None and catches(made.contract, str(made.oracle["id"])):
            return made
    return None


def candidates(pair: CallPair, differing: Sequence[Difference]) -> Iterator[dict[str, Any]]:
    """Checks that could tell the differences, relations between calls before pinned values."""
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from relations(pair, difference)
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from _forms(pair, difference)
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from _pinned(pair, difference)


def _looking_there(
    known: Sequence[Mapping[str, Any]], pair: CallPair, differing: Sequence[Difference]
) -> Iterator[Mapping[str, Any]]:
    """The known checks that read a place that differs."""
    for check in known:
        read = map(parse_interaction_pointer, _pointers(check))
        places = [tree_path(target) for target in read if target.step_id == pair.step_id]
        if any(overlaps(place, difference.path) for place in places for difference in differing):
            yield check


def with_suggestion(contract: EvalContract, oracle: Mapping[str, Any], behavior_id: str) -> EvalContract:
    """The compiled contract with one more oracle. Raises StructuralFailure where it does not compile."""
    document = contract.document
    behaviors = [
        {**behavior, "oracles": [*behavior["oracles"], oracle["id"]]} if behavior["id"] == behavior_id else behavior
        for behavior in document["behaviors"]
    ]
    return compile_contract({**document, "behaviors": behaviors, "oracles": [*document["oracles"], oracle]})


def next_oracle_id(contract: EvalContract) -> str:
    """The first oracle id after all that the contract has."""
    return f"O-{1 + max((int(oracle.id.removeprefix('O-')) for oracle in contract.oracles), default=0):03d}"


def _with_oracle(
    contract: EvalContract, behavior_id: str, pair: CallPair, check: Mapping[str, Any]
) -> Suggestion | None:
    oracle = {
        "id": next_oracle_id(contract),
        "direction": {
            "evidenceTargets": list(dict.fromkeys(_pointers(check))),
            "relation": str(check["op"]),
            "polarity": "expects-hold",
            "scope": None,
            "negativeDomain": None,
        },
        "check": check,
        "polarity": "expects-hold",
        "commentary": f"Suggested by evalnb measure for the step {pair.step_id}.",
    }
    try:
        return Suggestion(oracle, behavior_id, with_suggestion(contract, oracle, behavior_id))
    except (StructuralFailure, RuntimeFault):
        return None


def _forms(pair: CallPair, difference: Difference) -> Iterator[dict[str, Any]]:
    """What can be said of the clean answer without its values: size, keys, types, presence and status."""
    here = difference.pointer(pair.step_id)
    parent, key = difference.path[:-1], difference.path[-1]
    if key.isdecimal():
        yield from _size(pair, parent)
        if isinstance(difference.clean, Absent):
            yield unary("absence", here)
    elif parent:
        yield from _shapes(pair, parent, key)
    if isinstance(difference.clean, Absent):
        return
    if isinstance(difference.mutated, Absent):
        yield unary("existence", here)
    if difference.path in (("response-status",), ("exit-code",)):
        yield equality(here, difference.clean)


def _pinned(pair: CallPair, difference: Difference) -> Iterator[dict[str, Any]]:
    """The very value of the clean system; true of this fixture only, so it comes last."""
    here = difference.pointer(pair.step_id)
    if isinstance(difference.clean, Absent):
        yield unary("absence", here)
    elif isinstance(difference.clean, (dict, list)):
        for path, value in list(leaves(difference.path, difference.clean, pair.hidden.get(pair.step_id, ())))[:4]:
            yield equality(pointer_at(pair.step_id, path), value)
    else:
        yield equality(here, difference.clean)
        if not isinstance(difference.mutated, (Absent, dict, list)):
            yield negated(equality(here, difference.mutated))


def _size(pair: CallPair, path: Sequence[str]) -> Iterator[dict[str, Any]]:
    value = walk(answer_tree(pair.clean), path)
    if isinstance(value, list):
        counted = {"expected": len(value), "tolerance": 0, "relative": False}
        yield {"op": "count-tolerance", "operands": [{"pointer": pointer_at(pair.step_id, path)}], **counted}


def _shapes(pair: CallPair, parent: Sequence[str], key: str) -> Iterator[dict[str, Any]]:
    """The form of the object that a key stands in: all of it first, then that key alone."""
    value = walk(answer_tree(pair.clean), parent)
    if not isinstance(value, dict):
        return
    permitted = dict.fromkeys([*value, *_declared_keys(pair.operation, parent)])
    for required in (list(value), [key] if key in value else []):
        shape = keys_shape(pointer_at(pair.step_id, parent), required, permitted)
        # What is null here may hold something elsewhere.
        shape["descriptor"]["types"] = {one: json_kind(value[one]) for one in required if value[one] is not None}
        yield shape


def _declared_keys(operation: AnyOperation, parent: Sequence[str]) -> list[str]:
    if len(parent) != 1:
        return []
    declared = operation.response_descriptor
    return [*declared.required_keys, *declared.permitted_keys]


def _pointers(check: Mapping[str, Any]) -> Iterator[str]:
    for operand in check["operands"]:
        if "pointer" in operand:
            yield operand["pointer"]
        elif "op" in operand:
            yield from _pointers(operand)
