"""An oracle for what slipped through: candidates from the differences, general ones first, kept only if they work.

A candidate works when the contract with it compiles, holds on every clean trial, and the score stage says that the
mutant is caught with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.engine.json_values import Absent, Json, json_equal, json_kind
from evalnb.engine.operations import AnyOperation
from evalnb.harness.differences import Difference, Hidden, answer_tree, leaves, pointer_at
from evalnb.harness.signatures import equality, keys_shape, negated, unary

Document = Mapping[str, Any]
Scores = Callable[[EvalContract, str], bool]
"""Whether the mutant is caught by a contract, given the id of the oracle that was added to it."""

_MOST_DIFFERENCES: Final = 6
_SHORTEST_TEXT: Final = 3


@dataclass(frozen=True, slots=True)
class CallPair:
    """One step's clean and mutated observations, and the clean answers of all steps beside it."""

    step_id: str
    operation: AnyOperation
    clean: Document
    clean_steps: Mapping[str, Document]
    hidden: Mapping[str, Hidden]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An oracle in contract JSON, the behavior it belongs to, and the contract with it."""

    oracle: Mapping[str, Any]
    behavior_id: str
    contract: EvalContract


def suggest(
    contract: EvalContract, behavior_id: str, pair: CallPair, differing: Sequence[Difference], catches: Scores
) -> Suggestion | None:
    """The first candidate that works, None where none does."""
    for check in candidates(pair, differing):
        made = _with_oracle(contract, behavior_id, pair, check)
        if made is not None and catches(made.contract, str(made.oracle["id"])):
            return made
    return None


def candidates(pair: CallPair, differing: Sequence[Difference]) -> Iterator[dict[str, Any]]:
    """Checks that could tell the differences, relations between calls before pinned values."""
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from _relations(pair, difference)
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from _forms(pair, difference)
    for difference in differing[:_MOST_DIFFERENCES]:
        yield from _pinned(pair, difference)


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


def _relations(pair: CallPair, difference: Difference) -> Iterator[dict[str, Any]]:
    """The clean value is the same as something that was sent, or as what another call answered."""
    value = difference.clean
    if isinstance(value, Absent) or not _tells(value):
        return
    here = difference.pointer(pair.step_id)
    for step_id, document in pair.clean_steps.items():
        declared = document["callInputs"]
        for channel in declared:
            for key, sent in (declared[channel] or {}).items() if isinstance(declared[channel], dict) else ():
                if key != "*" and json_equal(sent, value):
                    yield _same(here, pointer_at(step_id, ("call-inputs", channel, key)))
    for step_id, document in pair.clean_steps.items():
        if step_id == pair.step_id:
            continue
        for channel, content in answer_tree(document).items():
            for path, other in leaves((channel,), content, pair.hidden.get(step_id, ())):
                if json_equal(other, value):
                    yield _same(here, pointer_at(step_id, path))


def _forms(pair: CallPair, difference: Difference) -> Iterator[dict[str, Any]]:
    """What can be said of the clean answer without its values: presence, type, size and keys."""
    here = difference.pointer(pair.step_id)
    if isinstance(difference.clean, Absent):
        if difference.path[-1].isdecimal():
            yield unary("absence", here)
        else:
            parent = difference.path[:-1]
            keys = [*_keys(answer_tree(pair.clean), parent), *_declared_keys(pair.operation, parent)]
            yield keys_shape(pointer_at(pair.step_id, parent), [], dict.fromkeys(keys))
        return
    if isinstance(difference.mutated, Absent):
        yield unary("existence", here)
    if difference.path in (("response-status",), ("exit-code",)):
        yield equality(here, difference.clean)
    parent, key = difference.path[:-1], difference.path[-1]
    if parent and not key.isdecimal():
        yield _typed(pair, parent, key, difference.clean)


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


def _typed(pair: CallPair, parent: Sequence[str], key: str, value: Json) -> dict[str, Any]:
    keys = dict.fromkeys([*_keys(answer_tree(pair.clean), parent), *_declared_keys(pair.operation, parent)])
    shape = keys_shape(pointer_at(pair.step_id, parent), [key], keys)
    shape["descriptor"]["types"] = {key: json_kind(value)}
    return shape


def _declared_keys(operation: AnyOperation, parent: Sequence[str]) -> list[str]:
    if len(parent) != 1:
        return []
    declared = operation.response_descriptor
    return [*declared.required_keys, *declared.permitted_keys]


def _keys(tree: Mapping[str, Any], path: Sequence[str]) -> list[str]:
    from evalnb.engine.evaluate import walk

    value = walk(dict(tree), path)
    return list(value) if isinstance(value, dict) else []


def _tells(value: Json) -> bool:
    """Whether two equal values are more than chance: no truth values, no small numbers, no short texts."""
    if isinstance(value, str):
        return len(value) >= _SHORTEST_TEXT
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) > 9


def _same(one: str, other: str) -> dict[str, Any]:
    return {"op": "equality", "operands": [{"pointer": one}, {"pointer": other}]}


def _pointers(check: Mapping[str, Any]) -> Iterator[str]:
    for operand in check["operands"]:
        if "pointer" in operand:
            yield operand["pointer"]
        elif "op" in operand:
            yield from _pointers(operand)
