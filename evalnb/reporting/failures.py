"""Why a report was not made: it was asked for wrongly, or a cell of its notebook failed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class UnknownNotebook(Exception):
    """No notebook has that name; nothing was run (exit 64)."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"no notebook is called {name!r}; there is {', '.join(known) or 'none'}")
        self.name = name


class ParameterProblem(Exception):
    """A parameter is unknown, repeated or of the wrong type; nothing was run (exit 64)."""

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"parameter {parameter!r}: {problem}")
        self.parameter = parameter


class CellFailure(Exception):
    """A cell of the notebook failed, so there is no report (exit 5).

    `cell` counts from 1 over the cells as they stand in the notebook that was kept; `kept` is where that is.
    """

    def __init__(self, cell: int, first_line: str, error: str, kept: Path | None = None) -> None:
        super().__init__(cell, first_line, error, kept)
        self.cell = cell
        self.first_line = first_line
        self.error = error
        self.kept = kept

    def __str__(self) -> str:
        text = f"cell {self.cell} failed ({self.first_line}): {self.error}"
        return text if self.kept is None else f"{text}; the notebook as far as it got: {self.kept}"
