"""`evalnb report`: what it lists, what it refuses and with which code, and the report of the packaged example."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.reporting import find_notebook, notebooks
from evalnb.reporting.report import failed_notebook_path


def test_the_list_names_every_notebook_with_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--list"]) == 0
    listed = capsys.readouterr().out
    for notebook in notebooks():
        assert f"{notebook.name}: {notebook.title}" in listed
        for parameter in notebook.parameters:
            assert f"-p {parameter.name}=...  {parameter.type}, default {parameter.default!r}" in listed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a notebook, or give one of --list and --all"),
        (["--list", "--all"], "name a notebook, or give one of --list and --all"),
        (["nothing"], "no notebook is called 'nothing'"),
        (["pipeline", "-p", "folder"], "-p takes key=value, not 'folder'"),
        (["pipeline", "-p", "=x"], "-p takes key=value, not '=x'"),
        (["pipeline", "-p", "folders=x"], "parameter 'folders': the notebook pipeline does not have it"),
        (["pipeline", "-p", "folder=."] * 1 + ["-p", "folder=."], "parameter 'folder' is given twice"),
        (["pipeline", "-p", "folder=no-such-folder"], "no-such-folder: not found"),
        (["pipeline", "-p", "folder="], "parameter 'folder': must name a folder; it is empty"),
        (["--all", "-p", "folder=."], "-p needs the notebook that takes the parameter"),
        (["pipeline", "--frobnicate"], "No such option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_request_exits_64_and_runs_nothing(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments]) == 64
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("evalnb: usage: ")
    assert message in said.err
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_evaluation_exits_5_names_the_cell_and_keeps_the_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    out.write_text("an older report")
    (tmp_path / "empty").mkdir()
    assert main(["report", "pipeline", "-p", f"folder={tmp_path / 'empty'}", "--out", str(out)]) == 5
    said = capsys.readouterr().err
    assert said.startswith("evalnb: report: cell ")
    assert "run = ev.run(" in said
    assert ": FileProblem: empty/" in said
    assert "not found" in said
    assert str(failed_notebook_path(out)) in said
    assert failed_notebook_path(out).exists()
    assert out.read_text() == "an older report"


def test_the_report_of_the_example_says_what_it_came_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", "pipeline", "--out", "one.html"]) == 0
    assert capsys.readouterr().out == "one.html\n"
    page = (tmp_path / "one.html").read_text("utf-8")
    run = ev.run(ev.example("triage"))
    assert len(page.encode()) < 3_000_000
    assert run.contract.contract_id in page
    assert all(digest in page for digest in run.evaluation.digests.values())
    assert all(reason in page for arm in run.arms for reason in arm.score.ladder.basis)
    assert "2 of 3" in page
    assert "D-003" in page
    for place in (Path.home(), tmp_path, Path(ev.__file__).parent, find_notebook("pipeline").path.parent):
        assert f"{place}/" not in page


@pytest.mark.parametrize("name", [notebook.name for notebook in notebooks()])
def test_every_report_is_the_same_file_again(name: str, tmp_path: Path) -> None:
    pages = []
    for place in ("a", "b"):
        assert main(["report", name, "--out", str(tmp_path / place / "report.html")]) == 0
        pages.append((tmp_path / place / "report.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_folder_given_for_one_report_gets_it_under_its_name(ending: str, tmp_path: Path) -> None:
    from evalnb.cli.report_command import _report_file

    assert _report_file("contract", f"{tmp_path}{ending}") == tmp_path / "contract.html"
    assert _report_file("contract", f"{tmp_path}/new/") == tmp_path / "new" / "contract.html"
    assert _report_file("contract", f"{tmp_path}/new.html") == tmp_path / "new.html"
