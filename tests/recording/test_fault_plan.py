"""Which call gets which fault, and that a seed decides it once for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.files import FileProblem
from evalnb.recording.approval_policy import ApprovalPolicy, read_approval_policy
from evalnb.recording.fault_plan import FaultPlan, FaultRule, plan_of_case, read_fault_plan
from evalnb.recording.tool_surface import ToolSurface, tool_surface
from tests.recording.agents import case


def rule(**fields: Any) -> FaultRule:
    return FaultRule.model_validate({"kind": "rate-limit", "tool": "a", **fields})


def chosen(plan: FaultPlan, *calls: tuple[str, dict[str, Any]]) -> list[bool]:
    return [plan.choose(tool, arguments) is not None for tool, arguments in calls]


def test_a_fault_falls_on_the_numbered_calls_of_its_tool() -> None:
    calls = [("a", {}), ("b", {}), ("a", {}), ("a", {})]
    assert chosen(FaultPlan([rule(nth=2)]), *calls) == [False, False, True, False]
    assert chosen(FaultPlan([rule(nth=[1, 3])]), *calls) == [True, False, False, True]
    assert chosen(FaultPlan([rule(nth="every")]), *calls) == [True, False, True, True]


def test_calls_are_counted_by_the_arguments_a_fault_names() -> None:
    plan = FaultPlan([rule(arguments={"id": 1}, nth=2)])
    assert chosen(plan, ("a", {"id": 1}), ("a", {"id": 2}), ("a", {"id": 1, "more": 0}), ("a", {})) == [
        False, False, True, False,
    ]  # fmt: skip
    assert chosen(FaultPlan([rule(arguments={"id": 1})]), ("a", {"id": True})) == [False]


def test_the_first_fault_that_fits_is_taken_and_the_others_still_count() -> None:
    plan = FaultPlan([rule(nth=1), rule(nth="every", kind="protocol-error")])
    kinds = [fault.kind for _ in range(2) if (fault := plan.choose("a", {})) is not None]
    assert kinds == ["rate-limit", "protocol-error"]
    assert plan.report() == ["rate-limit on a: applied 1 time", "protocol-error on a: applied 1 time"]


@given(st.integers(), st.floats(0, 1))
def test_a_seed_decides_the_same_calls_every_time(seed: int, probability: float) -> None:
    plans = [FaultPlan([rule(nth="every", probability=probability)], seed) for _ in range(2)]
    first, second = ([plan.choose("a", {}) is not None for _ in range(30)] for plan in plans)
    assert first == second
    if probability in (0, 1):
        assert set(first) == {bool(probability)}


def test_seeds_differ() -> None:
    rows = {
        tuple(chosen(FaultPlan([rule(nth="every", probability=0.5)], seed), *[("a", {})] * 20)) for seed in range(8)
    }
    assert len(rows) == 8


def test_a_case_names_its_faults_itself() -> None:
    plan = plan_of_case(case(faults=[{"kind": "stale-read", "tool": "a", "nth": 2}]).faults)
    assert chosen(plan, ("a", {}), ("a", {})) == [False, True]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("faults: []", "faults"),
        ("faults: [{kind: rate-limit}]", "faults.0.tool"),
        ("faults: [{kind: rate-limit, tool: a, nth: 0}]", "faults.0.nth"),
        ("faults: [{kind: rate-limit, tool: a, form: text-only}]", "form belongs to malformed-result"),
        ("faults: [{kind: rate-limit, tool: a, silent: true}]", "silent belongs to timeout-before-commit"),
        ("faults: [{kind: rate-limit, tool: a, weight: 1}]", "faults.0.weight"),
        ("faults: [", "is no YAML"),
        ("7", "the document"),
    ],
)
def test_a_wrong_fault_file_says_where(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem, match=complaint):
        read_fault_plan(path)


def test_the_first_rule_of_a_policy_that_names_a_tool_holds(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("rules: [{tool: 'pay.*', ruling: ask}, {tool: pay.list, ruling: pass}]\ndefault: deny\n")
    policy = read_approval_policy(path)
    assert [policy.rule_for(tool).ruling for tool in ("pay.out", "pay.list", "look")] == ["ask", "ask", "deny"]
    assert ApprovalPolicy().rule_for("pay.out").ruling == "pass"
    path.write_text("rules: [{tool: a, ruling: maybe}]")
    with pytest.raises(FileProblem, match=r"rules.0.ruling"):
        read_approval_policy(path)


def test_hidden_and_renamed_tools_have_one_name_each() -> None:
    surface = tool_surface(["purge", "old"], ["get=lookup", "list=get"])
    names = {name: surface.server_name(name) for name in ("lookup", "get", "list", "purge", "other")}
    assert names == {"lookup": "get", "get": "list", "list": None, "purge": None, "other": "other"}
    tools = [{"name": name} for name in ("get", "list", "purge", "other")]
    assert surface.page(tools) == [{"name": "lookup"}, {"name": "get"}, {"name": "other"}]
    assert ToolSurface().page(tools) == tools
