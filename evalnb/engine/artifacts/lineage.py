"""The three fields that say which revision of a document this is.

spec: 02b §0.2
"""

from evalnb.engine.artifacts.model import Artifact
from evalnb.engine.artifacts.primitives import Digest, NonNegativeInt, PositiveInt


class Lineage(Artifact):
    """A stamped document. That only a first revision lacks a parent is for lineage validation to say."""

    schema_version: PositiveInt
    parent_digest: Digest | None
    revision_count: NonNegativeInt
