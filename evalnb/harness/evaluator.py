"""The mechanical evaluator: it resolves every oracle's check over what was recorded and reports what comes out.

It reads the checks themselves, which no evaluator of a sealed brief can. So it measures what the contract's checks can
see, and nothing of an evaluator's skill; its configuration says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts import (
    All,
    AnyOf,
    CheckResolution,
    EvalContract,
    Expression,
    Not,
    Observation,
    Oracle,
)
from evalnb.engine.compile.walks import expression_site, pointers_of
from evalnb.engine.evaluate import (
    make_denotes_collection,
    make_resolve_operand,
    reference_set_keys_of,
    resolve_check,
    select_trial,
)
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer
from evalnb.harness.quoting import quotations

IDENTITY: Final = (
    "mechanical evaluator: resolves each oracle's check over recorded calls and reports the result; it reads the "
    "checks, so it measures the contract and no evaluator's skill"
)
MODEL: Final = "none: no model is asked"
INSTRUCTIONS: Final = (
    "Drive the interaction plan once. Resolve every check over what was recorded. A check that comes out against its "
    "oracle's polarity is a defect finding that cites and quotes what the failing parts of the check read."
)
_SEVERITIES: Final = ("low", "material", "critical")


@dataclass(frozen=True, slots=True)
class TrialReport:
    """What the evaluator says of one trial, in the shapes of a sealed run record; findings name no probe yet."""

    dispositions: tuple[dict[str, Any], ...]
    findings: tuple[dict[str, Any], ...]

    @property
    def violated(self) -> tuple[str, ...]:
        """The oracles that came out violated, in contract order."""
        return tuple(str(finding["oracleId"]) for finding in self.findings)

    @property
    def unexamined(self) -> tuple[str, ...]:
        """The oracles whose checks found nothing to look at."""
        return tuple(d["oracleId"] for d in self.dispositions if d["disposition"] == "not-attempted")


@dataclass(frozen=True, slots=True)
class MechanicalEvaluator:
    """An evaluator for the trials of one contract."""

    contract: EvalContract
    index: PlanIndex
    regex_step_budget: int

    @classmethod
    def of(cls, contract: EvalContract, regex_step_budget: int) -> MechanicalEvaluator:
        """The evaluator of a compiled contract under a policy's step budget."""
        return cls(contract, PlanIndex.build(contract), regex_step_budget)

    def report(self, observations: Sequence[Observation]) -> TrialReport:
        """Resolve every oracle over one trial. Raises RuntimeFault as evaluating does."""
        bound = select_trial(self.contract, observations, self.index).step_observations
        dispositions: list[dict[str, Any]] = []
        findings: list[dict[str, Any]] = []
        for oracle in self.contract.oracles:
            if oracle.check is None:
                continue
            resolution = self.resolve(oracle, bound)
            against = "false" if oracle.polarity == "expects-hold" else "true"
            # A check that reads no call that was made has nothing to cite, whatever it comes to.
            violated = resolution.resolution == against and bool(addressed(oracle.check, bound))
            dispositions.append(_disposition(oracle.id, resolution, violated, addressed(oracle.check, bound)))
            if violated:
                number = f"F-{len(findings) + 1:03d}"
                findings.append({"findingId": number, **self._finding(oracle, oracle.check, resolution, bound)})
        return TrialReport(tuple(dispositions), tuple(findings))

    def resolve(self, oracle: Oracle, bound: Mapping[str, Observation]) -> CheckResolution:
        """What one oracle's check comes to over the observations of the steps."""
        assert oracle.check is not None
        return resolve_check(
            oracle.check,
            make_resolve_operand(bound, self.contract.reference_sets),
            make_denotes_collection(self.contract, self.index),
            reference_set_keys_of(self.contract),
            self.regex_step_budget,
            f"EvalContract.oracles[id={oracle.id}].check",
        )

    def _finding(
        self, oracle: Oracle, check: Expression, resolution: CheckResolution, bound: Mapping[str, Observation]
    ) -> dict[str, Any]:
        behaviors = [behavior for behavior in self.contract.behaviors if oracle.id in behavior.oracles]
        wanted = "true" if oracle.polarity == "expects-hold" else "false"
        read = list(dict.fromkeys(failing_pointers(check, resolution, wanted)))
        cited = _observations_of(read, bound) or addressed(check, bound)
        domain = oracle.direction.negative_domain if oracle.direction is not None else None
        return {
            "findingType": "defect",
            "oracleId": oracle.id,
            "behaviorId": behaviors[0].id if behaviors else None,
            "severity": max((behavior.severity for behavior in behaviors), key=_SEVERITIES.index, default="low"),
            "summary": domain or f"The check of {oracle.id} does not hold.",
            "confidence": 1,
            "observationIds": [observation.observation_id for observation in cited],
            "quotedEvidence": quotations(read, bound, cited),
        }


def recommendation(reports: Sequence[TrialReport]) -> str:
    """One recommendation for an arm, given when all of its trials are in."""
    severities = {finding["severity"] for report in reports for finding in report.findings}
    return "FAIL" if severities - {"low"} else "CONCERNS" if severities else "PASS"


def pointers_read(check: Expression) -> tuple[str, ...]:
    """The pointers into calls that a check reads, in the order they stand."""
    found = (visit.pointer for visit in pointers_of(expression_site(check, "")))
    return tuple(dict.fromkeys(pointer for pointer in found if not is_bound_element(pointer)))


def addressed(check: Expression, bound: Mapping[str, Observation]) -> list[Observation]:
    """The calls that a check reads, in the order they were made."""
    return _observations_of(pointers_read(check), bound)


def failing_pointers(expression: Expression, resolution: CheckResolution, wanted: str) -> Iterator[str]:
    """The pointers of the leaves that keep a check from coming out as wanted."""
    if resolution.resolution == wanted:
        return
    if isinstance(expression, Not):
        opposite = "false" if wanted == "true" else "true"
        yield from failing_pointers(expression.operands[0], resolution.children[0], opposite)
    elif isinstance(expression, (All, AnyOf)):
        for operand, child in zip(expression.operands, resolution.children, strict=True):
            yield from failing_pointers(operand, child, wanted)
    else:
        # A quantifier's pointers, inside its predicate too, and those of a leaf.
        yield from pointers_read(expression)


def _observations_of(pointers: Sequence[str], bound: Mapping[str, Observation]) -> list[Observation]:
    steps = {parse_interaction_pointer(pointer).step_id for pointer in pointers}
    found = {bound[step].observation_id: bound[step] for step in steps if step in bound}
    return sorted(found.values(), key=lambda observation: observation.sequence)


def _disposition(
    oracle_id: str, resolution: CheckResolution, violated: bool, observations: Sequence[Observation]
) -> dict[str, Any]:
    examined = resolution.resolution != "insufficient-evidence" and bool(observations)
    return {
        "oracleId": oracle_id,
        "disposition": "not-attempted" if not examined else "violated" if violated else "held",
        "observationIds": [observation.observation_id for observation in observations],
        "note": None if examined and not violated else f"The check resolved {resolution.resolution} over these calls.",
    }
