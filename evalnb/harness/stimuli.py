"""Values for what a plan leaves open: `any`, `type-violating`, and required keys that a step does not bind.

A stimuli file decides first, then the operation's sensitivity witness, then a seeded value of the declared type. The
same seed gives the same values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, TypeAlias

from evalnb.engine.artifacts.bodies import JsonBody
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import ABSENT, Absent, Json
from evalnb.engine.operations import AnyOperation, declared_type
from evalnb.written_files import read_written

ARTIFACT_PATH: Final = "Stimuli"

Source: TypeAlias = Literal["witness-1", "witness-2", "generated"]
SOURCES: Final[tuple[Source, ...]] = ("witness-1", "witness-2", "generated")
"""Where a plausible value comes from, in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Stimuli:
    """What a person chose, by step, channel and key; everything else is found or made with `seed`."""

    seed: int = 0
    chosen: Mapping[str, Mapping[str, Mapping[str, Json]]] = field(default_factory=dict)

    def plausible(self, step_id: str, operation: AnyOperation, channel: str, key: str, source: Source) -> Json:
        """A value that the operation should accept."""
        given = self._chosen(step_id, channel, key)
        if not isinstance(given, Absent):
            return given
        if source != "generated":
            witnessed = _witnessed(operation, SOURCES.index(source), channel, key)
            if not isinstance(witnessed, Absent):
                return witnessed
        return _of_type(declared_type(operation, channel, key), key, self._random(step_id, channel, key))

    def violating(self, step_id: str, operation: AnyOperation, channel: str, key: str) -> Json:
        """A value whose JSON type is not the declared one."""
        given = self._chosen(step_id, channel, key)
        if not isinstance(given, Absent):
            return given
        declared = declared_type(operation, channel, key)
        number = self._random(step_id, channel, key).randint(1000, 9999)
        return number if declared == "string" else f"not-a-{declared or 'value'}-{number}"

    def _chosen(self, step_id: str, channel: str, key: str) -> Json | Absent:
        return self.chosen.get(step_id, {}).get(channel, {}).get(key, ABSENT)

    def _random(self, step_id: str, channel: str, key: str) -> Random:
        return Random(f"{self.seed}/{step_id}/{channel}/{key}")


def read_stimuli(path: Path, seed: int) -> Stimuli:
    """The stimuli file at `path`, JSON or YAML: `{"steps": {stepId: {channel: {key: value}}}}`.

    Raises `FileProblem`, or RuntimeFault `schema-parse-failure` for any other content.
    """
    return parse_stimuli(read_written(path, "the stimuli: values for what the plan leaves open", ARTIFACT_PATH), seed)


def parse_stimuli(raw: Any, seed: int) -> Stimuli:
    """The stimuli that `raw` is. Raises RuntimeFault `schema-parse-failure`."""
    steps = raw.get("steps") if isinstance(raw, dict) and set(raw) == {"steps"} else None
    if not isinstance(steps, dict) or not all(_is_step(step) for step in steps.values()):
        detail = 'stimuli are {"steps": {step id: {channel: {key: value}}}}'
        raise RuntimeFault("schema-parse-failure", ARTIFACT_PATH, detail)
    return Stimuli(seed, steps)


def _is_step(step: object) -> bool:
    return isinstance(step, dict) and all(isinstance(channel, dict) for channel in step.values())


def _witnessed(operation: AnyOperation, leg: int, channel: str, key: str) -> Json | Absent:
    witness = operation.sensitivity_witness
    if witness is None or leg >= len(witness.legs):
        return ABSENT
    sent = getattr(witness.legs[leg].inputs, channel, None)
    content = sent.value if isinstance(sent, JsonBody) else sent
    value: Json | Absent = content.get(key, ABSENT) if isinstance(content, dict) else ABSENT
    return value


def _of_type(declared: str | None, key: str, random: Random) -> Json:
    number = random.randint(1000, 9999)
    made: dict[str | None, Json] = {
        "number": number,
        "boolean": True,
        "array": [f"{key}-{number}"],
        "object": {key: f"{key}-{number}"},
        "null": None,
    }
    return made.get(declared, f"{key}-{number}")
