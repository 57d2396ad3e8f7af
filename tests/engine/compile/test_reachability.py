"""Which evidence an operation of each kind can produce."""

from __future__ import annotations

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, read
from evalnb.engine.compile.reachability import unreachable_reason
from evalnb.engine.plan_index import PlanIndex
from tests.engine.compile.contracts import at, mixed_contract

REACHABLE = [
    "@/anything",
    "create/response-body",
    "create/response-body/id",
    "create/response-body/tags/0/deep",  # no declared type blocks nothing
    "create/response-headers/etag/x",
    "create/response-status",
    "create/exit-code",
    "create/stdout",
    "create/stderr",
    "create/call-inputs/body",
    "create/call-inputs/body/title",
    "list/response-body/items/7/id",
    "count/artifact/report",
    "count/artifact/report/total",
    "count/artifact/log",
    "count/stdout",
    "count/exit-code",
    "count/call-inputs/stdin/word",
    "ping/response-body/pong",
    "ping/response-status",
    "ping/exit-code",
    "ping/call-inputs/arguments",
]
UNREACHABLE = [
    ("nobody/response-body", "names a step the interaction plan does not declare"),
    (
        "lost/response-body",
        'names step "lost", which names operation "gone" on interface "notes", which that interface',
    ),
    ("twice/response-body", "names a step the interaction plan does not declare"),
    ("create/response-body/none", 'addresses response-body field "none"'),
    ("create/response-body/0", 'addresses response-body field "0"'),
    ("create/response-body/id/x", 'descends into response-body field "id"'),
    ("create/stdout/x", "addresses a field inside stdout"),
    ("create/artifact/report", "does not declare it writes"),
    ("create/call-inputs/body/other", 'addresses call-inputs body field "other"'),
    ("create/call-inputs/body/title/x", 'descends into call-inputs body field "title"'),
    ("create/call-inputs/stdin", 'a channel operation "create-note" does not accept input on'),
    ("count/artifact/other", "does not declare it writes"),
    ("count/artifact/log/line", "declares no structure for"),
    ("count/artifact/report/none", 'addresses the "report" artifact field "none"'),
    ("count/artifact/report/total/x", 'descends into the "report" artifact field "total"'),
    ("count/stdout/total", "addresses a field inside stdout"),
    ("count/response-body", "produces no HTTP response"),
    ("count/response-status", "produces no HTTP response"),
    ("count/response-headers/etag", "produces no HTTP response"),
    ("ping/response-headers", "which is a tool call and carries its result on response-body"),
    ("ping/stdout", "which is a tool call"),
    ("ping/artifact/report", "does not declare it writes"),
    ("ping/call-inputs/body", "does not accept input on"),
]


@pytest.fixture(scope="module")
def index() -> PlanIndex:
    document = mixed_contract()
    create = document["interactionPlan"][0]
    document["interactionPlan"] += [create | {"stepId": "lost", "operationId": "gone"}]
    document["interactionPlan"] += [create | {"stepId": "twice"}] * 2
    return PlanIndex.build(read(EVAL_CONTRACT, document))


def rooted(pointer: str) -> str:
    return pointer if pointer.startswith("@") else f"/interactions/{pointer}"


@pytest.mark.parametrize("pointer", REACHABLE)
def test_what_can_be_produced_is_reachable(pointer: str, index: PlanIndex) -> None:
    assert unreachable_reason(rooted(pointer), index) is None


@pytest.mark.parametrize(("pointer", "reason"), UNREACHABLE)
def test_what_cannot_be_produced_says_why(pointer: str, reason: str, index: PlanIndex) -> None:
    assert reason in (unreachable_reason(rooted(pointer), index) or "")


@pytest.mark.parametrize(
    ("cardinality", "inside", "outside", "shown"),
    [
        ({"mode": "exact", "count": 2}, "1/anything/at/all", "2", "(exact 2)"),
        ({"mode": "at-most", "max": 12}, "11", "12", "(at-most 12)"),
        ({"mode": "page-bounded", "max": 3}, "2", "9" * 6000, "(page-bounded 3)"),
    ],
)
def test_a_declared_root_collection_bounds_its_indexes(
    cardinality: dict[str, object], inside: str, outside: str, shown: str
) -> None:
    document = mixed_contract()
    location = {"pointer": "", "expectedCardinality": cardinality, "referenceSet": None}
    at(document, "permittedInterfaces", 0, "operations", 1, "responseDescriptor")["collectionLocations"] = [location]
    bounded = PlanIndex.build(read(EVAL_CONTRACT, document))
    assert unreachable_reason(f"/interactions/list/response-body/{inside}", bounded) is None
    reason = unreachable_reason(f"/interactions/list/response-body/{outside}", bounded)
    assert "out of bounds" in (reason or "")
    assert shown in (reason or "")
    # Not an index, so it is a field like any other.
    assert 'field "01"' in (unreachable_reason("/interactions/list/response-body/01", bounded) or "")
