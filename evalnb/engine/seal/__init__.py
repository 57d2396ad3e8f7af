"""Sealing: what an evaluator may read of a contract, with every direction in generated prose (spec: 05)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.engine.seal.brief import seal, seal_compiled
    from evalnb.engine.seal.direction_text import direction_prose
    from evalnb.engine.seal.scripting_audit import audit_brief_scripting, count_step_markers

__all__ = ["audit_brief_scripting", "count_step_markers", "direction_prose", "seal", "seal_compiled"]

# Compiling needs one module of this package, not the stage.
__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.engine.seal.brief": ("seal", "seal_compiled"),
        "evalnb.engine.seal.direction_text": ("direction_prose",),
        "evalnb.engine.seal.scripting_audit": ("audit_brief_scripting", "count_step_markers"),
    },
)
