"""The failures: disjoint registries, one message shape, reasons kept only where they belong."""

from __future__ import annotations

import pickle

import pytest

from evalnb.engine import codes
from evalnb.engine.faults import AggregationRefusal, RuntimeFault, StructuralFailure


def test_registries_are_disjoint_and_complete() -> None:
    registries = [codes.FAILURE_CODES, codes.AGGREGATION_REFUSAL_CODES, codes.RUNTIME_FAULT_CODES]
    assert [len(registry) for registry in registries] == [27, 2, 10]
    assert len(set().union(*registries)) == 39
    assert len(set(codes.QUALIFICATION_FAILURE_CODES)) == 20


def test_message_holds_code_path_and_detail() -> None:
    failure = StructuralFailure("waiver-incomplete", "EvalContract.waivers[id=W-001]", "no rationale")
    assert str(failure) == "waiver-incomplete in EvalContract.waivers[id=W-001]: no rationale"
    assert not isinstance(failure, RuntimeFault)


def test_a_code_of_another_registry_is_a_programming_error() -> None:
    with pytest.raises(TypeError):
        AggregationRefusal("aborted", "X", "no")


def test_reasons_are_kept_only_with_their_code() -> None:
    kept = RuntimeFault(
        "forbidden-target", "X", "d", reason="tool-not-authorized", port_failure_reason="launch-too-large"
    )
    dropped = RuntimeFault("aborted", "X", "d", reason="tool-not-authorized")
    launch = RuntimeFault("port-failure", "X", "d", port_failure_reason="launch-too-large")
    assert (kept.reason, kept.port_failure_reason) == ("tool-not-authorized", None)
    assert dropped.reason is None
    assert launch.port_failure_reason == "launch-too-large"


def test_failures_survive_a_process_boundary() -> None:
    fault = RuntimeFault("forbidden-target", "X", "d", reason="host-not-authorized")
    copy = pickle.loads(pickle.dumps(fault))
    assert (copy.code, copy.artifact_path, copy.detail, copy.reason) == (
        "forbidden-target",
        "X",
        "d",
        "host-not-authorized",
    )
