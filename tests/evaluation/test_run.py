"""Evaluation folders: what they hold, how a run goes through them, what it leaves behind and how it refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.corpus import DEMO
from evalnb.engine.canonical import digest_directory, serialize_artifact
from evalnb.evaluation import layout
from evalnb.evaluation.run import steps_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "evaluation"
    shutil.copytree(ev.example(DEMO), target)
    return target


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_a_run_comes_to_one_result_an_arm_and_names_every_step(folder: Path) -> None:
    evaluation = ev.open_evaluation(folder)
    steps: list[str] = []
    run = ev.run(folder, progress=steps.append)
    assert len(steps) == steps_of(evaluation) == 4 + len(evaluation.arms)
    assert [arm.arm.probe.probe_id for arm in run.arms] == [arm.probe.probe_id for arm in evaluation.arms]
    assert all(len(arm.records) == 3 for arm in evaluation.arms)
    assert run.preflight.passed
    assert run.strength is not None
    assert run.strength.classes.defect is not None
    assert (run.strength.classes.defect.caught, run.strength.classes.defect.exercised) == (2, 3)
    assert run.exit_code == 2


def test_a_run_leaves_every_artifact_in_canonical_form(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = ev.run(folder, out)
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.json"))
    probes = [f"evidence/{arm.arm.probe.probe_id}.json" for arm in run.arms]
    beside = ["eval-contract.json", "preflight-verdict.json", "sealed-evaluator-brief.json", "strength-aggregate.json"]
    assert names == sorted(probes + beside)
    for name in names:
        text = (out / name).read_text(encoding="utf-8")
        assert text == serialize_artifact(json.loads(text), name)


def test_two_runs_write_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    ev.run(folder, tmp_path / "one")
    ev.run(folder, tmp_path / "two")
    for path in (tmp_path / "one").rglob("*.json"):
        assert path.read_bytes() == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()


def test_an_invalid_arm_leaves_no_evidence_not_even_an_older_one(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ev.run(folder, out)
    edit(folder / "isolation-manifest.json", lambda m: m.update(violation="the evaluator read the source"))
    run = ev.run(folder, out)
    assert run.exit_code == 3
    assert run.strength is None
    assert {arm.score.ladder.verdict for arm in run.arms} == {None}
    assert list((out / "evidence").iterdir()) == []
    assert not (out / "strength-aggregate.json").exists()


REQUIRED = [entry for entry in layout.LAYOUT if entry.missing is None]


@pytest.mark.parametrize("entry", REQUIRED, ids=lambda entry: entry.name)
def test_a_missing_file_is_named_with_its_purpose(
    folder: Path, entry: layout.FolderEntry, capfd: pytest.CaptureFixture[str]
) -> None:
    for pattern in entry.patterns:
        for path in folder.glob(pattern):
            path.unlink()
    assert main(["run", str(folder), "--out", str(folder / "out")]) == 64
    said = capfd.readouterr().err
    assert entry.name in said
    assert entry.purpose in said
    assert "Traceback" not in said
    assert not (folder / "out").exists()


def test_optional_files_have_defaults(folder: Path) -> None:
    for entry in layout.LAYOUT:
        if entry.missing is not None:
            (folder / entry.name).unlink(missing_ok=True)
    evaluation = ev.open_evaluation(folder)
    assert evaluation.corpus_digest_computed
    probe_files = {name: digest for name, digest in evaluation.digests.items() if name.startswith("probes/")}
    assert evaluation.corpus_digest == digest_directory(probe_files, "corpus digest")
    assert len(evaluation.planning) == len(evaluation.arms)
    assert evaluation.floors == {}


def test_the_command_says_that_it_computed_the_corpus_digest(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "corpus-digest.txt").unlink()
    assert main(["run", str(folder), "--out", str(folder / "out")]) == 2
    assert "corpus digest computed" in capfd.readouterr().out


def test_a_file_of_the_wrong_kind_is_named(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copy(folder / "contract.json", folder / "scoring-policy.json")
    assert main(["run", str(folder), "--out", str(folder / "out")]) == 5
    said = capfd.readouterr().err
    assert said.startswith("evalnb: schema-version-mismatch: ScoringPolicy.schemaVersion: scoring-policy.json: ")


def test_a_record_is_placed_by_its_findings(folder: Path) -> None:
    record = next(path for path in sorted((folder / "records").glob("P-001*.json")))
    record.rename(folder / "records" / "renamed.json")
    edit(folder / "records" / "renamed.json", lambda r: r.update(conditionArm="somewhere"))
    assert [len(arm.records) for arm in ev.open_evaluation(folder).arms] == [3] * len(ev.open_evaluation(folder).arms)


def test_a_record_that_names_no_probe_is_refused_by_name(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = next(iter(sorted((folder / "records").glob("P-001*.json"))))
    edit(record, lambda r: r.update(findings=[], conditionArm="somewhere"))
    record.rename(folder / "records" / "lost.json")
    assert main(["run", str(folder)]) == 64
    said = capfd.readouterr().err
    assert "lost.json" in said
    assert "P-001" in said


def test_another_policy_can_be_named(folder: Path, tmp_path: Path) -> None:
    policy = tmp_path / "strict.json"
    shutil.copy(folder / "scoring-policy.json", policy)
    edit(policy, lambda p: p.update(minimumTrialCount=5))
    run = ev.run(folder, policy=policy)
    assert run.strength is not None
    assert run.strength.minimum_trial_count == 5
    assert not run.strength.classes.defect.comparable  # type: ignore[union-attr]


def test_the_summary_escapes_what_the_folder_says(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    edit(folder / "isolation-manifest.json", lambda m: m.update(violation="\x1b[2J[red]gone[/red]"))
    assert main(["run", str(folder), "--out", str(folder / "out")]) == 3
    said = capfd.readouterr().out
    assert "\x1b[2J" not in said
    assert "[red]gone[/red]" in said


def test_a_private_reference_is_sent_to_the_command_that_resolves_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    record = sorted((folder / "records").glob("*.json"))[0]
    digest = "sha256:" + "0" * 64
    private = {"storage": "private", "path": None, "privateRef": "m.json", "digest": digest}
    edit(record, lambda r: r.update(isolationManifestArtifact=private))
    assert main(["run", str(folder)]) == 64
    said = capfd.readouterr().err
    assert record.name in said
    assert "--corpus-root" in said


def test_a_stage_failure_names_the_file_it_is_about(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name, content in (("floors.json", '{"defekt": 1}'), ("observations.json", "[{}]"), ("contract.json", "{}")):
        (folder / name).write_text(content, encoding="utf-8")
        assert main(["run", str(folder), "--out", str(folder / "out")]) == 5
        assert f": {name}: input does not conform" in capfd.readouterr().err


def test_an_invalid_arm_is_said_to_be_left_out_of_the_strength(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = sorted((folder / "records").glob("P-003*.json"))[0]
    edit(record, lambda r: r["oracleDispositions"].pop())
    assert main(["run", str(folder), "--out", str(folder / "out")]) == 3
    assert "not in the strength below, because invalid: P-003" in capfd.readouterr().out
