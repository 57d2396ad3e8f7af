"""The front end: the package's own scripts as one module, and its style sheet with the theme of the cards."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from evalnb.view.style import style
from evalnb.view.theme import STATE_STYLES

SCRIPTS: Final = (
    "elements.js",
    "rows.js",
    "talk.js",
    "layout.js",
    "contract.js",
    "run_model.js",
    "run.js",
    "comparison.js",
    "label_findings.js",
    "label.js",
    "trajectory.js",
    "main.js",
)
"""The scripts in the order in which they build on each other; together they are one module."""

SHEETS: Final = ("widget.css", "panes.css", "trajectory.css")


@cache
def module() -> str:
    """The module that a notebook loads."""
    return "\n".join(_asset(name) for name in SCRIPTS)


@cache
def style_sheet() -> str:
    """The style sheet: that of the cards, whose markup the panes show, and the widgets' own."""
    cards = str(style()).removeprefix("<style>").removesuffix("</style>")
    return "\n".join((cards, *(_asset(name) for name in SHEETS)))


@cache
def state_styles() -> dict[str, list[str]]:
    """Label, glyph and tone by state, as the front end draws badges."""
    return {state: [shown.label, shown.glyph, shown.tone] for state, shown in STATE_STYLES.items()}


def _asset(name: str) -> str:
    return files("evalnb.widgets").joinpath("assets", name).read_text(encoding="utf-8")
