"""Where else the values of an answer stand: in what was sent, and in what other calls answered.

An equality between two calls says more than a value that is pinned: it is true of other fixtures, too. What stands in
this very call goes before what stands in others, calls in front of this one before those after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from evalnb.engine.evaluate import walk
from evalnb.engine.json_values import Absent, Json, json_equal
from evalnb.engine.operations import AnyOperation
from evalnb.harness.differences import Difference, Hidden, TreePath, answer_tree, is_hidden, pointer_at

Document = Mapping[str, Any]

_SHORTEST_TEXT: Final = 3
_LARGEST_CHANCE: Final = 9
_MOST_SOURCES: Final = 3
# A raw body has no keys; it stands under this one.
_RAW_KEY: Final = "*"


@dataclass(frozen=True, slots=True)
class CallPair:
    """One step's clean observation, and the clean observations of all steps with what is hidden in them."""

    step_id: str
    operation: AnyOperation
    clean: Document
    clean_steps: Mapping[str, Document]
    hidden: Mapping[str, Hidden]


@dataclass(frozen=True, slots=True)
class _Node:
    """A value and its place in an answer or in what was sent."""

    step_id: str
    path: TreePath
    value: Json

    @property
    def pointer(self) -> str:
        return pointer_at(self.step_id, self.path)


def relations(pair: CallPair, difference: Difference) -> Iterator[dict[str, Any]]:
    """Checks that the place of a difference, or what it stands in, is the same as something else; the largest first."""
    for place in _around(pair, difference):
        op = "deep-equality" if isinstance(place.value, (dict, list)) else "equality"
        for other in islice(_same_values(pair, place), _MOST_SOURCES):
            yield {"op": op, "operands": [{"pointer": place.pointer}, {"pointer": other.pointer}]}


def _around(pair: CallPair, difference: Difference) -> Iterator[_Node]:
    tree = answer_tree(pair.clean)
    for length in range(2, len(difference.path) + 1):
        path = difference.path[:length]
        value = walk(tree, path)
        if not isinstance(value, Absent) and _tells(value):
            yield _Node(pair.step_id, path, value)


def _same_values(pair: CallPair, place: _Node) -> Iterator[_Node]:
    steps = _by_nearness(pair)
    for step_id in steps:
        same = (node for node in _sent(step_id, pair.clean_steps[step_id]) if json_equal(node.value, place.value))
        # Of several equal ones, the one of the same name is no coincidence.
        yield from sorted(same, key=lambda node: node.path[-1] != place.path[-1])
    for step_id in steps:
        if step_id == pair.step_id:
            continue
        hidden = pair.hidden.get(step_id, ())
        for channel, content in answer_tree(pair.clean_steps[step_id]).items():
            for node in _nodes(step_id, (channel,), content, hidden):
                if json_equal(node.value, place.value):
                    yield node


def _by_nearness(pair: CallPair) -> list[str]:
    here = int(pair.clean["sequence"])
    return sorted(
        pair.clean_steps,
        key=lambda step_id: (
            (sequence := int(pair.clean_steps[step_id]["sequence"])) > here,
            abs(sequence - here),
        ),
    )


def _sent(step_id: str, document: Document) -> Iterator[_Node]:
    for channel, keys in document["callInputs"].items():
        for key, value in keys.items() if isinstance(keys, dict) else ():
            if key != _RAW_KEY:
                yield from _nodes(step_id, ("call-inputs", channel, key), value, ())


def _nodes(step_id: str, path: TreePath, value: Json, hidden: Hidden) -> Iterator[_Node]:
    """A value and everything below it, hidden places left out."""
    if is_hidden(path, hidden):
        return
    yield _Node(step_id, path, value)
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from _nodes(step_id, (*path, str(key)), member, hidden)


def _tells(value: Json) -> bool:
    """Whether two equal values are more than chance: no truth values, no small numbers, no short texts."""
    if isinstance(value, dict):
        return any(map(_tells, value.values()))
    if isinstance(value, list):
        return any(map(_tells, value))
    if isinstance(value, str):
        return len(value) >= _SHORTEST_TEXT
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) > _LARGEST_CHANCE
