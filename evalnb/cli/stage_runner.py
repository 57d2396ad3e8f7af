"""Runs one stage command: arguments, inputs, one call into the engine, artifact, exit code (spec: 08 §4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalnb.cli import exit_codes
from evalnb.cli.arguments import GRAMMARS, Help, Run, UsageError, Version, parse_arguments
from evalnb.cli.environment import Environment, path_problem
from evalnb.cli.exit_codes import ArtifactWritten, Outcome, PreflightReached, VerdictReached, exit_code_of
from evalnb.cli.stage_inputs import StageInputs, read_inputs
from evalnb.cli.stage_output import collision, target_file
from evalnb.cli.stderr_lines import (
    diagnostic_line,
    failure_text,
    finding_line,
    invalid_line,
    printable,
    unexpected_line,
    usage_line,
)
from evalnb.engine.canonical import serialize_artifact
from evalnb.engine.faults import AggregationRefusal, EvaluationFailure, RuntimeFault, StructuralFailure
from evalnb.engine.json_values import Json

if TYPE_CHECKING:
    from evalnb.engine.port_seam import Diagnostic


class UsageProblem(Exception):
    """A usage error that only shows once the inputs are read."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage call came to; `document` is `None` when there is no artifact to write."""

    outcome: Outcome
    document: Json


def run_stage_command(argv: list[str], environment: Environment) -> int:
    """Run `argv` against `environment` and return the exit code; every message goes to standard error."""
    arguments = parse_arguments(argv)
    if isinstance(arguments, Run):
        return _run(arguments, environment)
    if isinstance(arguments, UsageError):
        environment.write_stderr(usage_line(printable(arguments.message)))
        return exit_codes.USAGE
    if isinstance(arguments, Version):
        from evalnb.version import __version__

        environment.write_stdout(__version__ + "\n")
        return exit_codes.OK
    assert isinstance(arguments, Help)
    from evalnb.cli.help_text import help_page

    environment.write_stdout(help_page(arguments.command) + "\n")
    return exit_codes.OK


def _run(run: Run, environment: Environment) -> int:
    try:
        message = collision(run, environment)
        if message is not None:
            raise UsageProblem(message)
        result = STAGE_CALLS[run.command](run, read_inputs(run, environment), environment)
        _write(run, result.document, environment)
        return exit_code_of(result.outcome, strict=run.strict)
    except UsageProblem as problem:
        environment.write_stderr(usage_line(printable(str(problem))))
        return exit_codes.USAGE
    except EvaluationFailure as failure:
        environment.write_stderr(printable(failure_text(failure)))
        return _failure_code(failure)
    except OSError as error:
        return _report_os_error(error, environment)
    except Exception:  # noqa: BLE001
        # A defect of this program, not of its input: the traceback is what its maintainers need.
        import traceback

        environment.write_stderr(traceback.format_exc().rstrip("\n"))
        return exit_codes.FAULT


def _failure_code(failure: EvaluationFailure) -> int:
    match failure:
        case StructuralFailure() | AggregationRefusal():
            return exit_codes.STRUCTURAL
        case RuntimeFault():
            return exit_codes.FAULT
    raise TypeError(f"{type(failure).__name__} has no exit code")


def _report_os_error(error: OSError, environment: Environment) -> int:
    problem = path_problem(error)
    if problem is None:
        environment.write_stderr(printable(unexpected_line(error)))
        return exit_codes.FAULT
    environment.write_stderr(usage_line(printable(problem.message)))
    return exit_codes.USAGE


def _write(run: Run, document: Json, environment: Environment) -> None:
    if document is None:
        return
    text = serialize_artifact(document, GRAMMARS[run.command].artifact_name)
    target = target_file(run.command, run.out)
    if target is None:
        environment.write_stdout(text)
    else:
        environment.write_text(target, text)


def _compile(run: Run, inputs: StageInputs, environment: Environment) -> StageResult:
    from evalnb.engine.compile import compile_contract

    contract = compile_contract(inputs["in"], strict_inputs=run.strict_inputs)
    return StageResult(ArtifactWritten(), contract.document)


def _seal(run: Run, inputs: StageInputs, environment: Environment) -> StageResult:
    from evalnb.engine.seal import seal

    brief = seal(inputs["in"], strict_inputs=run.strict_inputs)
    return StageResult(ArtifactWritten(), brief.document)


def _preflight(run: Run, inputs: StageInputs, environment: Environment) -> StageResult:
    from evalnb.engine.preflight import preflight_from_observations

    def sink(diagnostic: Diagnostic) -> None:
        line = diagnostic_line(diagnostic.stage, diagnostic.run_id, diagnostic.message)
        environment.write_stderr(printable(line))

    verdict = preflight_from_observations(
        inputs["contract"], inputs["probes"], run.run_id or "", inputs["observations"], sink
    )
    return StageResult(PreflightReached(verdict.passed), verdict.document)


def _score(run: Run, inputs: StageInputs, environment: Environment) -> StageResult:
    from evalnb.adapters.local_corpus import score_with_corpus
    from evalnb.engine.score.designation import DesignatedOracleRefusal
    from evalnb.engine.scoring import ScoreInputs, run_score

    records = inputs.repeated["record"]
    if run.corpus_root is None and _needs_corpus(records, inputs["private-manifest"]):
        raise UsageProblem(
            "--corpus-root is required to resolve a --private-manifest entry"
            " or a private-storage isolationManifestArtifact reference"
        )
    given = ScoreInputs(
        record=records,
        manifest=inputs["isolation-manifest"],
        configuration=inputs["evaluator-configuration"],
        contract=inputs["contract"],
        probe=inputs["probe"],
        preflight_verdict=inputs["preflight-verdict"],
        policy=inputs["policy"],
        private_manifest=inputs["private-manifest"],
        corpus_digest=run.corpus_digest,
        designated_oracle_id=run.designated_oracle,
    )
    try:
        result = run_score(given) if run.corpus_root is None else score_with_corpus(given, run.corpus_root)
    except DesignatedOracleRefusal as refusal:
        raise UsageProblem(str(refusal)) from refusal
    for failure in result.qualification.failures:
        environment.write_stderr(printable(finding_line(failure.code, failure.artifact_path, failure.detail)))
    ladder = result.ladder
    if ladder.verdict is None:
        for reason in ladder.basis:
            environment.write_stderr(printable(invalid_line(reason)))
    return StageResult(
        VerdictReached(ladder.verdict, ladder.exit_code, ladder.strict_promotable),
        result.artifact.document if result.artifact is not None else None,
    )


def _needs_corpus(records: list[Json], private_manifest: Json) -> bool:
    """Whether some input names private bytes, judged on unvalidated JSON: an odd shape is left to the real parse."""
    entries = private_manifest.get("entries") if isinstance(private_manifest, dict) else None
    if isinstance(entries, list) and entries:
        return True
    return any(
        isinstance(record, dict)
        and isinstance(reference := record.get("isolationManifestArtifact"), dict)
        and reference.get("storage") == "private"
        for record in records
    )


def _aggregate(run: Run, inputs: StageInputs, environment: Environment) -> StageResult:
    from evalnb.engine.aggregate import aggregate_strength

    aggregate = aggregate_strength(inputs.repeated["evidence"], inputs["floors"], inputs["policy"])
    return StageResult(ArtifactWritten(), aggregate.document)


STAGE_CALLS: dict[str, Callable[[Run, StageInputs, Environment], StageResult]] = {
    "compile": _compile,
    "seal": _seal,
    "preflight": _preflight,
    "score": _score,
    "aggregate-strength": _aggregate,
}
