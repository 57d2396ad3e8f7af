"""An operand stands for one value: a pointer reads its own channel of its own step and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from evalnb.engine import artifacts as shapes
from evalnb.engine.evaluate.operands import make_resolve_operand, reference_set_keys_of, walk
from evalnb.engine.json_values import ABSENT
from tests.engine.evaluate import plans

RECORDED = plans.observation(
    "obs-1",
    1,
    responseBody={"": "response-body", "a/b": ["response-body"], "null": None},
    responseHeaders={"ETag": "response-headers"},
    responseStatus=200,
    exitCode=-9,
    stdout={"kind": "json", "value": {"line": "stdout"}},
    stderr={"kind": "text", "value": "stderr"},
    artifacts={
        "report": {"kind": "json", "value": ["artifact"]},
        "unwritten": {"kind": "absent"},
    },
    callInputs={"path": {"id": "call-inputs"}},
)
SETS = {
    "states": shapes.ReferenceSetDeclaration.model_validate(
        {"keys": ["id"], "members": [{"id": "open"}], "commentary": None}
    )
}


def resolved(operand: dict[str, Any], bound_element: Any = ABSENT) -> Any:
    return make_resolve_operand({"call": RECORDED}, SETS)(plans.operand(operand), bound_element, "any")


def pointed(tail: str) -> Any:
    return resolved({"pointer": f"/interactions/call/{tail}"})


@pytest.mark.parametrize(
    ("tail", "value"),
    [
        ("response-status", 200),
        ("exit-code", -9),
        ("response-body/a~1b/0", "response-body"),
        ("response-body/", "response-body"),
        ("response-body/null", None),
        ("response-headers/ETag", "response-headers"),
        ("stdout/line", "stdout"),
        ("stderr", "stderr"),
        ("artifact/report", ["artifact"]),
        ("call-inputs/path/id", "call-inputs"),
        ("call-inputs/query", None),
    ],
)
def test_a_pointer_reads_what_was_recorded(tail: str, value: Any) -> None:
    assert pointed(tail) == value


@pytest.mark.parametrize(
    "tail",
    [
        "response-body/missing",
        "response-body/a~1b/1",
        "response-body/a~1b/00",
        "response-body/a~1b/99999999999999999999999",
        "response-body/null/x",
        "response-body/constructor",
        "response-headers/etag",
        "stderr/0",
        "call-inputs/query/limit",
        "artifact/unwritten",
        "artifact/unknown",
    ],
)
def test_a_pointer_that_leads_nowhere_is_absent(tail: str) -> None:
    assert pointed(tail) is ABSENT


def test_a_stream_recorded_as_absent_is_null() -> None:
    silent = plans.observation("obs-2", 2)
    resolve = make_resolve_operand({"call": silent}, None)
    assert resolve(plans.operand({"pointer": "/interactions/call/stdout"}), ABSENT, "any") is None
    assert resolve(plans.operand({"pointer": "/interactions/call/stdout/x"}), ABSENT, "any") is ABSENT


def test_an_unbound_step_is_absent() -> None:
    assert resolved({"pointer": "/interactions/other/response-status"}) is ABSENT


@pytest.mark.parametrize(
    ("pointer", "element", "value"),
    [
        ("@/", {"a": 1}, {"a": 1}),
        ("@/", None, None),
        ("@/a", {"a": 1}, 1),
        ("@/a", None, ABSENT),
        ("@//a", {"": {"a": 1}}, 1),
        ("@/a", ABSENT, ABSENT),
    ],
)
def test_a_bound_element_pointer_reads_the_element(pointer: str, element: Any, value: Any) -> None:
    assert resolved({"pointer": pointer}, element) == value


def test_literals_and_reference_sets_stand_for_themselves() -> None:
    assert resolved({"literal": None}) is None
    assert resolved({"referenceSet": "states"}) == [{"id": "open"}]
    assert resolved({"referenceSet": "constructor"}) is ABSENT


def test_reference_set_keys() -> None:
    contract = shapes.EvalContract.model_construct(reference_sets=SETS)
    assert {name: list(keys) for name, keys in reference_set_keys_of(contract).items()} == {"states": ["id"]}
    assert reference_set_keys_of(shapes.EvalContract.model_construct(reference_sets=None)) == {}


def test_a_malformed_pointer_is_no_evidence_question() -> None:
    broken = shapes.PointerOperand.model_construct(pointer="/interactions/poll/response-status/oops")
    with pytest.raises(TypeError, match="/interactions/poll/response-status/oops"):
        make_resolve_operand({}, None)(broken, ABSENT, "any")


TOKENS = st.sampled_from(["", "a~1b", "0", "..", "__proto__", "ETag", "line", "report", "id", "stdout", "constructor"])
TAILED = ["response-body", "response-headers", "stdout", "stderr", "artifact/report", "call-inputs/path"]


def texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(texts(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(texts(inner) for inner in value))
    return {value} if isinstance(value, str) else set()


@given(st.sampled_from(TAILED), st.lists(TOKENS, max_size=4))
def test_a_pointer_never_reads_outside_its_channel(channel: str, tokens: list[str]) -> None:
    value = pointed("/".join([channel, *tokens]))
    assert value is ABSENT or texts(value) <= {channel.split("/")[0]}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
        max_leaves=8,
    ),
    st.lists(st.text(max_size=2) | st.integers(0, 3).map(str), max_size=4),
)
def test_walking_finds_a_part_of_the_root_or_nothing(root: Any, tail: list[str]) -> None:
    found = walk(root, tail)
    if found is not ABSENT:
        current = root
        for token in tail:
            current = current[int(token)] if isinstance(current, list) else current[token]
        assert found is current
