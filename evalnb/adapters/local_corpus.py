"""The corpus port over a local folder: private references resolve to files inside it and nowhere else (spec: 10 §3)."""

from __future__ import annotations

import asyncio
import os
import posixpath
from collections.abc import Callable
from pathlib import Path

from evalnb.adapters.port_boundary import PortMethod, run_port_method
from evalnb.engine.artifacts.port_messages import CorpusResolveRequest, CorpusResolveResponse
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController, AbortSignal
from evalnb.engine.score.private_bytes import CORPUS_BOUNDARY
from evalnb.engine.scoring import ScoreInputs, ScoreResult, run_score_with_port
from evalnb.own_loop import finished


class LocalCorpus:
    """Resolves a private reference to the bytes of a file under `root`.

    `mechanism` reads one absolute path and is replaceable for tests. A reference that leaves the root, by its
    spelling or through a link, is a `port-failure`, and its bytes are dropped.
    """

    def __init__(self, root: str | os.PathLike[str], mechanism: Callable[[str], bytes] | None = None) -> None:
        self._root = os.fspath(root)
        self._read = mechanism or (lambda path: Path(path).read_bytes())
        self._method = PortMethod(
            boundary=CORPUS_BOUNDARY,
            precheck=_check_spelling,
            call=self._call,
            postcheck=self._check_real_path,
            assemble=lambda request, data: {"privateRef": request.private_ref, "bytes": data},
        )

    async def resolve(self, request: object, signal: AbortSignal) -> CorpusResolveResponse:
        """The reference echoed and its bytes; raises `RuntimeFault`."""
        return await run_port_method(self._method, request, signal)

    def _target(self, request: CorpusResolveRequest) -> str:
        return os.path.abspath(os.path.join(self._root, request.private_ref))

    async def _call(self, request: CorpusResolveRequest, signal: AbortSignal) -> bytes:
        return await asyncio.to_thread(self._read, self._target(request))

    async def _check_real_path(self, request: CorpusResolveRequest, data: bytes) -> None:
        try:
            root = await asyncio.to_thread(os.path.realpath, self._root, strict=True)
            target = await asyncio.to_thread(os.path.realpath, self._target(request), strict=True)
        except OSError as error:
            raise _refused(request, "cannot be resolved to a real path", error) from error
        if target != root and not target.startswith(root + os.sep):
            raise _refused(request, "leads outside the corpus root")


def score_with_corpus(inputs: ScoreInputs, root: str | os.PathLike[str]) -> ScoreResult:
    """Score with private references resolved under `root`, in an event loop of its own."""
    return finished(run_score_with_port(inputs, LocalCorpus(root), AbortController().signal))


def _check_spelling(request: CorpusResolveRequest) -> None:
    if posixpath.isabs(request.private_ref):
        raise _refused(request, "is absolute")
    if ".." in posixpath.normpath(request.private_ref).split("/"):
        raise _refused(request, "climbs out of the corpus root")


def _refused(request: CorpusResolveRequest, why: str, cause: BaseException | None = None) -> RuntimeFault:
    return RuntimeFault(
        "port-failure",
        CORPUS_BOUNDARY.request_path,
        f"the private reference {request.private_ref!r} {why}; name a file inside the root",
        cause,
    )
