"""What differs between a clean and a mutated answer, leaf by leaf, and what may differ without meaning anything.

An answer is one tree: a channel is a member of its root, so a path begins with the channel, and with the file's
identifier where the channel is `artifact`. What the contract declares volatile and what differs between clean trials
is hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from evalnb.engine.json_values import ABSENT, Absent, Json, json_equal
from evalnb.engine.operations import AnyOperation, described_artifact, described_channel
from evalnb.engine.pointers import decode_tail

TreePath: TypeAlias = tuple[str, ...]
Hidden: TypeAlias = Sequence[TreePath]

_PLAIN: Final = (
    ("response-status", "responseStatus"),
    ("response-headers", "responseHeaders"),
    ("exit-code", "exitCode"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two answers differ; ABSENT where one of them has nothing."""

    path: TreePath
    clean: Json | Absent
    mutated: Json | Absent

    def pointer(self, step_id: str) -> str:
        """The place as a check would address it."""
        return pointer_at(step_id, self.path)


def pointer_at(step_id: str, path: Iterable[str]) -> str:
    """An interaction pointer to a place in a step's answer."""
    return f"/interactions/{step_id}/" + "/".join(token.replace("~", "~0").replace("/", "~1") for token in path)


def answer_tree(document: Mapping[str, Any]) -> dict[str, Json]:
    """The answer of a recorded observation. A body that is missing is null, as a check would read it."""
    tree: dict[str, Json] = {channel: document[key] for channel, key in _PLAIN if document[key] is not None}
    if document["responseStatus"] is not None:
        tree["response-body"] = document["responseBody"]
        return tree
    for stream in ("stdout", "stderr"):
        tree[stream] = document[stream].get("value")
    files = {name: body["value"] for name, body in document["artifacts"].items() if body["kind"] != "absent"}
    if document["artifacts"]:
        # A file that was not written is missing from here; the channel itself is there, as the contract declares it.
        tree["artifact"] = files
    return tree


def differences(clean: Mapping[str, Any], mutated: Mapping[str, Any], hidden: Hidden) -> list[Difference]:
    """Where the answers of two recorded observations differ, transport first, hidden places left out."""
    return list(_differing((), answer_tree(clean), answer_tree(mutated), hidden))


def volatile_paths(operation: AnyOperation) -> list[TreePath]:
    """What the contract declares volatile, as paths of the answer tree."""
    channel, artifact = described_channel(operation), described_artifact(operation)
    root = (channel,) if artifact is None else (channel, artifact)
    return [(*root, *decode_tail(pointer)) for pointer in operation.volatile_pointers]


def noise(trials: Sequence[Mapping[str, Any]], hidden: Hidden) -> list[TreePath]:
    """Where the same call was answered differently by the clean system, trial by trial."""
    found: dict[TreePath, None] = {}
    for other in trials[1:]:
        for difference in differences(trials[0], other, hidden):
            found[difference.path] = None
    return list(found)


def leaves(path: TreePath, value: Json, hidden: Hidden) -> Iterator[tuple[TreePath, Json]]:
    """Every scalar below a value with its path, hidden ones left out."""
    if is_hidden(path, hidden):
        return
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves((*path, key), member, hidden)
    elif isinstance(value, list):
        for position, member in enumerate(value):
            yield from leaves((*path, str(position)), member, hidden)
    else:
        yield path, value


def is_hidden(path: TreePath, hidden: Hidden) -> bool:
    """Whether a path lies at or below a hidden one, `*` standing for any token."""
    return any(
        len(one) <= len(path) and all(a in ("*", b) for a, b in zip(one, path[: len(one)], strict=True))
        for one in hidden
    )


def _differing(path: TreePath, clean: Any, mutated: Any, hidden: Hidden) -> Iterator[Difference]:
    if is_hidden(path, hidden):
        return
    members = _members(clean), _members(mutated)
    if members[0] is None or members[1] is None or isinstance(clean, dict) != isinstance(mutated, dict):
        if clean is ABSENT or mutated is ABSENT or not json_equal(clean, mutated):
            yield Difference(path, clean, mutated)
        return
    for key in dict.fromkeys([*members[0], *members[1]]):
        yield from _differing((*path, key), members[0].get(key, ABSENT), members[1].get(key, ABSENT), hidden)


def _members(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    return {str(position): item for position, item in enumerate(value)} if isinstance(value, list) else None
