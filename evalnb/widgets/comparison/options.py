"""What a reader picks: which corpora, which class, from which severity on, at which confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.corpora import Comparison
from evalnb.engine.coverage.report import SEVERITY_ORDER
from evalnb.engine.score.severity import at_or_above
from evalnb.view.frames.vocabularies import STRENGTH

CONFIDENCES: Final = (0.8, 0.9, 0.95, 0.99)
ALL_CLASSES: Final = "all classes"


@dataclass(frozen=True, slots=True)
class Options:
    """One choice; hashable, so that what was compared before is found again."""

    names: tuple[str, ...]
    probe_class: str
    severity_floor: str
    confidence: float
    only_shared: bool

    @classmethod
    def read(cls, comparison: Comparison, given: Mapping[str, Any]) -> Options:
        """The options of a question, a missing one as the comparison has it. ValueError for what cannot be."""
        wanted = given.get("names")
        names = comparison.names if not isinstance(wanted, list) else tuple(n for n in comparison.names if n in wanted)
        if len(names) < 2:
            raise ValueError("Choose at least two corpora.")
        floor = given.get("floor", comparison.severity_floor)
        probe_class = given.get("class", ALL_CLASSES)
        confidence = given.get("confidence", comparison.confidence)
        if floor not in SEVERITY_ORDER or probe_class not in (ALL_CLASSES, *STRENGTH.terms):
            raise ValueError("there is no such severity or class")
        if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
            raise ValueError("a confidence lies between 0 and 1")
        shared = given.get("shared", comparison.only_shared)
        return cls(names, probe_class, floor, float(confidence), bool(shared))

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that are shown."""
        return tuple(STRENGTH.terms) if self.probe_class == ALL_CLASSES else (self.probe_class,)

    def reaches(self, severity: str) -> bool:
        """Whether a severity is at the floor or above."""
        return at_or_above(severity, self.severity_floor)
