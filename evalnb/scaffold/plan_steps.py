"""What the steps of a first plan are to each other: which come last, and which cannot be told from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evalnb.engine.json_values import Json, json_equal
from evalnb.scaffold.draft import DraftOperation, words_of

_TAKING_AWAY: Final = frozenset({"delete", "remove", "reset", "clear", "drop", "purge", "destroy", "forget", "revoke"})


def takes_away(operation: DraftOperation) -> bool:
    """Whether a write, by its name, leaves less behind than there was."""
    return operation.changes_state and not _TAKING_AWAY.isdisjoint(words_of(operation.name))


def told_apart(steps: Sequence[Json]) -> list[Json]:
    """The steps, one that also describes another's call standing for the first of them instead of for the only one."""
    documents: list[Any] = list(steps)
    return [
        {**step, "cardinality": "any"} if any(_describes(step, other) for other in documents) else step
        for step in documents
    ]


def _describes(step: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if step is other or step["operationId"] != other["operationId"]:
        return False
    sent = {(channel, key): value for channel, key, value in _bound(other)}
    return all(json_equal(value, sent.get((channel, key))) for channel, key, value in _bound(step))


def _bound(step: Mapping[str, Any]) -> list[tuple[str, str, Json]]:
    binding = step["inputBinding"]
    return [(channel, key, value) for channel in binding for key, value in (binding[channel] or {}).items()]
