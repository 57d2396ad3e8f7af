"""From finished arms to the answer: probes, records, scores and strength are written, rates and survivors told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from evalnb.engine.aggregate import aggregate_strength
from evalnb.engine.artifacts import EvidenceArtifact, StrengthAggregate
from evalnb.engine.canonical import canonical_text, serialize_artifact
from evalnb.engine.faults import AggregationRefusal, RuntimeFault
from evalnb.engine.seal import seal
from evalnb.files import write_text_atomically
from evalnb.harness.arms import MutantRun
from evalnb.harness.differences import volatile_paths
from evalnb.harness.folder import MEASUREMENT, STRENGTHENED, MeasurementFolder, plain, recording_text
from evalnb.harness.judging import Judged, Judging, ScorableArm, judge, trial_reports
from evalnb.harness.measurement import Measurement, MeasurementStopped, MutantResult, Survivor
from evalnb.harness.mutants.spec import NOTHING_PLANTED, MutantSpec
from evalnb.harness.paperwork import Sealed, resource_use
from evalnb.harness.probes import CLEAN_PROBE_ID, ProbeEvidence, clean_probe_document
from evalnb.harness.rates import operation_name, rate_of, rates_by, redundant_oracles, silent_oracles
from evalnb.harness.scoring import JointPreflight, ScoringSetting, joint_preflight, score_arm, trial_records
from evalnb.harness.survivors import strengthened, survivor

_ARTIFACTS = {
    "eval-contract.json": "EvalContract",
    "sealed-evaluator-brief.json": "SealedEvaluatorBrief",
    "preflight-verdict.json": "PreflightVerdict",
    "strength-aggregate.json": "StrengthAggregate",
}


@dataclass(frozen=True, slots=True)
class Numbered:
    """A mutant with its probe id; ids follow the plan, so they do not depend on what became of a mutant."""

    spec: MutantSpec
    probe_id: str


def answer(
    around: Judging,
    sealed: Sealed,
    specs: Sequence[MutantSpec],
    folder: MeasurementFolder,
    notes: Sequence[str],
    seed: int,
    trials: int,
    out: Path | None,
) -> Measurement:
    """Judge, score and write all arms. Raises `MeasurementStopped` where the clean control itself cannot be scored."""
    numbered = [Numbered(spec, f"P-{number:03d}") for number, spec in enumerate(specs, 1)]
    writing = _Writing(around, sealed, folder)
    judged = {one.probe_id: writing.judge(one) for one in numbered}
    arms = {probe_id: one.arm for probe_id, one in judged.items() if one.arm is not None}
    fault_answer = writing.fault_answers(numbered, arms)
    joint = joint_preflight(around.contract, arms, around.clean.legs, fault_answer, sealed.run_id)
    arms = {probe_id: arm for probe_id, arm in arms.items() if probe_id not in joint.left_out}
    observed = chain(around.clean.legs, map(fault_answer, arms))
    setting = writing.paperwork(arms, joint, observed)
    evidence: list[EvidenceArtifact] = []
    evidence.append(writing.clean_control(setting))
    results: list[MutantResult] = []
    for one in numbered:
        result, artifact = writing.scored(setting, one, judged[one.probe_id], arms.get(one.probe_id), joint)
        results.append(result)
        evidence += [] if artifact is None else [artifact]
    strength, refusal = _strength(evidence, around)
    writing.artifacts(joint, evidence, strength)
    measurement = Measurement(
        contract_id=around.contract.contract_id,
        seed=seed,
        trials=trials,
        folder=out,
        clean=around.clean,
        mutants=tuple(results),
        strength=strength,
        overall=rate_of("all", results),
        by_operator=rates_by(results, lambda mutant: mutant.spec.operator),
        by_operation=rates_by(results, operation_name),
        by_behavior=rates_by(results, lambda mutant: mutant.behavior_id),
        by_severity=rates_by(results, lambda mutant: mutant.severity),
        survivors=tuple(_survivors(writing, setting, results, arms)),
        redundant_oracles=redundant_oracles(around.contract, results),
        silent_oracles=silent_oracles(around.contract, results),
        notes=(*notes, *([refusal] if refusal else [])),
    )
    folder.write_json(MEASUREMENT, measurement_document(measurement))
    stronger = strengthened(around.contract, measurement.survivors)
    if stronger is not around.contract:
        folder.write_json(STRENGTHENED, stronger.document)
    return measurement


def measurement_document(measurement: Measurement) -> dict[str, Any]:
    """The answer as JSON, without the clean trials, which the records hold."""
    document = asdict_without(measurement, ("clean", "strength", "folder"))
    document["counts"] = dict(measurement.counts)
    return document


def asdict_without(measurement: Measurement, left_out: Sequence[str]) -> dict[str, Any]:
    """The fields of a measurement but for some, as plain data."""
    plain: dict[str, Any] = {}
    for name in Measurement.__dataclass_fields__:
        if name in left_out:
            continue
        value = getattr(measurement, name)
        plain[name] = (
            [asdict(one) if hasattr(one, "__dataclass_fields__") else one for one in value]
            if isinstance(value, tuple)
            else asdict(value)
            if hasattr(value, "__dataclass_fields__")
            else value
        )
    return plain


class _Writing:
    """Writes what each arm needs, one arm in memory at a time."""

    def __init__(self, around: Judging, sealed: Sealed, folder: MeasurementFolder) -> None:
        self.around = around
        self.sealed = sealed
        self.folder = folder
        self._volatile = {
            step.step_id: tuple(volatile_paths(declared.operation))
            for step in around.contract.interaction_plan
            if (declared := around.index.operation_of(step)) is not None
        }
        clean_text = recording_text(around.clean.trials, self._volatile)
        self.clean_reference = folder.write(f"recordings/{CLEAN_PROBE_ID}.jsonl", clean_text)

    def run_of(self, spec: MutantSpec) -> MutantRun:
        """A finished mutant, as it was kept."""
        run = self.folder.kept(spec)
        assert run is not None
        return run

    def judge(self, one: Numbered) -> Judged:
        """Judge one arm; the files its probe would name are written first."""
        run = self.run_of(one.spec)
        if run.broken is not None:
            return judge(self.around, run, one.probe_id, self._evidence(one, self.clean_reference))
        recording = self.folder.write(f"recordings/{one.probe_id}.jsonl", recording_text(run.trials, self._volatile))
        return judge(self.around, run, one.probe_id, self._evidence(one, recording))

    def fault_answers(
        self, numbered: Sequence[Numbered], arms: Mapping[str, ScorableArm]
    ) -> Callable[[str], Mapping[str, Any]]:
        """Reads the answer to the fault leg of a probe from what was kept of its mutant."""
        specs = {one.probe_id: one.spec for one in numbered}

        def read(probe_id: str) -> Mapping[str, Any]:
            faults = self.run_of(specs[probe_id]).faults
            return next(fault.answer for fault in faults if fault.step_id == arms[probe_id].step_id)

        return read

    def paperwork(
        self, arms: Mapping[str, ScorableArm], joint: JointPreflight, observed: Iterable[Mapping[str, Any]]
    ) -> ScoringSetting:
        """The documents that all arms share, every probe, and what the joint pre-flight observed."""
        clean_probe = clean_probe_document(
            self.around.contract,
            self.clean_reference,
            system_id=self.around.system_id,
            source_digest=self.around.source_digest,
        )
        self.folder.write_json(f"probes/{CLEAN_PROBE_ID}.json", clean_probe)
        for probe_id, arm in arms.items():
            self.folder.write_json(f"probes/{probe_id}.json", arm.probe)
        use = resource_use(
            max(len(trial.steps) for trial in self.around.clean.trials),
            max(trial.seconds for trial in self.around.clean.trials),
        )
        manifest = self.sealed.manifest(use)
        self.folder.write_json("contract.json", self.around.contract.document)
        self.folder.write_json("isolation-manifest.json", manifest)
        self.folder.write_json("evaluator-configuration.json", self.sealed.configuration)
        self.folder.write_json("scoring-policy.json", self.around.policy.document)
        self.folder.write_list("observations.json", observed)
        corpus_digest = self.folder.digest_of("probes")
        self.folder.write("corpus-digest.txt", corpus_digest + "\n")
        return ScoringSetting(
            self.sealed, self.around.contract, joint.verdict, self.around.policy.document, manifest, corpus_digest
        )

    def clean_control(self, setting: ScoringSetting) -> EvidenceArtifact:
        """Score the clean arm. Raises `MeasurementStopped` where its run is invalid."""
        run = MutantRun(NOTHING_PLANTED, self.around.clean.trials)
        probe = clean_probe_document(
            self.around.contract,
            self.clean_reference,
            system_id=self.around.system_id,
            source_digest=self.around.source_digest,
        )
        records = self.records(run, CLEAN_PROBE_ID, self.clean_reference)
        score = score_arm(setting, probe, records, None)
        if score.artifact is None:
            reasons = tuple(dict.fromkeys(f"the clean run is invalid: {basis}" for basis in score.ladder.basis))
            raise MeasurementStopped(reasons)
        self._write_records(CLEAN_PROBE_ID, records)
        return score.artifact

    def scored(
        self,
        setting: ScoringSetting,
        one: Numbered,
        judged: Judged,
        arm: ScorableArm | None,
        joint: JointPreflight,
    ) -> tuple[MutantResult, EvidenceArtifact | None]:
        """One mutant's result; the evidence where it was scored."""
        if arm is None:
            reasons = joint.left_out.get(one.probe_id, judged.reasons)
            status = "unqualified" if judged.arm is not None else judged.status
            return MutantResult(one.spec, one.probe_id, status, reasons, judged.step_id), None
        placed = _placed(one, arm)
        run = self.run_of(one.spec)
        records = self.records(run, one.probe_id, self.folder.reference(f"recordings/{one.probe_id}.jsonl"))
        self._write_records(one.probe_id, records)
        try:
            score = score_arm(setting, arm.probe, records, arm.attributed.oracle_id)
        except RuntimeFault as fault:
            return placed("broken", (f"{fault.code}: {fault.detail}",)), None
        if score.artifact is None:
            return placed("unreached", tuple(f"the run is invalid: {basis}" for basis in score.ladder.basis)), None
        reduced = score.artifact.reduced_probe_outcomes[0]
        votes = tuple(vote.state for vote in reduced.trial_votes)
        if not reduced.exercised:
            return placed("unreached", ("no trial counts: " + ", ".join(votes),), votes), score.artifact
        return placed("caught" if reduced.caught else "missed", (), votes), score.artifact

    def records(self, run: MutantRun, probe_id: str, actions: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The sealed run records of one arm."""
        reports = trial_reports(self.around.evaluator, run)
        manifest = self.folder.reference("isolation-manifest.json")
        return trial_records(self.sealed, run.spec.mutant_id, probe_id, run.trials, reports, actions, manifest)

    def artifacts(
        self, joint: JointPreflight, evidence: Sequence[EvidenceArtifact], strength: StrengthAggregate | None
    ) -> None:
        """What the stages produced, where a run of the folder would leave it."""
        documents: dict[str, Any] = {
            "eval-contract.json": self.around.contract.document,
            "sealed-evaluator-brief.json": seal(self.around.contract).document,
            "preflight-verdict.json": joint.verdict.document,
        }
        if strength is not None:
            documents["strength-aggregate.json"] = strength.document
        for name, document in documents.items():
            self._write_artifact(f"out/{name}", document, _ARTIFACTS[name])
        for artifact in evidence:
            self._write_artifact(f"out/evidence/{artifact.scored_probe_id}.json", artifact.document, "EvidenceArtifact")

    def _write_artifact(self, name: str, document: Any, artifact_path: str) -> None:
        write_text_atomically(self.folder.path / name, serialize_artifact(document, artifact_path))

    def _write_records(self, probe_id: str, records: Sequence[Mapping[str, Any]]) -> None:
        for record in records:
            self.folder.write_json(f"records/{probe_id}-trial-{record['trialIndex']}.json", record)

    def _evidence(self, one: Numbered, recording: Mapping[str, Any]) -> ProbeEvidence:
        spec = self.folder.write_json(f"recordings/{one.probe_id}-mutant.json", one.spec.document)
        return ProbeEvidence(spec, self.clean_reference, recording)


def _placed(one: Numbered, arm: ScorableArm) -> Any:
    def result(status: Any, reasons: tuple[str, ...], votes: tuple[str, ...] = ()) -> MutantResult:
        return MutantResult(
            spec=one.spec,
            probe_id=one.probe_id,
            status=status,
            reasons=reasons,
            step_id=arm.step_id,
            interface_id=arm.interface_id,
            operation_id=arm.operation_id,
            behavior_id=arm.attributed.behavior.id,
            severity=arm.attributed.behavior.severity,
            oracle_id=arm.attributed.oracle_id,
            caught_by=arm.caught_by,
            votes=votes,
        )

    return result


def _strength(evidence: Sequence[EvidenceArtifact], around: Judging) -> tuple[StrengthAggregate | None, str | None]:
    try:
        return aggregate_strength([one.document for one in evidence], {}, around.policy.document), None
    except AggregationRefusal as refusal:
        return None, f"no strength: {refusal}"


def _survivors(
    writing: _Writing, setting: ScoringSetting, results: Sequence[MutantResult], arms: Mapping[str, ScorableArm]
) -> list[Survivor]:
    found: list[Survivor] = []
    known: dict[str, Mapping[str, Any]] = {}
    for result in results:
        if result.status != "missed":
            continue
        run = writing.run_of(result.spec)
        found.append(survivor(writing.around, setting, result, arms[result.probe_id], run, tuple(known.values())))
        suggestion = found[-1].suggestion
        if suggestion is not None:
            known.setdefault(canonical_text(plain(suggestion["check"]), "suggestion"), suggestion["check"])
    return found
