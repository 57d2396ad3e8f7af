"""How many seeded probes a contract caught, class by class, and whether the number may be compared.

Unweighted, and there is no composite number. spec: 09 §9.1, §9.2, §12.4
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from evalnb.engine.artifacts.evidence import ClassStrength, StrengthVector
from evalnb.engine.json_values import number_text

if TYPE_CHECKING:
    from evalnb.engine.artifacts.aggregate import StrengthClass

STRENGTH_CLASSES: Final[tuple[StrengthClass, ...]] = ("defect", "gameability", "zero-action")


class AdmittedProbe(Protocol):
    """A qualified probe, as far as eligibility reads it."""

    @property
    def probe_id(self) -> str: ...
    @property
    def probe_class(self) -> str: ...
    @property
    def expected_clean(self) -> bool: ...


class ProbeReduction(Protocol):
    """What a trial set says of one probe, as far as strength reads it."""

    @property
    def exercised(self) -> bool: ...
    @property
    def caught(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class StrengthStatement:
    """The words that go with a strength vector, and whether it may be compared with another."""

    denominator: str
    comparable: bool
    note: str


def strength_vector(admitted: Iterable[AdmittedProbe], reductions: Mapping[str, ProbeReduction]) -> StrengthVector:
    """Caught over exercised for each class, probes counted once by identifier; a class without probes is None.

    Canaries and clean controls are never eligible. A probe without a reduction counts as unexercised. spec: 09 §9.1
    """
    eligible: dict[str, dict[str, None]] = {}
    for probe in admitted:
        if probe.probe_class != "canary" and not probe.expected_clean:
            eligible.setdefault(probe.probe_class, {})[probe.probe_id] = None
    return StrengthVector(
        defect=_class_strength(eligible.get("defect"), reductions),
        gameability=_class_strength(eligible.get("gameability"), reductions),
        zero_action=_class_strength(eligible.get("zero-action"), reductions),
    )


def class_of(vector: StrengthVector, name: StrengthClass) -> ClassStrength | None:
    """The class `name` of `vector`, None where it had no eligible probe."""
    return {"defect": vector.defect, "gameability": vector.gameability, "zero-action": vector.zero_action}[name]


def is_comparable(completed: int, declared_minimum: int, unreached_outcomes: int) -> bool:
    """Whether a run has its minimum of trials and reached every oracle in each of them. spec: 09 §9.2"""
    return completed >= declared_minimum and unreached_outcomes == 0


def state_strength(
    admitted_count: int, completed: int, declared_minimum: int, unreached_oracle_ids: Sequence[str]
) -> StrengthStatement:
    """Denominator, comparability and note of a run.

    `unreached_oracle_ids` holds one entry an unreached outcome, so an oracle repeats by trial. spec: 09 §12.4
    """
    comparable = is_comparable(completed, declared_minimum, len(unreached_oracle_ids))
    trials = f"{number_text(completed)} completed trial{'' if completed == 1 else 's'}"
    parts = [f"{admitted_count} admitted probe over {trials}."]
    if completed < declared_minimum:
        parts.append(f"Below the declared minimum of {number_text(declared_minimum)}.")
    if unreached_oracle_ids:
        parts.append(f"{', '.join(unreached_oracle_ids)} resolved unreached.")
    if not comparable:
        parts.append("The vector is reported and marked non-comparable.")
    return StrengthStatement(
        denominator=f"unique qualified probe identifiers exercised per class, across {trials}",
        comparable=comparable,
        note=" ".join(parts),
    )


def class_strength(reductions: Iterable[ProbeReduction]) -> ClassStrength:
    """The strength over the reductions of a class, one a probe; an unexercised probe never counts as caught."""
    exercised = [reduction for reduction in reductions if reduction.exercised]
    caught = sum(reduction.caught for reduction in exercised)
    rate = caught / len(exercised) if exercised else None
    return ClassStrength(caught=caught, exercised=len(exercised), rate=rate)


def _class_strength(probe_ids: Iterable[str] | None, reductions: Mapping[str, ProbeReduction]) -> ClassStrength | None:
    if probe_ids is None:
        return None
    return class_strength(reductions[probe] for probe in probe_ids if probe in reductions)
