"""The stage `seal`: from a compiled contract to the brief that an evaluator may read.

Pure; the brief shares nothing with the contract. spec: 05 §1 to §3
"""

from __future__ import annotations

import copy
from typing import Any, Final

from evalnb.engine.artifacts import (
    SEALED_EVALUATOR_BRIEF,
    EvalContract,
    SealedEvaluatorBrief,
    issues_of,
    parse_shape,
)
from evalnb.engine.artifacts.issues import dotted_path
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, utf16_key
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal.direction_text import render_oracle
from evalnb.engine.seal.wording import in_order

BRIEF_VERSION: Final = 2
CONTRACT_PATH: Final = "EvalContract"


def seal(contract: EvalContract | Json, *, strict_inputs: bool = True) -> SealedEvaluatorBrief:
    """The sealed brief of a contract; a raw document is compiled first, a model is taken as compiled.

    Raises what compiling raises; StructuralFailure `irreducible-step-reference`; RuntimeFault
    `schema-parse-failure` when the contract compiles but cannot be sealed.
    """
    compiled = contract if isinstance(contract, EvalContract) else _compile(contract, strict_inputs)
    try:
        return seal_compiled(compiled)
    except TypeError as error:
        raise RuntimeFault(
            "schema-parse-failure",
            CONTRACT_PATH,
            f"the contract compiles but cannot be sealed: {error}",
            error,
        ) from error


def seal_compiled(contract: EvalContract) -> SealedEvaluatorBrief:
    """The brief of a compiled contract; TypeError for what compiling would have refused, at the first error."""
    index = PlanIndex.build(contract, duplicates="throw")
    directions = [{"oracleId": oracle.id, "text": render_oracle(oracle, index)} for oracle in contract.oracles]
    document = contract.document
    digest = digest_artifact(document, CONTRACT_PATH)
    brief = {
        "schemaVersion": BRIEF_VERSION,
        "parentDigest": None,
        "revisionCount": 0,
        "contractDigest": digest,
        "behaviors": copy.deepcopy(document["behaviors"]),
        "directions": _sorted_unique(directions, "oracleId", "oracleId"),
        "permittedInterfaces": _sorted_unique(
            [{"logicalId": i.logical_id, "kind": i.kind} for i in contract.permitted_interfaces],
            "logicalId",
            "permittedInterfaces logicalId",
        ),
        "scopedResources": _sorted_unique(
            copy.deepcopy(document["scopedResources"] or []), "reference", "scopedResources reference"
        ),
        "principals": in_order(contract.test_data.principals or {}),
        "budgets": copy.deepcopy(document["budgets"]),
        "safetyLimits": in_order(contract.safety_limits),
        "probeStepBound": contract.probe_step_bound,
    }
    return _validated(brief)


def _compile(raw: Json, strict_inputs: bool) -> EvalContract:
    # Compiling renders step references, which live beside this module: importing it here keeps the two apart.
    from evalnb.engine.compile import compile_contract

    return compile_contract(raw, strict_inputs=strict_inputs)


def _sorted_unique(entries: list[dict[str, Any]], key: str, label: str) -> list[dict[str, Any]]:
    seen: set[str] = set()
    for entry in entries:
        if entry[key] in seen:
            raise TypeError(f"duplicate {label} in sealed brief input: {entry[key]}")
        seen.add(entry[key])
    return sorted(entries, key=lambda entry: utf16_key(entry[key]))


def _validated(brief: dict[str, Any]) -> SealedEvaluatorBrief:
    issues = issues_of(SealedEvaluatorBrief, brief)
    if issues:
        count = f"{len(issues)} issue" + ("" if len(issues) == 1 else "s")
        raise TypeError(
            "seal() assembled a brief that failed SealedEvaluatorBrief validation: "
            f'{count}, first at "{dotted_path(issues[0].path)}"'
        )
    sealed: SealedEvaluatorBrief = parse_shape(SEALED_EVALUATOR_BRIEF, brief)
    return sealed
