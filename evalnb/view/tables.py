"""Tables made of frames: interactive where scripts run, the same table to read and print where they do not.

The whole table is markup; a script then adds search, filters, sorting, paging and export. It needs the table code,
which a document holds once: `table_code()`. Nothing is fetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, Final

from evalnb.view.cells import Cell, TableColumn, columns_of_frame, search_text
from evalnb.view.html import Html, join, json_script, library_block, script_asset, tag
from evalnb.view.style import block, style

if TYPE_CHECKING:
    import pandas as pd

PAGE_LENGTH: Final = 10
"""How many rows a page holds. A table of no more is calm: nothing to turn, nothing to filter, only to sort."""

FEW_ROWS: Final = 5
"""So many rows are read, not searched."""

MOST_ROWS: Final = 5_000
"""How many rows a table holds; a longer frame is cut and the table says so."""


@dataclass(slots=True)
class _Document:
    """What the document at hand holds already, and the identifiers given out in it."""

    has_code: bool = False
    numbers: count[int] = field(default_factory=lambda: count(1))


_DOCUMENT: Final = _Document()


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to be shown. In a notebook the first one brings the table code for all that follow."""

    table_id: str | None
    columns: tuple[TableColumn, ...]
    rows: int
    rows_left_out: int
    caption: str | None
    page_length: int
    interactive: bool

    @property
    def html(self) -> Html:
        """The table as a block, without style sheet and table code."""
        table = tag("table", self._caption(), self._head(), self._body(), class_="enb-table", id=self.table_id)
        parts = [tag("div", table, class_="enb-scroll", tabindex=0, role="group", aria_label=self.caption or "table")]
        if self.rows_left_out:
            shown = f"The first {self.rows} of {self.rows + self.rows_left_out} rows are shown."
            parts.append(tag("p", shown, class_="enb-quiet"))
        if self.interactive:
            parts.append(json_script(self._settings(), class_="enb-table-settings", data_for=self.table_id))
            parts.append(script_asset("announce.js"))
        return block(*parts, class_="enb-tabled")

    @property
    def is_calm(self) -> bool:
        """Whether all rows are seen at once and are few."""
        return self.rows <= min(PAGE_LENGTH, self.page_length)

    def __repr__(self) -> str:
        return f"<table: {self.rows + self.rows_left_out} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        code = None
        if self.interactive and not _DOCUMENT.has_code:
            code = table_code()
        return str(join([style(), code, self.html]))

    def _caption(self) -> Html | None:
        return None if self.caption is None else tag("caption", self.caption)

    def _head(self) -> Html:
        heads = (tag("th", column.heading, scope="col", class_=_classes(column)) for column in self.columns)
        return tag("thead", tag("tr", heads))

    def _body(self) -> Html:
        if not self.rows:
            nothing = tag("td", "no rows", colspan=max(1, len(self.columns)), class_="enb-quiet")
            return tag("tbody", None if self.interactive else tag("tr", nothing))
        classes = [_classes(column) for column in self.columns]
        lines = zip(*(column.cells for column in self.columns), strict=True)
        return tag("tbody", (tag("tr", map(_cell, line, classes)) for line in lines))

    def _settings(self) -> dict[str, object]:
        return {
            "pageLength": self.page_length,
            "isCalm": self.is_calm,
            "hasSearch": not self.is_calm or self.rows > FEW_ROWS,
            "name": self.table_id,
            "title": self.caption or self.table_id,
            "columns": [
                {"heading": column.heading, "kind": column.kind, "choices": [*column.choices]}
                for column in self.columns
            ],
        }


def interactive_table(
    frame: pd.DataFrame,
    *,
    caption: str | None = None,
    table_id: str | None = None,
    page_length: int = PAGE_LENGTH,
) -> Table:
    """A table with search, a filter a column, sorting, paging and CSV export; all of it readable without scripts.

    One of a few rows is sorted and exported, and searched from the sixth row on; the rest would only be in the way.
    `table_id` must be unique in the document; by default tables are numbered. Every value is shown as text, long ones
    folded, JSON folded and highlighted, states as badges; severities sort by weight, identifiers by their numbers.
    """
    identifier = table_id or f"enb-table-{next(_DOCUMENT.numbers)}"
    return _table(frame, caption, identifier, page_length, interactive=True)


def static_table(frame: pd.DataFrame, *, caption: str | None = None) -> Table:
    """The same table for print and for places without scripts."""
    return _table(frame, caption, None, PAGE_LENGTH, interactive=False)


@cache
def _library() -> Html:
    source = files("itables").joinpath("html", "dt_bundle.js").read_text(encoding="utf-8")
    return library_block(source, class_="enb-datatables")


def table_code() -> Html:
    """The table code, which a document needs once, before its first interactive table or after it."""
    _DOCUMENT.has_code = True
    return join([_library(), script_asset("tables.js")])


def start_document() -> None:
    """Forget what earlier outputs hold: the next table brings the code again, and numbering starts over."""
    _DOCUMENT.has_code = False
    _DOCUMENT.numbers = count(1)


def _table(
    frame: pd.DataFrame, caption: str | None, table_id: str | None, page_length: int, *, interactive: bool
) -> Table:
    shown = frame.head(MOST_ROWS)
    return Table(
        table_id=table_id,
        columns=tuple(columns_of_frame(shown)),
        rows=len(shown),
        rows_left_out=len(frame) - len(shown),
        caption=caption,
        page_length=page_length,
        interactive=interactive,
    )


def _classes(column: TableColumn) -> str:
    if column.kind != "text":
        return f"enb-{column.kind}"
    return f"enb-text enb-w{column.width}" + (" enb-whole" if column.has_short_words else "")


def _cell(cell: Cell, classes: str) -> Html:
    return tag(
        "td",
        cell.shown,
        class_=classes,
        data_order=cell.order,
        data_value=cell.value,
        data_search=None if cell.search is None else search_text(cell.search),
    )
