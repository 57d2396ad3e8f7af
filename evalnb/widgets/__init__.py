"""Explorers and the labelling form for a notebook: worked by mouse or keyboard, with a static page beside each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.widgets.exploring import explore
    from evalnb.widgets.label_form import label

__all__ = ["explore", "label"]

# The widget libraries are loaded when a widget is made.
__getattr__ = lazy_names(
    __name__,
    {"evalnb.widgets.exploring": ("explore",), "evalnb.widgets.label_form": ("label",)},
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
