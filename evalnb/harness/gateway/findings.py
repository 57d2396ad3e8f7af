"""What an evaluator writes: a small JSON document, and whether it says anything that can be put into a record.

{"recommendation": "FAIL",
 "dispositions": [{"oracle": "O-001", "disposition": "violated", "observations": ["obs-001"]}],
 "findings": [{"type": "defect", "oracle": "O-001", "behavior": "B-001", "severity": "material",
               "summary": "...", "observations": ["obs-001"],
               "quotes": [{"channel": "response-body", "text": "..."}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from evalnb.engine.artifacts import SealedEvaluatorBrief
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.artifacts.json_schema import schema_of
from evalnb.engine.artifacts.model import Items, Omittable, StrictObject
from evalnb.engine.artifacts.policy import UnitInterval
from evalnb.engine.artifacts.primitives import NonNegativeInt, Severity, Text, UnsignedDecimalString
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.artifacts.record import Disposition, EvaluatorRecommendation
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault

ARTIFACT: Final = "EvaluatorFindings"
MOST_BYTES: Final = 4 * 1024 * 1024

Channel = Literal[
    "response-body", "response-headers", "response-status", "call-inputs", "stdout", "stderr", "exit-code", "artifact"
]


class UnusableFindings(Exception):
    """Findings that no record can be made of; `problems` say why, one line each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class GivenQuote(StrictObject):
    """Text that stands word for word in a channel of a cited call."""

    channel: Channel
    text: Text
    artifact: Annotated[Text | None, Omittable()] = None


class GivenDisposition(StrictObject):
    """What the evaluator says of one oracle, and the calls it rests on."""

    oracle: Text
    disposition: Disposition
    observations: Annotated[Items[Text] | None, Omittable()] = None
    note: Annotated[Text | None, Omittable()] = None


class GivenFinding(StrictObject):
    """One finding. A defect cites calls; where it quotes nothing, what the calls answered is quoted for it."""

    type: Literal["defect", "observation", "confirmation"]
    oracle: Annotated[Text | None, Omittable()] = None
    behavior: Annotated[Text | None, Omittable()] = None
    severity: Severity
    summary: Text
    confidence: Annotated[UnitInterval | None, Omittable()] = None
    observations: Annotated[Items[Text] | None, Omittable()] = None
    quotes: Annotated[Items[GivenQuote] | None, Omittable()] = None


class GivenUse(StrictObject):
    """What the evaluator says that it consumed; nobody else can know."""

    input_tokens: Annotated[NonNegativeInt | None, Omittable()] = None
    output_tokens: Annotated[NonNegativeInt | None, Omittable()] = None
    cost_usd: Annotated[UnsignedDecimalString | None, Omittable()] = None


class EvaluatorFindings(StrictObject):
    """The whole document."""

    recommendation: EvaluatorRecommendation
    dispositions: Annotated[Items[GivenDisposition] | None, Omittable()] = None
    findings: Annotated[Items[GivenFinding] | None, Omittable()] = None
    use: Annotated[GivenUse | None, Omittable()] = None


def findings_schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    return schema_of(EvaluatorFindings, "urn:evalnb:schema:evaluator-findings", "What an evaluator found in one trial.")


def read_findings(path: Path) -> EvaluatorFindings:
    """The document at `path`. Raises `UnusableFindings`."""
    if not path.is_file() or path.is_symlink():
        raise UnusableFindings(("no findings were written to the file that EVALNB_FINDINGS names",))
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UnusableFindings((f"the findings are larger than {MOST_BYTES} bytes",))
    try:
        found: EvaluatorFindings = validated(EvaluatorFindings, scan_json(data, ARTIFACT))
    except RuntimeFault as fault:
        raise UnusableFindings((f"{ARTIFACT}: {fault.detail}",)) from fault
    except ShapeError as error:
        lines = tuple(f"{'/'.join(map(str, issue.path)) or ARTIFACT}: {issue.message}" for issue in error.issues[:20])
        raise UnusableFindings(lines) from error
    return found


def problems_of(given: EvaluatorFindings, brief: SealedEvaluatorBrief, observation_ids: set[str]) -> Iterator[str]:
    """What in the document names an oracle, a behavior or a call that is not there, and citations that are missing."""
    oracles = {direction.oracle_id for direction in brief.directions}
    behaviors = {behavior.id for behavior in brief.behaviors}
    seen: set[str] = set()
    for place, one in enumerate(given.dispositions or ()):
        where = f"dispositions/{place}"
        if one.oracle not in oracles:
            yield f"{where}: the brief has no oracle {one.oracle}; it has {', '.join(sorted(oracles))}"
        if one.oracle in seen:
            yield f"{where}: {one.oracle} was decided before"
        seen.add(one.oracle)
        yield from _uncited(where, one.observations, observation_ids)
        if one.disposition != "not-attempted" and not one.observations:
            yield f"{where}: {one.disposition} rests on no call; name the observations, or say not-attempted"
    for place, finding in enumerate(given.findings or ()):
        where = f"findings/{place}"
        if finding.oracle is not None and finding.oracle not in oracles:
            yield f"{where}: the brief has no oracle {finding.oracle}; it has {', '.join(sorted(oracles))}"
        if finding.behavior is not None and finding.behavior not in behaviors:
            yield f"{where}: the brief has no behavior {finding.behavior}; it has {', '.join(sorted(behaviors))}"
        yield from _uncited(where, finding.observations, observation_ids)
        if finding.type == "defect" and not finding.observations:
            yield f"{where}: a defect cites at least one call"
        for number, quote in enumerate(finding.quotes or ()):
            if (quote.channel == "artifact") != (quote.artifact is not None):
                yield f"{where}/quotes/{number}: a quote in the channel artifact, and no other, names its artifact"


def _uncited(where: str, cited: Any, observation_ids: set[str]) -> Iterator[str]:
    for name in cited or ():
        if name not in observation_ids:
            yield f"{where}: no call was recorded as {name}; the ids stand in the observations file"
