"""The coverage of one contract as a table, or as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from evalnb import api
from evalnb.cli.pages import standard_output
from evalnb.cli.stderr_lines import printable
from evalnb.engine.coverage import CoverageReport


def print_coverage(contract: Path, *, as_json: bool) -> None:
    """Compile the contract at `contract`, judge its coverage and print it to standard output."""
    report = api.coverage(contract)
    if as_json:
        click.echo(json.dumps(coverage_document(report), indent=2))
        return
    table = Table("rule", "relevant", "satisfied", "why", box=None, header_style="bold")
    for rule in report.rules:
        satisfied = "-" if not rule.relevant else "yes" if rule.satisfied else "[red]no[/]"
        why = rule.satisfaction.reason if rule.relevant else rule.relevance.reason
        table.add_row(rule.rule, "yes" if rule.relevant else "no", satisfied, escape(printable(why)))
    console = standard_output()
    console.print(table)
    gaps = len(report.gaps)
    console.print(f"{gaps} gap{'' if gaps == 1 else 's'}, each of severity {report.severity}" if gaps else "no gaps")


def coverage_document(report: CoverageReport) -> dict[str, object]:
    """The report as JSON: the rules in order and the gaps as an evidence artifact records them."""
    return {
        "rules": [
            {
                "rule": rule.rule,
                "relevant": rule.relevant,
                "relevanceReason": rule.relevance.reason,
                "satisfied": rule.satisfied,
                "satisfactionReason": rule.satisfaction.reason,
            }
            for rule in report.rules
        ],
        "gaps": [gap.model_dump(by_alias=True) for gap in report.gaps],
    }
