"""`evalnb init`: a first contract for a system, from what it says about itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from evalnb.cli import exit_codes
from evalnb.cli.stderr_lines import printable


@click.command()
@click.option("--mcp", metavar='"CMD ARGS"', help="A tool server: start it and read its tools.")
@click.option("--openapi", type=click.Path(path_type=Path), help="An OpenAPI 3 document, JSON or YAML.")
@click.option("--cli", "command", metavar="CMD", help="A command: read its --help, and that of its subcommands.")
@click.option("--out", "folder", required=True, type=click.Path(path_type=Path), help="Folder for the four files.")
@click.option(
    "--value", "values", multiple=True, metavar="KEY=JSON", help="A value to use where an input has this key."
)
@click.option("--env", "environment", multiple=True, metavar="KEY=VALUE", help="Environment of the tool server.")
@click.option("--cwd", default=".", show_default=True, help="Where the tool server or the command runs.")
@click.option("--base-url", metavar="URL", help="Where the service of the OpenAPI document can be called.")
@click.option("--no-calls", is_flag=True, help="Call nothing. Otherwise reads are called, and never a write.")
def init(
    mcp: str | None,
    openapi: Path | None,
    command: str | None,
    folder: Path,
    values: tuple[str, ...],
    environment: tuple[str, ...],
    cwd: str,
    base_url: str | None,
    no_calls: bool,
) -> int:
    """Write a first contract that compiles, its targets, and the list of what a person has to decide."""
    from evalnb.scaffold import ScaffoldOptions, scaffold_cli, scaffold_mcp, scaffold_openapi

    if [mcp, openapi, command].count(None) != 2:
        raise click.UsageError("give one of --mcp, --openapi and --cli")
    if folder.is_dir() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty; what a person decided there is not written over")
    options = ScaffoldOptions(
        given={key: _json(value) for key, value in map(_pair, values)},
        calls=not no_calls,
        environment=dict(map(_pair, environment)),
        cwd=cwd,
        base_url=base_url,
    )
    try:
        if mcp is not None:
            made = scaffold_mcp(mcp, options)
        elif openapi is not None:
            made = scaffold_openapi(openapi, options)
        else:
            made = scaffold_cli(command or "", options)
    except ValueError as problem:
        raise click.UsageError(str(problem)) from problem
    for path in made.write(folder):
        click.echo(printable(str(path)))
    needed = sum(decision.needed for decision in made.decisions)
    click.echo(f"{needed} places to decide, {len(made.decisions) - needed} guesses to confirm", err=True)
    for note in made.left_out:
        click.echo(printable(f"left out: {note}"), err=True)
    return exit_codes.OK


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise click.UsageError(f"KEY=VALUE is needed, not {text!r}")
    return key, value


def _json(text: str) -> Any:
    """The value as JSON, or as the text it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text
