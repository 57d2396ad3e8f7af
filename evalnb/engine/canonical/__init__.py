"""Canonical JSON: strict reading, RFC 8785 bytes, digests and lineage chains (spec: 01)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.canonical.digests import (
    DIGEST_PATTERN,
    digest_artifact,
    digest_bytes,
    digest_composite,
    digest_directory,
    digest_json,
    serialize_artifact,
)
from evalnb.engine.canonical.jcs import assert_hashed_value, canonical_text, canonicalize
from evalnb.engine.canonical.scan import scan_json
from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.engine.canonical.lineage import (
        LINEAGE_DEFECT_CODES,
        LineageChecks,
        LineageFinding,
        LineageOptions,
        LineageReport,
        revise_artifact,
        validate_lineage_chain,
    )

__all__ = [
    "DIGEST_PATTERN",
    "LINEAGE_DEFECT_CODES",
    "LineageChecks",
    "LineageFinding",
    "LineageOptions",
    "LineageReport",
    "assert_hashed_value",
    "canonical_text",
    "canonicalize",
    "digest_artifact",
    "digest_bytes",
    "digest_composite",
    "digest_directory",
    "digest_json",
    "revise_artifact",
    "scan_json",
    "serialize_artifact",
    "validate_lineage_chain",
]

__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.engine.canonical.lineage": (
            "LINEAGE_DEFECT_CODES",
            "LineageChecks",
            "LineageFinding",
            "LineageOptions",
            "LineageReport",
            "revise_artifact",
            "validate_lineage_chain",
        )
    },
)
