"""Hand-written files: strict JSON or safe YAML, refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalnb.engine.faults import RuntimeFault
from evalnb.files import FileProblem
from evalnb.written_files import read_written


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", '{"a": [1, 2]}'), ("a.yaml", "a: [1, 2]"), ("a.yml", "a:\n- 1\n- 2")]
)
def test_both_spellings_are_read(tmp_path: Path, name: str, text: str) -> None:
    assert read_written(write(tmp_path, name, text), "numbers", "Numbers") == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("twice.json", '{"a": 1, "a": 2}'),
        ("twice.yaml", "a: 1\na: 2"),
        ("object.yaml", "!!python/object/apply:os.system ['true']"),
        ("alias.yaml", "a: &x [1]\nb: [*x, *x]"),
        ("open.yaml", "a: ["),
        ("open.json", "{"),
    ],
)
def test_what_is_not_plain_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        read_written(write(tmp_path, name, text), "numbers", "Numbers")
    assert caught.value.artifact_path == "Numbers"


def test_aliases_are_read_where_generated_documents_are_expected(tmp_path: Path) -> None:
    path = write(tmp_path, "a.yaml", "a: &x [1]\nb: *x")
    assert read_written(path, "numbers", "Numbers", aliases=True) == {"a": [1], "b": [1]}


def test_a_missing_file_is_named_with_its_purpose(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="the numbers"):
        read_written(tmp_path / "absent.yaml", "the numbers", "Numbers")
