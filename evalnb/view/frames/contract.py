"""What a contract claims: its behaviors, and the oracles that decide them."""

from __future__ import annotations

import pandas as pd

from evalnb.engine.artifacts import EvalContract, Oracle
from evalnb.engine.canonical import canonical_text
from evalnb.engine.coverage.oracle_view import OracleView, view_oracle
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import Json
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal.direction_text import render_oracle
from evalnb.view.frames.columns import COUNT, TEXT, Column, Row, frame, joined, tabulated
from evalnb.view.frames.results import behaviors_of
from evalnb.view.frames.vocabularies import POLARITIES, RELATIONS, SEVERITIES

BEHAVIORS = (
    Column("contract_id", TEXT, "the contract"),
    Column("behavior_id", TEXT, "the behavior"),
    Column("description", TEXT, "what the subject should do"),
    Column("severity", SEVERITIES, "how much it matters"),
    Column("success_criterion", TEXT, "what success looks like from outside"),
    Column("oracle_count", COUNT, "how many oracles decide it"),
    Column("oracle_ids", TEXT, "which"),
    Column("requirement_links", TEXT, "requirements kept elsewhere, scheme:id"),
    Column("risk_links", TEXT, "risks kept elsewhere, scheme:id"),
)
ORACLES = (
    Column("contract_id", TEXT, "the contract"),
    Column("oracle_id", TEXT, "the oracle"),
    Column("behavior_ids", TEXT, "the behaviors that list it"),
    Column("severity", SEVERITIES, "the highest severity among them, low where none lists it"),
    Column("relation", RELATIONS, "what the direction says of the evidence"),
    Column("polarity", POLARITIES, "whether the relation is expected to hold"),
    Column("operator", RELATIONS, "the operator at the root of the check, missing without a check"),
    Column("direction", TEXT, "what the evaluator is told, missing where the contract does not allow to say it"),
    Column("step_ids", TEXT, "the steps that the direction or the check reads"),
    Column("evidence_targets", TEXT, "the pointers the direction names"),
    Column("check_pointers", TEXT, "the pointers the check reads"),
    Column("scope", TEXT, "the author's scope"),
    Column("negative_domain", TEXT, "what counts as a defect"),
    Column("check", TEXT, "the check as JSON"),
    Column("commentary", TEXT, "the author's commentary"),
)


@tabulated(BEHAVIORS)
def behaviors(contract: EvalContract) -> pd.DataFrame:
    """One row a behavior, in the order of the contract."""
    return frame(
        BEHAVIORS,
        (
            {
                "contract_id": contract.contract_id,
                "behavior_id": behavior.id,
                "description": behavior.description,
                "severity": behavior.severity,
                "success_criterion": behavior.observable_success_criterion,
                "oracle_count": len(behavior.oracles),
                "oracle_ids": joined(behavior.oracles),
                "requirement_links": joined(f"{link.scheme}:{link.id}" for link in behavior.requirement_links),
                "risk_links": joined(f"{link.scheme}:{link.id}" for link in behavior.risk_links),
            }
            for behavior in contract.behaviors
        ),
    )


@tabulated(ORACLES)
def oracles(contract: EvalContract) -> pd.DataFrame:
    """One row an oracle, in the order of the contract."""
    index = PlanIndex.build(contract)
    written = contract.document["oracles"]
    return frame(
        ORACLES,
        (
            _oracle(contract, oracle, document["check"], index)
            for oracle, document in zip(contract.oracles, written, strict=True)
        ),
    )


def _oracle(contract: EvalContract, oracle: Oracle, check: Json, index: PlanIndex) -> Row:
    view, direction = view_oracle(oracle), oracle.direction
    severities = [behavior.severity for behavior in contract.behaviors if oracle.id in behavior.oracles]
    return {
        "contract_id": contract.contract_id,
        "oracle_id": oracle.id,
        "behavior_ids": behaviors_of(contract, oracle.id),
        "severity": max(severities, key=SEVERITIES.terms.index, default="low"),
        "relation": None if direction is None else direction.relation,
        "polarity": oracle.polarity,
        "operator": None if oracle.check is None else oracle.check.op,
        "direction": _direction(oracle, index),
        "step_ids": joined(steps_read(view)),
        "evidence_targets": joined(view.direction_targets),
        "check_pointers": joined(dict.fromkeys(view.check_pointers)),
        "scope": None if direction is None else direction.scope,
        "negative_domain": None if direction is None else direction.negative_domain,
        "check": None if check is None else canonical_text(check, "EvalContract"),
        "commentary": oracle.commentary,
    }


def _direction(oracle: Oracle, index: PlanIndex) -> str | None:
    try:
        return render_oracle(oracle, index)
    except (StructuralFailure, TypeError):
        # A contract that would not compile can hold a direction that no prose can be made of.
        return None


def steps_read(view: OracleView) -> dict[str, None]:
    """The steps among the pointers an oracle names, in order."""
    named = (*view.direction_targets, *view.check_pointers)
    parts = (pointer.split("/") for pointer in named)
    return dict.fromkeys(part[2] for part in parts if len(part) > 2 and part[1] == "interactions")
