"""Suites of cases: read, written, linted, and made from runs with their ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalnb.files import FileProblem
from evalnb.trajectory.case_files import read_suite, write_suite
from evalnb.trajectory.cases import Suite
from evalnb.trajectory.suite_lint import lint_suite
from evalnb.trajectory.tau_cases import cases_from_tau
from tests.trajectory.runs import TOOLS, case

WHOLE = {
    "name": "orders",
    "tools": [
        {"name": "orders.get", "inputSchema": {"type": "object"}},
        {"name": "orders.cancel", "effect": "destructive"},
        {"name": "admin.wipe", "effect": "destructive"},
    ],
    "cases": [
        {
            "id": "cancel-own",
            "class": "recovery",
            "intent": "cancel",
            "identity": {"tenant": "acme", "user": "u1", "roles": ["customer"]},
            "request": "Cancel order 481",
            "initialState": {"state": {"orders": {"481": "open"}}, "digest": "sha256:0"},
            "tools": {"visible": ["orders.get"], "allowed": ["orders.get", "orders.cancel"], "hidden": ["admin.wipe"]},
            "requiredCalls": [{"tool": "orders.cancel", "arguments": {"orderId": "481"}}],
            "alternativePaths": [[{"tool": "orders.get"}, {"tool": "orders.cancel", "times": 2}]],
            "optionalCalls": ["orders.get"],
            "forbiddenCalls": [{"tool": "admin.wipe"}],
            "ordering": [{"first": "orders.get", "then": "any-change", "same": ["orderId"], "reason": "ownership"}],
            "argumentRules": [
                {"tool": "orders.cancel", "argument": "tenant", "rule": "not-from-model"},
                {"tool": "orders.cancel", "argument": "at", "rule": "normalized", "kind": "date", "value": "2026-01-01T10:00:00+02:00"},
            ],
            "approvals": {"required": ["orders.cancel"], "unnecessary": ["orders.get"]},
            "finalState": {"orders.481": "cancelled"},
            "unchangedState": ["orders.482"],
            "effects": {"calls": [{"tool": "orders.cancel", "arguments": {"orderId": "481"}}]},
            "mustEnd": True,
            "answer": {"mustState": ["cancelled"], "claims": [{"says": "cancelled", "tool": "orders.cancel"}]},
            "faults": [{"kind": "timeout-after-commit", "tool": "orders.cancel"}],
            "limits": {"calls": 8, "resultSize": 1000},
            "slices": {"language": "ar", "tier": "gold"},
            "split": "holdout",
        }
    ],
}  # fmt: skip


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_a_suite_comes_back_as_it_was_written(ending: str, tmp_path: Path) -> None:
    suite = Suite.model_validate(WHOLE)
    write_suite(suite, tmp_path / f"suite.{ending}")
    assert read_suite(tmp_path / f"suite.{ending}") == suite


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"class": "lucky"}, "cases.0.class"),
        ({"mood": 1}, "cases.0.mood"),
        ({"argumentRules": [{"tool": "t", "argument": "a", "rule": "guess"}]}, "cases.0.argumentRules.0"),
        ({"answer": {"claims": [{"says": "done"}]}}, "a claim names the tool or the state path"),
        ({"requiredCalls": [{"tool": "t", "times": 0}]}, "times"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], problem: str, tmp_path: Path) -> None:
    file = tmp_path / "suite.json"
    file.write_text(json.dumps({**WHOLE, "cases": [{**WHOLE["cases"][0], **change}]}))  # type: ignore[dict-item]
    with pytest.raises(FileProblem) as caught:
        read_suite(file)
    assert problem in str(caught.value)


def test_two_cases_of_one_id_and_broken_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than once: c"):
        Suite(name="s", cases=(case(), case()))
    (tmp_path / "s.yaml").write_text("a: [1")
    with pytest.raises(FileProblem, match="is no YAML"):
        read_suite(tmp_path / "s.yaml")


def linted(*cases: Any, **more: Any) -> set[tuple[str, str | None]]:
    return {(issue.code, issue.case_id) for issue in lint_suite(Suite(name="s", tools=TOOLS, cases=cases, **more))}


def test_the_whole_case_has_no_error() -> None:
    assert not [issue for issue in lint_suite(Suite.model_validate(WHOLE)) if issue.level == "error"]


@pytest.mark.parametrize(
    "code, fields",
    [
        ("no-forbidden-effect", {}),
        ("no-outcome", {}),
        ("state-without-digest", {"finalState": {"a": 1}}),
        ("unknown-tool", {"forbiddenCalls": [{"tool": "orders.fly"}]}),
        (
            "required-and-forbidden",
            {"requiredCalls": [{"tool": "orders.get"}], "forbiddenCalls": [{"tool": "orders.get"}]},
        ),
        ("hidden-and-offered", {"tools": {"hidden": ["orders.get"], "visible": ["orders.get"]}}),
        ("approval-contradiction", {"approvals": {"required": ["orders.get"], "unnecessary": ["orders.get"]}}),
        (
            "expected-call-breaks-schema",
            {"effects": {"calls": [{"tool": "orders.cancel", "arguments": {"orderId": 5}}]}},
        ),
        ("recovery-without-fault", {"class": "recovery"}),
        ("adversarial-without-injection", {"class": "adversarial"}),
    ],
)
def test_a_weak_case_is_named(code: str, fields: dict[str, Any]) -> None:
    assert (code, "c") in linted(case(**fields))


def test_weaknesses_of_the_suite() -> None:
    held = case(split="holdout", requiredCalls=[{"tool": "orders.get"}])
    found = linted(held, tuned_on=("c",))
    assert {("uncovered-class", None), ("tool-never-exercised", None), ("holdout-tuned", "c")} <= found
    assert ("no-holdout", None) in linted(case())
    assert ("no-holdout", None) not in found


TASK = {
    "user_id": "mia",
    "instruction": "Cancel it",
    "actions": [{"name": "look", "kwargs": {}}, {"name": "cancel", "kwargs": {"id": "X"}}],
    "outputs": ["42"],
}


def test_ground_truth_becomes_a_case(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    runs = [{"task_id": 7, "trial": trial, "traj": [], "info": {"task": TASK}} for trial in (0, 1)]
    file.write_text(json.dumps(runs))
    suite = cases_from_tau(file, changes=["cancel", "refund"])
    assert [one.id for one in suite.cases] == ["tau-7"]
    made = suite.cases[0]
    assert made.effects is not None
    assert [(call.tool, call.arguments) for call in made.effects.calls] == [("cancel", {"id": "X"})]
    assert [call.tool for call in made.forbidden_calls] == ["refund"]
    assert made.approvals is not None
    assert made.approvals.required == ("cancel", "refund")
    assert made.answer is not None
    assert made.answer.must_state == ("42",)


def test_runs_without_ground_truth_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    file.write_text(json.dumps([{"task_id": 1, "traj": []}]))
    with pytest.raises(FileProblem, match="none of its 1 runs has ground-truth"):
        cases_from_tau(file)


@pytest.mark.parametrize("tools", [None, ["cancel_pending_order", "get_order_details"]])
def test_which_tools_change_is_told_from_their_names(tools: list[str] | None, tmp_path: Path) -> None:
    actions = [{"name": "get_order_details", "kwargs": {}}, {"name": "cancel_pending_order", "kwargs": {"id": 1}}]
    runs = [
        {"task_id": 1, "traj": [], "info": {"task": {"actions": actions}}},
        {"task_id": 2, "traj": [], "info": {"task": {"actions": None, "outputs": None}}},
    ]
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    named = None
    if tools is not None:
        named = tmp_path / "tools.json"
        named.write_text(json.dumps([{"function": {"name": name, "parameters": {}}} for name in tools]))
    suite = cases_from_tau(tmp_path / "runs.json", named)
    first, second = suite.cases
    assert first.effects is not None
    assert second.effects is not None
    assert [call.tool for call in first.effects.calls] == ["cancel_pending_order"]
    assert second.effects.calls == ()
    if tools is not None:
        assert {tool.name: tool.effect for tool in suite.tools} == {
            "cancel_pending_order": "write",
            "get_order_details": "read",
        }
