"""Whether an environment can be measured at all, check by check.

spec: 02b §8
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import INTERFACE_IDS, Items, OlderStamps, Since, StrictObject
from evalnb.engine.artifacts.primitives import Digest, Identifier, Text

PreflightCheckKind: TypeAlias = Literal[
    "interface-present",
    "input-sensitivity",
    "state-reset",
    "clean-control",
    "seeded-faults-scoped",
    "seeded-fault-fired",
]
PreflightOutcome: TypeAlias = Literal["satisfied", "failed", "exempt"]


class PreflightCheck(StrictObject):
    """One check; the operation is named by interface and operation, or both are None."""

    kind: PreflightCheckKind
    interface_id: Annotated[Identifier | None, Since(INTERFACE_IDS)]
    operation_id: Identifier | None
    outcome: PreflightOutcome
    note: str | None


class PreflightVerdict(Lineage):
    """The outcome of one pre-flight, bound to the fixture state it saw."""

    run_id: Text
    fixture_digest: Digest
    passed: bool
    checks: Items[PreflightCheck]


def _lift(raw: dict[str, Any], without: frozenset[str]) -> dict[str, Any] | None:
    """Checks of version 1, which name no interface, in the shape that may name one."""
    checks = raw.get("checks")
    if not isinstance(checks, list) or any(not isinstance(check, dict) or "interfaceId" in check for check in checks):
        return None
    return {**raw, "checks": [{**check, "interfaceId": None} for check in checks]}


def _settle(verdict: PreflightVerdict, without: frozenset[str]) -> PreflightVerdict:
    return verdict


OLDER_STAMPS: Final = OlderStamps(_lift, _settle)
