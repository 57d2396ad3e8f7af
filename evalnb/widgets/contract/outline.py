"""The tree of a contract, flat, parents first: what a claim rests on, then everything that is declared.

A node is `[kind, id, text, state, place of the parent]`; -1 stands for no parent.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from evalnb.engine.artifacts import Oracle
from evalnb.view.html import visible
from evalnb.view.words import check_in_words
from evalnb.widgets.contract.facts import ContractFacts
from evalnb.widgets.topic import Answer, line_of

Nodes: TypeAlias = list[list[Any]]

ROOT = -1


def outline_of(facts: ContractFacts) -> Answer:
    """What the front end paints: a title, a few numbers and the nodes."""
    contract = facts.contract
    gaps = len(facts.coverage.gaps)
    return {
        "title": line_of(contract.contract_id),
        "facts": [
            f"{len(contract.behaviors)} behaviors",
            f"{len(contract.oracles)} oracles",
            f"{len(facts.operations)} operations",
            f"{len(contract.interaction_plan)} steps",
            f"{gaps} coverage {'gap' if gaps == 1 else 'gaps'}",
        ],
        "nodes": _nodes(facts),
    }


def _nodes(facts: ContractFacts) -> Nodes:
    nodes: Nodes = []
    group = _group(nodes, "Behaviors", len(facts.contract.behaviors))
    for behavior in facts.contract.behaviors:
        place = _add(nodes, "behavior", behavior.id, line_of(behavior.description), behavior.severity, group)
        for oracle_id in behavior.oracles:
            if oracle_id in facts.oracles:
                _add_oracle(nodes, facts, facts.oracles[oracle_id], place)
    orphans = [one for one in facts.contract.oracles if not facts.behaviors_of(one.id)]
    if orphans:
        group = _group(nodes, "Oracles of no behavior", len(orphans))
        for oracle in orphans:
            _add_oracle(nodes, facts, oracle, group)
    group = _group(nodes, "Operations", len(facts.operations))
    for name in facts.operations:
        place = _add(nodes, "operation", name, "", "", group)
        for step_id in facts.steps:
            if facts.operation_of_step[step_id] == name:
                _add(nodes, "step", step_id, "", "", place)
    group = _group(nodes, "Steps of the plan", len(facts.steps))
    for step in facts.contract.interaction_plan:
        _add(nodes, "step", step.step_id, f"calls {line_of(facts.operation_of_step[step.step_id], 80)}", "", group)
    group = _group(nodes, "Coverage rules", len(facts.coverage.rules))
    for rule in facts.coverage.rules:
        state = "gap" if rule.is_gap else "witnessed" if rule.relevant else "not relevant"
        _add(nodes, "rule", rule.rule, "", state, group)
    return nodes


def _add_oracle(nodes: Nodes, facts: ContractFacts, oracle: Oracle, parent: int) -> None:
    lines = check_in_words(oracle, facts.contract).lines
    text = lines[0].text if lines else "no check: the evaluator alone decides it"
    place = _add(nodes, "oracle", oracle.id, line_of(text, 120), "", parent)
    for name, steps in facts.operations_of(oracle.id).items():
        operation = _add(nodes, "operation", name, "", "", place)
        for step_id in steps:
            _add(nodes, "step", step_id, "", "", operation)


def _group(nodes: Nodes, name: str, count: int) -> int:
    return _add(nodes, "group", name, str(count), "", ROOT)


def _add(nodes: Nodes, kind: str, name: str, text: str, state: str, parent: int) -> int:
    nodes.append([kind, visible(name), text, state, parent])
    return len(nodes) - 1
