"""The private artifacts of a run: opaque handles and the digests their bytes must have.

spec: 02b §2
"""

from typing import Literal, TypeAlias

from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.primitives import Digest, Text

PrivateArtifactKind: TypeAlias = Literal[
    "private-input-record",
    "raw-trace",
    "raw-result",
    "human-label",
    "implementation-patch",
    "isolation-manifest",
    "scripted-baseline-output",
    "other",
]


class PrivateArtifactEntry(StrictObject):
    """One private artifact. Its bytes are resolved and digested by whoever reads them, never here."""

    private_ref: Text
    digest: Digest
    artifact_kind: PrivateArtifactKind
    public_safe_run_id: str | None
    sanitization_policy: Text | None


class PrivateArtifactManifest(Lineage):
    """Every private artifact that the run's references may name."""

    entries: Items[PrivateArtifactEntry]
