"""What each answer operator does to one answer; an answer it has nothing to do to is left as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from evalnb.engine.canonical import canonical_text
from evalnb.engine.evaluate import walk
from evalnb.engine.json_values import ABSENT, Absent, Json, json_kind
from evalnb.engine.operations import AnyOperation
from evalnb.harness.mutants.answers import Answer, indicator_path, replaced

Parameters: TypeAlias = Mapping[str, Any]
Inputs: TypeAlias = Mapping[str, Any]
AnswerChange: TypeAlias = "Callable[[Answer, Parameters, AnyOperation, Inputs], None]"
ValueChange: TypeAlias = "Callable[[Json, Parameters], Json | Absent]"

FOREIGN: Final = "foreign"
LEAKED_KEY: Final = "internalNote"
LEAKED_VALUE: Final = "not for this caller"
ERROR_TEXT: Final = "internal error"
_ALTERED: Final = " (altered)"


def _at_site(change: ValueChange) -> AnswerChange:
    """A change of the value at the site's path, wherever an answer has one there."""

    def apply(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
        value = answer.value
        if isinstance(value, Absent):
            return
        path = parameters["path"]
        there = walk(value, path)
        if isinstance(there, Absent):
            return
        answer.put(replaced(value, path, change(there, parameters)))

    return apply


def _collection(change: Callable[[list[Any], Parameters], list[Any]]) -> AnswerChange:
    def changed(value: Json, parameters: Parameters) -> Json:
        return change(value, parameters) if isinstance(value, list) and value else value

    return _at_site(changed)


def altered(value: Json) -> Json:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return value + _ALTERED if isinstance(value, str) else value


def retyped(value: Json) -> Json:
    """The value as another JSON type would say it."""
    made: dict[str, Callable[[], Json]] = {
        "number": lambda: canonical_text(value, "mutant"),
        "string": lambda: 7,
        "boolean": lambda: canonical_text(value, "mutant"),
        "array": lambda: {str(position): item for position, item in enumerate(value or [])},  # type: ignore[arg-type]
        "object": lambda: [value],
        "null": lambda: "",
    }
    return made[json_kind(value)]()


def foreign(record: Json) -> Json:
    """A record that belongs to somebody else: the shape of `record`, none of its values."""
    if isinstance(record, dict):
        return {key: foreign(member) for key, member in record.items()}
    if isinstance(record, list):
        return [foreign(member) for member in record]
    if isinstance(record, str):
        return f"{FOREIGN}-{record}"
    if isinstance(record, bool) or not isinstance(record, (int, float)):
        return record
    return record + 1000


def _swapped(records: list[Any], parameters: Parameters) -> list[Any]:
    """The first two records keep their names and exchange everything else."""
    key = parameters["key"]
    first, second = records[0], records[1] if len(records) > 1 else None
    if not isinstance(first, dict) or not isinstance(second, dict) or key not in first or key not in second:
        return records
    return [{**second, key: first[key]}, {**first, key: second[key]}, *records[2:]]


def _swallow_error(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if answer.failed:
        answer.succeed()
        _indicate(answer, operation, success=True)


def _spurious_error(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if answer.failed:
        return
    answer.fail()
    if isinstance(answer.value, dict):
        answer.put({"error": ERROR_TEXT})
        _indicate(answer, operation, success=False)
    elif answer.text is not None:
        answer.put_text(ERROR_TEXT)


def _echo_input(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if not answer.failed:
        return
    answer.succeed()
    answer.put({key: value for keys in inputs.values() for key, value in keys.items()})
    _indicate(answer, operation, success=True)


def _indicate(answer: Answer, operation: AnyOperation, *, success: bool) -> None:
    """Say the same on the declared success indicator."""
    path, value = indicator_path(operation), answer.value
    if path is None or not isinstance(value, dict) or len(path) != 1:
        return
    answer.put({**value, path[0]: success})


def _leak(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    value = answer.value
    if isinstance(value, dict) and not answer.failed:
        answer.put({**value, LEAKED_KEY: LEAKED_VALUE})


def _zero_exit(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if answer.failed:
        answer.succeed()


def _alter_text(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if "path" in parameters:
        _at_site(lambda value, _: altered(value))(answer, parameters, operation, inputs)
    elif answer.text and not answer.failed:
        answer.put_text(answer.text.rstrip("\n") + _ALTERED + "\n")


def _truncate_artifact(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    text = _artifact_text(answer, parameters)
    if text:
        answer.put_artifact(parameters["artifact"], text[: len(text) // 2])


def _wrong_artifact(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if _artifact_text(answer, parameters) is not None:
        answer.put_artifact(parameters["artifact"], "the content of another file\n")


def _artifact_text(answer: Answer, parameters: Parameters) -> str | None:
    body = answer.artifact(parameters["artifact"])
    if body["kind"] == "absent":
        return None
    return body["value"] if body["kind"] == "text" else canonical_text(body["value"], "mutant")


def _constant(answer: Answer, parameters: Parameters, operation: AnyOperation, inputs: Inputs) -> None:
    if parameters["failed"]:
        answer.fail()
    else:
        answer.succeed()
    answer.put(parameters["value"])


ANSWER_CHANGES: Final[Mapping[str, AnswerChange]] = {
    "constant-answer": _constant,
    "swallowed-error": _swallow_error,
    "spurious-error": _spurious_error,
    "emptied-collection": _collection(lambda records, parameters: []),
    "truncated-collection": _collection(lambda records, parameters: records[:-1]),
    "duplicated-record": _collection(lambda records, parameters: [*records, records[0]]),
    "foreign-record": _collection(lambda records, parameters: [*records, foreign(records[0])]),
    "swapped-records": _collection(_swapped),
    "reordered-collection": _collection(lambda records, parameters: records[::-1]),
    "off-by-one-count": _at_site(
        lambda value, parameters: value + 1 if isinstance(value, int) and not isinstance(value, bool) else value
    ),
    "dropped-field": _at_site(lambda value, parameters: ABSENT),
    "nulled-field": _at_site(lambda value, parameters: None),
    "wrong-type": _at_site(lambda value, parameters: retyped(value)),
    "flipped-boolean": _at_site(lambda value, parameters: not value if isinstance(value, bool) else value),
    "altered-scalar": _alter_text,
    "echoed-input": _echo_input,
    "leaked-field": _leak,
    "zeroed-exit": _zero_exit,
    "truncated-artifact": _truncate_artifact,
    "wrong-artifact": _wrong_artifact,
}
"""Every operator that changes nothing but the answer."""
