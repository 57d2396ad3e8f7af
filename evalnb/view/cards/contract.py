"""The cards of a contract, of the brief sealed from it, and of its coverage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evalnb.engine.artifacts import EvalContract, Oracle, SealedEvaluatorBrief
from evalnb.engine.artifacts.behaviors import Behavior
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.coverage import CoverageReport, coverage
from evalnb.engine.coverage.verdicts import RuleCoverage
from evalnb.view.badges import badge
from evalnb.view.cards.parts import (
    Fact,
    bullets,
    code,
    counted,
    digest,
    facts,
    fold,
    footer,
    frame,
    section,
    small_table,
)
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import text_html
from evalnb.view.words import check_in_words

MOST_ORACLES: Final = 40
_EXPECTATIONS: Final = {"expects-hold": "is expected to hold", "expects-violation": "is expected to be violated"}


def contract_card(contract: EvalContract) -> Html:
    """What a contract claims, what it may reach, and what its oracles leave unseen."""
    covered = coverage(contract)
    checked = sum(oracle.check is not None for oracle in contract.oracles)
    operations = sum(len(interface.operations) for interface in contract.permitted_interfaces)
    gaps = len(covered.gaps)
    return frame(
        "Contract",
        contract.contract_id,
        badge("gap", label=counted(gaps, "coverage gap")) if gaps else badge("witnessed", label="no coverage gap"),
        facts(
            Fact("behaviors", _by_severity(contract.behaviors)),
            Fact("oracles", f"{len(contract.oracles)}, {checked} with a check"),
            Fact("plan", counted(len(contract.interaction_plan), "step")),
            Fact("interfaces", _interfaces(contract)),
            Fact("operations", operations),
            Fact("waivers", len(contract.waivers)) if contract.waivers else None,
        ),
        _behaviors(contract.behaviors),
        fold("Coverage, rule by rule", _rules(covered.rules), opened=False),
        fold(counted(len(contract.oracles), "check") + " in words", _oracles(contract)),
        footer(
            join(["contract ", digest(digest_artifact(contract.document, "EvalContract"))]),
            f"schema version {contract.schema_version}",
            f"revision {contract.revision_count}",
        ),
        tone="warn" if gaps else "good",
    )


def brief_card(brief: SealedEvaluatorBrief) -> Html:
    """What an evaluator is given, and nothing that the contract withholds."""
    budgets = brief.budgets
    return frame(
        "Sealed evaluator brief",
        counted(len(brief.directions), "direction"),
        None,
        facts(
            Fact("behaviors", _by_severity(brief.behaviors)),
            Fact("interfaces", ", ".join(f"{i.logical_id} ({i.kind})" for i in brief.permitted_interfaces)),
            Fact("principals", ", ".join(brief.principals) or "none"),
            Fact("tool calls", budgets.max_tool_calls),
            Fact("minutes", budgets.max_wall_clock_minutes),
            Fact("cost", f"{budgets.max_cost_usd} USD"),
        ),
        section(
            "Directions",
            small_table(
                ["oracle", "what to establish"],
                ([code(direction.oracle_id), text_html(direction.text, 400)] for direction in brief.directions),
            ),
        ),
        section("Safety limits", bullets(text_html(limit) for limit in brief.safety_limits))
        if brief.safety_limits
        else None,
        footer(join(["of contract ", digest(brief.contract_digest)]), f"schema version {brief.schema_version}"),
    )


def coverage_card(report: CoverageReport) -> Html:
    """The seven discipline rules over a contract."""
    gaps = sum(rule.is_gap for rule in report.rules)
    return frame(
        "Coverage",
        counted(gaps, "gap") if gaps else "no gap",
        join(["a gap weighs ", badge(report.severity)]) if gaps else None,
        _rules(report.rules),
        tone="warn" if gaps else "good",
    )


def status_of(rule: RuleCoverage) -> str:
    """A rule's state by the theme's name for it."""
    if not rule.relevant:
        return "not relevant"
    return "witnessed" if rule.satisfied else "gap"


def _rules(rules: Iterable[RuleCoverage]) -> Html:
    ordered = sorted(rules, key=lambda rule: ("gap", "witnessed", "not relevant").index(status_of(rule)))
    return small_table(
        ["rule", "state", "why"],
        (
            [rule.rule, badge(status_of(rule)), (rule.satisfaction if rule.relevant else rule.relevance).reason]
            for rule in ordered
        ),
    )


def _behaviors(behaviors: Iterable[Behavior]) -> Html:
    return small_table(
        ["behavior", "severity", "what the subject should do", "oracles"],
        (
            [code(one.id), badge(one.severity), text_html(one.description), ", ".join(one.oracles) or "none"]
            for one in behaviors
        ),
    )


def _by_severity(behaviors: Iterable[Behavior]) -> Child:
    severities = [behavior.severity for behavior in behaviors]
    parts = [badge(one, label=f"{severities.count(one)} {one}") for one in ("critical", "material", "low")]
    return join(
        [part for part, one in zip(parts, ("critical", "material", "low"), strict=True) if one in severities], " "
    )


def _interfaces(contract: EvalContract) -> str:
    return ", ".join(f"{interface.logical_id} ({interface.kind})" for interface in contract.permitted_interfaces)


def _oracles(contract: EvalContract) -> Html:
    shown = [_oracle(oracle, contract) for oracle in contract.oracles[:MOST_ORACLES]]
    if len(contract.oracles) > MOST_ORACLES:
        shown.append(tag("p", f"and {len(contract.oracles) - MOST_ORACLES} more", class_="enb-quiet"))
    return tag("div", shown)


def _oracle(oracle: Oracle, contract: EvalContract) -> Html:
    expectation = f" {_EXPECTATIONS[oracle.polarity]}" if oracle.check is not None else ""
    return tag(
        "div",
        tag("div", code(oracle.id), tag("span", expectation, class_="enb-quiet")),
        check_in_words(oracle, contract).html,
        class_="enb-oracle",
    )
