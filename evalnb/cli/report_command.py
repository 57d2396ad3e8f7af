"""`evalnb report`: a notebook with parameters in, one offline HTML file out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalnb.cli import exit_codes
from evalnb.cli.stderr_lines import printable

if TYPE_CHECKING:
    from evalnb.reporting import Notebook


@click.command()
@click.argument("name", required=False)
@click.option("-p", "--parameter", "given", multiple=True, metavar="KEY=VALUE", help="A parameter of the notebook.")
@click.option("--out", help="The HTML file, or a folder for it; with --all a folder.  [default: reports/]")
@click.option("--list", "listing", is_flag=True, help="The notebooks, with the type and default of each parameter.")
@click.option("--all", "everything", is_flag=True, help="Every notebook at its defaults, and a page that links them.")
def report(name: str | None, given: tuple[str, ...], out: str | None, listing: bool, everything: bool) -> int:
    """Run the notebook NAME and write its report as one HTML file that works offline."""
    if [bool(name), listing, everything].count(True) != 1:
        raise click.UsageError("name a notebook, or give one of --list and --all")
    if name is None and given:
        raise click.UsageError("-p needs the notebook that takes the parameter")
    if listing:
        return _list()
    from evalnb.reporting import ParameterProblem, UnknownNotebook

    try:
        return _make_all(Path(out or "reports")) if everything else _make(str(name), given, out)
    except (ParameterProblem, UnknownNotebook) as problem:
        raise click.UsageError(str(problem)) from problem


def _make(name: str, given: tuple[str, ...], out: str | None) -> int:
    from evalnb.reporting import find_notebook, make_report

    parameters = _parameters(find_notebook(name), given)
    _say(make_report(name, parameters, _report_file(name, out or "reports/")))
    return exit_codes.OK


def _report_file(name: str, out: str) -> Path:
    """The file to write: `out`, or a file named after the report where that is a folder or ends like one."""
    is_folder = out.endswith(("/", os.sep)) or os.path.isdir(out)
    return Path(out) / f"{name}.html" if is_folder else Path(out)


def _make_all(folder: Path) -> int:
    from evalnb.reporting import make_all_reports

    _say(make_all_reports(folder, on_report=_say))
    return exit_codes.OK


def _list() -> int:
    from evalnb.reporting import notebooks

    for notebook in notebooks():
        click.echo(f"{notebook.name}: {notebook.title}")
        if notebook.summary:
            click.echo(f"  {notebook.summary}")
        for parameter in notebook.parameters:
            click.echo(
                f"  -p {parameter.name}=...  {parameter.type}, default {parameter.default!r}: {parameter.meaning}"
            )
        click.echo()
    return exit_codes.OK


def _parameters(notebook: Notebook, given: tuple[str, ...]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise click.UsageError(f"-p takes key=value, not {text!r}")
        if key not in parameters:
            parameters[key] = value
            continue
        known = notebook.parameter(key)
        if known is None or known.type != "folders":
            raise click.UsageError(f"parameter {key!r} is given twice")
        parameters[key] += os.pathsep + value
    return parameters


def _say(path: Path) -> None:
    click.echo(printable(str(path)))
