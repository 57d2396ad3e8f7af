"""How a check came out over one trial's evidence: every node with its values, and where evidence was missing.

The engine resolves; here its answer is laid beside the expression and the values are read again. spec: 03
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evalnb.engine.artifacts import SealedRunRecord, resolve_observation_interfaces
from evalnb.engine.evaluate import (
    make_denotes_collection,
    make_resolve_operand,
    reference_set_keys_of,
    resolve_check,
    select_trial,
)
from evalnb.engine.evaluate.values import Value
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.plan_index import PlanIndex
from evalnb.view.html import Html
from evalnb.view.style import styled
from evalnb.view.words.absence import Missing
from evalnb.view.words.lines import Resolution, ResolutionLine
from evalnb.view.words.pairing import MOST_ELEMENTS, Pairing
from evalnb.view.words.show_resolution import conclusion, resolution_html, resolution_text

if TYPE_CHECKING:
    from evalnb.engine.artifacts import CheckResolution, EvalContract, Observation, Oracle

Evidence: TypeAlias = "SealedRunRecord | Iterable[Observation]"
DEFAULT_STEP_BUDGET: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ResolutionTree:
    """A check over one trial, a line a node, parents before children.

    `resolution` is None for an oracle without a check and where evaluating faulted; `fault` then says why.
    """

    oracle_id: str
    polarity: str
    resolution: Resolution | None
    lines: tuple[ResolutionLine, ...]
    fault: RuntimeFault | None = None

    @property
    def introductions(self) -> tuple[ResolutionLine, ...]:
        """The nodes where insufficient evidence came in."""
        return tuple(line for line in self.lines if line.introduced is not None)

    @property
    def conclusion(self) -> str:
        """What the resolution means for the oracle, in a sentence."""
        return conclusion(self)

    @property
    def text(self) -> str:
        """The tree as indented text with the values below each node."""
        return resolution_text(self)

    @property
    def html(self) -> Html:
        """The tree as a list, without a style sheet."""
        return resolution_html(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.oracle_id} resolved: {self.fault.code if self.fault else self.resolution or 'no check'}>"

    def _repr_html_(self) -> str:
        return str(styled(self.html))


def resolution_in_words(
    contract: EvalContract,
    oracle_id: str,
    evidence: Evidence,
    *,
    regex_match_step_budget: int = DEFAULT_STEP_BUDGET,
    most_elements: int = MOST_ELEMENTS,
) -> ResolutionTree:
    """The check of one oracle resolved over a sealed run record, or over the observations of one trial.

    Of a quantifier's elements at most `most_elements` are listed, those that decide it first. A runtime fault of the
    evaluation is part of the answer. Raises `KeyError` for an oracle the contract does not declare.
    """
    oracle = _oracle(contract, oracle_id)
    if oracle.check is None:
        return ResolutionTree(oracle.id, oracle.polarity, None, ())
    seen = _Trial.of(contract, evidence)
    try:
        resolution = seen.resolve(oracle.check, oracle_id, regex_match_step_budget)
    except RuntimeFault as fault:
        return ResolutionTree(oracle.id, oracle.polarity, None, (), fault)
    lines = Pairing(contract, seen.values, seen.missing, most_elements).lines(oracle.check, resolution)
    return ResolutionTree(oracle.id, oracle.polarity, resolution.resolution, lines)


@dataclass(frozen=True, slots=True)
class _Trial:
    """One trial's evidence, selected as the engine selects it."""

    contract: EvalContract
    step_observations: Mapping[str, Observation]
    missing: Missing

    @classmethod
    def of(cls, contract: EvalContract, evidence: Evidence) -> _Trial:
        if isinstance(evidence, SealedRunRecord):
            evidence = resolve_observation_interfaces(evidence, contract).observations
        index = PlanIndex.build(contract)
        selected = select_trial(contract, list(evidence), index)
        return cls(
            contract, selected.step_observations, Missing(index, selected, make_denotes_collection(contract, index))
        )

    def values(self, operand: Any, bound_element: Value) -> Value:
        resolve = make_resolve_operand(self.step_observations, self.contract.reference_sets)
        return resolve(operand, bound_element, "check")

    def resolve(self, check: Any, oracle_id: str, budget: int) -> CheckResolution:
        return resolve_check(
            check,
            make_resolve_operand(self.step_observations, self.contract.reference_sets),
            make_denotes_collection(self.contract),
            reference_set_keys_of(self.contract),
            budget,
            f"EvalContract.oracles[id={oracle_id}].check",
        )


def _oracle(contract: EvalContract, oracle_id: str) -> Oracle:
    for oracle in contract.oracles:
        if oracle.id == oracle_id:
            return oracle
    raise KeyError(f"the contract declares no oracle {oracle_id}")
