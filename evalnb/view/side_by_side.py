"""Two documents side by side, the places marked where they differ; what lies far from any difference is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from evalnb.view.fragments import DocumentLine, Place, document_lines, line_html
from evalnb.view.html import Child, Html, join, tag

LINES_AROUND: Final = 2
MOST_LINES: Final = 40
MOST_SCANNED: Final = 20_000


def side_by_side(one: Any, other: Any, places: Iterable[tuple[str, ...]], names: tuple[str, str]) -> Html:
    """`one` and `other` as JSON under their names; `places` are paths of keys and of numbers, all as text."""
    marked = list(places)
    return tag(
        "div",
        *(_side(name, document, marked) for name, document in zip(names, (one, other), strict=True)),
        class_="enb-sides",
    )


def _side(name: str, document: Any, places: list[tuple[str, ...]]) -> Html:
    lines: list[DocumentLine] = []
    for line in document_lines(document):
        if line.number > MOST_SCANNED:
            break
        lines.append(line)
    marked = {line.number for line in lines if _is_at(line.place, places)}
    looked_at = marked or {number for place in places if (number := _nearest(lines, place)) is not None}
    body = tag(
        "pre", tag("code", _shown(lines, marked, looked_at), class_="enb-json"), class_="enb-fragment", tabindex=0
    )
    return tag("div", tag("p", name, class_="enb-section"), body)


def _is_at(place: Place, places: list[tuple[str, ...]]) -> bool:
    texts = tuple(map(str, place))
    return any(texts[: len(one)] == one for one in places)


def _nearest(lines: list[DocumentLine], place: tuple[str, ...]) -> int | None:
    """The line under which a place would stand that the document does not have."""
    inside = [line for line in lines if tuple(map(str, line.place)) == place[: len(line.place)]]
    return max(inside, key=lambda line: (len(line.place), -line.number)).number if inside else None


def _shown(lines: list[DocumentLine], marked: set[int], looked_at: set[int]) -> Iterator[Child]:
    """The lines that are looked at and those around them; where there are none, the beginning."""
    near = {number + step for number in looked_at for step in range(-LINES_AROUND, LINES_AROUND + 1)}
    kept = [line for line in lines if line.number in near] if looked_at else lines
    shown, last = kept[:MOST_LINES], 0
    for line in shown:
        if line.number != last + 1:
            yield _gap("⋯")
        yield line_html(line, 0, marked=line.number in marked)
        last = line.number
    if len(kept) > len(shown):
        yield _gap(f"and {len(kept) - len(shown)} more lines")
    elif lines and last < lines[-1].number:
        yield _gap("⋯")


def _gap(text: str) -> Html:
    return tag("span", join([f"{'':>6}", text, "\n"]), class_="enb-line enb-quiet")
