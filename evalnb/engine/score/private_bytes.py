"""Whether the bytes behind private references are those whose digests the artifacts state.

Digests are over the bytes as stored, never over a parsed form. spec: 09 §1.4, §1.5
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pydantic import ValidationError

from evalnb.engine.artifacts import validated
from evalnb.engine.artifacts.issues import Issue, ShapeError
from evalnb.engine.canonical import digest_bytes
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import quote
from evalnb.engine.port_seam import AbortSignal, PortBoundary, invoke_port

if TYPE_CHECKING:
    from evalnb.engine.artifacts import (
        CorpusResolveRequest,
        CorpusResolveResponse,
        PrivateArtifactManifest,
        SealedRunRecord,
    )


# The messages are loaded on first use: most runs resolve nothing private.
def _parse_request(raw: object) -> CorpusResolveRequest:
    from evalnb.engine.artifacts import CorpusResolveRequest

    request: CorpusResolveRequest = validated(CorpusResolveRequest, raw)
    return request


def _parse_response(raw: object) -> CorpusResolveResponse:
    from evalnb.engine.artifacts import CorpusResolveResponse

    try:
        return CorpusResolveResponse.model_validate(raw)
    except ValidationError as error:
        # Bytes are no JSON value, so the issues are the validator's own.
        raise ShapeError(tuple(Issue(e["loc"], e["type"], e["msg"]) for e in error.errors())) from error


CORPUS_BOUNDARY: Final = PortBoundary(
    parse_request=_parse_request,
    parse_response=_parse_response,
    request_path="CorpusResolveRequest",
    response_path="CorpusResolveResponse",
)
"""What crosses to a corpus and back."""


class CorpusPort(Protocol):
    """Hands out the bytes behind an opaque private reference."""

    async def resolve(self, request: CorpusResolveRequest, signal: AbortSignal) -> object:
        """One read, no retry; a failure is a RuntimeFault."""
        ...


@dataclass(frozen=True, slots=True)
class StatedDigest:
    """A private reference, the digest stated for its bytes, and where that is stated."""

    private_ref: str
    digest: str
    path: str


async def check_private_bytes(
    manifest: PrivateArtifactManifest | None,
    records: Sequence[SealedRunRecord],
    port: CorpusPort,
    signal: AbortSignal,
) -> None:
    """Resolve and compare: first the whole manifest, then each record's isolation manifest.

    Raises RuntimeFault `digest-mismatch` at the first difference, or what the port raises.
    """
    entries = list(_entries(manifest))
    # All are resolved before any is compared, and a reference listed twice keeps its last bytes.
    digests = {entry.private_ref: await _digest(entry, port, signal) for entry in entries}
    for entry in entries:
        _compare(entry, digests[entry.private_ref])
    for stated in isolation_artifacts(records):
        _compare(stated, await _digest(stated, port, signal))


def refuse_private_bytes(manifest: PrivateArtifactManifest | None, records: Sequence[SealedRunRecord]) -> None:
    """Raise `TypeError` where something private would have to be resolved and there is no port to ask."""
    if manifest is not None and manifest.entries:
        raise TypeError("PrivateArtifactManifest names private artifacts, and no corpus port was given")
    for stated in isolation_artifacts(records):
        raise TypeError(f"{stated.path} is private, and no corpus port was given")


def isolation_artifacts(records: Sequence[SealedRunRecord]) -> Iterator[StatedDigest]:
    """The private isolation-manifest reference of each record that has one; public ones are not read."""
    for record in records:
        reference = record.isolation_manifest_artifact
        if reference.storage == "private":
            trial = f"[trialIndex={record.trial_index}]" if len(records) > 1 else ""
            path = f"SealedRunRecord{trial}.isolationManifestArtifact"
            yield StatedDigest(reference.private_ref, reference.digest, path)


def _entries(manifest: PrivateArtifactManifest | None) -> Iterator[StatedDigest]:
    for position, entry in enumerate(() if manifest is None else manifest.entries):
        yield StatedDigest(entry.private_ref, entry.digest, f"PrivateArtifactManifest.entries[{position}]")


async def _digest(stated: StatedDigest, port: CorpusPort, signal: AbortSignal) -> str:
    response = await invoke_port(port.resolve, {"privateRef": stated.private_ref}, signal, CORPUS_BOUNDARY)
    return digest_bytes(response.bytes)


def _compare(stated: StatedDigest, computed: str) -> None:
    if computed != stated.digest:
        raise RuntimeFault(
            "digest-mismatch",
            stated.path,
            f"the bytes of {quote(stated.private_ref)} were declared as {stated.digest} and have the digest {computed}",
        )
