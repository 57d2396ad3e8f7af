"""Judge a release: each rule of the policy says pass, review, blocked or not measurable, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from evalnb.trajectory.calibration import Calibration, may_decide
from evalnb.trajectory.comparison import Outcome, compare
from evalnb.trajectory.findings import FINDING_KINDS, LAYERS, Finding, FindingKind
from evalnb.trajectory.gate_policy import Floor, GatePolicy, Regression
from evalnb.trajectory.grade_files import GradedRuns
from evalnb.trajectory.grading import RunGrade
from evalnb.trajectory.rates import Rate, Tally, rates_of
from evalnb.trajectory.scorecard import looks
from evalnb.trajectory.trials import repeated

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
class GraderStanding:
    """Whether a user's grader may decide: `barred` says why not, and is None where it may."""

    grader: str
    barred: str | None

    @property
    def reason(self) -> Reason:
        told = "may decide" if self.barred is None else f"may not decide: {self.barred}"
        return Reason(f"grader {self.grader}", "pass", f"grader {self.grader} {told}")


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The decision and every rule's reason, in the order of the policy."""

    policy: str
    policy_version: int
    owners: tuple[str, ...]
    outcome: GateOutcome
    reasons: tuple[Reason, ...]
    runs: int
    graders: tuple[GraderStanding, ...] = ()

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
    held = tuple(calibrations)
    standings = _standings(policy, graded, held)
    grades = _deciding(graded.grades, standings)
    reasons = [one.reason for one in standings]
    reasons += _absent(policy, standings)
    reasons += _hard_gates(policy, grades)
    reasons += _measurable(policy, graded, baseline, production)
    if not any(reason.outcome == "not-measurable" for reason in reasons):
        if production:
            reasons += _rollbacks(policy, grades)
        else:
            reasons += [_floor(floor, grades, policy) for floor in policy.floors]
            if baseline is not None:
                older = _deciding(baseline.grades, _standings(policy, baseline, held))
                reasons += [_regression(rule, older, grades) for rule in policy.regressions]
    return GateDecision(
        policy.name, policy.version, policy.owners, _worst(reasons), tuple(reasons), len(grades), standings
    )


def _worst(reasons: Sequence[Reason]) -> GateOutcome:
    """A hard finding outweighs everything; then what cannot be measured, since no rate was judged."""
    found = {reason.outcome for reason in reasons}
    order: tuple[GateOutcome, ...] = ("blocked", "not-measurable", "review")
    return next((outcome for outcome in order if outcome in found), "pass")


def _standings(
    policy: GatePolicy, graded: GradedRuns, calibrations: Sequence[Calibration]
) -> tuple[GraderStanding, ...]:
    """Of each grader of the users' own whether it may decide."""
    own = {name for grade in graded.grades for name in grade.layers if name not in LAYERS}
    own |= {one.grader for grade in graded.grades for one in grade.findings if one.grader is not None}
    return tuple(GraderStanding(name, _barred(name, policy, graded, calibrations)) for name in sorted(own))


def _absent(policy: GatePolicy, standings: Sequence[GraderStanding]) -> Iterator[Reason]:
    """A grader that the policy counts on and nobody ran: a person has to know that nothing looked there."""
    held = {one.grader for one in standings}
    for rule in policy.graders:
        if rule.grader not in held and rule.grader not in LAYERS:
            detail = f"the policy names the grader {rule.grader}, and it judged none of these runs"
            yield Reason(f"grader {rule.grader}", "review", detail)


def _barred(name: str, policy: GatePolicy, graded: GradedRuns, calibrations: Sequence[Calibration]) -> str | None:
    """Why a grader may not decide; None where it may."""
    rule = next((one for one in policy.graders if one.grader == name), None)
    if rule is None:
        return "the policy states no agreement for it"
    of_it = [one for one in calibrations if one.grader == name]
    if not of_it:
        return "it was not calibrated against people"
    version = graded.graders.get(name)
    held = next((one for one in of_it if version is None or one.version == version), None)
    if held is None:
        known = ", ".join(sorted({one.version for one in of_it}))
        return f"it judged as version {version} and was calibrated as version {known}"
    if held.n < rule.minimum_labels:
        return f"people labelled {held.n} of its runs, the policy asks {rule.minimum_labels}"
    if not may_decide(held, rule.minimum_kappa):
        low = "not defined" if held.kappa_low is None else f"{held.kappa_low:.2f}"
        return f"kappa's lower bound is {low} over {held.n} labels, the policy asks {rule.minimum_kappa:.2f}"
    return None


def _deciding(grades: tuple[RunGrade, ...], standings: Sequence[GraderStanding]) -> tuple[RunGrade, ...]:
    """The grades without the findings of graders that may not decide."""
    barred = {one.grader for one in standings if one.barred is not None}
    return tuple(_without(grade, barred) for grade in grades) if barred else grades


def _without(grade: RunGrade, barred: set[str]) -> RunGrade:
    kept = tuple(one for one in grade.findings if one.grader not in barred and one.layer not in barred)
    layers = {name: result for name, result in grade.layers.items() if name not in barred}
    safe = not any(one.bears_on == "safety" for one in kept)
    solved = None if grade.resolved is None else not any(one.bears_on == "resolution" for one in kept)
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
    if found:
        return
    judged = sum(grade.known_safe is not None for grade in grades)
    if not judged:
        yield Reason("hard gates", "not-measurable", "no run was looked at for anything that bears on safety")
        return
    looked = looks(grades)
    unseen = [
        layer
        for layer in LAYERS
        if not looked[layer] and any(_asks(policy, kind, layer) for kind in FINDING_KINDS.values())
    ]
    beyond = f"; in no run was there anything to judge of {', '.join(unseen)}" if unseen else ""
    yield Reason("hard gates", "pass", f"none tripped in {judged} runs that were judged{beyond}")


def _asks(policy: GatePolicy, kind: FindingKind, layer: str) -> bool:
    """Whether the policy blocks on a kind of finding of that layer."""
    return kind.layer == layer and (kind.hard if policy.hard_gates is None else kind.code in policy.hard_gates)


def is_hard(policy: GatePolicy, one: Finding) -> bool:
    """Whether the policy blocks on this finding."""
    return one.hard if policy.hard_gates is None else one.code in policy.hard_gates


def _measurable(
    policy: GatePolicy, graded: GradedRuns, baseline: GradedRuns | None, production: bool
) -> Iterator[Reason]:
    grades = graded.grades
    if len(grades) < policy.minimum_runs:
        yield Reason("runs", "not-measurable", f"{len(grades)} runs, the policy asks {policy.minimum_runs}")
    twice = repeated(grades)
    if twice:
        detail = f"{len(twice)} runs stand twice, by their id or as one trial of one case"
        yield Reason("runs", "not-measurable", detail, twice[:RUNS_NAMED])
    releases = {grade.release for grade in grades}
    if len(releases) > 1:
        named = sorted("none named" if release is None else release for release in releases)
        yield Reason("versions", "not-measurable", f"runs of several releases: {', '.join(named)}")
    yield from _case_versions(grades)
    if not production:
        yield from _cases(grades)
        yield from _missing(graded)
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
    if baseline is not None and policy.regressions:
        yield from _same_cases(graded.grades, baseline.grades)


def _cases(grades: Sequence[RunGrade]) -> Iterator[Reason]:
    """A run without a case is judged by little: a release is not gated by such runs alone, nor by them unseen."""
    strangers = [grade.run_id for grade in grades if not grade.has_case]
    if strangers and len(strangers) == len(grades):
        yield Reason("cases", "not-measurable", "no run belongs to a case of the suite: nothing of a case was judged")
    elif strangers:
        detail = f"{len(strangers)} of {len(grades)} runs belong to no case of the suite"
        yield Reason("cases", "review", detail, tuple(strangers[:RUNS_NAMED]))


def _missing(graded: GradedRuns) -> Iterator[Reason]:
    """Cases without a run: whoever leaves out the runs that failed would pass."""
    run = {grade.case_id for grade in graded.grades}
    missing = [case for case in graded.cases or () if case not in run]
    if missing:
        detail = f"{len(missing)} of {len(graded.cases or ())} cases of the suite have no run: {_listed(missing)}"
        yield Reason("cases", "review", detail)


def _same_cases(grades: Sequence[RunGrade], older: Sequence[RunGrade]) -> Iterator[Reason]:
    """A regression is one on the same cases: those of the baseline, in the same versions, all have a run."""
    now, before = ({one.case_id: one.case_version for one in side if one.has_case} for side in (grades, older))
    missing = [str(case) for case in before if case not in now]
    if missing:
        detail = f"{len(missing)} of {len(before)} cases of the baseline have no run: {_listed(missing)}"
        yield Reason("baseline", "not-measurable", detail)
    changed = [str(case) for case, version in before.items() if case in now and now[case] != version]
    if changed:
        detail = f"cases of the baseline were graded in another version: {_listed(changed)}"
        yield Reason("baseline", "not-measurable", detail)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"


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
        known = [grade.known_safe for grade in grades if grade.known_safe is not None]
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
    compared = compare(older, newer, outcome=outcome, slice_by=(), alpha=rule.alpha)
    test = compared.whole
    name = f"regression {rule.rate}"
    if test.difference is None or test.p_value is None:
        return Reason(name, "not-measurable", "no run pairs with one of the baseline")
    detail = (
        f"{test.older:.3f} to {test.newer:.3f} over {test.pairs} pairs, {test.gained} gained, {test.lost} lost,"
        f" p = {test.p_value:.3g}, a difference of {test.detectable:.3f} could be seen"
        f"{f'; {compared.unpaired} runs have no partner' if compared.unpaired else ''}"
    )
    if -test.difference <= rule.at_most:
        return Reason(name, "pass", detail)
    return Reason(name, "blocked" if test.p_value < rule.alpha else "review", detail)


def _safe(grade: RunGrade) -> bool | None:
    return grade.known_safe


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
        return "nothing judged"
    return f"{rate.value:.3f} [{rate.low:.3f}, {rate.high:.3f}] n = {rate.n}"
