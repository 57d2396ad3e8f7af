"""The commands beside the stages: a click group whose failures print and exit like those of the stages."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Final

import click

from evalnb.cli import exit_codes
from evalnb.cli.conformance_command import conformance
from evalnb.cli.evaluate_command import evaluate
from evalnb.cli.init_command import init
from evalnb.cli.listened_to import listened_to
from evalnb.cli.measure_command import measure
from evalnb.cli.probe_command import probe
from evalnb.cli.record_command import record
from evalnb.cli.replay_command import replay
from evalnb.cli.report_command import report
from evalnb.cli.serve_command import serve_mcp
from evalnb.cli.stderr_lines import PROGRAM, failure_text, printable, unexpected_line, usage_line
from evalnb.cli.trajectory_command import trajectory
from evalnb.engine.faults import AggregationRefusal, EvaluationFailure, StructuralFailure
from evalnb.files import FileProblem, write_text_atomically
from evalnb.reporting.failures import CellFailure
from evalnb.trajectory.grader_failure import GraderFailure

SHOW_TRACEBACK: Final = "EVALNB_TRACEBACK"


def run_own_command(argv: list[str]) -> int:
    """Run one of our own commands and return its exit code."""
    try:
        with listened_to():
            code = group.main(args=argv, prog_name=PROGRAM, standalone_mode=False)
        return code if isinstance(code, int) else exit_codes.OK
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as problem:
        return _usage(problem.format_message())
    except FileProblem as problem:
        return _usage(str(problem))
    except EvaluationFailure as failure:
        _say(failure_text(failure))
        structural = isinstance(failure, (StructuralFailure, AggregationRefusal))
        return exit_codes.STRUCTURAL if structural else exit_codes.FAULT
    except CellFailure as failure:
        _say(f"{PROGRAM}: report: {failure}")
        return exit_codes.FAULT
    except GraderFailure as failure:
        _say(f"{PROGRAM}: trajectory: {failure}")
        return exit_codes.FAULT
    except OSError as error:
        _say(unexpected_line(error))
        return exit_codes.FAULT
    except (click.Abort, KeyboardInterrupt):
        _say(f"{PROGRAM}: interrupted")
        return 130
    except Exception as error:  # noqa: BLE001
        # An exit code of a decision, such as the gate's, must never be one of a crash.
        if os.environ.get(SHOW_TRACEBACK):
            traceback.print_exc()
        _say(f"{unexpected_line(error)}; this is a fault of {PROGRAM}: set {SHOW_TRACEBACK}=1 to see where")
        return exit_codes.FAULT


def _usage(message: str) -> int:
    _say(usage_line(message))
    return exit_codes.USAGE


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr)  # noqa: T201


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def group() -> None:
    """Measure evaluations."""


EXISTING_FOLDER = click.Path(path_type=Path)


@group.command()
@click.option("--out", "folder", required=True, type=click.Path(path_type=Path), help="Folder for the documents.")
def schemas(folder: Path) -> None:
    """Write the JSON Schema of every artifact, and of an evaluator's findings, as <kind>.schema.json."""
    from evalnb.engine.artifacts.json_schema import json_schemas, schema_text
    from evalnb.harness.gateway.findings import findings_schema

    for name, document in {**json_schemas(), "evaluator-findings": findings_schema()}.items():
        path = folder / f"{name}.schema.json"
        write_text_atomically(path, schema_text(document))
        click.echo(path)


@group.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """What a failure CODE means and how to mend it; without a code, the list of all codes."""
    from evalnb.cli.explain_page import code_list, explanation_page

    click.echo(explanation_page(code) if code else code_list())


@group.command()
@click.argument("contract", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def coverage(contract: Path, as_json: bool) -> None:
    """What the oracles of a CONTRACT look at, and what they leave unseen, by discipline rule."""
    from evalnb.cli.coverage_page import print_coverage

    print_coverage(contract, as_json=as_json)


@group.command()
@click.argument("folder", type=EXISTING_FOLDER)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the artifacts.  [default: FOLDER/out]")
@click.option("--policy", type=click.Path(path_type=Path), help="A scoring policy to use in place of the folder's.")
@click.option("--no-strict-inputs", is_flag=True, help="Let undeclared inputs and witnesses pass.")
def run(folder: Path, out: Path | None, policy: Path | None, no_strict_inputs: bool) -> int:
    """Run a whole evaluation FOLDER, from contract to strength, and exit with its worst verdict's code."""
    from evalnb.cli.run_summary import run_with_summary

    finished = run_with_summary(folder, out or folder / "out", policy=policy, strict_inputs=not no_strict_inputs)
    return finished.exit_code


@group.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True, help="Folder for everything."
)
@click.option("--no-report", is_flag=True, help="Stop after the artifacts; write no HTML report.")
def demo(out: Path, no_report: bool) -> None:
    """Run the packaged example from contract to report; exits 0 whatever its verdicts are."""
    from evalnb.cli.demo import run_demo

    run_demo(out, with_report=not no_report)


group.add_command(conformance)
group.add_command(record)
group.add_command(replay)
group.add_command(report)
group.add_command(probe)
group.add_command(trajectory)
group.add_command(serve_mcp)
group.add_command(init)
group.add_command(measure)
group.add_command(evaluate)
