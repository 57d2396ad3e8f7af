"""Whether an evidence artifact's reductions follow from its own details.

Emit, the dominance comparison and the aggregate all ask it before they trust a reduction. spec: 09 §8.1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evalnb.engine.artifacts import InvalidatedAttempt, Outcome, ReducedProbeOutcome, Trials
from evalnb.engine.score.reduce import InvalidAttempt, reduce_trials

Path = tuple[str | int, ...]

_COUNTED = ("exercised", "caught", "valid_count", "caught_count")
_WRITTEN = {"valid_count": "validCount", "caught_count": "caughtCount"}


@dataclass(frozen=True, slots=True)
class ConsistencyIssue:
    """One broken rule: its name, where in the artifact, and what does not follow."""

    rule: str
    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class _Details:
    """The parts of the artifact that every rule reads."""

    scored_probe_id: str | None
    outcomes: Sequence[Outcome]
    reductions: Sequence[ReducedProbeOutcome]
    trials: Trials

    def of_probe(self, probe_id: str) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.probe_id == probe_id]


def reduction_consistency_issues(
    scored_probe_id: str | None,
    outcomes: Sequence[Outcome],
    reduced_probe_outcomes: Sequence[ReducedProbeOutcome],
    trials: Trials,
) -> tuple[ConsistencyIssue, ...]:
    """Every rule that the artifact breaks, in the fixed order; empty when its reductions can be trusted."""
    details = _Details(scored_probe_id, outcomes, reduced_probe_outcomes, trials)
    issues = [*_attempt_issues(details), *_presence_issues(details)]
    recomputed: list[InvalidAttempt] = []
    for position, reduction in enumerate(reduced_probe_outcomes):
        issues.extend(_identity_issues(details, position))
        issues.extend(_vote_issues(details, position))
        issues.extend(_recount_issues(reduction, position, recomputed))
    issues.extend(_closing_issues(details, recomputed))
    return tuple(issues)


def _attempt_issues(details: _Details) -> Iterator[ConsistencyIssue]:
    attempts = details.trials.completed_attempts
    if len(set(attempts)) != len(attempts) or len(attempts) != details.trials.completed:
        yield ConsistencyIssue(
            "completed-attempts-count",
            ("trials", "completedAttempts"),
            f"{len(attempts)} attempts listed, {len(set(attempts))} of them distinct, for "
            f"{details.trials.completed} completed trials",
        )
    if details.outcomes and {outcome.trial_index for outcome in details.outcomes} != set(attempts):
        yield ConsistencyIssue(
            "details-cover-attempts", ("outcomes",), "the outcomes do not cover exactly the completed attempts"
        )


def _presence_issues(details: _Details) -> Iterator[ConsistencyIssue]:
    path: Path = ("reducedProbeOutcomes",)
    probe, reductions = details.scored_probe_id, details.reductions
    if probe is None and reductions:
        yield ConsistencyIssue("reduction-needs-probe", path, "a reduction is present and no probe was scored")
    if probe is not None and (len(reductions) != 1 or reductions[0].probe_id != probe):
        yield ConsistencyIssue(
            "exactly-the-scored-probe", path, f"expected exactly one reduction, of the scored probe {probe}"
        )


def _identity_issues(details: _Details, position: int) -> Iterator[ConsistencyIssue]:
    reduction = details.reductions[position]
    root: Path = ("reducedProbeOutcomes", position)
    probe = reduction.probe_id
    if any(earlier.probe_id == probe for earlier in details.reductions[:position]):
        yield ConsistencyIssue("reduced-probe-unique", (*root, "probeId"), f"{probe} is reduced twice")
    if probe != details.scored_probe_id:
        yield ConsistencyIssue(
            "reduced-probe-is-scored-probe",
            (*root, "probeId"),
            f"{probe} is reduced where {details.scored_probe_id} was scored",
        )
    if any(outcome.severity != reduction.severity for outcome in details.of_probe(probe)):
        yield ConsistencyIssue(
            "severity-matches-details",
            (*root, "severity"),
            f"an outcome of {probe} carries another severity than {reduction.severity}",
        )


def _vote_issues(details: _Details, position: int) -> Iterator[ConsistencyIssue]:
    reduction = details.reductions[position]
    root: Path = ("reducedProbeOutcomes", position, "trialVotes")
    known = {(outcome.trial_index, outcome.state) for outcome in details.of_probe(reduction.probe_id)}
    seen: set[int] = set()
    for number, vote in enumerate(reduction.trial_votes):
        if vote.trial_index in seen:
            yield ConsistencyIssue(
                "vote-index-unique",
                (*root, number, "trialIndex"),
                f"trial {vote.trial_index} votes more than once",
            )
        seen.add(vote.trial_index)
        if (vote.trial_index, vote.state) not in known:
            yield ConsistencyIssue(
                "vote-has-detail",
                (*root, number),
                f"no outcome of {reduction.probe_id} is {vote.state} in trial {vote.trial_index}",
            )
    if details.outcomes and seen != set(details.trials.completed_attempts):
        yield ConsistencyIssue("votes-cover-attempts", root, "the votes are not exactly the completed attempts")
    if not details.outcomes and reduction.trial_votes:
        yield ConsistencyIssue("votes-need-details", root, "votes are present and no outcome is")


def _recount_issues(
    reduction: ReducedProbeOutcome, position: int, recomputed: list[InvalidAttempt]
) -> Iterator[ConsistencyIssue]:
    """Compare one reduction with its recount, and add the recount's invalidated attempts to `recomputed`."""
    recount = reduce_trials(reduction.trial_votes, reduction.catch_threshold)
    recomputed.extend(recount.invalidated_attempts)
    root: Path = ("reducedProbeOutcomes", position)
    for name in _COUNTED:
        stated, follows = getattr(reduction, name), getattr(recount, name)
        if stated != follows:
            field = _WRITTEN.get(name, name)
            yield ConsistencyIssue("recomputes", (*root, field), f"{field} is {stated} and the votes give {follows}")
    if _counted(reduction.invalidated_attempts) != _counted(recount.invalidated_attempts):
        yield ConsistencyIssue(
            "recomputes",
            (*root, "invalidatedAttempts"),
            "the invalidated attempts are not those the votes give",
        )


def _closing_issues(details: _Details, recomputed: list[InvalidAttempt]) -> Iterator[ConsistencyIssue]:
    reduced = {reduction.probe_id for reduction in details.reductions}
    for probe in dict.fromkeys(outcome.probe_id for outcome in details.outcomes):
        if probe is not None and probe not in reduced:
            yield ConsistencyIssue(
                "detailed-probe-reduced", ("reducedProbeOutcomes",), f"{probe} has outcomes and no reduction"
            )
    if _counted(details.trials.invalidated_attempts) != _counted(recomputed):
        yield ConsistencyIssue(
            "root-invalidated-recomputes",
            ("trials", "invalidatedAttempts"),
            "the invalidated attempts are not the union of those the reductions give",
        )


def _counted(attempts: Iterable[InvalidatedAttempt | InvalidAttempt]) -> Counter[tuple[int, str]]:
    return Counter((attempt.attempt, attempt.reason) for attempt in attempts)
