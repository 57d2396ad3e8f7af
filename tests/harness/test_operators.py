"""Every operator on answers and calls small enough to read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evalnb.engine.artifacts import CliProbeObservation, McpProbeObservation
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.compile import compile_contract
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.port_seam import AbortSignal
from evalnb.harness.mutants.answer_changes import ANSWER_CHANGES
from evalnb.harness.mutants.answers import Answer, replaced
from evalnb.harness.mutants.catalogue import operators, plan_mutants
from evalnb.harness.mutants.planted_port import CALL_DEFECTS, NEEDS_SHADOW, PlantedPort
from evalnb.harness.mutants.sites import OperationView, SeenAnswer
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.harness.plan_run import PlanRunner
from evalnb.harness.stimuli import Stimuli
from tests.harness import notes, reports

CONTRACT = compile_contract(notes.strong())
INDEX = PlanIndex.build(CONTRACT)
ECHO = {"probeId": "x", "interfaceId": "notes", "operationId": "list-notes"}
ROWS = [{"id": "n1", "text": "a"}, {"id": "n2", "text": "b"}]


def operation(name: str) -> Any:
    declared = INDEX.operation("notes", name)
    assert declared is not None
    return declared.operation


def changed(operator: str, value: Any, parameters: dict[str, Any], *, failed: bool = False) -> McpProbeObservation:
    answer = Answer(
        validated(
            McpProbeObservation,
            {"kind": "mcp", **ECHO, "isError": failed, "result": {"kind": "json", "value": value}},
        ),
        operation("list-notes"),
    )
    ANSWER_CHANGES[operator](answer, parameters, operation("list-notes"), {"arguments": {"prefix": 7}})
    observation: Any = answer.observation
    return observation


@pytest.mark.parametrize(
    ("operator", "path", "before", "after"),
    [
        ("emptied-collection", ["rows"], ROWS, []),
        ("truncated-collection", ["rows"], ROWS, ROWS[:1]),
        ("duplicated-record", ["rows"], ROWS, [*ROWS, ROWS[0]]),
        ("foreign-record", ["rows"], ROWS, [*ROWS, {"id": "foreign-n1", "text": "foreign-a"}]),
        ("swapped-records", ["rows"], ROWS, [{"id": "n1", "text": "b"}, {"id": "n2", "text": "a"}]),
        ("reordered-collection", ["rows"], ROWS, ROWS[::-1]),
        ("off-by-one-count", ["total"], 2, 3),
        ("nulled-field", ["text"], "a", None),
        ("wrong-type", ["total"], 2, "2"),
        ("wrong-type", ["text"], "a", 7),
        ("wrong-type", ["done"], True, "true"),
        ("flipped-boolean", ["done"], True, False),
        ("altered-scalar", ["total"], 2, 3),
        ("altered-scalar", ["text"], "a", "a (altered)"),
    ],
)
def test_a_value_operator_changes_the_one_value(operator: str, path: list[str], before: Any, after: Any) -> None:
    observed = changed(operator, {path[0]: before, "else": 1}, {"path": path, "key": "id"})
    assert observed.result.value == {path[0]: after, "else": 1}
    untouched = changed(operator, {"else": 1}, {"path": path, "key": "id"})
    assert untouched.result.value == {"else": 1}


def test_operators_that_tell_of_success() -> None:
    assert changed("swallowed-error", {"ok": False, "error": "no"}, {}, failed=True).is_error is False
    assert changed("swallowed-error", {"ok": False}, {}, failed=True).result.value["ok"] is True
    spurious = changed("spurious-error", {"ok": True, "rows": ROWS}, {})
    assert spurious.is_error
    assert spurious.result.value == {"error": "internal error", "ok": False}
    echoed = changed("echoed-input", {"ok": False}, {}, failed=True)
    assert (echoed.is_error, echoed.result.value) == (False, {"prefix": 7, "ok": True})
    assert changed("leaked-field", {"ok": True}, {}).result.value.keys() == {"ok", "internalNote"}
    assert changed("constant-answer", {"ok": True}, {"value": {"ok": 1}, "failed": False}).result.value == {"ok": 1}
    assert changed("dropped-field", {"a": 1, "b": 2}, {"path": ["a"]}).result.value == {"b": 2}


def test_operators_of_commands() -> None:
    render = PlanIndex.build(compile_contract(reports.contract(reports.RENDERED))).operation("reports", "render")
    assert render is not None

    def command(operator: str, exit_code: int) -> CliProbeObservation:
        document = {
            "kind": "cli",
            **ECHO,
            "exitCode": exit_code,
            "stdout": {"kind": "absent"},
            "stderr": {"kind": "absent"},
            "artifacts": {"report": {"kind": "text", "value": "one\ntwo\n"}},
        }
        answer = Answer(validated(CliProbeObservation, document), render.operation)
        ANSWER_CHANGES[operator](answer, {"artifact": "report"}, render.operation, {})
        observation: Any = answer.observation
        return observation

    assert command("zeroed-exit", 2).exit_code == 0
    assert command("truncated-artifact", 0).artifacts["report"].value == "one\n"
    assert command("wrong-artifact", 0).artifacts["report"].value != "one\ntwo\n"


def test_replacing_leaves_the_original_alone() -> None:
    value = {"rows": [{"a": 1}, {"a": 2}]}
    assert replaced(value, ["rows", "1", "a"], 3) == {"rows": [{"a": 1}, {"a": 3}]}
    assert value == {"rows": [{"a": 1}, {"a": 2}]}


class NotesInMemory:
    """The notes server without its process."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.calls: list[str] = []

    async def probe(self, request: Any, signal: AbortSignal) -> object:
        self.calls.append(request.operation_id)
        arguments = request.channels.arguments
        value: dict[str, Any] = {"ok": True}
        if request.operation_id == "reset":
            self.notes.clear()
        elif request.operation_id == "add-note":
            text = arguments.get("text")
            if isinstance(text, str):
                self.notes.append(text)
            value = {"ok": isinstance(text, str), "id": f"n{len(self.notes)}", "length": len(str(text))}
        else:
            value = {"ok": True, "notes": [{"text": text} for text in self.notes], "total": len(self.notes)}
        echoed = {
            "probe_id": request.probe_id,
            "interface_id": request.interface_id,
            "operation_id": request.operation_id,
        }
        return McpProbeObservation(kind="mcp", is_error=False, result={"kind": "json", "value": value}, **echoed)

    def acting_as(self, principal: str) -> NotesInMemory:
        return self


def trial(operator: str, target: str, parameters: dict[str, Any] | None = None) -> tuple[dict[str, Any], NotesInMemory]:
    """The answers of one trial by step, and the real system behind them."""
    real, shadow = NotesInMemory(), NotesInMemory()
    spec = MutantSpec("m", operator, "notes", target, "", parameters or {})
    port = PlantedPort(real, shadow if operator in NEEDS_SHADOW else None, spec, INDEX)
    outcome = asyncio.run(PlanRunner.of(CONTRACT, Stimuli()).run(port))
    return {one.step_id: one.document["responseBody"] for one in outcome.exchanges}, real


def test_a_dropped_write_is_acknowledged_as_genuinely_as_a_real_one_and_never_happens() -> None:
    answers, real = trial("dropped-write", "add-note")
    assert answers["add-first"] == {"ok": True, "id": "n1", "length": 9}
    assert answers["list-after"]["total"] == 0
    assert "add-note" not in real.calls


def test_a_doubled_write_happens_twice() -> None:
    answers, _ = trial("doubled-write", "add-note")
    assert answers["add-first"]["id"] == "n1"
    assert answers["list-after"]["total"] == 2


def test_a_stale_read_is_one_write_behind() -> None:
    answers, real = trial("stale-read", "list-notes")
    assert answers["list-after"]["total"] == 0
    assert real.notes == ["Buy bread"]


def test_a_delayed_effect_comes_after_the_next_call() -> None:
    answers, real = trial("delayed-effect", "add-note")
    assert answers["list-after"]["total"] == 0
    assert real.notes == ["Buy bread"]


def test_a_lost_argument_never_reaches_the_system() -> None:
    answers, real = trial("lost-argument", "add-note", {"channel": "arguments", "key": "text"})
    assert answers["add-first"]["ok"] is False
    assert real.notes == []


def test_every_operator_has_an_implementation_and_only_one() -> None:
    names = [operator.name for operator in operators()]
    assert len(set(names)) == len(names) == 25
    assert set(names) == {*ANSWER_CHANGES, *CALL_DEFECTS}
    assert not set(ANSWER_CHANGES) & set(CALL_DEFECTS)


def view(name: str, value: Any, *, has_shadow: bool = True, hidden: tuple[tuple[str, ...], ...] = ()) -> OperationView:
    seen = SeenAnswer({"arguments": {"prefix": ""}}, failed=False, value=value, is_json=True)
    return OperationView("notes", operation(name), (seen,), hidden, frozenset(), has_shadow)


def test_operators_apply_where_they_can_and_nowhere_else() -> None:
    def names(one: OperationView) -> set[str]:
        return {spec.operator for spec in plan_mutants([one], seed=0)}

    answer = {"ok": True, "notes": ROWS, "total": 2}
    read, write = names(view("list-notes", answer)), names(view("add-note", answer))
    assert "stale-read" in read
    assert "dropped-write" in write
    assert not {"dropped-write", "doubled-write", "swallowed-error", "reordered-collection"} & read
    assert not {"zeroed-exit", "truncated-artifact"} & (read | write)
    assert not NEEDS_SHADOW & names(view("add-note", answer, has_shadow=False))


def test_the_seed_chooses_the_places_and_volatile_ones_are_never_chosen() -> None:
    answer = {"ok": True, "notes": ROWS, "total": 2, "at": "noon"}
    chosen = {
        tuple(spec.parameters["path"])
        for seed in range(20)
        for spec in plan_mutants(
            [view("list-notes", answer, hidden=(("at",), ("notes", "*", "text")))], seed, ["nulled-field"]
        )
    }
    assert len(chosen) > 1
    assert ("at",) not in chosen
    assert not any(path[-1] == "text" for path in chosen)
    same = [plan_mutants([view("list-notes", answer)], 5), plan_mutants([view("list-notes", answer)], 5)]
    assert same[0] == same[1]


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(ValueError, match="dropped-wirte"):
        plan_mutants([], 0, ["dropped-wirte"])
