"""`evalnb trajectory`: import traces, make and lint cases, grade runs, gate a release."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalnb.cli.stderr_lines import printable
from evalnb.files import FileProblem, read_file, write_text_atomically

if TYPE_CHECKING:
    from evalnb.trajectory.cases import Suite
    from evalnb.trajectory.grade_files import GradedRuns
    from evalnb.trajectory.redaction import Redactor

FILE = click.Path(path_type=Path)


@click.group()
def trajectory() -> None:
    """Grade whole runs of tool-using agents."""


def _redaction(command: click.decorators.FC) -> click.decorators.FC:
    """The option by which runs keep comparable stand-ins from one command to the next."""
    return click.option(
        "--redaction-key",
        "key_file",
        type=FILE,
        help="File whose bytes key the stand-ins of redacted values; without it they hold within this command only.",
    )(command)


def _own_graders(command: click.decorators.FC) -> click.decorators.FC:
    """The option that lets graders of somebody's own take part."""
    return click.option(
        "--graders",
        multiple=True,
        metavar="FILE|MODULE",
        callback=_load_graders,
        expose_value=False,
        help="Python that registers graders of your own: a file (.py) or a module. It is run.",
    )(command)


def _load_graders(context: click.Context, parameter: click.Parameter, named: tuple[str, ...]) -> None:
    if not named:
        return
    from evalnb.trajectory.grader_files import GraderProblem, load_graders

    for one in named:
        try:
            load_graders(one)
        except GraderProblem as problem:
            raise click.UsageError(str(problem)) from None


@trajectory.command("import")
@click.argument("trace", type=FILE)
@click.option("--out", required=True, type=FILE, help="File for the imported runs (.jsonl).")
@click.option("--format", "format_name", help="The trace's format, where telling it from the file fails.")
@_redaction
def import_(trace: Path, out: Path, format_name: str | None, key_file: Path | None) -> None:
    """Read a TRACE of any known format, redact it, and write its runs as evalnb lines."""
    from evalnb.trajectory.loading import stream, write_lines

    opened = stream(trace, format=format_name, redact=_redactor(key_file))
    write_lines(opened, out)
    _say(opened.report.lines())
    click.echo(out)


@trajectory.command()
@click.option("--from-tau", "runs", required=True, type=FILE, help="tau-bench runs with their ground-truth actions.")
@click.option("--tools", type=FILE, help="The tools' schemas, as chat requests or MCP servers list them.")
@click.option(
    "--change",
    "changes",
    multiple=True,
    help="A tool that changes state.  [default: those the tools' file marks; else all but get_, list_, search_ ...]",
)
@click.option("--out", required=True, type=FILE, help="File for the suite (.json, .yaml).")
def cases(runs: Path, tools: Path | None, changes: tuple[str, ...], out: Path) -> None:
    """Make a suite of cases from runs that carry their ground truth."""
    from evalnb.trajectory.case_files import write_suite
    from evalnb.trajectory.tau_cases import tau_suite

    made = tau_suite(runs, tools, changes=changes)
    write_suite(made.suite, out)
    _say([f"{len(made.suite.cases)} cases over {len(made.suite.tools)} tools, from {made.runs} runs"])
    _say([f"  change state: {', '.join(made.changing) or 'none'}"])
    if made.without_truth:
        _say([f"  {made.without_truth} runs name no ground truth and gave no case"])
    click.echo(out)


@trajectory.command()
@click.argument("suite", type=FILE)
def lint(suite: Path) -> int:
    """What is wrong or weak about a SUITE of cases; exits 1 when there is an error."""
    from evalnb.trajectory.case_files import read_suite
    from evalnb.trajectory.suite_lint import lint_suite

    issues = lint_suite(read_suite(suite))
    _say(f"{issue.level}: {issue.code}: {issue.case_id or 'suite'}: {issue.detail}" for issue in issues)
    return 1 if any(issue.level == "error" for issue in issues) else 0


@trajectory.command()
@click.argument("runs", type=FILE)
@click.option("--cases", "suite_file", type=FILE, help="The suite the runs are graded against.")
@click.option("--out", type=FILE, help="File for the graded runs: what a gate reads and a baseline is.")
@click.option("--sarif", type=FILE, help="File for all findings as SARIF.")
@click.option("--label", help="A label of the runs to compare the graders' outcome with, such as reward.")
@click.option("--slice", "slice_by", multiple=True, help="A slice key to show.  [default: all]")
@_own_graders
@_redaction
def grade(
    runs: Path,
    suite_file: Path | None,
    out: Path | None,
    sarif: Path | None,
    label: str | None,
    slice_by: tuple[str, ...],
    key_file: Path | None,
) -> None:
    """Grade RUNS (a trace, or a folder of traces) layer by layer and print the scorecard."""
    from evalnb.trajectory.grade_files import write_grades
    from evalnb.trajectory.label_agreement import label_agreement
    from evalnb.trajectory.scorecard import scorecard
    from evalnb.trajectory.scorecard_text import scorecard_lines

    graded = _graded(runs, _suite(suite_file), _redactor(key_file))
    card = scorecard(graded.grades, slice_by=slice_by or None, label=label)
    if out is not None:
        write_grades(graded, out)
    if sarif is not None:
        from evalnb.trajectory.gate_output import findings_sarif

        write_text_atomically(sarif, findings_sarif(graded))
    _say(scorecard_lines(card, label_agreement(graded.grades, label) if label is not None else None))


@trajectory.command()
@click.option("--labels", required=True, type=FILE, help="What people said of runs, as the labelling widget saves it.")
@click.option("--grades", required=True, type=FILE, help="Graded runs, as `grade --out` writes them.")
@click.option("--grader", "name", required=True, help="The grader to calibrate.")
@click.option("--version", help="The grader's version.  [default: the one that the grades name, or 1]")
@click.option("--passed", metavar="LABEL", help="The label that stands for no finding.  [default: the first of two]")
@click.option("--failed", metavar="LABEL", help="The label that stands for a finding.  [default: the second of two]")
@click.option("--before", type=FILE, help="The calibration of an older version, to show how the grader moved.")
@click.option("--out", required=True, type=FILE, help="File for the calibration: what `gate --calibration` reads.")
def calibrate(
    labels: Path,
    grades: Path,
    name: str,
    version: str | None,
    passed: str | None,
    failed: str | None,
    before: Path | None,
    out: Path,
) -> None:
    """Hold a grader against people's labels, and write how far it agrees."""
    from evalnb.trajectory.calibration import drift
    from evalnb.trajectory.calibration_files import labelled_by_grade, read_labelled, write_calibration
    from evalnb.trajectory.gate import shown
    from evalnb.trajectory.grade_files import read_grades
    from evalnb.trajectory.human_labels import read_labels

    older = None if before is None else read_labelled(before)
    graded = read_grades(grades)
    judged_as = graded.graders.get(name)
    version = version or judged_as or "1"
    if judged_as is not None and version != judged_as:
        raise click.UsageError(f"{name} judged these runs as version {judged_as}, and not as version {version}")
    try:
        labelled = labelled_by_grade(graded.grades, read_labels(labels), name, passed, failed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    held = write_calibration(labelled, name, version, out)
    _say([f"{name} version {version}: agrees with people on {shown(held.agreement)}"])
    if held.kappa is None or held.kappa_low is None or held.kappa_high is None:
        _say(["  kappa: not defined, there is one label only"])
    else:
        _say([f"  kappa: {held.kappa:.2f} [{held.kappa_low:.2f}, {held.kappa_high:.2f}]"])
    _say(f"  people said {cell.human}, the grader {cell.grader}: {cell.count}" for cell in held.confusion if cell.count)
    _say(f"  {row.key} = {row.value}: {shown(row.agreement)}" for row in held.slices)
    _say(f"  differs: {one.run_id}: people {one.human}, the grader {one.grader}" for one in held.disagreements)
    if older is not None:
        moved = drift(older[2], labelled)
        _say([f"  since version {older[1]}: {moved.told}"])
    click.echo(out)


@trajectory.command()
@click.option("--policy", required=True, type=FILE, help="The gate policy (.yaml, .json).")
@click.option("--runs", required=True, type=FILE, help="Graded runs, or traces to grade with --cases.")
@click.option("--cases", "suite_file", type=FILE, help="The suite, where --runs are traces.")
@click.option("--baseline", type=FILE, help="Graded runs of the release to compare with.")
@click.option("--calibration", "calibrations", multiple=True, type=FILE, help="How a grader agrees with people.")
@click.option("--production", is_flag=True, help="Judge sampled production runs by the rollback thresholds.")
@click.option("--json", "as_json", type=FILE, help="File for the decision as JSON.")
@click.option("--junit", type=FILE, help="File for the decision as JUnit XML.")
@click.option("--sarif", type=FILE, help="File for all findings as SARIF.")
@_own_graders
@_redaction
def gate(
    policy: Path,
    runs: Path,
    suite_file: Path | None,
    baseline: Path | None,
    calibrations: tuple[Path, ...],
    production: bool,
    as_json: Path | None,
    junit: Path | None,
    sarif: Path | None,
    key_file: Path | None,
) -> int:
    """Judge a release: exits 0 pass, 1 needs review, 2 blocked, 3 not measurable."""
    from evalnb.trajectory.calibration_files import read_calibration
    from evalnb.trajectory.gate import judge
    from evalnb.trajectory.gate_output import decision_json, decision_junit, findings_sarif
    from evalnb.trajectory.gate_policy import read_policy
    from evalnb.trajectory.grade_files import read_grades

    rules = read_policy(policy)
    graded = _graded_or_read(runs, _suite(suite_file), key_file)
    older = read_grades(baseline) if baseline is not None else None
    agreements = [read_calibration(path) for path in calibrations]
    decision = judge(rules, graded, baseline=older, calibrations=agreements, production=production)
    for path, text in ((as_json, decision_json), (junit, decision_junit)):
        if path is not None:
            write_text_atomically(path, text(decision))
    if sarif is not None:
        write_text_atomically(sarif, findings_sarif(graded, decision))
    _say([f"{decision.outcome}: {decision.policy} version {decision.policy_version}, {decision.runs} runs"])
    for reason in decision.reasons:
        named = f" ({', '.join(reason.runs)})" if reason.runs else ""
        _say([f"  {reason.outcome}: {reason.rule}: {reason.detail}{named}"])
    _say([f"  owners: {', '.join(decision.owners)}"])
    return decision.exit_code


def _graded_or_read(runs: Path, suite: Suite | None, key_file: Path | None) -> GradedRuns:
    from evalnb.trajectory.grade_files import FORMAT, read_grades

    if runs.is_file():
        with runs.open("rb") as file:
            if FORMAT.encode() in file.read(200):
                return read_grades(runs)
    return _graded(runs, suite, _redactor(key_file))


def _graded(runs: Path, suite: Suite | None, redact: Redactor) -> GradedRuns:
    from evalnb.trajectory.grade_files import graded_runs
    from evalnb.trajectory.grading import grade_each
    from evalnb.trajectory.loading import stream, trace_files

    opened = [stream(file, redact=redact) for file in trace_files(runs)]
    grades = tuple(one for source in opened for one in grade_each(source, suite, redact=redact))
    for source in opened:
        click.echo("\n".join(printable(line) for line in source.report.lines()), err=True)
    return graded_runs(grades, suite)


def _suite(path: Path | None) -> Suite | None:
    from evalnb.trajectory.case_files import read_suite

    return None if path is None else read_suite(path)


def _redactor(key_file: Path | None) -> Redactor:
    from evalnb.trajectory.redaction import redactor

    if key_file is None:
        return redactor()
    try:
        return redactor(read_file(key_file, "the key of redaction").strip())
    except ValueError as error:
        raise FileProblem(key_file, str(error)) from None


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
