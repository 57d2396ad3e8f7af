"""Makes a report: check the parameters, run the notebook, render the page, put it in place whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evalnb.files import FileProblem, write_text_atomically
from evalnb.reporting.failures import CellFailure
from evalnb.reporting.parameters import Argument, check_parameters, working_folder
from evalnb.reporting.registry import Notebook, find_notebook

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from evalnb.reporting.execute import CellStart, Execution


def make_report(
    name: str, parameters: Mapping[str, str], out: str | os.PathLike[str], *, console: Console | None = None
) -> Path:
    """Run the notebook called `name` and write its report, one HTML file, to `out`.

    `parameters` are texts, as on a command line; a parameter left out keeps its default. `console` shows the progress
    if it is a terminal (default: standard error). Returns the path written. Raises `UnknownNotebook`,
    `ParameterProblem` and `FileProblem` before anything runs, `CellFailure` when a cell fails, `OSError` when the file
    cannot be written. An older report at `out` stays whole unless the new one is.
    """
    return write_report(find_notebook(name), parameters, Path(out), console=console)


def write_report(
    notebook: Notebook, parameters: Mapping[str, str], out: Path, *, console: Console | None = None
) -> Path:
    """As `make_report`, for a notebook that is at hand."""
    arguments = check_parameters(notebook, parameters)
    if out.is_dir():
        raise FileProblem(out, "is a folder where the report's file should be")
    write_text_atomically(out, report_html(notebook, arguments, out, console=console))
    return out


def report_html(notebook: Notebook, arguments: tuple[Argument, ...], out: Path, *, console: Console | None) -> str:
    """The report as text. Raises `CellFailure`; the notebook as far as it got is then kept beside `out`."""
    from evalnb.reporting.assets import load_assets
    from evalnb.reporting.render import render

    with ThreadPoolExecutor(1) as loader, _progress(notebook, console) as on_cell:
        assets = loader.submit(load_assets)
        executed = _execute(notebook, arguments, on_cell)
        if executed.failure is not None:
            raise _kept(executed, out)
        return render(executed.notebook, notebook, arguments, assets.result())


def failed_notebook_path(out: Path) -> Path:
    """Where a notebook that failed is kept: `NAME.failed.ipynb` beside the report."""
    return out.with_name(f"{out.stem}.failed.ipynb")


def _execute(notebook: Notebook, arguments: tuple[Argument, ...], on_cell: Callable[[CellStart], None]) -> Execution:
    from evalnb.reporting.execute import execute

    with working_folder(arguments) as folder:
        return execute(notebook.path, folder.values, folder.path, on_cell)


def _kept(executed: Execution, out: Path) -> CellFailure:
    failure = executed.failure
    assert failure is not None
    path = failed_notebook_path(out)
    write_text_atomically(path, json.dumps(executed.notebook, indent=1) + "\n")
    return CellFailure(failure.cell, failure.first_line, failure.error, path)


@contextmanager
def _progress(notebook: Notebook, console: Console | None) -> Iterator[Callable[[CellStart], None]]:
    """A bar that names the cell being run, on a terminal; nothing anywhere else."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from evalnb.view.html import visible

    console = console or Console(stderr=True)
    columns = (
        TextColumn(f"report {escape(notebook.name)}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None)

        def on_cell(start: CellStart) -> None:
            shown = escape(visible(start.first_line)[:60])
            bar.update(task, total=start.of, completed=start.place - 1, description=shown)

        yield on_cell
