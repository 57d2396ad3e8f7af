"""Which oracle a probe's verdict hangs on: the only one its behavior lists, or the one the caller names.

spec: 09 §7.2
"""

from __future__ import annotations

import re
from typing import Final

from evalnb.engine.artifacts import EvalContract, Probe
from evalnb.engine.json_values import quote

_ORACLE_ID: Final = re.compile(r"O-[0-9]{3,}", re.ASCII)


class DesignatedOracleRefusal(Exception):
    """The oracle named for `--designated-oracle` cannot be the one the probe is scored by (exit 64)."""


def designated_oracle(contract: EvalContract, probe: Probe, named: str | None) -> str | None:
    """The named oracle, or the only one that the probe's behavior lists; None where there is no such one."""
    if named is not None:
        return named
    behavior = next((b for b in contract.behaviors if b.id == probe.behavior_id), None)
    if behavior is None or len(behavior.oracles) != 1:
        return None
    return behavior.oracles[0]


def check_designation(contract: EvalContract, probe: Probe, named: str) -> None:
    """Raise `DesignatedOracleRefusal` unless the probe's behavior lists the declared oracle `named`."""
    reason = _refusal(contract, probe, named)
    if reason is not None:
        raise DesignatedOracleRefusal(f"--designated-oracle {quote(named)} {reason}")


def _refusal(contract: EvalContract, probe: Probe, named: str) -> str | None:
    if _ORACLE_ID.fullmatch(named) is None:
        return "is not an oracle identifier"
    behavior = next((b for b in contract.behaviors if b.id == probe.behavior_id), None)
    if behavior is None:
        return f"cannot be read: behavior {probe.behavior_id} of the probe is not declared"
    if named not in behavior.oracles:
        listed = ", ".join(behavior.oracles) or "none"
        return f"is not an oracle of behavior {behavior.id}, which lists {listed}"
    if all(oracle.id != named for oracle in contract.oracles):
        return f"is listed by behavior {behavior.id} and declared by no oracle of the contract"
    return None
