"""Runs a notebook through papermill in a kernel of this interpreter, telling of each cell as it starts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import papermill
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines

from evalnb.engine.json_values import Json
from evalnb.reporting.failures import CellFailure
from evalnb.reporting.kernel import InterpreterKernelManager

ENGINE: Final = "evalnb"
START_TIMEOUT: Final = 120
"""Seconds a kernel may take to answer."""


@dataclass(frozen=True, slots=True)
class CellStart:
    """A cell that is about to run: its place, from 1, among so many, and its first line."""

    place: int
    of: int
    first_line: str


@dataclass(frozen=True, slots=True)
class Execution:
    """A notebook as it stands after its run; `failure` is the cell that stopped it, if one did."""

    notebook: NotebookNode
    failure: CellFailure | None


def execute(path: Path, values: Mapping[str, Json], folder: Path, on_cell: Callable[[CellStart], None]) -> Execution:
    """Run the notebook at `path` in `folder`, with `values` injected behind its parameters as literals.

    What the run writes about time and place into the notebook's metadata is taken out again.
    """
    papermill_engines.register(ENGINE, _Engine)
    run = _Run(folder, on_cell)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    failure = None
    try:
        papermill.execute_notebook(
            path,
            None,
            parameters=dict(values),
            engine_name=ENGINE,
            kernel_name="python3",
            language="python",
            progress_bar=False,
            run=run,
        )
    except CellFailure as error:
        failure = error
    return Execution(_timeless(run.notebook), failure)


class _Run:
    """What the engine is given and what it hands back, which papermill passes through as one keyword."""

    def __init__(self, folder: Path, on_cell: Callable[[CellStart], None]) -> None:
        self.folder = folder
        self.on_cell = on_cell
        self.notebook: Any = None


class _Engine(NBClientEngine):  # type: ignore[misc]
    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, *, run: _Run, **_: Any) -> None:
        run.notebook = nb_man.nb
        with TemporaryDirectory(prefix="evalnb-") as private_folder:
            _Client(
                nb_man,
                km=InterpreterKernelManager(kernel_name=kernel_name, private_folder=private_folder),
                on_cell=run.on_cell,
                timeout=None,
                startup_timeout=START_TIMEOUT,
                kernel_name=kernel_name,
                resources={"metadata": {"path": str(run.folder)}},
            ).execute(cleanup_kc=True)


class _Client(PapermillNotebookClient):  # type: ignore[misc]
    """Stops at the first failing cell by raising `CellFailure`."""

    def __init__(self, nb_man: Any, on_cell: Callable[[CellStart], None], **options: Any) -> None:
        super().__init__(nb_man, **options)
        self._on_cell = on_cell

    def papermill_execute_cells(self) -> None:
        for index, cell in enumerate(self.nb.cells):
            start = CellStart(index + 1, len(self.nb.cells), _first_line(cell))
            self._on_cell(start)
            try:
                self.nb_man.cell_start(cell, index)
                self.execute_cell(cell, index)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                self.nb_man.cell_exception(cell, cell_index=index)
                raise CellFailure(start.place, start.first_line, _reason(error, cell)) from error
            finally:
                self.nb_man.cell_complete(cell, cell_index=index)


def _first_line(cell: NotebookNode) -> str:
    lines = [line.strip() for line in cell.source.splitlines()]
    code = [line for line in lines if line and (cell.cell_type != "code" or not line.startswith("#"))]
    return next(iter(code or lines), "")


def _reason(error: Exception, cell: NotebookNode) -> str:
    if isinstance(error, CellExecutionError):
        # What failed while it was being shown is told by the output alone, not by the kernel's reply.
        told = next((output for output in cell.outputs if output.output_type == "error"), error)
        return " ".join(f"{told.ename}: {told.evalue}".rstrip(": ").split())
    if isinstance(error, DeadKernelError):
        return "the kernel died"
    return str(error)


def _timeless(notebook: NotebookNode) -> NotebookNode:
    """The notebook without the times, paths and identifiers that differ from run to run."""
    notebook.metadata.pop("papermill", None)
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{place + 1}"
        for name in ("papermill", "execution", "execution_info"):
            cell.metadata.pop(name, None)
    return notebook
