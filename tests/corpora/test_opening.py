"""A corpus folder mixes evaluations, runs, contracts and evidence; whatever is wrong with one is said and skipped."""

from __future__ import annotations

import gc
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpora import Corpus, CorpusEntry, open_corpus
from evalnb.engine.artifacts import EvidenceArtifact
from evalnb.evaluation import EvaluationRun, write_run
from evalnb.files import FileProblem
from evalnb.view import frames
from tests.corpora.conftest import Maker

Write = Callable[[str, Any], Path]


def entries(corpus: Corpus) -> dict[str, CorpusEntry]:
    return {entry.path: entry for entry in corpus.entries}


def test_an_evaluation_that_left_no_evidence_is_run(tmp_path: Path, run: EvaluationRun) -> None:
    shutil.copytree(ev.example("triage"), tmp_path / "desk")
    (entry,) = open_corpus(tmp_path).entries
    assert (entry.path, entry.kind, entry.status) == ("desk", "evaluation", "run")
    assert len(entry.scored) == 6
    assert entry.contract is not None
    assert entry.contract.digest == run.arms[0].arm.records[0].contract_digest


@pytest.mark.parametrize("place", ["out", "."])
def test_an_evaluation_is_read_from_what_its_run_left(tmp_path: Path, run: EvaluationRun, place: str) -> None:
    shutil.copytree(ev.example("triage"), tmp_path / "desk")
    write_run(run, tmp_path / "desk" / place)
    (tmp_path / "desk" / place / "evidence" / "P-006.json").unlink()
    (entry,) = open_corpus(tmp_path).entries
    assert (entry.status, len(entry.scored)) == ("read", 5)


def test_an_evaluation_whose_contract_changed_since_is_run_again(tmp_path: Path, run: EvaluationRun) -> None:
    shutil.copytree(ev.example("triage"), tmp_path / "desk")
    write_run(run, tmp_path / "desk" / "out")
    left = tmp_path / "desk" / "out" / "eval-contract.json"
    document = json.loads(left.read_text(encoding="utf-8"))
    document["budgets"]["maxToolCalls"] += 1
    left.write_text(json.dumps(document), encoding="utf-8")
    (entry,) = open_corpus(tmp_path).entries
    assert entry.status == "run"


def test_other_documents_in_an_evidence_folder_are_no_run(tmp_path: Path) -> None:
    shutil.copytree(ev.example("triage"), tmp_path / "desk")
    (tmp_path / "desk" / "evidence").mkdir()
    (tmp_path / "desk" / "evidence" / "screenshot.json").write_text("{}", encoding="utf-8")
    (entry,) = open_corpus(tmp_path).entries
    assert (entry.status, len(entry.scored)) == ("run", 6)


def test_a_file_name_that_is_no_text_is_shown_as_text(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")).write_text("{", encoding="utf-8")
    (entry,) = open_corpus(tmp_path).entries
    assert (entry.path, entry.status) == ("\ufffd.json", "unreadable")


def test_the_folder_itself_may_be_the_evaluation(run: EvaluationRun) -> None:
    (entry,) = open_corpus(ev.example("triage")).entries
    assert (entry.path, entry.status) == (".", "run")


def test_what_a_run_wrote_is_an_evaluation_by_itself(tmp_path: Path, run: EvaluationRun) -> None:
    write_run(run, tmp_path / "yesterday")
    corpus = open_corpus(tmp_path)
    assert [(entry.path, entry.status) for entry in corpus.entries] == [("yesterday", "read")]
    assert [one.probe_id for one in corpus.scored] == [arm.arm.probe.probe_id for arm in run.arms]


def test_loose_files_are_read_for_what_they_are(write: Write, make: Maker, run: EvaluationRun) -> None:
    write("a/contract.json", run.contract.document)
    write("a/evidence-1.json", make.document("P-001", True))
    write("b/policy.json", run.evaluation.policy.document)
    folder = write("notes.txt", "not JSON at all").parent
    found = entries(open_corpus(folder))
    assert {path: (entry.kind, entry.status) for path, entry in found.items()} == {
        "a/contract.json": ("contract", "read"),
        "a/evidence-1.json": ("evidence", "read"),
        "b/policy.json": ("other", "ignored"),
    }


BAD: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str, str]] = {
    "truncated": (lambda d: json.dumps(d)[:-9], "unreadable", "schema-parse-failure", "offset"),
    "another version": (lambda d: {**d, "schemaVersion": 3}, "unreadable", "schema-version-mismatch", "reads 4"),
    "a key too many": (lambda d: {**d, "extra": 1}, "unreadable", "schema-parse-failure", "extra"),
    "a key twice": (
        lambda d: json.dumps(d).replace("{", '{"runId": "first", ', 1),
        "unreadable",
        "non-canonicalizable-value",
        "runId",
    ),
    "a missing key": (
        lambda d: {k: v for k, v in d.items() if k != "outcomes"},
        "unreadable",
        "schema-parse-failure",
        "/outcomes",
    ),
    "a forged version": (
        lambda d: {**d, "scoringVersion": "sha256:" + "0" * 64},
        "inconsistent",
        "strength-input-inconsistent",
        "scoringVersion",
    ),
    "a forged rate": (
        lambda d: {
            **d,
            "strength": {
                **d["strength"],
                "vector": {
                    "defect": {"caught": 9, "exercised": 9, "rate": 1},
                    "gameability": None,
                    "zero-action": None,
                },
            },
        },
        "inconsistent",
        "strength-input-inconsistent",
        "9 caught of 9",
    ),
    "a lone surrogate": (
        lambda d: json.dumps({**d, "runId": "@"}).replace("@", "\\ud800"),
        "unreadable",
        "non-canonicalizable-value",
        "",
    ),
    "not UTF-8": (lambda d: "\udcff", "unreadable", "schema-parse-failure", "UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_evidence_is_an_entry_with_a_reason(tmp_path: Path, make: Maker, case: str) -> None:
    spoil, status, code, reason = BAD[case]
    made = spoil(make.document("P-001", True))
    text = made if isinstance(made, str) else json.dumps(made)
    (tmp_path / "bad.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "good.json").write_text(json.dumps(make.document("P-002", True)), encoding="utf-8")
    corpus = open_corpus(tmp_path)
    bad = entries(corpus)["bad.json"]
    assert (bad.status, bad.code) == (status, code)
    assert bad.reason is not None
    assert reason in bad.reason
    assert [one.probe_id for one in corpus.scored] == ["P-002"]
    assert corpus.problems == (bad,)


def test_bad_evidence_of_a_run_is_told_beside_the_rest(tmp_path: Path, run: EvaluationRun) -> None:
    write_run(run, tmp_path / "run")
    (tmp_path / "run" / "evidence" / "P-003.json").write_text("[", encoding="utf-8")
    found = entries(open_corpus(tmp_path))
    assert found["run/evidence/P-003.json"].status == "unreadable"
    assert len(found["run"].scored) == 5


def test_a_refused_contract_and_a_broken_evaluation_are_entries(write: Write, run: EvaluationRun) -> None:
    write("refused.json", {**run.contract.document, "interactionPlan": []})
    write("half/contract.json", run.contract.document)
    folder = write("half/observations.json", []).parent.parent
    found = entries(open_corpus(folder))
    assert (found["refused.json"].kind, found["refused.json"].status) == ("contract", "refused")
    assert found["refused.json"].code == "unreachable-check-evidence"
    assert (found["half"].kind, found["half"].status) == ("evaluation", "unreadable")
    assert "not found" in (found["half"].reason or "")


def test_hidden_names_links_to_folders_and_pipes_are_passed_over(tmp_path: Path, write: Write, make: Maker) -> None:
    write(".hidden/e.json", make.document("P-001", True))
    inside = write("loop/e.json", make.document("P-001", True)).parent
    (inside / "again").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.json")
    assert list(entries(open_corpus(tmp_path))) == ["loop/e.json"]


@pytest.mark.parametrize("name", ["missing", "file.json"])
def test_a_folder_that_is_none_is_refused(write: Write, name: str) -> None:
    folder = write("file.json", {}).parent
    with pytest.raises(FileProblem):
        open_corpus(folder / name)


def test_progress_is_told_before_each_thing(write: Write, make: Maker) -> None:
    write("a.json", make.document("P-001", True))
    folder = write("b.json", make.document("P-002", True)).parent
    told: list[tuple[int, int, str]] = []
    open_corpus(folder, progress=lambda *step: told.append(step))
    assert told == [(0, 2, "a.json"), (1, 2, "b.json")]


def test_cycle_collection_is_as_it_was(write: Write) -> None:
    folder = write("a.json", {}).parent
    open_corpus(folder)
    assert gc.isenabled()
    gc.disable()
    try:
        open_corpus(folder)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_evidence_read_again_is_the_artifact_that_was_written(
    tmp_path: Path, evidence: dict[str, EvidenceArtifact], run: EvaluationRun
) -> None:
    write_run(run, tmp_path)
    again = {artifact.scored_probe_id: artifact for artifact in open_corpus(tmp_path).evidence}
    assert again == evidence
    assert {name: artifact.document for name, artifact in again.items()} == {
        name: artifact.document for name, artifact in evidence.items()
    }


def test_loose_evidence_is_one_contract_a_run(write: Write, make: Maker) -> None:
    for number, run_id in enumerate(("first", "first", "second"), start=1):
        write(f"e{number}.json", {**make.document(f"P-00{number}", number != 3), "runId": run_id})
    folder = write("README.json", {}).parent
    summary = frames.corpus_summary(open_corpus(folder, name="mine"))
    assert summary["contract"].tolist() == ["first", "second"]
    assert summary[["probes", "defect_exercised", "defect_caught"]].to_numpy().tolist() == [[2, 2, 2], [1, 1, 0]]
    assert summary["corpus"].unique().tolist() == ["mine"]


def test_the_summary_has_a_row_for_each_contract_and_problem(write: Write, run: EvaluationRun, make: Maker) -> None:
    write("contract.json", ev.compile(ev.example("meeting-calendar")).document)
    write("broken.json", "{")
    folder = write("x.json", {}).parent
    write_run(run, folder / "desk")
    summary = frames.corpus_summary(open_corpus(folder)).set_index("path")
    desk, calendar, broken = (summary.loc[path] for path in ("desk", "contract.json", "broken.json"))
    assert (desk["status"], calendar["status"], broken["status"]) == ("scored", "not scored", "unreadable")
    assert desk[["probes", "exercised", "caught", "passed", "failed", "invalid"]].tolist() == [6, 5, 4, 5, 1, 0]
    assert desk["defect_rate"] == pytest.approx(2 / 3)
    assert calendar["oracles"] > 0
    assert "offset" in broken["reason"]


def test_a_contract_beside_its_own_evaluation_is_one_row(write: Write, run: EvaluationRun) -> None:
    folder = write("copy.json", run.contract.document).parent
    write_run(run, folder / "desk")
    assert frames.corpus_summary(open_corpus(folder))["path"].tolist() == ["desk"]


def test_its_repr_is_one_line(write: Write, make: Maker) -> None:
    write("bad.json", "{")
    folder = write("e.json", make.document("P-001", True)).parent
    assert repr(open_corpus(folder, name="mine")) == (
        "Corpus('mine': 1 evidence; 1 evidence artifacts; 1 could not be read)"
    )
