"""Evaluating with a command: N trials through the gateway, sealed into files that the score stage reads."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, get_args

from evalnb.engine.artifacts import (
    EVALUATOR_CONFIGURATION,
    ISOLATION_MANIFEST,
    SEALED_EVALUATOR_BRIEF,
    SEALED_RUN_RECORD,
    EvalContract,
    SealedEvaluatorBrief,
    read,
)
from evalnb.engine.artifacts.primitives import ProbeId
from evalnb.engine.artifacts.text import Matching
from evalnb.engine.canonical import digest_artifact, digest_bytes, scan_json, serialize_artifact
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import EvaluationFailure, RuntimeFault, StructuralFailure
from evalnb.engine.json_values import Json
from evalnb.engine.score.quotations import audit_quotations
from evalnb.engine.seal import seal
from evalnb.files import FileProblem, read_file, write_bytes_atomically, write_text_atomically
from evalnb.harness.gateway.sealing import Evaluator, Papers, digest_of_command
from evalnb.harness.gateway.trial import Command, EvaluatorTrial, run_trial, trial_without_system
from evalnb.harness.measured_targets import MeasuredTargets
from evalnb.own_loop import finished

_BESIDE: Final = ("contract.json", "eval-contract.json")
_RECORDS: Final = "sealed-run-record"
_MINUTE: Final = 60
_PROBE_ID: Final[Matching] = get_args(ProbeId)[1]


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """How an evaluation goes about it. `seconds` is a trial's time; the contract's budget where it is None or longer.

    `variables` are the environment variables of this process that the command may see. `probe_id` names what was
    planted in the system, or that nothing was, and `run_id` the run of the pre-flight that goes with it.
    """

    trials: int = 3
    seconds: float | None = None
    variables: tuple[str, ...] = ()
    probe_id: str = "P-001"
    run_id: str | None = None
    evaluator: str | None = None
    model: str = "not stated"
    on_trial: Callable[[EvaluatorTrial], None] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EvaluatorRun:
    """All trials of one arm, and the records that were sealed; a trial with problems has none."""

    trials: tuple[EvaluatorTrial, ...]
    records: tuple[Path, ...]
    folder: Path


class UnusableOption(ValueError):
    """An option of an evaluation that no sealed record can hold."""


class EvaluationStopped(KeyboardInterrupt):
    """An interrupt ended the evaluation; `run` is what was sealed before it."""

    def __init__(self, run: EvaluatorRun) -> None:
        super().__init__(f"stopped; {len(run.records)} trials are sealed in {run.folder}")
        self.run = run


def contract_of(brief: SealedEvaluatorBrief, named: Path | None, beside: Path) -> EvalContract:
    """The contract that a brief was sealed from: `named`, or one in the folder `beside`. Raises `FileProblem`.

    The gateway needs it, because a brief names interfaces and none of their operations; the evaluator never sees it.
    """
    for path in [named] if named is not None else [beside / name for name in _BESIDE]:
        if named is None and not path.is_file():
            continue
        try:
            contract = compile_contract(scan_json(read_file(path, "the evaluation contract"), "EvalContract"))
        except StructuralFailure:
            if named is not None:
                raise
            continue
        if digest_artifact(seal(contract).document, "b") == digest_artifact(brief.document, "b"):
            return contract
        if named is not None:
            raise FileProblem(path, "is not the contract that the brief was sealed from")
    raise FileProblem(beside, "holds no contract that the brief was sealed from; name it with --contract")


def read_brief(path: Path) -> SealedEvaluatorBrief:
    """The sealed brief at `path`. Raises `FileProblem`, and StructuralFailure for any other content."""
    brief: SealedEvaluatorBrief = read(
        SEALED_EVALUATOR_BRIEF, scan_json(read_file(path, "the sealed brief"), "SealedEvaluatorBrief")
    )
    return brief


def run_evaluator(
    contract: EvalContract,
    brief: SealedEvaluatorBrief,
    targets: MeasuredTargets,
    argv: Iterable[str],
    out: Path,
    options: EvaluateOptions,
) -> EvaluatorRun:
    """Run the command over N trials and seal what it found into `out`.

    An evaluator that hangs, dies, writes nothing that can be used or cites what never happened costs that trial: no
    record of it is sealed. So does a system that cannot be started again. Raises RuntimeFault for one that cannot be
    started at all, `FileProblem` where `out` holds records already, `UnusableOption` before anything is started, and
    `EvaluationStopped` for an interrupt: it ends the trial that is under way, and those before it are sealed.
    """
    _check_empty(out)
    _check_options(options)
    longest = contract.budgets.max_wall_clock_minutes * _MINUTE
    seconds = longest if options.seconds is None else min(options.seconds, longest)
    command = Command(tuple(map(_found_here, argv)), options.variables, seconds)
    identity = options.evaluator or f"the command {Path(command.argv[0]).name}"
    run_id = options.run_id or f"evaluate-{contract.contract_id}"
    digest = digest_of_command(command.argv)
    papers = Papers(contract, brief, Evaluator(identity, options.model), command, digest, options.probe_id, run_id)
    trials: list[EvaluatorTrial] = []
    try:
        for number in range(1, options.trials + 1):
            trials.append(_one_trial(papers, targets, number))
            if options.on_trial is not None:
                options.on_trial(trials[-1])
    except KeyboardInterrupt:
        raise EvaluationStopped(EvaluatorRun(tuple(trials), _written(papers, trials, out), out)) from None
    return EvaluatorRun(tuple(trials), _written(papers, trials, out), out)


def _one_trial(papers: Papers, targets: MeasuredTargets, number: int) -> EvaluatorTrial:
    try:
        return _witnessed(papers, finished(run_trial(papers.contract, papers.brief, targets, papers.command, number)))
    except RuntimeFault as fault:
        # A system that never started is a wrong targets file; one that did costs this trial.
        if number == 1:
            raise
        return trial_without_system(number, f"{fault.code}: {fault.detail}")


def _found_here(word: str) -> str:
    """A word of the command; one that names a file here is made absolute, because the command runs elsewhere."""
    return os.path.abspath(word) if os.path.isfile(word) else word


def _witnessed(papers: Papers, trial: EvaluatorTrial) -> EvaluatorTrial:
    """The trial, with the quotations that stand in no cited call as its problems."""
    if trial.findings is None:
        return trial
    nothing = _reference("", b"")
    try:
        record = read(SEALED_RUN_RECORD, papers.record(trial, nothing, nothing))
        serialize_artifact(record.document, "SealedRunRecord")
    except EvaluationFailure as failure:
        # A call may have carried what no record holds, such as half a character.
        return replace(trial, findings=None, problems=(f"no record can be made: {failure}",))
    problems = tuple(
        f"findings/{int(one.finding_id.removeprefix('F-')) - 1}: no cited call has {json.dumps(one.quote[:80])} "
        f"in its {one.channel}"
        for one in audit_quotations(record)
    )
    return replace(trial, findings=None, problems=problems) if problems else trial


def _check_options(options: EvaluateOptions) -> None:
    """A probe's id becomes part of file names, and all of these part of every record."""
    if not _PROBE_ID.accepts(options.probe_id):
        raise UnusableOption(f"the probe {json.dumps(options.probe_id)} is no probe's id; write one such as P-001")
    said = {"run id": options.run_id, "evaluator": options.evaluator, "model": options.model}
    for name, text in said.items():
        if text is not None and (not text or text.encode("utf-8", "replace").decode() != text):
            raise UnusableOption(f"the {name} {json.dumps(text)} cannot be written down; give text of UTF-8 characters")


def _check_empty(out: Path) -> None:
    if out.is_dir() and any(out.glob(f"{_RECORDS}*.json")):
        raise FileProblem(out, "holds sealed run records already; name another folder")


def _written(papers: Papers, trials: list[EvaluatorTrial], out: Path) -> tuple[Path, ...]:
    for trial in trials:
        write_bytes_atomically(out / "output" / f"trial-{trial.number}.stdout.txt", trial.stdout)
        write_bytes_atomically(out / "output" / f"trial-{trial.number}.stderr.txt", trial.stderr)
    usable = [trial for trial in trials if trial.findings is not None]
    if not usable:
        return ()
    configuration = read(EVALUATOR_CONFIGURATION, papers.configuration).document
    manifest = read(ISOLATION_MANIFEST, papers.manifest(usable)).document
    _write(out / "contract.json", papers.contract.document, "EvalContract")
    _write(out / "sealed-evaluator-brief.json", papers.brief.document, "SealedEvaluatorBrief")
    _write(out / "evaluator-configuration.json", configuration, "EvaluatorConfiguration")
    named = _write(out / "isolation-manifest.json", manifest, "IsolationManifest")
    written = []
    for trial in usable:
        name = f"recordings/{papers.probe_id}-trial-{trial.number}.json"
        actions = _write(out / name, _actions(trial), "actions", name)
        record = read(SEALED_RUN_RECORD, papers.record(trial, actions, named)).document
        path = out / f"{_RECORDS}-{papers.probe_id}-{trial.number}.json"
        _write(path, record, "SealedRunRecord")
        written.append(path)
    return tuple(written)


def _actions(trial: EvaluatorTrial) -> Json:
    """Everything that was asked of the gateway, what came to nothing included."""
    return {
        "calls": [dict(one) for one in trial.observations],
        "refused": list(trial.refused),
        "failed": [str(one) for one in trial.failed],
    }


def _write(path: Path, document: Json, artifact: str, name: str | None = None) -> dict[str, Any]:
    text = serialize_artifact(document, artifact)
    write_text_atomically(path, text)
    return _reference(name or path.name, text.encode("utf-8"))


def _reference(path: str, data: bytes) -> dict[str, Any]:
    return {"storage": "public", "path": path or "-", "privateRef": None, "digest": digest_bytes(data)}
