"""The scripted evaluator of the example: it resolves every check over its own calls and reports what comes out.

No model is asked. It is told nothing about what is planted; the contract and the calls are all it reads.
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
    ForAll,
    ForAny,
    Not,
    Observation,
    Oracle,
    PointerOperand,
)
from evalnb.engine.canonical import canonical_text
from evalnb.engine.compile.walks import expression_site, pointers_of
from evalnb.engine.evaluate import (
    make_denotes_collection,
    make_resolve_operand,
    reference_set_keys_of,
    resolve_check,
    resolve_target,
    select_trial,
)
from evalnb.engine.json_values import ABSENT
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import is_bound_element, parse_interaction_pointer

REGEX_STEP_BUDGET: Final = 1_000_000
_QUOTE_LENGTH: Final = 140
_SEVERITIES: Final = ("low", "material", "critical")


@dataclass(frozen=True, slots=True)
class Report:
    """What the evaluator says of one trial, in the shapes of a sealed run record."""

    dispositions: tuple[dict[str, Any], ...]
    findings: tuple[dict[str, Any], ...]


class Calls:
    """The calls of one trial, bound to the steps that the contract's checks speak of."""

    def __init__(self, contract: EvalContract, observations: Sequence[Observation]) -> None:
        index = PlanIndex.build(contract)
        self.by_step: Mapping[str, Observation] = select_trial(contract, observations, index).step_observations
        self._contract = contract
        self._denotes_collection = make_denotes_collection(contract, index)

    def resolve(self, check: Expression, artifact_path: str) -> CheckResolution:
        """What a check comes to over these calls."""
        return resolve_check(
            check,
            make_resolve_operand(self.by_step, self._contract.reference_sets),
            self._denotes_collection,
            reference_set_keys_of(self._contract),
            REGEX_STEP_BUDGET,
            artifact_path,
        )

    def addressed(self, check: Expression) -> list[Observation]:
        """The calls that a check reads, in the order they were made."""
        pointers = [visit.pointer for visit in pointers_of(expression_site(check, ""))]
        steps = {parse_interaction_pointer(p).step_id for p in pointers if not is_bound_element(p)}
        found = [self.by_step[step] for step in steps if step in self.by_step]
        return sorted(found, key=lambda observation: observation.sequence)


def report(
    contract: EvalContract, observations: Sequence[Observation], probe_id: str, recording: Mapping[str, Any]
) -> Report:
    """Resolve every oracle over one trial: a disposition each, and a defect finding for each that is violated.

    `recording` is the artifact reference that the findings name as evidence.
    """
    calls = Calls(contract, observations)
    dispositions: list[dict[str, Any]] = []
    findings: list[dict[str, Any]] = []
    for oracle in contract.oracles:
        if oracle.check is None or oracle.direction is None:
            continue
        resolution = calls.resolve(oracle.check, f"EvalContract.oracles[id={oracle.id}].check")
        violated = resolution.resolution == ("false" if oracle.polarity == "expects-hold" else "true")
        dispositions.append(_disposition(oracle, resolution, violated, calls))
        if violated:
            finding = _finding(contract, oracle, resolution, calls)
            number = f"F-{len(findings) + 1:03d}"
            findings.append({"findingId": number, "probeId": probe_id, "evidenceArtifacts": [recording], **finding})
    return Report(tuple(dispositions), tuple(findings))


def recommendation(reports: Sequence[Report]) -> str:
    """One recommendation for an arm, given when all of its trials are in."""
    severities = {finding["severity"] for each in reports for finding in each.findings}
    return "FAIL" if severities - {"low"} else "CONCERNS" if severities else "PASS"


def _disposition(oracle: Oracle, resolution: CheckResolution, violated: bool, calls: Calls) -> dict[str, Any]:
    examined = resolution.resolution != "insufficient-evidence"
    assert oracle.check is not None
    return {
        "oracleId": oracle.id,
        "disposition": "not-attempted" if not examined else "violated" if violated else "held",
        "observationIds": [observation.observation_id for observation in calls.addressed(oracle.check)],
        "note": None if examined and not violated else f"The check resolved {resolution.resolution} over these calls.",
    }


def _finding(contract: EvalContract, oracle: Oracle, resolution: CheckResolution, calls: Calls) -> dict[str, Any]:
    assert oracle.check is not None
    behaviors = [behavior for behavior in contract.behaviors if oracle.id in behavior.oracles]
    wanted = "true" if oracle.polarity == "expects-hold" else "false"
    quotes = _quotes(calls, list(dict.fromkeys(_failing(oracle.check, resolution, wanted))))
    return {
        "findingType": "defect",
        "oracleId": oracle.id,
        "behaviorId": behaviors[0].id if behaviors else None,
        "severity": max((behavior.severity for behavior in behaviors), key=_SEVERITIES.index, default="low"),
        "summary": f"{(oracle.direction and oracle.direction.negative_domain) or 'The check does not hold'}.",
        "confidence": 1,
        "observationIds": [observation.observation_id for observation in calls.addressed(oracle.check)],
        "quotedEvidence": quotes,
    }


def _failing(expression: Expression, resolution: CheckResolution, wanted: str) -> Iterator[str]:
    """The pointers of the leaves that keep a check from coming out as wanted."""
    if resolution.resolution == wanted:
        return
    if isinstance(expression, Not):
        opposite = "false" if wanted == "true" else "true"
        yield from _failing(expression.operands[0], resolution.children[0], opposite)
    elif isinstance(expression, (All, AnyOf)):
        for operand, child in zip(expression.operands, resolution.children, strict=True):
            yield from _failing(operand, child, wanted)
    elif isinstance(expression, (ForAll, ForAny)):
        if isinstance(expression.collection, PointerOperand):
            yield expression.collection.pointer
    else:
        for leaf_operand in expression.operands:
            if isinstance(leaf_operand, PointerOperand) and not is_bound_element(leaf_operand.pointer):
                yield leaf_operand.pointer


def _quotes(calls: Calls, pointers: Sequence[str]) -> list[dict[str, Any]]:
    """A quotation for each pointer into an answer: the field as it stands there, or the status where it is missing."""
    quotes: dict[tuple[str, str], dict[str, Any]] = {}
    for pointer in pointers:
        target = parse_interaction_pointer(pointer)
        observation = calls.by_step.get(target.step_id)
        if observation is None or target.channel == "call-inputs":
            continue
        value = resolve_target(observation, target)
        if value is ABSENT or target.channel == "response-status":
            channel, text = "response-status", str(observation.response_status)
        else:
            name = f"{canonical_text(target.tail[-1], pointer)}:" if target.tail else ""
            channel, text = target.channel, (name + canonical_text(value, pointer))[:_QUOTE_LENGTH]
        quotes[channel, text] = {"quote": text, "channel": channel, "artifactId": None}
    return list(quotes.values())
