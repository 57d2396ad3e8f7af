"""The example's files are what its recorder writes, and every file that one of them names is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalnb.corpus import example
from evalnb.corpus.triage.record import main
from evalnb.engine.canonical import digest_bytes, scan_json
from evalnb.evaluation import open_evaluation

PACKAGED = example("triage")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "triage"
    assert main([str(folder)]) == 0
    return folder


def test_recording_again_gives_the_packaged_bytes(recorded: Path) -> None:
    written = {path.relative_to(recorded).as_posix() for path in recorded.rglob("*") if path.is_file()}
    differing = sorted(name for name in written if (recorded / name).read_bytes() != (PACKAGED / name).read_bytes())
    assert differing == []
    assert len([name for name in written if name.startswith("records/")]) == 18


def test_the_packaged_folder_holds_nothing_that_the_recorder_does_not_write(recorded: Path) -> None:
    modules = ("__init__", "arms", "calls", "evaluator", "lean", "paperwork", "probes", "record")
    sources = {f"{module}.py" for module in modules}
    packaged = {path.relative_to(PACKAGED).as_posix() for path in PACKAGED.rglob("*") if path.is_file()}
    written = {path.relative_to(recorded).as_posix() for path in recorded.rglob("*") if path.is_file()}
    assert {name for name in packaged - written if "__pycache__" not in name} == sources


def test_a_recorded_folder_opens_on_its_own(recorded: Path) -> None:
    evaluation = open_evaluation(recorded)
    assert [arm.probe.probe_id for arm in evaluation.arms] == [f"P-00{number}" for number in range(1, 7)]
    assert {len(arm.records) for arm in evaluation.arms} == {3}


def references(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("storage") == "public":
            yield value
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


@pytest.mark.parametrize("name", sorted(path.relative_to(PACKAGED).as_posix() for path in PACKAGED.glob("*s/P-*.json")))
def test_every_named_artifact_is_there_with_its_digest(name: str) -> None:
    document = scan_json((PACKAGED / name).read_bytes(), name)
    for reference in references(document):
        assert digest_bytes((PACKAGED / reference["path"]).read_bytes()) == reference["digest"]


def test_the_given_corpus_digest_is_the_one_that_would_be_computed(recorded: Path) -> None:
    given = open_evaluation(recorded).corpus_digest
    (recorded / "corpus-digest.txt").rename(recorded / "set-aside.txt")
    try:
        computed = open_evaluation(recorded)
    finally:
        (recorded / "set-aside.txt").rename(recorded / "corpus-digest.txt")
    assert computed.corpus_digest_computed
    assert computed.corpus_digest == given


def test_the_contract_names_the_product_note() -> None:
    contract = scan_json((PACKAGED / "contract.json").read_bytes(), "EvalContract")
    assert contract["sourceSpecDigest"] == digest_bytes((PACKAGED / "product-note.md").read_bytes())


def test_no_file_names_an_address_or_a_port() -> None:
    for path in PACKAGED.rglob("*.json*"):
        text = path.read_text("utf-8")
        assert "127.0.0.1" not in text, path.name
        assert "localhost" not in text, path.name
