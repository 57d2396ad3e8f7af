"""Parsing what pre-flight is handed: a contract, a list of probes, a list of observations.

spec: 07 §9, 02b §15
"""

from __future__ import annotations

from collections.abc import Sequence

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
from evalnb.engine.artifacts.presented import parse_each, parse_failure, probe_stamp_path
from evalnb.engine.preflight.probe_port import parse_probe_observation


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
    return parse_each(_parse_probe, _listed(raw, "Probe"), "Probe")


def check_probe_stamp(probe: object) -> None:
    """RuntimeFault `schema-version-mismatch` for a stale probe, named by its probe id where it has one."""
    check_stamp(PROBE, probe, probe_stamp_path(probe))


def parse_observations(raw: object) -> tuple[ProbeObservation, ...]:
    """The observations, parsed as one list. RuntimeFault `schema-parse-failure` at `ProbeObservation`."""
    return parse_each(parse_probe_observation, _listed(raw, "ProbeObservation"), "ProbeObservation")


def _parse_probe(raw: object) -> Probe:
    probe: Probe = parse_shape(PROBE, raw)
    return probe


def _listed(raw: object, path: str) -> Sequence[object]:
    if not isinstance(raw, list | tuple):
        raise parse_failure(path, wrong_type((), "array", raw))
    return raw
