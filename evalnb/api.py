"""The public functions: each takes a path, a dict or a model, calls one stage and returns its artifact.

A contract that is already an `EvalContract` is taken as compiled. Failures are the stages' own: `StructuralFailure`
for an author's mistake, `RuntimeFault` for a run that could not be done, `FileProblem` for a path that cannot be read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from evalnb.engine.canonical import digest_artifact, scan_json
from evalnb.files import read_file

if TYPE_CHECKING:
    from evalnb.engine.artifacts import (
        CheckResolution,
        EvalContract,
        EvidenceArtifact,
        PreflightVerdict,
        SealedEvaluatorBrief,
        StrengthAggregate,
    )
    from evalnb.engine.artifacts.model import Artifact
    from evalnb.engine.coverage import CoverageReport
    from evalnb.engine.port_seam import DiagnosticSink
    from evalnb.engine.score.dominance import Dominance
    from evalnb.engine.scoring import ScoreResult
    from evalnb.evaluation import EvaluationRun
    from evalnb.evaluation.run import Progress
    from evalnb.probing import LiveTargets, ProbeOptions, ProbeRun
    from evalnb.probing.drive import OnLeg

Source: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Artifact"
"""A path to a JSON file, a parsed document, or a model."""

ListSource: TypeAlias = "str | os.PathLike[str] | Sequence[Source]"
"""A path to a JSON file that holds a list, or a sequence of sources."""

Targets: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | LiveTargets"
"""A path to a targets file, a document of that shape, or targets already read."""

DEFAULT_STEP_BUDGET = 1_000_000


def compile(contract: Source, *, strict_inputs: bool = True) -> EvalContract:
    """Check a contract and return it compiled; `.document` is what `evalnb compile` writes (spec: 04).

    With `strict_inputs` off, undeclared inputs and missing witnesses pass.
    """
    from evalnb.engine.compile import compile_contract

    return compile_contract(_raw(contract, "EvalContract"), strict_inputs=strict_inputs)


def seal(contract: Source, *, strict_inputs: bool = True) -> SealedEvaluatorBrief:
    """The brief an evaluator may see (spec: 05)."""
    from evalnb.engine.seal import seal as seal_stage

    return seal_stage(_raw(contract, "EvalContract"), strict_inputs=strict_inputs)


def coverage(contract: Source, *, strict_inputs: bool = True) -> CoverageReport:
    """What the oracles of a contract look at, and what they leave unseen, by discipline rule (spec: 06)."""
    from evalnb.engine.coverage import coverage as coverage_stage

    return coverage_stage(compile(contract, strict_inputs=strict_inputs))


def preflight(
    contract: Source,
    probes: ListSource,
    observations: ListSource,
    *,
    run_id: str,
    sink: DiagnosticSink | None = None,
) -> PreflightVerdict:
    """Decide from recorded answers whether the environment can be measured (spec: 07).

    `probes` is the planning list, `observations` one answer for each planned leg, in any order.
    """
    from evalnb.engine.preflight import preflight_from_observations

    return preflight_from_observations(
        _raw(contract, "EvalContract"),
        _raw_list(probes, "Probe"),
        run_id,
        _raw_list(observations, "ProbeObservation"),
        sink,
    )


def probe(
    contract: Source,
    probes: ListSource,
    targets: Targets,
    *,
    run_id: str,
    save_observations: str | os.PathLike[str] | None = None,
    concurrency: int = 1,
    on_leg: OnLeg | None = None,
) -> ProbeRun:
    """Put every leg of the pre-flight plan to a live system, and judge whether it can be measured (spec: 07, 10).

    `targets` is a targets file, a document of that shape or what `evalnb.probing` read from one. What is observed
    is kept at `save_observations` as it arrives; `preflight` over it gives the same verdict. `concurrency` reads may
    be under way at once. Raises `LegFault`, a RuntimeFault that says at which leg the run ended.
    """
    from evalnb.probing import probe as probe_stage

    return probe_stage(*_live(contract, probes, targets, run_id, save_observations, concurrency, on_leg))


async def probe_async(
    contract: Source,
    probes: ListSource,
    targets: Targets,
    *,
    run_id: str,
    save_observations: str | os.PathLike[str] | None = None,
    concurrency: int = 1,
    on_leg: OnLeg | None = None,
) -> ProbeRun:
    """`probe` to be awaited."""
    from evalnb.probing import probe_live

    return await probe_live(*_live(contract, probes, targets, run_id, save_observations, concurrency, on_leg))


def _live(
    contract: Source,
    probes: ListSource,
    targets: Targets,
    run_id: str,
    save_observations: str | os.PathLike[str] | None,
    concurrency: int,
    on_leg: OnLeg | None,
) -> tuple[Any, Any, Any, str, ProbeOptions]:
    from evalnb.probing import ProbeOptions, read_live_targets

    return (
        _raw(contract, "EvalContract"),
        _raw_list(probes, "Probe"),
        read_live_targets(Path(targets)) if isinstance(targets, (str, os.PathLike)) else targets,
        run_id,
        ProbeOptions(None if save_observations is None else Path(save_observations), concurrency, on_leg=on_leg),
    )


def score(
    record: Source | Sequence[Source],
    *,
    contract: Source,
    probe: Source,
    preflight_verdict: Source,
    policy: Source,
    corpus_digest: str,
    isolation_manifest: Source | None = None,
    evaluator_configuration: Source | None = None,
    private_manifest: Source | None = None,
    corpus_root: str | os.PathLike[str] | None = None,
    designated_oracle: str | None = None,
) -> ScoreResult:
    """Score one record, or the records of one trial set, against a probe (spec: 09).

    The result holds the evidence artifact (`None` when the run is invalid), the verdict with its basis, and what the
    qualification gate says of the probe. `corpus_root` is needed only to verify private bytes, and then runs an event
    loop of its own. Raises `DesignatedOracleRefusal` for an oracle the probe cannot be scored by.
    """
    from evalnb.engine.scoring import ScoreInputs, run_score

    given = ScoreInputs(
        record=_records(record),
        manifest=_optional(isolation_manifest, "IsolationManifest"),
        configuration=_optional(evaluator_configuration, "EvaluatorConfiguration"),
        contract=_raw(contract, "EvalContract"),
        probe=_raw(probe, "Probe"),
        preflight_verdict=_raw(preflight_verdict, "PreflightVerdict"),
        policy=_raw(policy, "ScoringPolicy"),
        private_manifest=_optional(private_manifest, "PrivateArtifactManifest"),
        corpus_digest=corpus_digest,
        designated_oracle_id=designated_oracle,
    )
    if corpus_root is None:
        return run_score(given)
    from evalnb.adapters.local_corpus import score_with_corpus

    return score_with_corpus(given, corpus_root)


def aggregate_strength(evidence: ListSource, *, floors: Source | None = None, policy: Source) -> StrengthAggregate:
    """Join evidence artifacts into the strength of the contract (spec: 09 §13). Raises `AggregationRefusal` too."""
    from evalnb.engine.aggregate import aggregate_strength as aggregate_stage

    return aggregate_stage(
        _raw_documents(evidence, "EvidenceArtifact"),
        {} if floors is None else _raw(floors, "StrengthFloors"),
        _raw_document(policy, "ScoringPolicy"),
    )


def compare_dominance(a: Source, b: Source, *, severity_floor: str = "material") -> Dominance:
    """How the contract behind evidence `a` stands to the one behind `b` (spec: 09 §9.3)."""
    from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, read
    from evalnb.engine.score.dominance import DominanceSide, compare_dominance as compare_sides

    sides: list[EvidenceArtifact] = [read(EVIDENCE_ARTIFACT, _raw(source, "EvidenceArtifact")) for source in (a, b)]
    return compare_sides(DominanceSide.of(sides[0]), DominanceSide.of(sides[1]), severity_floor)


def resolve_check(
    contract: Source, oracle_id: str, record: Source, *, regex_match_step_budget: int = DEFAULT_STEP_BUDGET
) -> CheckResolution | None:
    """The resolution tree of one oracle's check over what a sealed run record observed (spec: 03).

    `None` for an oracle without a check. Raises `KeyError` for an oracle the contract does not declare.
    """
    from evalnb.engine.artifacts import EVAL_CONTRACT, SEALED_RUN_RECORD, read, resolve_observation_interfaces
    from evalnb.engine.evaluate.oracle_check import resolve_oracle_check

    model = read(EVAL_CONTRACT, _raw(contract, "EvalContract"))
    sealed = read(SEALED_RUN_RECORD, _raw(record, "SealedRunRecord"))
    observed = resolve_observation_interfaces(sealed, model)
    return resolve_oracle_check(model, oracle_id, observed.observations, regex_match_step_budget)


def digest(source: Source) -> str:
    """The digest of an artifact: of a file's JSON, of a document, or of the document a model was read from."""
    return digest_artifact(_raw_document(source, "Artifact"), "Artifact")


def run(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    policy: str | os.PathLike[str] | None = None,
    strict_inputs: bool = True,
    progress: Progress | None = None,
) -> EvaluationRun:
    """Run a whole evaluation folder; with `out`, write its artifacts there."""
    from evalnb.evaluation import open_evaluation, run_evaluation, write_run

    finished = run_evaluation(open_evaluation(folder, policy=policy), strict_inputs=strict_inputs, progress=progress)
    if out is not None:
        write_run(finished, out)
    return finished


def _raw(source: Source, artifact_path: str) -> Any:
    """What a stage is handed: a model as it is, a document as it is, a file read strictly."""
    if isinstance(source, (str, os.PathLike)):
        return scan_json(read_file(Path(source), f"the {artifact_path}"), artifact_path)
    return source


def _raw_document(source: Source, artifact_path: str) -> Any:
    raw = _raw(source, artifact_path)
    return getattr(raw, "document", raw)


def _optional(source: Source | None, artifact_path: str) -> Any:
    return None if source is None else _raw(source, artifact_path)


def _raw_list(sources: ListSource, artifact_path: str) -> Any:
    if isinstance(sources, (str, os.PathLike)):
        return _raw(sources, artifact_path)
    return [_raw(source, artifact_path) for source in sources]


def _raw_documents(sources: ListSource, artifact_path: str) -> Any:
    if isinstance(sources, (str, os.PathLike)):
        return _raw(sources, artifact_path)
    return [_raw_document(source, artifact_path) for source in sources]


def _records(record: Source | Sequence[Source]) -> Any:
    if isinstance(record, Sequence) and not isinstance(record, str):
        return [_raw(one, "SealedRunRecord") for one in record]
    return _raw(record, "SealedRunRecord")
