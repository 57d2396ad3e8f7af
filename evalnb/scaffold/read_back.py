"""Which read shows what a write did: one that answers under the key the write takes, or speaks of the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalnb.scaffold.draft import DraftOperation, words_of

_SAID_BY_ALL = frozenset({"a", "the", "to", "of", "in", "new", "multiple", "create", "add", "delete", "update", "set"})


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The read of a write. `collection` is the answer's array that holds what the write's array `sent` created,
    `item_key` the text by which an item is known; without a collection the read's text holds the write's text `sent`.
    """

    read: DraftOperation
    sent: str
    collection: str | None = None
    item_key: str | None = None
    in_text: str | None = None


def find_read_back(write: DraftOperation, operations: Sequence[DraftOperation]) -> ReadBack | None:
    """The read that matches `write` best; None where none is recognised."""
    reads = [one for one in operations if not one.changes_state and _is_answerable(one, write)]
    # A read that takes nothing shows everything, so it goes before one that has to be told what to look for.
    reads.sort(key=lambda one: len(_required(one)))
    return next((found for read in reads if (found := _by_key(write, read))), None) or next(
        (found for read in reads if (found := _by_word(write, read, _said_by_every(operations)))), None
    )


def _said_by_every(operations: Sequence[DraftOperation]) -> set[str]:
    """The words that all names share, which say nothing about any: the name of the system, most often."""
    named = [set(words_of(operation.name)) for operation in operations]
    return set.intersection(*named) if len(named) > 1 else set()


def _required(operation: DraftOperation) -> set[str]:
    return {key for shape in operation.channels.values() for key in shape.required}


def _is_answerable(read: DraftOperation, write: DraftOperation) -> bool:
    return _required(read) <= _required(write)


def _by_key(write: DraftOperation, read: DraftOperation) -> ReadBack | None:
    if read.answer is None or "delete" in write.name.lower() or "remove" in write.name.lower():
        return None
    for shape in write.channels.values():
        for key in shape.required:
            shared = [one for one in shape.item_keys(key) if one in read.answer.item_keys(key)]
            if read.answer.types.get(key) == "array" and shape.types.get(key) == "array" and shared:
                return ReadBack(read, key, collection=key, item_key=shared[0])
    return None


def _by_word(write: DraftOperation, read: DraftOperation, unsaid: set[str]) -> ReadBack | None:
    subject = set(words_of(write.name)) - _SAID_BY_ALL - unsaid
    spoken = set(words_of(read.name)) | set(words_of(read.description))
    if read.answer is None or not subject & spoken or "delete" in write.name.lower():
        return None
    texts = [key for key, kind in read.answer.types.items() if kind == "string"]
    sent = [
        key
        for shape in write.channels.values()
        for key in shape.required
        if shape.types.get(key) == "string" and key not in _required(read)
    ]
    # Prose is the only answer of which it can be said, without knowing more, that it holds what was sent.
    return ReadBack(read, sent[0], in_text=texts[0]) if texts == ["text"] and sent else None
