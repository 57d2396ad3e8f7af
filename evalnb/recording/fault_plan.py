"""Which calls get which fault: a YAML or JSON file, matched by tool, call number and arguments, and seeded."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from evalnb.engine.json_values import Json, json_equal
from evalnb.files import FileProblem, read_file
from evalnb.trajectory.case_files import parse_document, problems_of
from evalnb.trajectory.cases import Fault, FaultKind

Form: TypeAlias = Literal["cut-text", "no-content", "text-only", "broken-structure"]
"""How a result is malformed: its text ends early, its content is missing, its structure is missing or wrong."""
FORMS: tuple[Form, ...] = ("cut-text", "no-content", "text-only", "broken-structure")
CallNumber = Annotated[int, Field(ge=1)]


class FaultRule(BaseModel):
    """One fault.

    `nth` counts the calls of `tool` that have every one of `arguments`: a number, several, or "every". `probability`
    lets the seed decide for each of them. `text` is the error's or the injected text, `seconds` how long the agent
    waits for the fault, `silent` that a timeout is never answered, `form` how a result is malformed, and `field` the
    member of the structured content that an injected instruction is written into as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    kind: FaultKind
    tool: str = Field(min_length=1)
    nth: CallNumber | tuple[CallNumber, ...] | Literal["every"] = 1
    arguments: dict[str, JsonValue] | None = None
    probability: float | None = Field(default=None, ge=0, le=1)
    text: str | None = None
    seconds: float = Field(default=0, ge=0, le=3600)
    silent: bool = False
    form: Form | None = None
    field: str | None = None

    @model_validator(mode="after")
    def _options_fit_the_kind(self) -> FaultRule:
        for option, kinds in _OPTIONS_OF.items():
            if getattr(self, option) not in (None, False) and self.kind not in kinds:
                raise ValueError(f"{option} belongs to {' and '.join(kinds)}, not to {self.kind}")
        return self


_OPTIONS_OF: Mapping[str, tuple[FaultKind, ...]] = {
    "silent": ("timeout-before-commit", "timeout-after-commit"),
    "form": ("malformed-result",),
    "field": ("injected-instruction",),
}


class FaultFile(BaseModel):
    """All faults of a run; the first one that fits a call is taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    faults: tuple[FaultRule, ...] = Field(min_length=1)


class FaultPlan:
    """Decides call by call. `applied` counts, in the order of the faults, how often each was taken."""

    def __init__(self, rules: Iterable[FaultRule] = (), seed: int = 0) -> None:
        self.rules = tuple(rules)
        self.applied: list[int] = [0] * len(self.rules)
        self._seed = seed
        self._counts: Counter[int] = Counter()

    def choose(self, tool: str, arguments: Mapping[str, Json]) -> FaultRule | None:
        """The fault of the next call of `tool`; every call is asked about once."""
        chosen: FaultRule | None = None
        for place, rule in enumerate(self.rules):
            if rule.tool != tool or not _holds(arguments, rule.arguments):
                continue
            self._counts[place] += 1
            if chosen is None and self._falls_on(rule, place, self._counts[place]):
                chosen = rule
                self.applied[place] += 1
        return chosen

    def withdraw(self, rule: FaultRule) -> None:
        """Take back one application: the fault could not be made."""
        self.applied[self.rules.index(rule)] -= 1

    def generator(self, rule: FaultRule) -> random.Random:
        """The randomness of a fault's own choices: the same for the same seed, fault and application."""
        place = self.rules.index(rule)
        return random.Random(f"{self._seed}/{place}/form/{self.applied[place]}")

    def report(self) -> list[str]:
        """One line a fault: what it was for and how often it was applied."""
        return [
            f"{rule.kind} on {rule.tool}: applied {count} time{'' if count == 1 else 's'}"
            for rule, count in zip(self.rules, self.applied, strict=True)
        ]

    def _falls_on(self, rule: FaultRule, place: int, number: int) -> bool:
        wanted = (rule.nth,) if isinstance(rule.nth, int) else rule.nth
        if wanted != "every" and number not in wanted:
            return False
        if rule.probability is None:
            return True
        return random.Random(f"{self._seed}/{place}/{number}").random() < rule.probability


def read_fault_plan(path: Path) -> FaultPlan:
    """The plan in a file. Raises `FileProblem` naming each field that does not fit."""
    text = read_file(path, "the faults to inject").decode("utf-8", "replace")
    try:
        found = FaultFile.model_validate(parse_document(text, path))
    except ValidationError as error:
        raise FileProblem(path, problems_of(error)) from None
    return FaultPlan(found.faults, found.seed)


def plan_of_case(faults: Iterable[Fault]) -> FaultPlan:
    """The plan of the faults that a case names."""
    return FaultPlan(FaultRule(kind=one.kind, tool=one.tool, nth=one.nth, text=one.text) for one in faults)


def _holds(arguments: Mapping[str, Json], wanted: Mapping[str, Json] | None) -> bool:
    return all(name in arguments and json_equal(arguments[name], value) for name, value in (wanted or {}).items())
