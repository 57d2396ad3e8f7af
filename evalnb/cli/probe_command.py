"""`evalnb probe`: a live pre-flight over real targets, with the observations kept for `evalnb preflight`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evalnb.cli import exit_codes
from evalnb.cli.ending import ended_in_order
from evalnb.cli.stderr_lines import PROGRAM, diagnostic_line, printable
from evalnb.engine.canonical import scan_json, serialize_artifact
from evalnb.engine.json_values import quote
from evalnb.files import read_file, write_text_atomically

if TYPE_CHECKING:
    from evalnb.engine.artifacts import PreflightCheck
    from evalnb.engine.port_seam import Diagnostic
    from evalnb.probing import LegProgress, ProbeRun

VERDICT_FILE: Final = "preflight-verdict.json"
OBSERVATIONS_FILE: Final = "observations.json"
TOOL_CALLS_FILE: Final = "tool-calls.json"

_FILE: Final = click.Path(path_type=Path)


@click.command()
@click.option("--contract", required=True, type=_FILE, help="The evaluation contract.")
@click.option("--probes", required=True, type=_FILE, help="The planning list: a JSON list of probes, maybe empty.")
@click.option("--targets", required=True, type=_FILE, help="What may be reached, JSON or YAML.")
@click.option("--run-id", required=True, help="A label for the verdict.")
@click.option("--out", "folder", required=True, type=_FILE, help=f"Folder for {VERDICT_FILE} and what was observed.")
@click.option("--save-observations", type=_FILE, help=f"The observations file.  [default: OUT/{OBSERVATIONS_FILE}]")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many reads may be under way at once; legs that change state are always alone.",
)
def probe(
    contract: Path,
    probes: Path,
    targets: Path,
    run_id: str,
    folder: Path,
    save_observations: Path | None,
    concurrency: int,
) -> int:
    """Ask a live system every leg of the pre-flight plan, and judge whether it can be measured."""
    from evalnb.probing import ProbeOptions, probe_live, read_live_targets

    raw_contract = scan_json(read_file(contract, "the evaluation contract"), "EvalContract")
    raw_probes = scan_json(read_file(probes, "the planning list"), "Probe")
    live_targets = read_live_targets(targets)
    file = save_observations or folder / OBSERVATIONS_FILE
    with _progress() as shown:
        options = ProbeOptions(save_observations=file, concurrency=concurrency, **shown)
        with ended_in_order():
            run = asyncio.run(probe_live(raw_contract, raw_probes, live_targets, run_id, options))
    _write(folder, run)
    for check in run.verdict.checks:
        if check.outcome == "failed":
            _say(_failed_check(check))
    return exit_codes.OK if run.verdict.passed else exit_codes.PREFLIGHT_FAILED


def _write(folder: Path, run: ProbeRun) -> None:
    write_text_atomically(folder / VERDICT_FILE, serialize_artifact(run.verdict.document, "PreflightVerdict"))
    if run.tool_reports:
        import json

        reports = json.dumps([asdict(report) for report in run.tool_reports], indent=1)
        write_text_atomically(folder / TOOL_CALLS_FILE, reports + "\n")
    for name in run.unused:
        _say(f"{PROGRAM}: note: an override names {quote(name)}, which is neither a planned leg nor a probe here")


def _failed_check(check: PreflightCheck) -> str:
    """One line on a check that did not pass: its kind, where, and why."""
    where = "" if check.operation_id is None else f" of {check.interface_id}.{check.operation_id}"
    why = "" if check.note is None else f": {check.note}"
    return f"{PROGRAM}: probe: {check.kind}{where} {check.outcome}{why}"


@contextmanager
def _progress() -> Iterator[dict[str, Any]]:
    """What tells of the run: a bar on a terminal, the lines of `evalnb preflight` elsewhere."""
    if not sys.stderr.isatty():
        yield {"sink": _print_line}
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("legs", total=None)

        def on_leg(progress: LegProgress) -> None:
            leg = escape(printable(f"{progress.leg_id} ({progress.purpose}): {progress.state}"))
            bar.update(task, description=leg, completed=progress.done, total=progress.total)

        yield {"on_leg": on_leg}


def _print_line(diagnostic: Diagnostic) -> None:
    _say(diagnostic_line(diagnostic.stage, diagnostic.run_id, diagnostic.message))


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr)  # noqa: T201
