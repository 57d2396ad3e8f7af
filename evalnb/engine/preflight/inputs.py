"""Parsing what pre-flight is handed: a contract, a list of probes, a list of observations.

spec: 07 §9, 02b §15
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from evalnb.engine.artifacts import (
    EVAL_CONTRACT,
    PROBE,
    EvalContract,
    Probe,
    ProbeObservation,
    check_stamp,
    parse_shape,
    read,
)
from evalnb.engine.artifacts.issue_text import wrong_type
from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight.probe_port import parse_probe_observation

Parsed = TypeVar("Parsed")


def parse_contract(raw: object) -> EvalContract:
    """The contract. RuntimeFault `schema-version-mismatch` or, at `EvalContract`, `schema-parse-failure`."""
    contract: EvalContract = read(EVAL_CONTRACT, raw)
    return contract


def parse_probes(raw: object) -> tuple[Probe, ...]:
    """The probes: every stamp first, then the whole list.

    Raises RuntimeFault `schema-version-mismatch` at the first stale probe, `schema-parse-failure` at `Probe`.
    """
    for probe in raw if isinstance(raw, list | tuple) else ():
        check_probe_stamp(probe)
    return _parse_list(raw, "Probe", _parse_probe)


def check_probe_stamp(probe: object) -> None:
    """RuntimeFault `schema-version-mismatch` for a stale probe, named by its probe id where it has one."""
    probe_id = probe.get("probeId") if isinstance(probe, dict) else getattr(probe, "probe_id", None)
    named = f"Probe[probeId={probe_id}]" if isinstance(probe_id, str) else "Probe"
    check_stamp(PROBE, probe, f"{named}.schemaVersion")


def parse_observations(raw: object) -> tuple[ProbeObservation, ...]:
    """The observations, parsed as one list. RuntimeFault `schema-parse-failure` at `ProbeObservation`."""
    return _parse_list(raw, "ProbeObservation", parse_probe_observation)


def _parse_probe(raw: object) -> Probe:
    try:
        probe: Probe = parse_shape(PROBE, raw)
    except RuntimeFault as fault:
        # One fault is raised for the whole list, so here only the issues are wanted.
        raise fault.cause or fault from None
    return probe


def _parse_list(raw: object, path: str, parse_item: Callable[[object], Parsed]) -> tuple[Parsed, ...]:
    """All items, or one fault that carries the issues of every item, each under the item's position."""
    if not isinstance(raw, list | tuple):
        raise _parse_failure(path, (wrong_type((), "array", raw),))
    parsed: list[Parsed] = []
    issues: list[Issue] = []
    for position, item in enumerate(raw):
        try:
            parsed.append(parse_item(item))
        except ShapeError as error:
            issues += (Issue((position, *issue.path), issue.code, issue.message) for issue in error.issues)
    if issues:
        raise _parse_failure(path, tuple(issues))
    return tuple(parsed)


def _parse_failure(path: str, issues: tuple[Issue, ...]) -> RuntimeFault:
    return RuntimeFault("schema-parse-failure", path, f"input does not conform to a list of {path}", ShapeError(issues))
