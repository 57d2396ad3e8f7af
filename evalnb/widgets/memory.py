"""What the widgets of this kernel remember: where a reader was, so that running a cell again loses nothing.

Kept under the kind of widget and the digest of what it shows. A restarted kernel starts empty; what must outlive it,
the labelling draft, is in a file.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

MOST_KEPT: Final = 200
"""How many subjects are remembered; the one not seen for longest is forgotten first."""

_REMEMBERED: Final[OrderedDict[tuple[str, str], dict[str, Any]]] = OrderedDict()


def recall(kind: str, key: str) -> dict[str, Any]:
    """What was last remembered of a subject; empty for a new one."""
    found = _REMEMBERED.get((kind, key))
    return {} if found is None else dict(found)


def remember(kind: str, key: str, state: Mapping[str, Any]) -> None:
    """Keep the state of a subject in place of what was kept before."""
    _REMEMBERED[kind, key] = dict(state)
    _REMEMBERED.move_to_end((kind, key))
    while len(_REMEMBERED) > MOST_KEPT:
        _REMEMBERED.popitem(last=False)


def forget() -> None:
    """Forget all subjects."""
    _REMEMBERED.clear()
