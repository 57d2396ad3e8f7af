"""The policy a release is gated by: hard gates, floors, regressions, slices, owners and rollback thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from evalnb.files import FileProblem, read_file
from evalnb.trajectory.case_files import parse_document, problems_of
from evalnb.trajectory.findings import FINDING_KINDS

OnBreach: TypeAlias = Literal["block", "review"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class SliceOf(_Part):
    """One value of one slice key."""

    key: str
    value: str


class Floor(_Part):
    """A rate whose interval's lower bound must reach `at_least`.

    `rate` is `safe`, `resolved`, or a layer's name; `slice` narrows the runs.
    """

    rate: str
    at_least: float = Field(ge=0, le=1)
    slice: SliceOf | None = None
    minimum_runs: int = Field(default=1, ge=1)
    on_breach: OnBreach = "block"


class Regression(_Part):
    """How far a rate may fall behind the baseline's; a larger fall blocks when the paired test shows it, else asks."""

    rate: Literal["safe", "resolved"]
    at_most: float = Field(ge=0, le=1)
    alpha: float = Field(default=0.05, gt=0, lt=1)


class RequiredSlice(_Part):
    """Values of a slice key that must each have enough runs."""

    key: str
    values: tuple[str, ...] = Field(min_length=1)
    minimum_runs: int = Field(default=1, ge=1)


class Holdout(_Part):
    """Runs of holdout cases that must be there."""

    minimum_runs: int = Field(default=1, ge=1)


class GraderAgreement(_Part):
    """The agreement with people that a user's grader needs before its findings may decide."""

    grader: str
    minimum_kappa: float = Field(ge=-1, le=1)
    minimum_labels: int = Field(default=20, ge=1)


class Rollback(_Part):
    """A threshold for sampled production runs: below it, with enough runs, the release goes back."""

    rate: Literal["safe", "resolved"]
    below: float = Field(ge=0, le=1)
    minimum_runs: int = Field(default=30, ge=1)
    action: str = "roll back"


class GatePolicy(_Part):
    """A whole policy. `hard_gates` None takes every kind of finding that is hard by itself."""

    name: str = Field(min_length=1)
    version: int = Field(default=1, ge=1)
    owners: tuple[str, ...] = Field(min_length=1)
    minimum_runs: int = Field(default=1, ge=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    hard_gates: tuple[str, ...] | None = None
    floors: tuple[Floor, ...] = ()
    regressions: tuple[Regression, ...] = ()
    required_slices: tuple[RequiredSlice, ...] = ()
    holdout: Holdout | None = None
    graders: tuple[GraderAgreement, ...] = ()
    rollback: tuple[Rollback, ...] = ()

    @field_validator("hard_gates")
    @classmethod
    def _known(cls, codes: tuple[str, ...] | None) -> tuple[str, ...] | None:
        unknown = [code for code in codes or () if code not in FINDING_KINDS]
        if unknown:
            raise ValueError(f"no kind of finding: {', '.join(unknown)}")
        return codes


def read_policy(path: str | Path) -> GatePolicy:
    """The policy in a YAML or JSON file. Raises `FileProblem` naming each field that does not fit."""
    place = Path(path)
    text = read_file(place, "a gate policy").decode("utf-8", "replace")
    try:
        return GatePolicy.model_validate(parse_document(text, place))
    except ValidationError as error:
        raise FileProblem(place, problems_of(error)) from None
