"""Why a document is refused: issues with path, code and message, in the chapter's order.

spec: 02a §18
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from evalnb.engine.artifacts.text import FORBIDDEN_KEY
from evalnb.engine.json_values import quote

Path: TypeAlias = tuple[str | int, ...]

_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_$]+")


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong with a document. A soft issue leaves the value's type right (a pattern, a bound)."""

    path: Path
    code: str
    message: str
    soft: bool = field(default=False, compare=False, repr=False)


class ShapeError(ValueError):
    """A value does not have the shape it should; `issues` says where and why, in order."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__("; ".join(f"{pointer_text(issue.path)}: {issue.message}" for issue in issues))
        self.issues = issues

    def __reduce__(self) -> tuple[type[ShapeError], tuple[tuple[Issue, ...]]]:
        return type(self), (self.issues,)


def pointer_text(path: Path) -> str:
    """A path as an RFC 6901 pointer, `(root)` for the whole value."""
    if not path:
        return "(root)"
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def dotted_path(path: Path) -> str:
    """A path as code writes it: `a.b[0]`, `["x y"]` for a key that is no plain word, `(root)` for the whole value."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_WORD.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quote(step)}]"
    return text or "(root)"


def issues_of(annotation: Any, raw: Any, *, without: frozenset[str] = frozenset()) -> tuple[Issue, ...]:
    """The complete, ordered issues of `raw` against the shape of `annotation`, empty where it fits.

    `without` names the features that the document's schema version does not know yet. Keys `__proto__` are ignored.
    """
    # Loaded here: a valid document never needs the walk.
    from evalnb.engine.artifacts.issue_walk import walk

    return walk(annotation, as_written(raw), without)


_COPIED: Final = (dict, list, tuple, BaseModel)


def as_written(raw: Any) -> Any:
    """`raw` as plain JSON containers: models by their JSON keys, tuples as lists, keys `__proto__` left out."""
    if isinstance(raw, BaseModel):
        return raw.model_dump(mode="json", by_alias=True, exclude_unset=True)
    root: list[Any] = [raw]
    pending: list[tuple[Any, Any]] = [(root, 0)]
    while pending:
        holder, place = pending.pop()
        value = holder[place]
        if isinstance(value, BaseModel):
            holder[place] = value.model_dump(mode="json", by_alias=True, exclude_unset=True)
        elif isinstance(value, dict):
            copied = {key: item for key, item in value.items() if key != FORBIDDEN_KEY}
            holder[place] = copied
            pending.extend((copied, key) for key, item in copied.items() if isinstance(item, _COPIED))
        elif isinstance(value, list | tuple):
            items = list(value)
            holder[place] = items
            pending.extend((items, index) for index, item in enumerate(items) if isinstance(item, _COPIED))
    return root[0]
