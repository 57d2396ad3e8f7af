"""The qualification gate: all that is wrong with a probe, and which probes of a set may be scored.

spec: 09 §3.1, §3.14
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from evalnb.engine.artifacts import DefectSignature, Probe
from evalnb.engine.compile.walks import expression_site
from evalnb.engine.operations import AnyOperation
from evalnb.engine.score.qualify.channels import (
    OBSERVED,
    channel_failures,
    kind_failures,
    observable_channel_failures,
    operand_failures,
    pointer_failures,
    presence_failures,
)
from evalnb.engine.score.qualify.disjuncts import disjunct_failures
from evalnb.engine.score.qualify.legality import legality_failures
from evalnb.engine.score.qualify.result import Qualification, QualificationFailure
from evalnb.engine.score.qualify.routes import evidence_failures, route_failures
from evalnb.engine.score.qualify.selector import selector_failures


@dataclass(frozen=True, slots=True)
class JudgedProbe:
    """A probe and what the gate says of it."""

    probe: Probe
    qualification: Qualification


@dataclass(frozen=True, slots=True)
class SealedProbeSet:
    """A set of probes split by the gate, each part in the order presented."""

    admitted: tuple[JudgedProbe, ...]
    rejected: tuple[JudgedProbe, ...]


def signature_of(probe: Probe) -> DefectSignature | None:
    """The probe's defect signature; a clean control has none."""
    return None if probe.expected_clean else probe.defect_signature


def qualify_probe(probe: Probe, home: AnyOperation | None) -> Qualification:
    """Every failure of the probe, in the order of the checks; none of them stops another.

    `home` is the operation the signature names. Without it the checks against its declarations do not run, and
    the result says so.
    """
    root = f"Probe[probeId={probe.probe_id}]"
    signature = signature_of(probe)
    failures = [
        *route_failures(probe, root),
        *evidence_failures(probe, root),
        *presence_failures(probe, signature, root),
    ]
    if signature is not None:
        failures.extend(_signature_failures(signature, home, f"{root}.defectSignature"))
    return Qualification(tuple(failures), declaration_checks_ran=signature is None or home is not None)


def seal_probe_set(probes: Iterable[Probe], home_of: Callable[[Probe], AnyOperation | None]) -> SealedProbeSet:
    """Judge each probe against its home operation and part the set. spec: 09 §3.14"""
    judged = [JudgedProbe(probe, qualify_probe(probe, home_of(probe))) for probe in probes]
    return SealedProbeSet(
        admitted=tuple(one for one in judged if one.qualification.qualified),
        rejected=tuple(one for one in judged if not one.qualification.qualified),
    )


def _signature_failures(
    signature: DefectSignature, home: AnyOperation | None, root: str
) -> Iterator[QualificationFailure]:
    predicate = signature.condition.predicate
    site = expression_site(predicate, f"{root}.condition.predicate", lambda step: home if step == OBSERVED else None)
    yield from kind_failures(signature, root)
    yield from observable_channel_failures(signature, root)
    yield from operand_failures(site)
    yield from pointer_failures(signature, site)
    yield from channel_failures(signature, site)
    yield from disjunct_failures(predicate, site.path)
    if home is not None:
        yield from selector_failures(signature, home, root)
    yield from legality_failures(site, home)
