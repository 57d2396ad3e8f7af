"""The served tools: name, what it is for, what it takes, what it answers. Every one of them only reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.engine.artifacts.reading import KINDS
from evalnb.serving import stage_calls
from evalnb.serving.answers import Answer, answer_schema
from evalnb.serving.stage_calls import Given


@dataclass(frozen=True, slots=True)
class ServedTool:
    """One tool; `input_schema` and `output_schema` are JSON Schemas."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    call: Callable[[Given], Answer]


def _takes(required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _document(what: str) -> dict[str, Any]:
    return {"type": ["object", "string"], "description": f"{what}: the document, or a file below the root."}


def _list(what: str) -> dict[str, Any]:
    items = {"type": ["object", "string"]}
    return {"type": ["array", "string"], "items": items, "description": f"{what}: documents or files, or one file."}


_TEXT: Final = {"type": "string"}
_NAME: Final = {"type": "string", "minLength": 1}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
_NULLABLE_OBJECT: Final = {"type": ["object", "null"]}
_OBJECTS: Final = {"type": "array", "items": _OBJECT}
_CONTRACT: Final = {"contract": _document("The evaluation contract")}
_STRICT: Final = {"strictInputs": {**_FLAG, "description": "Refuse undeclared inputs and witnesses; true by default."}}

TOOLS: Final = (
    ServedTool(
        "compile",
        "Check an evaluation contract. Answers with the compiled contract, or with the first failure: its code, where "
        "in the contract, and what to do.",
        _takes(_CONTRACT, _STRICT),
        answer_schema({"contract": _OBJECT}),
        stage_calls.compile_contract,
    ),
    ServedTool(
        "coverage",
        "What the oracles of a contract look at and what they leave unseen, by the seven discipline rules.",
        _takes(_CONTRACT, _STRICT),
        answer_schema({"rules": _OBJECTS, "gaps": _OBJECTS}),
        stage_calls.coverage,
    ),
    ServedTool(
        "seal",
        "The brief that an evaluator may see: the contract without what it must not know.",
        _takes(_CONTRACT, _STRICT),
        answer_schema({"brief": _OBJECT}),
        stage_calls.seal,
    ),
    ServedTool(
        "preflight",
        "Decide from recorded answers of the system whether it can be measured. Sends no request.",
        _takes(
            {
                **_CONTRACT,
                "probes": _list("The planning list"),
                "observations": _list("One answer for each planned leg"),
                "runId": _NAME,
            }
        ),
        answer_schema({"verdict": _OBJECT}),
        stage_calls.preflight,
    ),
    ServedTool(
        "score",
        "Score what an evaluator reported, one record or all trials of a set, against a probe and the evidence.",
        _takes(
            {
                "record": {
                    "type": ["object", "array", "string"],
                    "items": {"type": ["object", "string"]},
                    "description": "The sealed run record, or the records of one trial set: documents or files.",
                },
                **_CONTRACT,
                "probe": _document("The probe"),
                "preflightVerdict": _document("The pre-flight verdict"),
                "policy": _document("The scoring policy"),
                "corpusDigest": {"type": "string", "description": "The digest of the probe corpus, sha256:..."},
            },
            {
                "isolationManifest": _document("The isolation manifest"),
                "evaluatorConfiguration": _document("The evaluator's configuration"),
                "privateManifest": _document("The private artifact manifest"),
                "designatedOracle": {"type": "string", "description": "Score by this oracle alone, such as O-001."},
            },
        ),
        answer_schema(
            {
                "verdict": {"type": ["string", "null"]},
                "basis": {"type": "array", "items": _TEXT},
                "exitCode": {"type": "integer"},
                "strictPromotable": _FLAG,
                "qualificationFailures": _OBJECTS,
                "evidence": _NULLABLE_OBJECT,
            }
        ),
        stage_calls.score,
    ),
    ServedTool(
        "explain",
        "What a failure code means and how to mend it, with a bad and a good example; without a code, all codes.",
        _takes({}, {"code": _NAME}),
        answer_schema({"explanations": _OBJECTS}),
        stage_calls.explain,
    ),
    ServedTool(
        "list-examples",
        "The packaged examples; with a name, the contract of that one as well.",
        _takes({}, {"name": _NAME}),
        answer_schema({"examples": _OBJECTS, "contract": _NULLABLE_OBJECT}),
        stage_calls.list_examples,
    ),
    ServedTool(
        "read-schema",
        "The JSON Schema of one kind of artifact.",
        _takes({"kind": {"enum": list(KINDS)}}),
        answer_schema({"schema": _OBJECT}),
        stage_calls.read_schema,
    ),
)
