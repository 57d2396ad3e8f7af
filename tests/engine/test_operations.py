"""What operations of each kind accept, produce and describe."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from evalnb.engine import operations as of
from evalnb.engine.artifacts.interfaces import PermittedInterface
from evalnb.engine.pointers import parse_interaction_pointer
from tests.engine.evaluate import plans


def operation(kind: str, document: dict[str, Any]) -> Any:
    interface = {"logicalId": "notes", "kind": kind, "operations": [document]}
    return TypeAdapter(PermittedInterface).validate_python(interface).operations[0]


API = operation("api", plans.api_operation("read-note"))
STREAM = operation("cli", plans.command("stream", {"kind": "stream", "channel": "stderr"}, []))
FILE = operation("cli", plans.command("file", {"kind": "artifact", "artifactId": "report"}, []))
TOOL = operation("mcp", plans.tool("call", []))


@pytest.mark.parametrize(
    ("subject", "kind", "channels", "described", "artifact"),
    [
        (API, "api", ("path", "query", "header", "body"), "response-body", None),
        (STREAM, "cli", ("argument", "option", "environment", "stdin"), "stderr", None),
        (FILE, "cli", ("argument", "option", "environment", "stdin"), "artifact", "report"),
        (TOOL, "mcp", ("arguments",), "response-body", None),
    ],
)
def test_kinds(subject: Any, kind: str, channels: tuple[str, ...], described: str, artifact: str | None) -> None:
    assert of.operation_kind(subject) == kind
    assert of.input_channels(subject) == channels
    assert of.described_channel(subject) == described
    assert of.described_artifact(subject) == artifact
    assert of.declared_artifacts(subject) == (("report",) if kind == "cli" else ())


@pytest.mark.parametrize(
    ("subject", "pointer", "described"),
    [
        (API, "response-body/x", True),
        (API, "response-headers/x", False),
        (STREAM, "stderr", True),
        (STREAM, "stdout", False),
        (FILE, "artifact/report/x", True),
        (FILE, "artifact/other", False),
        (TOOL, "response-body", True),
    ],
)
def test_the_described_channel(subject: Any, pointer: str, described: bool) -> None:
    target = parse_interaction_pointer(f"/interactions/call/{pointer}")
    assert of.targets_described_channel(target, subject) is described


@pytest.mark.parametrize(
    ("subject", "channel", "key", "declared"),
    [
        (API, "query", "limit", "number"),
        (API, "query", "id", None),
        (API, "query", "other", None),
        (API, "option", "limit", None),
        (TOOL, "query", "limit", None),
        (None, "query", "limit", None),
    ],
)
def test_declared_types(subject: Any, channel: str, key: str, declared: str | None) -> None:
    assert of.declared_type(subject, channel, key) == declared


def test_declared_keys() -> None:
    shape = of.channel_shape(API, "query")
    assert of.declares_key(shape, "limit")
    assert not of.declares_key(shape, "other")
    assert not of.declares_key(of.channel_shape(API, "stdin"), "limit")
    assert not of.declares_no_request_keys(API)
    assert of.declares_no_required_keys(API)
    assert of.declares_no_request_keys(TOOL)


RAW = {"kind": "raw", "base64": "", "contentType": "text/plain"}


def test_bindings_come_in_vocabulary_order_and_a_raw_body_binds_no_key() -> None:
    captured = {"captured": "/interactions/other/response-body/id"}
    binding = {"body": RAW, "query": {"b": {"literal": 1}, "a": captured}, "path": {"z": {"matcher": "any"}}}
    (planned,) = plans.plan([plans.step("read", binding=binding)]).interaction_plan
    assert [(bound.channel, bound.key) for bound in of.bound_keys(planned)] == [
        ("path", "z"),
        ("query", "b"),
        ("query", "a"),
    ]
    assert list(of.captured_keys(planned)) == [of.CapturedKey("query", "a", captured["captured"])]
    assert [bound.channel for bound in of.bound_channels(planned) if bound.keys is None] == ["header", "body"]
    assert of.raw_body(planned.input_binding).content_type == "text/plain"  # type: ignore[union-attr]
