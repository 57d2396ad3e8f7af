"""The columns of a frame, stated once: name, type and meaning; and the frame that has exactly those.

A frame with no rows has the same columns and types as a full one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, ParamSpec, TypeAlias

import pandas as pd

P = ParamSpec("P")
Plain: TypeAlias = Literal["string", "Int64", "Float64", "boolean"]

TEXT: Final[Plain] = "string"
COUNT: Final[Plain] = "Int64"
NUMBER: Final[Plain] = "Float64"
FLAG: Final[Plain] = "boolean"

# The storage is named: with the default, a column would behave differently wherever pyarrow happens to be installed.
_TEXT_TYPE: Final = pd.StringDtype("python")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All the values a column of states may hold, whether they occur or not; in order where one is above another."""

    terms: tuple[str, ...]
    ordered: bool = False

    def __str__(self) -> str:
        return f"{'ordered ' if self.ordered else ''}category"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type (missing values are allowed in all of them) and what it says."""

    name: str
    dtype: Plain | Vocabulary
    meaning: str


Columns: TypeAlias = tuple[Column, ...]
Row: TypeAlias = Mapping[str, object]
"""The values of one row by column name; None is a missing value."""


def frame(columns: Columns, rows: Iterable[Row]) -> pd.DataFrame:
    """The rows as a frame with exactly these columns, in this order and with these types.

    Raises `ValueError` for a row with other columns, or a term that the vocabulary of its column does not know.
    """
    collected = list(rows)
    names = {column.name for column in columns}
    for row in collected:
        if row.keys() != names:
            raise ValueError(f"a row has the columns {sorted(row.keys() ^ names)} too many or too few")
    return pd.DataFrame({column.name: _array(column, [row[column.name] for row in collected]) for column in columns})


def tabulated(columns: Columns) -> Callable[[Callable[P, pd.DataFrame]], Callable[P, pd.DataFrame]]:
    """Completes the docstring of a frame's function with the table of its columns."""

    def document(function: Callable[P, pd.DataFrame]) -> Callable[P, pd.DataFrame]:
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n{column_table(columns)}\n    "
        _COLUMNS_OF[function.__name__] = columns
        return function

    return document


def columns_of(name: str) -> Columns:
    """The columns of the frame that the function `name` makes; KeyError for an unknown one."""
    return _COLUMNS_OF[name]


def column_table(columns: Columns, indent: str = "    ") -> str:
    """The columns as a table of text."""
    head = Column("column", "string", "meaning")
    names = max(len(column.name) for column in (head, *columns))
    types = max(len(str(column.dtype)) for column in columns)
    rule = f"{indent}{'=' * names}  {'=' * types}  {'=' * max(len(column.meaning) for column in columns)}"
    lines = [f"{indent}{head.name:<{names}}  {'type':<{types}}  {head.meaning}"]
    lines += [f"{indent}{column.name:<{names}}  {column.dtype!s:<{types}}  {column.meaning}" for column in columns]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def joined(parts: Iterable[str]) -> str:
    """Several identifiers in one cell."""
    return ", ".join(parts)


_COLUMNS_OF: Final[dict[str, Columns]] = {}


def _array(column: Column, values: Sequence[Any]) -> Any:
    dtype = column.dtype
    if isinstance(dtype, Vocabulary):
        unknown = {value for value in values if value is not None}.difference(dtype.terms)
        if unknown:
            raise ValueError(f"{column.name} cannot be {', '.join(map(repr, sorted(unknown)))}")
        categories = pd.Index(dtype.terms, dtype="str")
        return pd.Categorical(values, categories=categories, ordered=dtype.ordered)
    return pd.array(values, dtype=_TEXT_TYPE if dtype == TEXT else dtype)
