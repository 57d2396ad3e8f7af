"""Artifacts as a caller presents them: lists read as one, and probes named in faults before their shape is known.

spec: 01 §6.1, §9.2, 02b §15
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.faults import RuntimeFault

Parsed = TypeVar("Parsed")


def parse_each(parse: Callable[[object], Parsed], presented: Iterable[object], path: str) -> tuple[Parsed, ...]:
    """Every item parsed, or one fault at `path` that carries the issues of all of them, each under its position.

    `parse` raises a ShapeError, or a RuntimeFault caused by one; any other fault passes.
    """
    parsed: list[Parsed] = []
    issues: list[Issue] = []
    for position, item in enumerate(presented):
        try:
            parsed.append(parse(item))
        except (ShapeError, RuntimeFault) as error:
            cause = error if isinstance(error, ShapeError) else error.cause
            if not isinstance(cause, ShapeError):
                raise
            issues += (Issue((position, *issue.path), issue.code, issue.message) for issue in cause.issues)
    if issues:
        raise parse_failure(path, *issues)
    return tuple(parsed)


def parse_failure(path: str, *issues: Issue) -> RuntimeFault:
    """The `schema-parse-failure` of an input named `path`."""
    detail = f"input does not conform to the {path} schema"
    return RuntimeFault("schema-parse-failure", path, detail, ShapeError(issues))


def probe_stamp_path(probe: object) -> str:
    """Where a stale probe is reported: named by its probe id where it has one."""
    identifier = probe.get("probeId") if isinstance(probe, dict) else getattr(probe, "probe_id", None)
    named = f"[probeId={identifier}]" if isinstance(identifier, str) else ""
    return f"Probe{named}.schemaVersion"
