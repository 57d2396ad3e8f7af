"""The packaged example, from contract to report, in one command."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from evalnb.cli.pages import standard_output
from evalnb.cli.run_summary import run_with_summary
from evalnb.cli.stderr_lines import printable
from evalnb.corpus import DEMO, example


def run_demo(out: Path, *, with_report: bool) -> None:
    """Run the demo evaluation into `out`: its artifacts, and the report as `out/report.html`.

    Raises as `run_with_summary` and the report do.
    """
    console = standard_output()
    run = run_with_summary(example(DEMO), out / "artifacts", console=console)
    console.print(f"evalnb run would exit {run.exit_code} here: planted defects are meant to be caught.")
    if with_report:
        from evalnb.reporting import make_report

        report = make_report("pipeline", {"folder": str(example(DEMO))}, out / "report.html", console=console)
        console.print(f"report: {escape(printable(str(report)))}")
