"""Which ways of vouching for a probe its class admits, and whether the chosen one is vouched for.

spec: 09 §3.2, §3.3
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts import Probe
from evalnb.engine.score.qualify.result import QualificationFailure

_CLASS_ROUTES: Final = {"gameability": "gameability", "canary": "canary"}


@dataclass(frozen=True, slots=True)
class _Flag:
    """The piece of evidence a route must have checked, by attribute and as written."""

    attribute: str
    written: str


_FLAGS: Final = {
    "historical": _Flag("oracle_stable_across_revisions", "oracleStableAcrossRevisions"),
    "controlled-mutation": _Flag("rollback_verified", "rollbackVerified"),
}
# What a seeding probe of the classes that plant defects is vouched for by, told from where its defects came from.
_SOURCE_ROUTES: Final[dict[frozenset[str], str]] = {
    frozenset({"natural"}): "historical",
    frozenset({"controlled-mutation"}): "controlled-mutation",
}


def admissible_routes(probe_class: str, expected_clean: bool, defect_sources: frozenset[str]) -> tuple[str, ...]:
    """The qualification routes that fit; none, where nothing can vouch for such a probe."""
    if expected_clean:
        return ("clean-control",) if probe_class == "zero-action" else ()
    route = _CLASS_ROUTES.get(probe_class) or _SOURCE_ROUTES.get(defect_sources)
    return () if route is None else (route,)


def route_failures(probe: Probe, root: str) -> Iterator[QualificationFailure]:
    """Mixed defect sources, then a route the probe does not admit."""
    sources = frozenset(defect.source for defect in probe.defects)
    reads_sources = not probe.expected_clean and probe.probe_class not in _CLASS_ROUTES
    mixed = reads_sources and len(sources) > 1
    if mixed:
        yield QualificationFailure(
            "qualification-defect-sources-mixed",
            f"{root}.defects",
            "the defects array holds both a natural defect and a controlled mutation",
        )
    admissible = admissible_routes(probe.probe_class, probe.expected_clean, sources)
    if probe.qualification.route not in admissible:
        yield QualificationFailure(
            "qualification-route-incompatible",
            f"{root}.qualification.route",
            _incompatible(probe, admissible, mixed),
        )


def evidence_failures(probe: Probe, root: str) -> Iterator[QualificationFailure]:
    """The one flag of the probe's own route that must be true; read even where the route does not fit."""
    flag = _FLAGS.get(probe.qualification.route)
    if flag is not None and not getattr(probe.qualification, flag.attribute):
        yield QualificationFailure(
            "qualification-evidence-unverified",
            f"{root}.qualification.{flag.written}",
            f'the "{probe.qualification.route}" route needs {flag.written} to be true',
        )


def _incompatible(probe: Probe, admissible: tuple[str, ...], mixed: bool) -> str:
    given = f'route "{probe.qualification.route}"'
    subject = f'a probe of class "{probe.probe_class}" with expectedClean {str(probe.expected_clean).lower()}'
    if admissible:
        named = " or ".join(f'"{route}"' for route in admissible)
        return f"{given} does not fit {subject}, which admits {named}"
    if not probe.expected_clean and not probe.defects:
        return f"{given} cannot vouch for {subject}, whose defects array is empty"
    if mixed:
        return f"{given} cannot vouch for {subject} that seeds both a natural defect and a controlled mutation"
    return f"{given} does not fit {subject}, which admits no AD-9 route at all"
