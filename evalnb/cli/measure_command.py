"""`evalnb measure`: run a contract on a live system, plant defects, and count what the contract catches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evalnb.cli import exit_codes
from evalnb.cli.ending import ended_in_order
from evalnb.cli.finite_range import FiniteRange
from evalnb.cli.stderr_lines import PROGRAM, printable
from evalnb.engine.canonical import scan_json
from evalnb.engine.canonical.scan import MAX_SAFE_INTEGER
from evalnb.files import read_file

if TYPE_CHECKING:
    from evalnb.harness import Measurement, MeasureOptions, MeasureProgress, Rate

BELOW_FLOOR: Final = 2
_FILE: Final = click.Path(path_type=Path)


@click.command()
@click.option("--contract", required=True, type=_FILE, help="The evaluation contract.")
@click.option("--targets", required=True, type=_FILE, help="What may be reached, and how the system is started.")
@click.option("--trials", type=click.IntRange(1), default=3, show_default=True, help="Trials of every arm.")
@click.option(
    "--seed",
    type=click.IntRange(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER),
    default=0,
    show_default=True,
    help="Decides stimuli and where defects are planted.",
)
@click.option("--operators", help="Mutation operators to use, separated by commas.  [default: all]")
@click.option("--mutants", type=_FILE, help="Defects of your own, JSON or YAML.")
@click.option("--stimuli", type=_FILE, help="Values for what the plan leaves open, JSON or YAML.")
@click.option("--policy", type=_FILE, help="A scoring policy.")
@click.option(
    "--sites", type=click.IntRange(1), default=1, show_default=True, help="Places per operator and operation."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Mutants run at once.")
@click.option("--cluster", metavar="ADDRESS", help="Run mutants on this dask.distributed cluster instead.")
@click.option("--out", "folder", type=_FILE, default=Path("measurement"), show_default=True, help="A new folder.")
@click.option("--resume", is_flag=True, help="Go on with a measurement that was stopped in the folder.")
@click.option("--floor", type=FiniteRange(0, 1), help="Exit 2 when the catch rate is below.")
def measure(contract: Path, targets: Path, folder: Path, floor: float | None, **given: Any) -> int:
    """Plant defects in a system, and count which of them a contract catches.

    The evaluator reads the contract's checks: what is measured is the contract, not an evaluator's skill.
    """
    from evalnb.harness import MeasurementStopped, read_measured_targets, run_measurement

    raw = scan_json(read_file(contract, "the evaluation contract"), "EvalContract")
    measured = read_measured_targets(targets)
    with ended_in_order(), _progress() as on_progress:
        options = _options(folder, on_progress, **given)
        try:
            measurement = run_measurement(raw, measured, options)
        except MeasurementStopped as stopped:
            for reason in stopped.reasons:
                _say(f"{PROGRAM}: measure: {reason}")
            return exit_codes.PREFLIGHT_FAILED
        except ValueError as problem:
            raise click.UsageError(str(problem)) from problem
        except KeyboardInterrupt:
            _say(f"{PROGRAM}: measure: stopped; go on with --resume: what is finished is kept in {folder}")
            raise
    _print(measurement, folder)
    rate = measurement.overall.rate
    return BELOW_FLOOR if floor is not None and (rate is None or rate < floor) else exit_codes.OK


def _options(
    folder: Path,
    on_progress: Callable[[MeasureProgress], None],
    *,
    operators: str | None,
    mutants: Path | None,
    stimuli: Path | None,
    policy: Path | None,
    seed: int,
    **plain: Any,
) -> MeasureOptions:
    from evalnb.harness import MeasureOptions, Stimuli, read_stimuli, read_user_mutants

    names = None if operators is None else tuple(name.strip() for name in operators.split(",") if name.strip())
    return MeasureOptions(
        seed=seed,
        operators=names,
        mutants=() if mutants is None else tuple(read_user_mutants(mutants)),
        stimuli=Stimuli(seed) if stimuli is None else read_stimuli(stimuli, seed),
        policy=None if policy is None else _document(policy),
        out=folder,
        on_progress=on_progress,
        **plain,
    )


def _document(path: Path) -> Any:
    return scan_json(read_file(path, "the scoring policy"), "ScoringPolicy")


def _print(measurement: Measurement, folder: Path) -> None:
    lines = [repr(measurement), ""]
    for title, rates in (
        ("operator", measurement.by_operator),
        ("operation", measurement.by_operation),
        ("behavior", measurement.by_behavior),
        ("severity", measurement.by_severity),
    ):
        lines += [*_table(title, rates), ""]
    for survivor in measurement.survivors:
        lines.append(f"survived: {survivor.mutant_id} (step {survivor.step_id}): {', '.join(survivor.differing[:3])}")
    for mutant in measurement.mutants:
        if mutant.status in ("unqualified", "unreached", "broken"):
            lines.append(f"{mutant.status}: {mutant.spec.mutant_id}: {mutant.reasons[0] if mutant.reasons else ''}")
    for title, oracles in (
        ("never the only catcher", measurement.redundant_oracles),
        ("caught nothing", measurement.silent_oracles),
    ):
        if oracles:
            lines.append(f"{title}: {', '.join(oracles)}")
    lines += [f"note: {note}" for note in measurement.notes]
    lines.append(f"written to {folder}; a page of it: evalnb report measure -p measurement={folder}")
    for line in lines:
        click.echo(printable(line))


def _table(title: str, rates: tuple[Rate, ...]) -> list[str]:
    width = max([len(title), *(len(rate.group) for rate in rates)])
    rows = [f"{title:<{width}}  caught  of  95% interval"]
    for rate in rates:
        interval = "" if rate.low is None or rate.high is None else f"{rate.low:.2f} to {rate.high:.2f}"
        rows.append(f"{rate.group:<{width}}  {rate.caught:>6}  {rate.scored:>2}  {interval}")
    return rows


@contextmanager
def _progress() -> Iterator[Callable[[MeasureProgress], None]]:
    """A bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("clean system", total=None, left="")

        def show(progress: MeasureProgress) -> None:
            left = "" if progress.seconds_left is None else f"{progress.seconds_left:.0f} s left"
            name = escape(printable(progress.mutant_id or "mutants"))
            bar.update(task, description=name, completed=progress.done, total=progress.total, left=left)

        yield show


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr)  # noqa: T201
