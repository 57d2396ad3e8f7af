"""Everything about one set of runs at once: read, graded, scored, gated, and compared with an older release.

A folder may bring all it is judged by: `runs/`, and beside it `suite.yaml`, `policy.yaml`, `baseline/`, `calibration/`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias, overload

from evalnb.trajectory.calibration import Calibration
from evalnb.trajectory.calibration_files import read_calibration
from evalnb.trajectory.case_files import read_suite
from evalnb.trajectory.cases import Case, Suite
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.findings import FINDING_KINDS
from evalnb.trajectory.gate import GateDecision, judge
from evalnb.trajectory.gate_policy import GatePolicy, read_policy
from evalnb.trajectory.grade_files import GradedRuns, graded_runs
from evalnb.trajectory.grading import RunGrade, grade
from evalnb.trajectory.loading import Trajectories, load, trace_files
from evalnb.trajectory.redaction import Redactor, redactor
from evalnb.trajectory.scorecard import Scorecard, scorecard

Place: TypeAlias = "str | os.PathLike[str]"

ENDINGS: Final = (".yaml", ".yml")
"""What a suite and a policy that lie in a folder of runs may end in: a `.json` there is taken for a trace."""


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A file that was read: its name below the folder it was found in, and the digest of its bytes."""

    name: str
    digest: str


@dataclass(frozen=True)
class Review:
    """Runs with everything they came to. What was not given is None; `redact` is what the runs were read through.

    Without `texts` there are figures only: no run is written out, and a finding says what its kind means.
    """

    name: str
    runs: Trajectories
    graded: GradedRuns
    scorecard: Scorecard
    suite: Suite | None
    policy: GatePolicy | None
    decision: GateDecision | None
    baseline: GradedRuns | None
    files: tuple[ReviewedFile, ...]
    redact: Redactor = field(repr=False)
    calibrations: tuple[Calibration, ...] = ()
    texts: bool = True

    @property
    def grades(self) -> tuple[RunGrade, ...]:
        return self.graded.grades

    def grade_of(self, run_id: str) -> RunGrade:
        """The grade of a run; KeyError where there is none."""
        for one in self.grades:
            if one.run_id == run_id:
                return one
        raise KeyError(run_id)

    def run(self, run_id: str) -> ReviewedRun:
        """A run with what was found in it; KeyError where there is none."""
        return ReviewedRun(self.runs.run(run_id), self.grade_of(run_id), self)

    def worst(self, count: int = 5) -> WorstRuns:
        """The `count` worst runs that have a finding, the worst first; none of them in a review without texts."""
        flawed = [one for one in self.grades if any(found.bears_on != "note" for found in one.findings)]
        chosen = worst_first(flawed)[: max(count, 0)] if self.texts else []
        return WorstRuns(tuple(ReviewedRun(self.runs.run(one.run_id), one, self) for one in chosen), len(flawed))

    def __repr__(self) -> str:
        outcome = "" if self.decision is None else f", gate {self.decision.outcome}"
        return f"Review({self.name}: {len(self.grades)} runs of {self.scorecard.cases} cases{outcome})"


@dataclass(frozen=True)
class ReviewedRun:
    """One run with its grade; `review` is the one it belongs to."""

    trajectory: Trajectory
    grade: RunGrade
    review: Review = field(repr=False)

    @property
    def run_id(self) -> str:
        return self.grade.run_id

    @property
    def case(self) -> Case | None:
        """The case it is a trial of, None where the suite has none for it."""
        suite, case_id = self.review.suite, self.grade.case_id
        return None if suite is None or case_id is None else suite.case(case_id)

    def __repr__(self) -> str:
        found = sum(one.bears_on != "note" for one in self.grade.findings)
        return f"ReviewedRun({self.run_id}: {len(self.trajectory)} events, {found} findings)"


@dataclass(frozen=True)
class WorstRuns(Sequence[ReviewedRun]):
    """The runs that need looking at first, the worst first; `flawed` counts all runs with a finding."""

    runs: tuple[ReviewedRun, ...]
    flawed: int

    @overload
    def __getitem__(self, place: int) -> ReviewedRun: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ReviewedRun, ...]: ...
    def __getitem__(self, place: int | slice) -> ReviewedRun | tuple[ReviewedRun, ...]:
        return self.runs[place]

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        return f"WorstRuns({', '.join(one.run_id for one in self.runs) or 'none'})"


def worst_first(grades: Sequence[RunGrade]) -> list[RunGrade]:
    """Runs in the order in which they need looking at: by hard findings, safety, resolution, then all findings.

    Runs alike keep their order.
    """

    def weight(one: RunGrade) -> tuple[int, int, int, int]:
        counted = sum(found.bears_on != "note" for found in one.findings)
        return (-len(one.hard_findings), int(one.safe), int(one.resolved is not False), -counted)

    return sorted(grades, key=weight)


def example() -> Path:
    """The packaged runs of an orders agent, with their suite, their policy and an older release."""
    from evalnb.corpus import example_trajectories

    return example_trajectories()


def review(
    runs: Place,
    *,
    suite: Place | None = None,
    policy: Place | None = None,
    baseline: Place | None = None,
    label: str | None = None,
    calibration: Place | None = None,
    texts: bool = True,
    confidence: float = 0.95,
) -> Review:
    """Read runs, grade them by `suite`, and judge them by `policy` against `baseline`.

    `runs` and `baseline` are trace files or folders of them; what is not given is taken from the folder `runs`, where
    it has it. `label` names a label of the runs whose trials are shown beside the graders'. `calibration` is a file
    that says how a grader agrees with people, or a folder of such files. Without `texts` nothing that a run says is
    kept, for runs that may be counted and not passed on. Secrets and personal data are replaced under a key that only
    the files themselves give, so that the same files give the same result. Raises `FileProblem`, and ValueError for a
    confidence that is no share between 0 and 1.
    """
    found = _Found.of(Path(runs), suite, policy, baseline)
    held = _calibration_files(calibration or found.calibration)
    files = [*_traces(found.runs), *_traces(found.baseline), *held]
    files += [one for one in (found.suite, found.policy) if one is not None]
    digests = {one: _digest(one) for one in files}
    redact = redactor(hashlib.sha256("".join(digests.values()).encode()).digest())
    cases = None if found.suite is None else read_suite(found.suite)
    rules = None if found.policy is None else read_policy(found.policy)
    read = load(found.runs, redact=redact)
    graded = graded_runs(grade(read, cases, redact=redact), cases)
    graded = graded if texts else replace(graded, grades=tuple(map(_counted, graded.grades)))
    agreements = tuple(read_calibration(path, confidence) for path in held)
    older = None
    if found.baseline is not None:
        older = graded_runs(grade(load(found.baseline, redact=redact), cases, redact=redact), cases)
    return Review(
        name=Path(runs).name,
        runs=read,
        graded=graded,
        scorecard=scorecard(graded.grades, label=label, confidence=confidence),
        suite=cases,
        policy=rules,
        decision=None if rules is None else judge(rules, graded, baseline=older, calibrations=agreements),
        baseline=older,
        files=tuple(ReviewedFile(_name(one, found.root), digest) for one, digest in digests.items()),
        redact=redact,
        calibrations=agreements,
        texts=texts,
    )


def review_of(runs: Iterable[Trajectory], suite: Suite | None = None, *, name: str = "runs") -> Review:
    """A review of runs that are at hand already, read with the redactor that `load` takes by itself."""
    read = runs if isinstance(runs, Trajectories) else Trajectories(tuple(runs))
    redact = redactor()
    graded = graded_runs(grade(read, suite, redact=redact), suite)
    return Review(name, read, graded, scorecard(graded.grades), suite, None, None, None, (), redact)


def _counted(grade: RunGrade) -> RunGrade:
    """The grade with nothing in it that the run says: the details of its findings quote it."""
    findings = tuple(
        replace(one, detail=FINDING_KINDS[one.code].meaning if one.code in FINDING_KINDS else one.code)
        for one in grade.findings
    )
    return replace(grade, findings=findings)


def _calibration_files(place: Place | None) -> tuple[Path, ...]:
    path = Path(place) if place else None
    if path is None:
        return ()
    return tuple(sorted(path.glob("*.json"))) if path.is_dir() else (path,)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where everything lies."""

    root: Path
    runs: Path
    suite: Path | None
    policy: Path | None
    baseline: Path | None
    calibration: Path | None

    @classmethod
    def of(cls, place: Path, suite: Place | None, policy: Place | None, baseline: Place | None) -> _Found:
        inside, older, held = place / "runs", place / "baseline", place / "calibration"
        return cls(
            root=place if place.is_dir() else place.parent,
            runs=inside if inside.is_dir() else place,
            suite=Path(suite) if suite else _beside(place, "suite"),
            policy=Path(policy) if policy else _beside(place, "policy"),
            # Without `runs/`, a folder's older runs would be read as its own.
            baseline=Path(baseline) if baseline else older if inside.is_dir() and older.is_dir() else None,
            calibration=held if inside.is_dir() and held.is_dir() else None,
        )


def _beside(folder: Path, stem: str) -> Path | None:
    return next((path for ending in ENDINGS if (path := folder / f"{stem}{ending}").is_file()), None)


def _traces(place: Path | None) -> tuple[Path, ...]:
    return () if place is None else tuple(one for one in trace_files(place) if one.is_file())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
