"""From one vote a trial to one outcome a probe: what counts, and whether the probe was caught.

spec: 09 §8
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from evalnb.engine.artifacts.evidence import OutcomeState
from evalnb.engine.json_values import json_kind, quote

INVALIDATING_STATES: Final[tuple[OutcomeState, ...]] = ("oracle-error", "judge-error", "infrastructure-error")
UNVOTED_STATES: Final[tuple[OutcomeState, ...]] = ("not-applicable", "unreached")
VOTED_STATES: Final[tuple[OutcomeState, ...]] = (
    "caught",
    "confirmed",
    "missed",
    "abstained",
    "bypassed",
    "passed-clean-control",
    "false-positive",
)
_STATES: Final = frozenset({*INVALIDATING_STATES, *UNVOTED_STATES, *VOTED_STATES})


class CastVote(Protocol):
    """A vote, as cast here or as an artifact states it."""

    @property
    def trial_index(self) -> int: ...

    @property
    def state(self) -> OutcomeState: ...


@dataclass(frozen=True, slots=True)
class TrialVote:
    """The state one trial contributes; `trial_index` counts from 1."""

    trial_index: int
    state: OutcomeState


@dataclass(frozen=True, slots=True)
class InvalidAttempt:
    """A trial that decided nothing, and the invalidating state that says why."""

    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a trial set says of its probe; `caught` implies `exercised`."""

    exercised: bool
    caught: bool
    valid_count: int
    caught_count: int
    invalidated_attempts: tuple[InvalidAttempt, ...]


def reduce_trials(votes: Iterable[CastVote], catch_threshold: float) -> Reduction:
    """Count the votes and compare the share of catches with the threshold, strictly and in binary64.

    A tie is no catch, and threshold 1 is never passed. Raises `TypeError` for a threshold that is not a finite
    number in 0..1, before any vote is read, and for a state outside the twelve. spec: 09 §8
    """
    _check_threshold(catch_threshold)
    valid = caught = 0
    invalidated: list[InvalidAttempt] = []
    for vote in votes:
        if vote.state not in _STATES:
            raise TypeError(f"out-of-domain state {quote(str(vote.state))} in trial {vote.trial_index}")
        if vote.state in INVALIDATING_STATES:
            invalidated.append(InvalidAttempt(vote.trial_index, vote.state))
        elif vote.state in VOTED_STATES:
            valid += 1
            caught += vote.state == "caught"
    return Reduction(
        exercised=valid > 0,
        caught=valid > 0 and caught / valid > catch_threshold,
        valid_count=valid,
        caught_count=caught,
        invalidated_attempts=tuple(invalidated),
    )


def _check_threshold(threshold: object) -> None:
    is_number = isinstance(threshold, (int, float)) and json_kind(threshold) == "number"
    if not is_number or not math.isfinite(threshold) or not 0 <= threshold <= 1:  # type: ignore[arg-type,operator]
        raise TypeError(f"catchThreshold must be a finite number from 0 to 1, and is {threshold!r}")
