"""What cards are built from: the frame, facts, small tables, bars, folds and digests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from evalnb.view.html import Child, Html, tag
from evalnb.view.style import styled

MOST_ROWS: Final = 50
"""How many rows a small table holds; a card is no report."""

LONGEST_UNBROKEN: Final = 24


class Fact(NamedTuple):
    """One number or word of a card, under its name."""

    name: str
    value: Child


def frame(kind: str, title: Child, badges: Child, *body: Child, tone: str = "quiet") -> Html:
    """A card: what it is, what it is called, its states, and what it says."""
    head = tag(
        "div",
        tag("span", kind, class_="enb-kind"),
        tag("strong", title, class_="enb-title"),
        tag("span", badges, class_="enb-badges"),
        class_="enb-head",
    )
    return styled(tag("div", head, *body, class_=f"enb-card enb-edge-{tone}", role="group", aria_label=kind))


def facts(*listed: Fact | None) -> Html:
    """Facts side by side."""
    shown = (tag("div", tag("dt", fact.name), tag("dd", fact.value)) for fact in listed if fact is not None)
    return tag("dl", shown, class_="enb-facts")


def small_table(heads: Sequence[str], rows: Iterable[Sequence[Child]], *, empty: str = "none") -> Html:
    """A table of a few rows; those past the fiftieth are only counted."""
    listed = list(rows)
    if not listed:
        return tag("p", empty, class_="enb-quiet")
    head = tag("thead", tag("tr", (tag("th", name, scope="col") for name in heads)))
    body = [tag("tr", map(_cell, row)) for row in listed[:MOST_ROWS]]
    if len(listed) > MOST_ROWS:
        body.append(tag("tr", tag("td", f"and {len(listed) - MOST_ROWS} more", colspan=len(heads), class_="enb-quiet")))
    table = tag("table", head, tag("tbody", body), class_="enb-table enb-small")
    return tag("div", table, class_="enb-scroll", tabindex=0, role="group", aria_label=", ".join(heads))


def section(name: Child, *content: Child) -> Html:
    """A part of a card under a name."""
    return tag("div", tag("p", name, class_="enb-section"), *content)


def fold(name: Child, *content: Child, opened: bool = False) -> Html:
    """A part of a card behind its name."""
    return tag(
        "details", tag("summary", name), tag("div", *content, class_="enb-inside"), class_="enb-part", open=opened
    )


def bullets(items: Iterable[Child], *, most: int = MOST_ROWS) -> Html:
    """A list; what goes beyond `most` is counted."""
    listed = list(items)
    shown = [tag("li", item) for item in listed[:most]]
    if len(listed) > most:
        shown.append(tag("li", f"and {len(listed) - most} more", class_="enb-quiet"))
    return tag("ul", shown, class_="enb-bullets")


def code(text: str) -> Html:
    """An identifier, a path or a code."""
    return tag("code", text, class_=_short(text))


def digest(text: str) -> Html:
    """A digest by its beginning; the rest is its title."""
    scheme, _, value = text.partition(":")
    shown = f"{scheme}:{value[:12]}" if value else text[:19]
    return tag("code", shown, title=text, class_="enb-digest")


def footer(*parts: Child) -> Html:
    """The small print of a card."""
    return tag("div", (tag("span", part) for part in parts if part is not None), class_="enb-foot")


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 oracle`, `2 oracles`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def rate_bar(rate: float | None, low: float | None = None, high: float | None = None) -> Html:
    """A share between 0 and 1 as a bar with its interval; the text says the same."""
    if rate is None:
        return tag("span", "nothing exercised", class_="enb-quiet")
    parts: list[Child] = [tag("span", class_="enb-bar-fill", style=f"width:{_percent(rate)}%")]
    text = f"{rate:.0%}"
    if low is not None and high is not None:
        span = f"left:{_percent(low)}%;width:{_percent(high - low)}%"
        parts.append(tag("span", class_="enb-bar-interval", style=span))
        text += f" ({low:.0%} to {high:.0%})"
    return tag("span", tag("span", *parts, class_="enb-bar", aria_hidden="true"), tag("span", text), class_="enb-rate")


def _cell(cell: Child) -> Html:
    if isinstance(cell, int):
        return tag("td", cell, class_="enb-count")
    return tag("td", cell, class_=_short(cell) if isinstance(cell, str) else None)


def _short(text: str) -> str | None:
    """A word or two that must not be broken; long ones may be."""
    return "enb-short" if len(text) <= LONGEST_UNBROKEN else None


def _percent(share: float) -> str:
    return f"{max(0.0, min(1.0, share)) * 100:.1f}"
