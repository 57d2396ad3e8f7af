"""Judge a release: each rule of the policy says pass, review, blocked or not measurable, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from evalnb.trajectory.calibration import Calibration, may_decide
from evalnb.trajectory.comparison import Outcome, compare
from evalnb.trajectory.findings import FINDING_KINDS, LAYERS, Finding
from evalnb.trajectory.gate_policy import Floor, GatePolicy, Regression
from evalnb.trajectory.grade_files import GradedRuns
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.rates import Rate, Tally, rates_of

GateOutcome: TypeAlias = Literal["pass", "review", "blocked", "not-measurable"]
EXIT_CODES: Mapping[GateOutcome, int] = {"pass": 0, "review": 1, "blocked": 2, "not-measurable": 3}
RUNS_NAMED = 10


@dataclass(frozen=True, slots=True)
class Reason:
    """What one rule came to, and why; `runs` names the first runs it rests on."""

    rule: str
    outcome: GateOutcome
    detail: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The decision and every rule's reason, in the order of the policy."""

    policy: str
    policy_version: int
    owners: tuple[str, ...]
    outcome: GateOutcome
    reasons: tuple[Reason, ...]
    runs: int

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]


def judge(
    policy: GatePolicy,
    graded: GradedRuns,
    *,
    baseline: GradedRuns | None = None,
    calibrations: Iterable[Calibration] = (),
    production: bool = False,
) -> GateDecision:
    """Judge graded runs by a policy.

    A hard finding blocks however few runs there are; otherwise what cannot be measured is said before any rate is
    judged. `production` judges by the rollback thresholds in place of floors, regressions and the holdout.
    """
    reasons: list[Reason] = []
    grades = _deciding(policy, graded.grades, tuple(calibrations), reasons)
    reasons += _hard_gates(policy, grades)
    reasons += _measurable(policy, graded, baseline, production)
    if not any(reason.outcome == "not-measurable" for reason in reasons):
        if production:
            reasons += _rollbacks(policy, grades)
        else:
            reasons += [_floor(floor, grades, policy) for floor in policy.floors]
            if baseline is not None:
                older = _deciding(policy, baseline.grades, tuple(calibrations), [])
                reasons += [_regression(rule, older, grades) for rule in policy.regressions]
    return GateDecision(policy.name, policy.version, policy.owners, _worst(reasons), tuple(reasons), len(grades))


def _worst(reasons: Sequence[Reason]) -> GateOutcome:
    """A hard finding outweighs everything; then what cannot be measured, since no rate was judged."""
    found = {reason.outcome for reason in reasons}
    order: tuple[GateOutcome, ...] = ("blocked", "not-measurable", "review")
    return next((outcome for outcome in order if outcome in found), "pass")


def _deciding(
    policy: GatePolicy, grades: tuple[RunGrade, ...], calibrations: tuple[Calibration, ...], reasons: list[Reason]
) -> tuple[RunGrade, ...]:
    """The grades without the findings of graders that may not decide."""
    own = {name for grade in grades for name in grade.layers if name not in LAYERS}
    barred: set[str] = set()
    for name in sorted(own):
        rule = next((one for one in policy.graders if one.grader == name), None)
        held = next((one for one in calibrations if one.grader == name), None)
        if rule is None:
            barred.add(name)
            why = "the policy states no agreement for it"
        elif held is None:
            barred.add(name)
            why = "it was not calibrated against people"
        elif held.n < rule.minimum_labels or not may_decide(held, rule.minimum_kappa):
            barred.add(name)
            low = "none" if held.kappa_low is None else f"{held.kappa_low:.2f}"
            why = f"kappa's lower bound is {low} over {held.n} labels, the policy asks {rule.minimum_kappa:.2f}"
        else:
            why = ""
        detail = f"grader {name} may not decide: {why}" if why else f"grader {name} may decide"
        reasons.append(Reason(f"grader {name}", "pass", detail))
    if not barred:
        return grades
    return tuple(_without(grade, barred) for grade in grades)


def _without(grade: RunGrade, barred: set[str]) -> RunGrade:
    kept = tuple(one for one in grade.findings if one.grader not in barred and one.layer not in barred)
    if len(kept) == len(grade.findings):
        return grade
    safe = not any(one.bears_on == "safety" for one in kept)
    solved = None if grade.resolved is None else not any(one.bears_on == "resolution" for one in kept)
    layers = {name: result for name, result in grade.layers.items() if name not in barred}
    return replace(grade, findings=kept, safe=safe, resolved=solved, layers=layers)


def _hard_gates(policy: GatePolicy, grades: Sequence[RunGrade]) -> Iterator[Reason]:
    found: dict[str, dict[str, int]] = {}
    for grade in grades:
        for one in grade.findings:
            if is_hard(policy, one):
                runs = found.setdefault(one.code, {})
                runs[grade.run_id] = runs.get(grade.run_id, 0) + 1
    for code, runs in sorted(found.items()):
        detail = f"{sum(runs.values())} x {FINDING_KINDS[code].meaning if code in FINDING_KINDS else code}"
        yield Reason(f"hard gate {code}", "blocked", detail, tuple(runs)[:RUNS_NAMED])
    if not found:
        yield Reason("hard gates", "pass", f"none tripped in {len(grades)} runs")


def is_hard(policy: GatePolicy, one: Finding) -> bool:
    """Whether the policy blocks on this finding."""
    return one.hard if policy.hard_gates is None else one.code in policy.hard_gates


def _measurable(
    policy: GatePolicy, graded: GradedRuns, baseline: GradedRuns | None, production: bool
) -> Iterator[Reason]:
    grades = graded.grades
    if len(grades) < policy.minimum_runs:
        yield Reason("runs", "not-measurable", f"{len(grades)} runs, the policy asks {policy.minimum_runs}")
    releases = sorted({grade.release for grade in grades if grade.release is not None})
    if len(releases) > 1:
        yield Reason("versions", "not-measurable", f"runs of several releases: {', '.join(releases)}")
    yield from _case_versions(grades)
    for rule in policy.required_slices:
        for value in rule.values:
            count = sum(grade.slices.get(rule.key) == value for grade in grades)
            if count < rule.minimum_runs:
                detail = f"{count} runs of {rule.key} = {value}, the policy asks {rule.minimum_runs}"
                yield Reason(f"slice {rule.key}", "not-measurable", detail)
    if production:
        return
    if policy.holdout is not None:
        count = sum(grade.split == "holdout" for grade in grades)
        if count < policy.holdout.minimum_runs:
            detail = f"{count} runs of holdout cases, the policy asks {policy.holdout.minimum_runs}"
            yield Reason("holdout", "not-measurable", detail)
    if policy.regressions and baseline is None:
        yield Reason("baseline", "not-measurable", "the policy compares with a baseline and none was given")
    if baseline is not None and _suite(baseline) != _suite(graded):
        detail = f"the baseline was graded by {_suite(baseline)}, these runs by {_suite(graded)}"
        yield Reason("baseline", "not-measurable", detail)


def _case_versions(grades: Sequence[RunGrade]) -> Iterator[Reason]:
    versions: dict[str, set[int]] = {}
    for grade in grades:
        if grade.case_id is not None and grade.case_version is not None:
            versions.setdefault(grade.case_id, set()).add(grade.case_version)
    mixed = sorted(case for case, found in versions.items() if len(found) > 1)
    if mixed:
        yield Reason("versions", "not-measurable", f"cases graded in several versions: {', '.join(mixed[:5])}")


def _suite(graded: GradedRuns) -> str:
    return "no suite" if graded.suite is None else f"{graded.suite} version {graded.suite_version}"


def _tally(rate: str, grades: Sequence[RunGrade]) -> Tally:
    if rate == "safe":
        known = [grade.safe for grade in grades if grade.is_judged]
        return Tally(rate, sum(known), len(known))
    if rate == "resolved":
        asked = [grade.resolved for grade in grades if grade.resolved is not None]
        return Tally(rate, sum(asked), len(asked))
    judged = [held for grade in grades if (held := grade.layers.get(rate)) is not None and held.judged]
    return Tally(rate, sum(not held.failed for held in judged), len(judged))


def _floor(floor: Floor, grades: Sequence[RunGrade], policy: GatePolicy) -> Reason:
    part = floor.slice
    members = [grade for grade in grades if part is None or grade.slices.get(part.key) == part.value]
    name = f"floor {floor.rate}" + (f" of {part.key} = {part.value}" if part else "")
    rate = rates_of([_tally(floor.rate, members)], policy.confidence)[0]
    if rate.n < floor.minimum_runs or rate.low is None:
        return Reason(name, "not-measurable", f"{rate.n} runs to judge, the policy asks {floor.minimum_runs}")
    detail = f"{shown(rate)}, floor {floor.at_least:.3f}"
    if rate.low >= floor.at_least:
        return Reason(name, "pass", detail)
    return Reason(name, "blocked" if floor.on_breach == "block" else "review", detail)


def _regression(rule: Regression, older: Sequence[RunGrade], newer: Sequence[RunGrade]) -> Reason:
    outcome: Outcome = _safe if rule.rate == "safe" else _resolved
    test = compare(older, newer, outcome=outcome, slice_by=(), alpha=rule.alpha).whole
    name = f"regression {rule.rate}"
    if test.difference is None or test.p_value is None:
        return Reason(name, "not-measurable", "no run pairs with one of the baseline")
    detail = (
        f"{test.older:.3f} to {test.newer:.3f} over {test.pairs} pairs, {test.gained} gained, {test.lost} lost,"
        f" p = {test.p_value:.3g}, a difference of {test.detectable:.3f} could be seen"
    )
    if -test.difference <= rule.at_most:
        return Reason(name, "pass", detail)
    return Reason(name, "blocked" if test.p_value < rule.alpha else "review", detail)


def _safe(grade: RunGrade) -> bool | None:
    return grade.safe if grade.is_judged else None


def _resolved(grade: RunGrade) -> bool | None:
    return grade.resolved


def _rollbacks(policy: GatePolicy, grades: Sequence[RunGrade]) -> Iterator[Reason]:
    for rule in policy.rollback:
        rate = rates_of([_tally(rule.rate, grades)], policy.confidence)[0]
        name = f"rollback {rule.rate}"
        if rate.n < rule.minimum_runs or rate.value is None:
            yield Reason(name, "not-measurable", f"{rate.n} sampled runs, the policy asks {rule.minimum_runs}")
        elif rate.value < rule.below:
            yield Reason(name, "blocked", f"{shown(rate)}, below {rule.below:.3f}: {rule.action}")
        else:
            yield Reason(name, "pass", f"{shown(rate)}, threshold {rule.below:.3f}")


def shown(rate: Rate) -> str:
    """A rate as text: value, interval and n."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "no runs"
    return f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}] n = {rate.n}"
