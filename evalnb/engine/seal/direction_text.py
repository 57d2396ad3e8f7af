"""The generated text of one direction: relation, polarity, scope and what counts as a defect.

The check, its literals, reference sets and commentary are never read. spec: 05 §8
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evalnb.engine.artifacts import Direction, EvalContract, Oracle
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.seal.evidence_clause import evidence_clause
from evalnb.engine.seal.wording import SENTENCE_ENDS, is_blank, sentence, trim

# `{evidence}` is the evidence clause; the verb stays singular even where the clause enumerates.
RELATION_CLAIMS: Final[Mapping[str, str]] = {
    "for-all": "Every element reachable through {evidence} is asserted to meet the declared condition.",
    "for-any": "At least one element reachable through {evidence} is asserted to meet the declared condition.",
    "all": "{evidence} is asserted to satisfy every declared condition together.",
    "any": "{evidence} is asserted to satisfy at least one declared condition.",
    "not": "{evidence} is asserted to fail the declared condition, not to satisfy it.",
    "existence": "{evidence} is asserted to be present.",
    "absence": "{evidence} is asserted to be absent.",
    "equality": "{evidence} is asserted to be equal.",
    "deep-equality": "{evidence} is asserted to be deeply, structurally equal.",
    "containment": "{evidence} is asserted to contain the declared member.",
}
NAMED_RELATION_CLAIM: Final = '{evidence} is asserted to satisfy the declared "{relation}" condition.'

POLARITY_SENTENCES: Final[Mapping[str, str]] = {
    "expects-hold": "The declared polarity expects this relation to hold.",
    "expects-violation": "The declared polarity expects this relation to be a violation.",
}


def direction_prose(contract: EvalContract, oracle: Oracle) -> str:
    """The text the brief carries for `oracle`; errors as `render_direction`, TypeError for a null direction."""
    return render_oracle(oracle, PlanIndex.build(contract))


def render_oracle(oracle: Oracle, index: PlanIndex) -> str:
    """The direction text of `oracle`; TypeError when it has no direction."""
    if oracle.direction is None:
        raise TypeError(f"oracle {oracle.id} reached seal() with a null direction")
    return render_direction(oracle.direction, index)


def render_direction(direction: Direction, index: PlanIndex) -> str:
    """`direction` in prose.

    Raises TypeError when it names no evidence or evidence the plan does not resolve, and StructuralFailure
    `irreducible-step-reference` when its steps cannot be told apart.
    """
    if not direction.evidence_targets:
        raise TypeError(
            "direction carries no evidenceTargets; a schema-valid Direction reaching seal always names at least one"
        )
    claim = RELATION_CLAIMS.get(direction.relation, NAMED_RELATION_CLAIM)
    evidence = evidence_clause(direction.evidence_targets, index)
    parts = [
        sentence(claim.format(evidence=evidence, relation=direction.relation)),
        sentence(POLARITY_SENTENCES[direction.polarity]),
    ]
    if direction.scope is not None and not is_blank(direction.scope):
        parts.append(sentence(direction.scope))
    if direction.negative_domain is not None and not is_blank(direction.negative_domain):
        parts.append(_defect_sentence(direction.negative_domain))
    return " ".join(parts)


def _defect_sentence(negative_domain: str) -> str:
    # Whitespace left in front of the removed ending is kept.
    return sentence(f"{trim(negative_domain).rstrip(SENTENCE_ENDS)} is treated as a defect.")
