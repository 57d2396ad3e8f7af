"""A pointer denotes a collection exactly where the addressed operation declares one."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.evaluate import make_denotes_collection, make_operation_denotes_collection
from evalnb.engine.plan_index import PlanIndex
from tests.engine.evaluate import plans

LOCATIONS = ["/items", "/a~1b", ""]
PLAN = plans.plan(
    [
        plans.step("listed"),
        plans.step("posted", "write-note"),
        plans.step("streamed", "stream", interfaceId="notes-cli"),
        plans.step("filed", "file", interfaceId="notes-cli"),
        plans.step("called", "call", interfaceId="notes-mcp"),
        plans.step("lost", "nothing"),
    ],
    [
        {
            "logicalId": "notes-api",
            "kind": "api",
            "operations": [plans.api_operation("read-note", LOCATIONS), plans.api_operation("write-note")],
        },
        {
            "logicalId": "notes-cli",
            "kind": "cli",
            "operations": [
                plans.command("stream", {"kind": "stream", "channel": "stdout"}, LOCATIONS),
                plans.command("file", {"kind": "artifact", "artifactId": "report"}, LOCATIONS),
            ],
        },
        {"logicalId": "notes-mcp", "kind": "mcp", "operations": [plans.tool("call", LOCATIONS)]},
    ],
)


@pytest.mark.parametrize(
    "pointer",
    [
        "listed/response-body/items",
        "listed/response-body/a~1b",
        "listed/response-body",
        "streamed/stdout/items",
        "filed/artifact/report/items",
        "called/response-body/items",
    ],
)
def test_a_declared_location_is_a_collection(pointer: str) -> None:
    assert make_denotes_collection(PLAN)(f"/interactions/{pointer}")


@pytest.mark.parametrize(
    "pointer",
    [
        "/interactions/listed/response-body/items/0",
        "/interactions/listed/response-body/it",
        "/interactions/listed/response-headers/items",
        "/interactions/listed/response-status",
        "/interactions/listed/call-inputs/query/items",
        "/interactions/listed/stdout/items",
        "/interactions/posted/response-body/items",
        "/interactions/streamed/stderr/items",
        "/interactions/streamed/artifact/report/items",
        "/interactions/filed/artifact/other/items",
        "/interactions/filed/stdout/items",
        "/interactions/lost/response-body/items",
        "/interactions/unknown/response-body/items",
        "@/items",
    ],
)
def test_anything_else_is_not(pointer: str) -> None:
    assert not make_denotes_collection(PLAN)(pointer)


def test_a_duplicated_id_is_refused_at_the_first_question_only_without_an_index() -> None:
    twice = plans.plan([plans.step("listed"), plans.step("listed")], plans.api(locations=LOCATIONS))
    denotes = make_denotes_collection(twice)
    assert not denotes("@/items")
    with pytest.raises(TypeError, match="duplicate interaction step id: listed"):
        denotes("/interactions/listed/response-body/items")
    assert not make_denotes_collection(twice, PlanIndex.build(twice))("/interactions/listed/response-body/items")


@pytest.mark.parametrize(
    ("pointer", "answer"), [("/interactions/observed/response-body/items", True), ("@/items", False)]
)
def test_one_operation_can_be_asked_alone(pointer: str, answer: bool) -> None:
    operation: Any = PLAN.permitted_interfaces[0].operations[0]
    assert make_operation_denotes_collection(operation)(pointer) is answer
    assert make_operation_denotes_collection(None)(pointer) is False
