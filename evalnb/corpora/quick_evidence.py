"""Reads evidence artifacts by the thousand: straight from bytes to model where that is known to be right.

Whatever this reading refuses, or cannot vouch for, is for the strict reading to judge.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvidenceArtifact

_MARK: Final = b'"reducedProbeOutcomes"'
_ESCAPED_QUOTE: Final = b"\\u0022"
_KEY: Final = b'":'
_SPACED_COLONS: Final = (b" :", b"\n:", b"\r:", b"\t:")
_SPACED_KEY: Final = re.compile(rb'"\s+:')


def read_quickly(data: bytes) -> EvidenceArtifact | None:
    """The evidence artifact in `data`, or None where the strict reading has to decide.

    Every number and string of the shape is bounded by it to what the strict reading admits, and the shape has no free
    values. What it cannot see is a key given twice; that is found by counting keys.
    """
    if _MARK not in data:
        return None
    adapter = _adapter()
    try:
        artifact: EvidenceArtifact = adapter.validate_json(data, by_alias=True, by_name=False)
    except ValidationError:
        return None
    if artifact.schema_version not in EVIDENCE_ARTIFACT.reads:
        return None
    return (
        artifact if _has_no_key_twice(data, artifact.__pydantic_serializer__.to_json(artifact, by_alias=True)) else None
    )


def _has_no_key_twice(data: bytes, written: bytes) -> bool:
    """Whether `data` names as many keys as the model that was made of it; `written` is that model as JSON again.

    A string can hold what looks like a key, in both texts alike: all quotes in strings are escaped one way.
    """
    spaced = any(spaced_colon in data for spaced_colon in _SPACED_COLONS) and _SPACED_KEY.search(data) is not None
    return not spaced and _ESCAPED_QUOTE not in data and data.count(_KEY) == written.count(_KEY)


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(EvidenceArtifact)
