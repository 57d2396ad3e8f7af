"""All explanations, found by code and listed in the order the codes are published in."""

from __future__ import annotations

import difflib
from typing import Final

from evalnb.engine.canonical.lineage import LINEAGE_DEFECT_CODES
from evalnb.engine.codes import (
    AGGREGATION_REFUSAL_CODES,
    FAILURE_CODES,
    QUALIFICATION_FAILURE_CODES,
    RUNTIME_FAULT_CODES,
)
from evalnb.explain import (
    aggregation_refusals,
    lineage_defects,
    qualification_conditions,
    qualification_routes,
    qualification_signatures,
    runtime_faults,
    structural_checks,
    structural_claims,
    structural_declarations,
    structural_plan,
)
from evalnb.explain.explanation import Explanation, Registry

REGISTRIES: Final[dict[Registry, tuple[str, ...]]] = {
    "structural failure": FAILURE_CODES,
    "aggregation refusal": AGGREGATION_REFUSAL_CODES,
    "runtime fault": RUNTIME_FAULT_CODES,
    "probe qualification": QUALIFICATION_FAILURE_CODES,
    "lineage defect": LINEAGE_DEFECT_CODES,
}
"""The codes of each registry, in published order."""

_MODULES: Final = (
    structural_claims,
    structural_checks,
    structural_plan,
    structural_declarations,
    aggregation_refusals,
    runtime_faults,
    qualification_routes,
    qualification_signatures,
    qualification_conditions,
    lineage_defects,
)
_BY_CODE: Final[dict[str, Explanation]] = {entry.code: entry for module in _MODULES for entry in module.EXPLANATIONS}


class UnknownCode(LookupError):
    """No registry has this code; `close` holds the codes that look like it, best first."""

    def __init__(self, code: str, close: tuple[str, ...]) -> None:
        self.code = code
        self.close = close
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        super().__init__(f'no code "{code}"{hint}')


def codes() -> tuple[str, ...]:
    """Every code with an explanation, registry by registry."""
    return tuple(code for listed in REGISTRIES.values() for code in listed)


def explain(code: str) -> Explanation:
    """The explanation of a code. Raises `UnknownCode`, a `LookupError`, with the codes that look like it."""
    try:
        return _BY_CODE[code]
    except KeyError:
        raise UnknownCode(code, _close_to(code)) from None


def _close_to(code: str) -> tuple[str, ...]:
    wanted = code.strip().lower().replace("_", "-").replace(" ", "-")
    known = codes()
    containing = [one for one in known if wanted and wanted in one]
    similar = difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)
    return tuple(dict.fromkeys([*similar, *containing]))[:3]
