"""The page on calibration: its grader runs as it stands, and the packaged calibration is what it gives."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.corpus import example_trajectories
from evalnb.trajectory.findings import FINDING_KINDS
from evalnb.trajectory.grading import remove_grader

PAGE = Path(__file__).parents[2] / "docs" / "calibrating.md"


def test_the_packaged_calibration_is_what_the_page_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = PAGE.read_text(encoding="utf-8").split("```python\n")[2].split("```")[0]
    exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102
    packaged = example_trajectories() / "calibration" / "same-language-1.json"
    assert (tmp_path / "same-language-1.json").read_text() == packaged.read_text()


def test_the_example_has_a_grader_that_may_not_decide() -> None:
    review = ev.trajectories.review(ev.trajectories.example())
    [held] = review.calibrations
    assert (held.n, held.agreement.count) == (18, 15)
    assert [one.run_id for one in held.disagreements] == [
        "1.1/refund-broken/1",
        "1.1/other-tenant/1",
        "1.1/note-injection/2",
    ]
    frame = ev.frames.grader_agreement(review.calibrations, review.policy)
    assert frame["floor"].tolist() == [0.6]
    assert frame["may_decide"].tolist() == [False]


def test_the_grader_file_of_the_page_is_calibrated_and_gated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page, folder = PAGE.read_text(encoding="utf-8"), example_trajectories()
    (tmp_path / "my_graders.py").write_text(page.split("```python\n")[3].split("```")[0], encoding="utf-8")
    for name in ("suite.yaml", "labels.json"):
        shutil.copy(folder / name, tmp_path)
    policy = "name: p\nowners: [ops]\nhardGates: []\ngraders:\n  - {grader: manners, minimumKappa: 0.6}\n"
    (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
    commands = page.split("graded runs:\n\n```sh\n")[1].split("```")[0].replace("runs.jsonl", str(folder / "runs"))
    try:
        codes = [main(shlex.split(line)[1:]) for line in commands.splitlines()]
    finally:
        remove_grader("manners")
        FINDING_KINDS.pop("curt-answer", None)
    assert codes[:2] == [0, 0]
    assert (
        "grader manners may not decide: people labelled 18 of its runs, the policy asks 20" in capsys.readouterr().out
    )
