"""`evalnb conformance MODULE:FACTORY`: run the suite over ports that somebody wrote, and show what held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from evalnb.cli import exit_codes

if TYPE_CHECKING:
    from evalnb.conformance import ConformanceReport

NOT_CONFORMING = 2
"""As a verdict of FAIL: the check was made, and what was checked did not pass."""


@click.command()
@click.argument("factory", metavar="MODULE:FACTORY")
@click.option("--json", "as_json", is_flag=True, help="Print the reports as JSON.")
def conformance(factory: str, as_json: bool) -> int:
    """Check port implementations: FACTORY of MODULE returns one conformance subject, or several.

    Prints every assertion with what came of it; exits 0 when all of them held and 2 when one did not.
    """
    from evalnb.conformance import check_conformance
    from evalnb.conformance.factories import FactoryProblem, load_subjects

    try:
        subjects = load_subjects(factory)
    except FactoryProblem as problem:
        raise click.UsageError(str(problem)) from problem
    reports = [check_conformance(subject) for subject in subjects]
    if as_json:
        click.echo(json.dumps([_document(report) for report in reports], indent=2))
    else:
        for report in reports:
            _print_table(report)
    return exit_codes.OK if all(report.passed for report in reports) else NOT_CONFORMING


def _document(report: ConformanceReport) -> dict[str, Any]:
    return {
        "subject": report.subject,
        "port": report.port,
        "passed": report.passed,
        "outcomes": [
            {"id": outcome.id, "title": outcome.title, "passed": outcome.passed, "detail": outcome.detail}
            for outcome in report.outcomes
        ],
    }


def _print_table(report: ConformanceReport) -> None:
    from rich.table import Table
    from rich.text import Text

    from evalnb.cli.pages import standard_output
    from evalnb.cli.stderr_lines import printable

    held = sum(outcome.passed for outcome in report.outcomes)
    verdict = "PASS" if report.passed else "FAIL"
    title = f'{verdict} {report.port} conformance for "{printable(report.subject)}": {held}/{len(report.outcomes)}'
    # Identifiers stay whole at any width: people search for them.
    longest = max(len(outcome.id) for outcome in report.outcomes)
    table = Table(box=None, header_style="bold", title=Text(title, style="bold"), title_justify="left")
    table.add_column("")
    table.add_column("assertion", min_width=longest, no_wrap=True)
    table.add_column("what it asserts")
    for outcome in report.outcomes:
        mark = Text("pass", style="green") if outcome.passed else Text("FAIL", style="bold red")
        # What a port raised is anyone's text: shown as it is, never as markup or control codes.
        asserted = Text(outcome.title)
        if not outcome.passed:
            asserted.append(f"\n{printable(outcome.detail)}", style="red")
        table.add_row(mark, Text(outcome.id), asserted)
    standard_output().print(table)
