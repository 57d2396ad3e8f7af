"""The graders' task resolution against a label the runs carry, and why they differ where they do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.trials import labelled


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One run on which label and graders differ; `reasons` are the findings that bear on resolution."""

    run_id: str
    label: bool
    resolved: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How many of `n` runs, those with both a label and an outcome, agree."""

    label: str
    n: int
    agree: int
    disagreements: tuple[Disagreement, ...]


def label_agreement(grades: Iterable[RunGrade], label: str) -> LabelAgreement:
    """Compare the graders' outcome with `label`, run by run."""
    outcome = labelled(label)
    n = 0
    differ = []
    for grade in grades:
        held = outcome(grade)
        if held is None or grade.resolved is None:
            continue
        n += 1
        if held != grade.resolved:
            reasons = tuple(f"{one.code}: {one.detail}" for one in grade.findings if one.bears_on == "resolution")
            differ.append(Disagreement(grade.run_id, held, grade.resolved, reasons or ("no finding",)))
    return LabelAgreement(label, n, n - len(differ), tuple(differ))
