"""`evalnb evaluate`: hand a sealed brief to a command, record what it does, and seal what it found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from evalnb.cli import exit_codes
from evalnb.cli.ending import ended_in_order
from evalnb.cli.finite_range import FiniteRange
from evalnb.cli.stderr_lines import PROGRAM, printable

if TYPE_CHECKING:
    from evalnb.harness.gateway.trial import EvaluatorTrial

_FILE: Final = click.Path(path_type=Path)


@click.command(context_settings={"ignore_unknown_options": False})
@click.option("--brief", "brief_file", required=True, type=_FILE, help="The sealed brief that the command gets to see.")
@click.option("--targets", required=True, type=_FILE, help="What may be reached, and how the system is started.")
@click.option("--contract", type=_FILE, help="The contract behind the brief.  [default: contract.json beside it]")
@click.option("--trials", type=click.IntRange(1), default=3, show_default=True, help="How often the command is run.")
@click.option("--out", "folder", type=_FILE, default=Path("evaluated"), show_default=True, help="Folder for records.")
@click.option("--probe", "probe_id", default="P-001", show_default=True, help="The probe whose arm this is.")
@click.option("--run-id", help="The run's id, as the pre-flight's.  [default: made of the contract's id]")
@click.option("--timeout", type=FiniteRange(0, min_open=True), help="Seconds a trial.  [default: the budget's]")
@click.option("--env", "variables", multiple=True, metavar="NAME", help="A variable that the command may see.")
@click.option("--evaluator", help="Who evaluates, for the record.  [default: the command's name]")
@click.option("--model", default="not stated", show_default=True, help="The model behind it, for the record.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def evaluate(
    brief_file: Path,
    targets: Path,
    contract: Path | None,
    trials: int,
    folder: Path,
    probe_id: str,
    run_id: str | None,
    timeout: float | None,
    variables: tuple[str, ...],
    evaluator: str | None,
    model: str,
    command: tuple[str, ...],
) -> int:
    """Let COMMAND evaluate a live system from its sealed brief, through a gateway that records every call.

    The command finds the brief, the ways to the system and the place for its findings in EVALNB_BRIEF, EVALNB_ACCESS
    and EVALNB_FINDINGS. Exits 5 when not every trial could be sealed.
    """
    from evalnb.harness import read_measured_targets
    from evalnb.harness.gateway.run import (
        EvaluateOptions,
        EvaluationStopped,
        UnusableOption,
        contract_of,
        read_brief,
        run_evaluator,
    )

    brief = read_brief(brief_file)
    behind = contract_of(brief, contract, brief_file.parent)
    options = EvaluateOptions(
        trials=trials,
        seconds=timeout,
        variables=variables,
        probe_id=probe_id,
        run_id=run_id,
        evaluator=evaluator,
        model=model,
        on_trial=_tell,
    )
    try:
        with ended_in_order():
            run = run_evaluator(behind, brief, read_measured_targets(targets), command, folder, options)
    except UnusableOption as problem:
        raise click.UsageError(str(problem)) from None
    except EvaluationStopped as stopped:
        kept = f"{len(stopped.run.records)} of {trials} trials sealed in {folder}"
        click.echo(printable(f"{PROGRAM} evaluate: stopped: {kept}"), err=True)
        raise
    sealed, asked = len(run.records), len(run.trials)
    click.echo(printable(f"{sealed} of {asked} trials sealed in {folder}"))
    return exit_codes.OK if sealed == asked else exit_codes.FAULT


def _tell(trial: EvaluatorTrial) -> None:
    calls = len(trial.observations)
    state = "not sealed" if trial.findings is None else f"sealed, {trial.findings.recommendation}"
    click.echo(printable(f"trial {trial.number}: {calls} calls in {trial.seconds:.1f} s, {state}"))
    for kind, lines in (("problem", trial.problems), ("refused", trial.refused), ("failed", trial.failed)):
        for line in lines[:10]:
            click.echo(printable(f"{PROGRAM} evaluate: trial {trial.number}: {kind}: {line}"), err=True)
        if len(lines) > 10:
            click.echo(f"{PROGRAM} evaluate: trial {trial.number}: {len(lines) - 10} more {kind}", err=True)
