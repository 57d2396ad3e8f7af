"""Evaluates a check over recorded evidence (spec: 03).

Names are loaded from their modules on first use, so that the compiler's use of one does not load the run side.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evalnb.engine.evaluate.admission import admits
    from evalnb.engine.evaluate.capture_order import BindingOrder, binding_order
    from evalnb.engine.evaluate.collection_typing import (
        make_denotes_collection,
        make_operation_denotes_collection,
    )
    from evalnb.engine.evaluate.ecma_source import PatternSyntaxError
    from evalnb.engine.evaluate.observations import ObservationLog, Selection, match_step
    from evalnb.engine.evaluate.operands import (
        make_resolve_operand,
        reference_set_keys_of,
        resolve_target,
        walk,
    )
    from evalnb.engine.evaluate.patterns import compile_pattern, is_pattern
    from evalnb.engine.evaluate.resolution import resolve_check
    from evalnb.engine.evaluate.selection import (
        AnchorResolution,
        Capture,
        Captures,
        CaptureSite,
        TrialEvidence,
        bind_step_observations,
        resolve_captures,
        resolve_temporal_anchor,
        select_observations,
        select_trial,
    )

__all__ = [
    "AnchorResolution",
    "BindingOrder",
    "Capture",
    "CaptureSite",
    "Captures",
    "ObservationLog",
    "PatternSyntaxError",
    "Selection",
    "TrialEvidence",
    "admits",
    "bind_step_observations",
    "binding_order",
    "compile_pattern",
    "is_pattern",
    "make_denotes_collection",
    "make_operation_denotes_collection",
    "make_resolve_operand",
    "match_step",
    "reference_set_keys_of",
    "resolve_captures",
    "resolve_check",
    "resolve_target",
    "resolve_temporal_anchor",
    "select_observations",
    "select_trial",
    "walk",
]

_HOMES: Final[dict[str, tuple[str, ...]]] = {
    "admission": ("admits",),
    "capture_order": ("BindingOrder", "binding_order"),
    "collection_typing": ("make_denotes_collection", "make_operation_denotes_collection"),
    "observations": ("ObservationLog", "Selection", "match_step"),
    "operands": ("make_resolve_operand", "reference_set_keys_of", "resolve_target", "walk"),
    "ecma_source": ("PatternSyntaxError",),
    "patterns": ("compile_pattern", "is_pattern"),
    "resolution": ("resolve_check",),
    "selection": (
        "AnchorResolution",
        "Capture",
        "CaptureSite",
        "Captures",
        "TrialEvidence",
        "bind_step_observations",
        "resolve_captures",
        "resolve_temporal_anchor",
        "select_observations",
        "select_trial",
    ),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
