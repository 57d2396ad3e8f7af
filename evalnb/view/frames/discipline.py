"""What a contract leaves unseen: the seven discipline rules, over one contract or many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import pandas as pd

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.coverage import RuleCoverage, coverage as judge_coverage
from evalnb.view.frames.columns import FLAG, TEXT, Column, frame, tabulated
from evalnb.view.frames.vocabularies import RULE_STATUSES, RULES, SEVERITIES

Contracts: TypeAlias = EvalContract | Iterable[EvalContract] | Mapping[str, EvalContract]
"""One contract, several, or several by the label to show them under."""

COVERAGE = (
    Column("contract", TEXT, "the label the contract is shown under: the given one, or its id"),
    Column("contract_id", TEXT, "the contract"),
    Column("rule", RULES, "the discipline rule"),
    Column("status", RULE_STATUSES, "whether the rule is witnessed, a gap, or not relevant"),
    Column("relevant", FLAG, "whether the contract declares something the rule speaks of"),
    Column("satisfied", FLAG, "whether everything the rule fires on has a witness"),
    Column("severity", SEVERITIES, "the severity a gap of this contract carries"),
    Column("reason", TEXT, "why: of the satisfaction where the rule is relevant, else of the irrelevance"),
    Column("relevance_reason", TEXT, "why the rule is relevant or not"),
    Column("satisfaction_reason", TEXT, "why the rule is satisfied or not"),
)


@tabulated(COVERAGE)
def coverage(contracts: Contracts) -> pd.DataFrame:
    """One row a discipline rule and contract, rules in their published order."""
    return frame(
        COVERAGE,
        (
            {
                "contract": label,
                "contract_id": contract.contract_id,
                "rule": rule.rule,
                "status": _status(rule),
                "relevant": rule.relevant,
                "satisfied": rule.satisfied,
                "severity": report.severity,
                "reason": (rule.satisfaction if rule.relevant else rule.relevance).reason,
                "relevance_reason": rule.relevance.reason,
                "satisfaction_reason": rule.satisfaction.reason,
            }
            for label, contract in labeled(contracts)
            for report in [judge_coverage(contract)]
            for rule in report.rules
        ),
    )


def labeled(contracts: Contracts) -> Iterator[tuple[str, EvalContract]]:
    """The contracts with the labels they are shown under; a repeated id is numbered."""
    if isinstance(contracts, EvalContract):
        yield contracts.contract_id, contracts
    elif isinstance(contracts, Mapping):
        yield from contracts.items()
    else:
        seen: dict[str, int] = {}
        for contract in contracts:
            count = seen[contract.contract_id] = seen.get(contract.contract_id, 0) + 1
            yield contract.contract_id if count == 1 else f"{contract.contract_id} ({count})", contract


def _status(rule: RuleCoverage) -> str:
    if not rule.relevant:
        return "not relevant"
    return "witnessed" if rule.satisfied else "gap"
