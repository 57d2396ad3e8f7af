"""What a person has said so far: a judgement an oracle, findings, and a recommendation. Immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from evalnb.engine.artifacts.primitives import Severity
from evalnb.engine.artifacts.record import Disposition, EvaluatorRecommendation

FindingType: TypeAlias = Literal["defect", "observation", "confirmation"]

DISPOSITIONS: Final[tuple[Disposition, ...]] = get_args(Disposition)
RECOMMENDATIONS: Final[tuple[EvaluatorRecommendation, ...]] = get_args(EvaluatorRecommendation)
FINDING_TYPES: Final[tuple[FindingType, ...]] = get_args(FindingType)
SEVERITIES: Final = ("low", "material", "critical")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of one oracle; no disposition means not decided yet."""

    disposition: Disposition | None = None
    observation_ids: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a recorded call, word for word; `artifact_id` is given on the artifact channel alone."""

    observation_id: str
    channel: str
    artifact_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class DraftFinding:
    """A finding being written. A defect needs a summary, a cited observation and a quotation."""

    finding_id: str
    finding_type: FindingType
    oracle_id: str
    behavior_id: str | None
    severity: Severity
    confidence: float = 0.8
    summary: str = ""
    observation_ids: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """All of it. `recommendation` is None while it follows from what was said."""

    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    findings: tuple[DraftFinding, ...] = ()
    recommendation: EvaluatorRecommendation | None = None

    def judgement(self, oracle_id: str) -> Judgement:
        """What is said of an oracle; an empty judgement where nothing is."""
        return self.judgements.get(oracle_id, Judgement())

    def judged(self, oracle_id: str, judgement: Judgement) -> Draft:
        """With another judgement of an oracle."""
        return replace(self, judgements={**self.judgements, oracle_id: judgement})

    def finding(self, finding_id: str) -> DraftFinding:
        """A finding; KeyError where there is none."""
        for one in self.findings:
            if one.finding_id == finding_id:
                return one
        raise KeyError(f"there is no finding {finding_id}")

    def with_finding(self, finding: DraftFinding) -> Draft:
        """With the finding in the place of the one of its name."""
        return replace(
            self, findings=tuple(finding if one.finding_id == finding.finding_id else one for one in self.findings)
        )

    @property
    def suggested(self) -> EvaluatorRecommendation:
        """FAIL with a violated oracle, CONCERNS with an undecided or an unattempted one, else PASS."""
        said = [one.disposition for one in self.judgements.values()]
        if "violated" in said or any(one.finding_type == "defect" for one in self.findings):
            return "FAIL"
        return "CONCERNS" if "not-attempted" in said or "held" not in said else "PASS"
