"""The style sheet of cards, tables and words: scoped to `.enb`, light and dark by custom properties, no script.

A page that sets the theme's variables decides; elsewhere the notebook's own theme does, then the reader's system.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Final

from evalnb.view.html import Child, Html, asset, join, style_sheet, tag
from evalnb.view.theme import DARK, FONT, LIGHT, Palette, variable

# What makes a notebook front end light or dark, as it says so itself.
_DARK_FRONT_ENDS: Final = ('[data-jp-theme-light="false"]', "body.vscode-dark", "body.vscode-high-contrast")
_LIGHT_FRONT_ENDS: Final = ('[data-jp-theme-light="true"]', "body.vscode-light", "body.vscode-high-contrast-light")


def styled(*children: Child, class_: str = "") -> Html:
    """The children as one block with its style sheet; mathematics and markup in texts are left alone."""
    return join([style(), block(*children, class_=class_)])


def block(*children: Child, class_: str = "") -> Html:
    """The children as one block, for a document that holds the style sheet already."""
    # The two ignore classes keep MathJax, which notebooks run over their outputs, away from dollar signs in data.
    return tag("div", *children, class_=f"enb tex2jax_ignore mathjax_ignore {class_}".strip())


@cache
def style() -> Html:
    """The style element; the same bytes every time."""
    rules = "".join(line.strip() for line in asset("surface.css").splitlines() if not line.startswith("/*"))
    return style_sheet(f"{_properties()}{rules.replace('var(--enb-font)', FONT)}")


def _properties() -> str:
    light, dark = (_declarations(colors) for colors in (LIGHT, DARK))
    return (
        f".enb{{{light}}}"
        f"@media (prefers-color-scheme:dark){{.enb{{{dark}}}}}"
        f"{','.join(f'{front_end} .enb' for front_end in _DARK_FRONT_ENDS)}{{{dark}}}"
        f"{','.join(f'{front_end} .enb' for front_end in _LIGHT_FRONT_ENDS)}{{{light}}}"
        f"@media print{{.enb.enb.enb{{{light}}}}}"
    )


def _declarations(colors: Palette) -> str:
    return "".join(
        f"--enb-{name.replace('_', '-')}:var({variable(name)},{color});"
        for name, color in asdict(colors).items()
        if not name.startswith("series")
    )
