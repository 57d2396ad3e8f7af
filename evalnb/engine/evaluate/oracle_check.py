"""One oracle's check over one trial's observations, from the contract alone.

spec: 03 §1
"""

from __future__ import annotations

from collections.abc import Sequence

from evalnb.engine.artifacts import CheckResolution, EvalContract, Observation
from evalnb.engine.evaluate.collection_typing import make_denotes_collection
from evalnb.engine.evaluate.operands import make_resolve_operand, reference_set_keys_of
from evalnb.engine.evaluate.resolution import resolve_check
from evalnb.engine.evaluate.selection import bind_step_observations


def resolve_oracle_check(
    contract: EvalContract, oracle_id: str, observations: Sequence[Observation], regex_match_step_budget: int
) -> CheckResolution | None:
    """The resolution of oracle `oracle_id`, or `None` when it has no check.

    Raises `KeyError` for an undeclared oracle, and `RuntimeFault` as evaluation does.
    """
    oracle = next((oracle for oracle in contract.oracles if oracle.id == oracle_id), None)
    if oracle is None:
        raise KeyError(f"the contract declares no oracle {oracle_id}")
    if oracle.check is None:
        return None
    return resolve_check(
        oracle.check,
        make_resolve_operand(bind_step_observations(contract, observations), contract.reference_sets or {}),
        make_denotes_collection(contract),
        reference_set_keys_of(contract),
        regex_match_step_budget,
        f"EvalContract.oracles[id={oracle_id}].check",
    )
