"""JSON Schema checks of arguments and results, compiled once a schema.

The validator is compiled code: grading meets the same schemas with every call of every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from evalnb.engine.json_values import Json
from evalnb.trajectory.redaction import is_stand_in

MOST_VIOLATIONS = 20


@dataclass(frozen=True, slots=True)
class Violation:
    """One place of a value that breaks its schema: the keyword that fails, and where (a JSON pointer)."""

    pointer: str
    keyword: str
    message: str


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    """A compiled schema; `problem` says why a schema could not be compiled, and then everything passes."""

    is_valid: Callable[[Json], bool]
    iter_errors: Callable[[Json], Iterator[Any]]
    problem: str | None = None

    def violations(self, value: Json) -> tuple[Violation, ...]:
        """What is wrong with `value`, at most the first few; empty when it fits."""
        try:
            return () if self.is_valid(value) else self._all(value)
        except Exception as error:  # noqa: BLE001 -- a reference that leads nowhere shows only here
            return (Violation("", "$ref", f"{type(error).__name__}: {error}"[:300]),)

    def _all(self, value: Json) -> tuple[Violation, ...]:
        found = []
        for error in self.iter_errors(value):
            if isinstance(error.instance, str) and is_stand_in(error.instance):
                # Nobody knows any more whether the value that was here fits.
                continue
            pointer = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in error.instance_path)
            found.append(Violation(pointer, str(error.schema_path[-1]), error.message[:300]))
            if len(found) == MOST_VIOLATIONS:
                break
        return tuple(sorted(found, key=lambda one: (one.pointer, one.keyword)))


def compile_schema(schema: dict[str, Any] | bool) -> SchemaCheck:
    """A check for `schema`; remote references are never followed."""
    try:
        import jsonschema_rs

        validator = jsonschema_rs.validator_for(schema, retriever=_refuse)
        return SchemaCheck(validator.is_valid, validator.iter_errors)
    except Exception as error:  # noqa: BLE001 -- a recorded server's schema may be wrong in any way
        return SchemaCheck(lambda value: True, lambda value: iter(()), f"{type(error).__name__}: {error}"[:200])


def _refuse(uri: str) -> None:
    raise ValueError(f"{uri} is not followed: a schema stands on its own")
