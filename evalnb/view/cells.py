"""The cells of a table: how a value looks, by what it sorts, and by what it is found."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from evalnb.engine.json_values import ABSENT
from evalnb.view.badges import badge, has_badge, rank
from evalnb.view.html import Child, escape, tag
from evalnb.view.json_view import json_html, parsed_json, text_html

if TYPE_CHECKING:
    import pandas as pd

ColumnKind: TypeAlias = Literal["text", "term", "number", "flag"]

MOST_CHOICES: Final = 40
"""A column of terms with at most so many offers them for choice; others are filtered by text."""

PLAIN_TERMS: Final = ("probe_class",)
"""Columns whose terms are kinds, not states: a planted defect is no finding, whatever a finding is called."""

LONGEST_IDENTIFIER: Final = 28
WIDTH_STEPS: Final = (12, 30, 70)
LONGEST_SORT_KEY: Final = 200
_DIGITS: Final = re.compile(r"[0-9]+")
_WIDEST_NUMBER: Final = 15


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what it shows, what it sorts by, and the exact value where what is shown says less."""

    shown: Child
    order: str | int | float | None = None
    value: str | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column: its name as a heading, its kind, and the terms that a reader may choose from."""

    name: str
    kind: ColumnKind
    choices: tuple[str, ...]
    cells: tuple[Cell, ...]
    width: int = 0
    """How much room its texts want, 0 for as little as they need, -1 for identifiers that must not break."""
    has_short_words: bool = False
    """Whether no word of its texts is longer than an identifier, so that none needs to be broken."""

    @property
    def heading(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")


def columns_of_frame(frame: pd.DataFrame) -> list[TableColumn]:
    """The columns of a frame by their types: categories as terms, texts as texts, numbers and flags as such."""
    return [_column(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]


def natural_key(text: str) -> str:
    """A text to sort by: numbers in it by their size, letters whatever their case; O-9 comes before O-10."""
    short = text[:LONGEST_SORT_KEY].casefold()
    return _DIGITS.sub(lambda found: found[0].lstrip("0").zfill(_WIDEST_NUMBER), short)


def _column(name: str, series: pd.Series[Any]) -> TableColumn:
    values = [
        None if missing else value for value, missing in zip(series.tolist(), series.isna().tolist(), strict=True)
    ]
    dtype = series.dtype
    if str(dtype) == "category":
        terms = tuple(str(term) for term in series.cat.categories)
        order = {term: place for place, term in enumerate(terms)} if series.cat.ordered else None
        return _terms(name, values, terms, order)
    kind = _kind(dtype)
    make = _MAKERS[kind]
    cells = tuple(make(value) for value in values)
    if kind == "text":
        texts = [str(value) for value in values if value is not None]
        return TableColumn(name, kind, (), cells, _width(texts), _has_short_words(texts))
    return TableColumn(name, kind, ("yes", "no") if kind == "flag" else (), cells)


def _width(texts: Sequence[str]) -> int:
    longest = max(map(len, texts), default=0)
    if longest <= LONGEST_IDENTIFIER and not any(" " in text for text in texts):
        return -1
    typical = sorted(map(len, texts))[len(texts) * 3 // 4] if texts else 0
    return sum(typical > step for step in WIDTH_STEPS)


def _has_short_words(texts: Sequence[str]) -> bool:
    return all(
        len(text) <= LONGEST_IDENTIFIER or max(map(len, text.split()), default=0) <= LONGEST_IDENTIFIER
        for text in texts
    )


def _kind(dtype: Any) -> ColumnKind:
    code = getattr(dtype, "kind", "O")
    return "flag" if code == "b" else "number" if code in "iuf" else "text"


def _terms(name: str, values: Sequence[Any], terms: tuple[str, ...], order: dict[str, int] | None) -> TableColumn:
    """Ordered terms sort by their order, states by the theme's, other terms by their name."""
    present = {str(value) for value in values if value is not None}
    choices = tuple(term for term in terms if term in present)
    states = name not in PLAIN_TERMS

    def cell(value: Any) -> Cell:
        if value is None:
            return NOTHING
        term = str(value)
        is_state = states and has_badge(term)
        place: str | int = order[term] if order is not None else rank(term) if is_state else natural_key(term)
        return Cell(badge(term) if is_state else term, place, term, term)

    return TableColumn(name, "term", choices if len(choices) <= MOST_CHOICES else (), tuple(map(cell, values)))


def _text(value: Any) -> Cell:
    if value is None:
        return NOTHING
    text = str(value)
    parsed = parsed_json(text)
    if parsed is not ABSENT:
        return Cell(json_html(parsed), natural_key(text), text if len(text) <= LONGEST_SORT_KEY else None)
    return Cell(text_html(text), natural_key(text))


def _number(value: Any) -> Cell:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOTHING if value is None or math.isnan(value) else Cell(str(value), str(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return Cell(f"{value:.0f}", value, repr(value))
    if isinstance(value, float):
        return Cell(f"{value:.4g}", value, repr(value))
    return Cell(str(value), int(value))


def _flag(value: Any) -> Cell:
    if value is None:
        return NOTHING
    word = "yes" if value else "no"
    glyph = tag("span", "✓" if value else "–", class_="enb-glyph", aria_hidden="true")
    return Cell([glyph, " ", tag("span", word, class_="enb-full")], int(bool(value)), word, word)


NOTHING: Final = Cell(tag("span", "–", class_="enb-quiet", aria_label="nothing"), "", "", "")

_MAKERS: Final[dict[ColumnKind, Callable[[Any], Cell]]] = {"text": _text, "number": _number, "flag": _flag}


def search_text(text: str) -> str:
    """A search value as the table library takes it: as markup that shows the text.

    The library unescapes what it searches by writing it into an element; a bare `<` there would be an element.
    """
    return str(escape(text))
