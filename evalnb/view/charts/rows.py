"""The rows of a frame as plain values: text, numbers and flags, None where a value is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a frame, read by column name; KeyError for a column the frame does not have."""

    values: Mapping[str, Any]

    def text(self, column: str) -> str:
        """The value as text, empty where it is missing."""
        value = self.values[column]
        return "" if value is None else str(value)

    def optional(self, column: str) -> str | None:
        """The value as text, None where it is missing."""
        value = self.values[column]
        return None if value is None else str(value)

    def number(self, column: str) -> float | None:
        """The value as a number."""
        value = self.values[column]
        return None if value is None else float(value)

    def count(self, column: str) -> int:
        """The value as a whole number, 0 where it is missing."""
        value = self.values[column]
        return 0 if value is None else int(value)

    def flag(self, column: str) -> bool | None:
        """The value as a flag."""
        value = self.values[column]
        return None if value is None else bool(value)


def rows_of(frame: pd.DataFrame) -> list[Row]:
    """The rows of `frame`, in order."""
    names = list(frame.columns)
    columns = [
        [None if missing else value for value, missing in zip(frame[name].tolist(), frame[name].isna(), strict=True)]
        for name in names
    ]
    return [Row(dict(zip(names, values, strict=True))) for values in zip(*columns, strict=True)]
