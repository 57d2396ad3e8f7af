"""What a tool's answer becomes as an observed body, and what else a reader of the observation should know of it.

The chapter reads the structured content alone; many servers answer in text, so a policy may say to read that.
spec: 10 §8.3, §8.4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json

if TYPE_CHECKING:
    from evalnb.adapters.mcp_policy import ResultReading

SchemaCheck = Literal["not-checked", "not-published", "conforms", "violated"]

_ABSENT: Final[dict[str, Json]] = {"kind": "absent"}
_UNTYPED: Final = "untyped"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """One answer as it is observed. `exit_code` only where the server ended instead of answering.

    `reading` is what the body was read from, `content_kinds` every content block's type in order, `note` why the
    body is not all of what the reading asked for. `structured` is the structured content whatever was read;
    `output_schema` says how it compares with the schema the tool publishes, `schema_issues` at most ten differences.
    """

    is_error: bool
    body: dict[str, Json]
    reading: ResultReading
    content_kinds: tuple[str, ...] = ()
    note: str | None = None
    exit_code: int | None = None
    structured: Json = None
    has_structured: bool = False
    output_schema: SchemaCheck = "not-checked"
    schema_issues: tuple[str, ...] = ()


def read_answer(frame: dict[str, Json], reading: ResultReading) -> ToolAnswer:
    """The answer to `tools/call` in `frame`, its body taken from where `reading` says."""
    error = frame.get("error")
    if error is not None:
        return ToolAnswer(True, _json(error), reading, note="the server answered with a JSON-RPC error")
    result = frame.get("result")
    if not isinstance(result, dict):
        return ToolAnswer(False, _ABSENT, reading, note="the result is not an object")
    is_error = result.get("isError") is True
    kinds, texts = _blocks(result.get("content"))
    has_structured = "structuredContent" in result
    structured = result.get("structuredContent")
    if reading == "structured":
        body = _json(structured) if has_structured else _ABSENT
        note = None if has_structured else "the result has no structured content"
        return ToolAnswer(is_error, body, reading, kinds, note, None, structured, has_structured)
    read = _text_body(texts, kinds) if reading == "text" else _text_json_body(texts, kinds, is_error)
    return ToolAnswer(is_error, read.body, read.reading, kinds, read.note, None, structured, has_structured)


def ended_answer(exit_code: int, reading: ResultReading) -> ToolAnswer:
    """The observation of a server that ended instead of answering."""
    return ToolAnswer(True, _ABSENT, reading, note="the server ended before it answered", exit_code=exit_code)


def checked_against(answer: ToolAnswer, schema: dict[str, Any] | None) -> ToolAnswer:
    """`answer`, saying how its structured content compares with its tool's output schema; an error is not checked."""
    if answer.is_error:
        return answer
    if schema is None:
        return replace(answer, output_schema="not-published")
    if answer.has_structured:
        issues = _schema_issues(answer.structured, schema)
    else:
        issues = ("the tool publishes an output schema, but its result has no structured content",)
    return replace(answer, output_schema="violated" if issues else "conforms", schema_issues=issues)


@dataclass(frozen=True, slots=True)
class _ReadText:
    """A body read from text blocks, and from what exactly."""

    body: dict[str, Json]
    reading: ResultReading
    note: str | None


def _text_body(texts: Sequence[str], kinds: Sequence[str]) -> _ReadText:
    if not texts:
        return _ReadText(_ABSENT, "text", f"the result has no text block{_listed(kinds)}")
    left_out = [kind for kind in kinds if kind != "text"]
    note = f"blocks left out: {', '.join(left_out)}" if left_out else None
    return _ReadText(_json({"text": "\n".join(texts)}), "text", note)


def _text_json_body(texts: Sequence[str], kinds: Sequence[str], is_error: bool) -> _ReadText:
    if len(texts) != 1 or len(kinds) != 1:
        note = f"the result is not one text block{_listed(kinds)}"
    else:
        try:
            return _ReadText(_json(scan_json(texts[0], "ProbeObservation")), "text-json", None)
        except RuntimeFault as fault:
            note = f"the text block is not JSON: {fault.detail}"
    if is_error and texts:
        # Servers that answer in JSON tell their errors in prose; the prose is what there is to observe.
        return _ReadText(_json({"text": "\n".join(texts)}), "text", note)
    return _ReadText(_ABSENT, "text-json", note)


def _blocks(content: Json) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The types of all content blocks, and the texts of the text blocks."""
    kinds: list[str] = []
    texts: list[str] = []
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        kinds.append(kind if isinstance(kind, str) else _UNTYPED)
        text = block.get("text") if isinstance(block, dict) else None
        if kind == "text" and isinstance(text, str):
            texts.append(text)
    return tuple(kinds), tuple(texts)


def _listed(kinds: Sequence[str]) -> str:
    return f" but {', '.join(kinds)}" if kinds else ""


def _json(value: Json) -> dict[str, Json]:
    return {"kind": "json", "value": value}


def _schema_issues(value: Json, schema: dict[str, Any]) -> tuple[str, ...]:
    """At most ten issues; a schema that cannot be used is one, and no reference leaves the schema document."""
    from itertools import islice

    from jsonschema import SchemaError  # type: ignore[import-untyped]
    from jsonschema.validators import validator_for  # type: ignore[import-untyped]
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator_class = validator_for(schema)
    try:
        validator_class.check_schema(schema)
        found = validator_class(schema, registry=Registry()).iter_errors(value)
        return tuple(f"{error.json_path}: {error.message[:200]}" for error in islice(found, 10))
    except SchemaError as error:
        return (f"the output schema is not a JSON Schema: {error.message[:200]}",)
    except (Unresolvable, RecursionError) as error:
        return (f"the output schema cannot be used: {str(error)[:200]}",)
