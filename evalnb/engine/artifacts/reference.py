"""A reference to another artifact by digest: a public one by path, a private one by an opaque handle.

spec: 02a §15, 02b §1
"""

from typing import Annotated, Literal, TypeAlias

from evalnb.engine.artifacts.model import Artifact, Tagged
from evalnb.engine.artifacts.primitives import Digest, Text


class PublicReference(Artifact):
    """An artifact anyone can read."""

    storage: Literal["public"]
    path: Text
    private_ref: None
    digest: Digest


class PrivateReference(Artifact):
    """An artifact behind a handle that only its owner resolves."""

    storage: Literal["private"]
    path: None
    private_ref: Text
    digest: Digest


ArtifactReference: TypeAlias = Annotated[PublicReference | PrivateReference, Tagged("storage")]
