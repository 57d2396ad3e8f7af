"""Resolving a witness relation over the evidence of legs.

spec: 07 §6
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal

from evalnb.engine.artifacts import Expression, Observation
from evalnb.engine.evaluate import make_resolve_operand, resolve_check
from evalnb.engine.operations import AnyOperation
from evalnb.engine.pointers import decode_tail, is_bound_element, parse_interaction_pointer
from evalnb.engine.preflight.probe_plan import ProbePlan
from evalnb.engine.preflight.verdict import VERDICT_PATH

Resolution = Literal["true", "false", "insufficient-evidence"]

REGEX_MATCH_STEP_BUDGET: Final = 1_000_000
"""Fixed for pre-flight; no policy changes it."""


def resolve_relation(
    relation: Expression,
    evidence: Mapping[str, Observation],
    operation: AnyOperation,
    plan: ProbePlan,
) -> Resolution:
    """Resolve `relation` over `evidence`, which is keyed by the leg ids that the relation addresses."""
    return resolve_check(
        relation,
        make_resolve_operand(evidence, plan.reference_sets),
        denotes_collection_of(operation),
        plan.reference_set_keys,
        REGEX_MATCH_STEP_BUDGET,
        VERDICT_PATH,
    ).resolution


def denotes_collection_of(operation: AnyOperation) -> Callable[[str], bool]:
    """Whether a pointer addresses a collection that `operation` declares in its response body."""
    locations = operation.response_descriptor.collection_locations or ()
    tails = {tuple(decode_tail(location.pointer)) for location in locations}

    def denotes_collection(pointer: str) -> bool:
        if not tails or is_bound_element(pointer):
            return False
        target = parse_interaction_pointer(pointer)
        return target.channel == "response-body" and target.tail in tails

    return denotes_collection
