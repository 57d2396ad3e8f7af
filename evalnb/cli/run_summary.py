"""Runs an evaluation folder for a person: a progress bar on a terminal, then what it came to as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from evalnb.cli.pages import standard_output
from evalnb.cli.stderr_lines import printable
from evalnb.evaluation import EvaluationRun, open_evaluation, run_evaluation, write_run
from evalnb.evaluation.run import Progress as StepProgress, steps_of

_STYLES = {"PASS": "green", "WAIVED": "cyan", "CONCERNS": "yellow", "FAIL": "red", None: "magenta"}


def run_with_summary(
    folder: Path, out: Path, *, policy: Path | None = None, strict_inputs: bool = True, console: Console | None = None
) -> EvaluationRun:
    """Open, run, write and summarize one evaluation folder.

    Raises `FileProblem`, `StructuralFailure`, `RuntimeFault` and `OSError`; nothing is written unless every stage ran.
    """
    console = console or standard_output()
    evaluation = open_evaluation(folder, policy=policy)
    with _progress(steps_of(evaluation)) as step:
        run = run_evaluation(evaluation, strict_inputs=strict_inputs, progress=step)
    written = write_run(run, out)
    print_summary(run, console)
    console.print(f"{len(written)} artifacts in {_shown(out)}")
    return run


@contextmanager
def _progress(steps: int) -> Iterator[StepProgress]:
    """A bar on a terminal's standard error, nothing anywhere else."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:<16}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("open", total=steps)

        def step(name: str) -> None:
            bar.update(task, description=escape(name), advance=1)

        yield step


def print_summary(run: EvaluationRun, console: Console) -> None:
    """What the run came to: pre-flight, verdict and outcomes of each arm, strength of each class."""
    evaluation = run.evaluation
    passed = "passed" if run.preflight.passed else "FAILED"
    console.print(f"{_shown(run.contract.contract_id)}: pre-flight {passed}, {len(run.preflight.checks)} checks")
    if evaluation.corpus_digest_computed:
        console.print(f"corpus digest computed over the probe files: {evaluation.corpus_digest}")
    console.print(_arm_table(run))
    for arm in run.arms:
        for reason, times in Counter(arm.score.ladder.basis).items():
            often = f" ({times} times)" if times > 1 else ""
            console.print(f"  {arm.arm.probe.probe_id}: {_shown(reason)}{often}")
        for failure in arm.score.qualification.failures:
            console.print(f"  {arm.arm.probe.probe_id}: unqualified: {failure.code}: {_shown(failure.detail)}")
    _print_strength(run, console)


def _arm_table(run: EvaluationRun) -> Table:
    table = Table("probe", "class", "trials", "verdict", "outcomes", "caught", box=None, header_style="bold")
    for result in run.arms:
        probe, ladder, evidence = result.arm.probe, result.score.ladder, result.evidence
        verdict = ladder.verdict or "INVALID"
        states: dict[str, int] = {}
        for outcome in evidence.outcomes if evidence else ():
            states[outcome.state] = states.get(outcome.state, 0) + 1
        caught = "-"
        if evidence and not probe.expected_clean:
            caught = "yes" if any(reduced.caught for reduced in evidence.reduced_probe_outcomes) else "no"
        table.add_row(
            probe.probe_id,
            "clean control" if probe.expected_clean else probe.probe_class,
            str(len(result.arm.records)),
            f"[{_STYLES[ladder.verdict]}]{verdict}[/]",
            ", ".join(f"{count} {state}" for state, count in sorted(states.items())),
            caught,
        )
    return table


def _print_strength(run: EvaluationRun, console: Console) -> None:
    invalid = [arm.arm.probe.probe_id for arm in run.arms if arm.evidence is None]
    if invalid:
        console.print(f"[magenta]not in the strength below, because invalid: {', '.join(invalid)}[/]")
    if run.strength_refusal is not None:
        refusal = run.strength_refusal
        console.print(f"no strength: {refusal.code}: {_shown(refusal.detail)}")
        return
    if run.strength is None:
        console.print("no strength: no arm left evidence")
        return
    table = Table("strength", "caught", "exercised", "rate", "comparable", "floor", box=None, header_style="bold")
    classes, decisions = run.strength.classes, run.strength.floor_decisions
    for name in ("defect", "gameability", "zero_action"):
        measured, decision = getattr(classes, name), getattr(decisions, name)
        floor = "none declared" if decision.floor is None else f"{decision.floor:g}: {decision.decision}"
        cells = ("-", "-", "-", "-")
        if measured is not None:
            rate = "-" if measured.rate is None else f"{measured.rate:.0%}"
            cells = (str(measured.caught), str(measured.exercised), rate, "yes" if measured.comparable else "no")
        table.add_row(name.replace("_", "-"), *cells, floor)
    console.print(table)


def _shown(value: object) -> str:
    return escape(printable(str(value)))
