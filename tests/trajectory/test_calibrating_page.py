"""The page on calibration: its grader runs as it stands, and the packaged calibration is what it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalnb as ev
from evalnb.corpus import example_trajectories

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
