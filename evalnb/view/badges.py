"""States as badges: the glyph and the label say what the color repeats."""

from __future__ import annotations

from evalnb.view.html import Html, tag
from evalnb.view.theme import STATE_STYLES, style_of


def badge(term: str, *, label: str | None = None) -> Html:
    """A state, verdict, severity or the like; `label` stands in for the theme's own."""
    style = style_of(term)
    return tag(
        "span",
        tag("span", style.glyph, class_="enb-glyph", aria_hidden="true"),
        tag("span", label if label is not None else style.label, class_="enb-full"),
        class_=f"enb-badge enb-{style.tone}",
    )


def has_badge(term: str) -> bool:
    """Whether the theme knows the term as a state."""
    return term in STATE_STYLES


def rank(term: str) -> int:
    """A place to sort the states of the theme by; an unknown one comes last."""
    return _RANKS.get(term, len(_RANKS))


_RANKS = {term: place for place, term in enumerate(STATE_STYLES)}
