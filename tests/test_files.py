"""Whole files or none: interrupted writes, links, modes, and messages that name the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalnb.files import FileProblem, read_file, write_bytes_atomically, write_text_atomically


def test_parents_are_made_and_text_is_utf8(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "c.json"
    write_text_atomically(target, "é\n")
    assert target.read_bytes() == "é\n".encode()


def test_an_interrupted_write_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "c.json"
    target.write_text("old")

    def fail(source: str, destination: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write_text_atomically(target, "new")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["c.json"]


def test_a_link_keeps_pointing_where_it_did(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    (tmp_path / "link.json").symlink_to(real)
    write_text_atomically(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert real.read_text() == "new"


def test_the_mode_of_a_replaced_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "c.json"
    target.write_text("old")
    target.chmod(0o640)
    write_text_atomically(target, "new")
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_bytes_atomically(tmp_path, b"x")


@pytest.mark.parametrize(("name", "says"), [("absent.json", "not found"), (".", "is a folder")])
def test_a_problem_names_the_file_and_its_purpose(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read_file(tmp_path / name, "the scoring policy")
    assert says in caught.value.problem
    assert "the scoring policy" in caught.value.problem
    assert caught.value.path == os.fspath(tmp_path / name)
