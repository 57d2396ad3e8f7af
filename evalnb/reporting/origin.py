"""What a report was made from: every input by name and digest, and the versions that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evalnb.engine.artifacts import EvalContract
from evalnb.harness.study import MeasurementStudy
from evalnb.reporting.facts import readable
from evalnb.trajectory.reviewing import Review
from evalnb.version import __version__
from evalnb.view.html import visible

if TYPE_CHECKING:
    from evalnb.corpora import Corpus
    from evalnb.evaluation import Evaluation, EvaluationRun

PROVENANCE_MIME: Final = "application/vnd.evalnb.provenance+json"


@dataclass(frozen=True, slots=True)
class Input:
    """One file that was read, by its name inside the folder, and the digest of its bytes."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source by its own name, never by its place on a machine, with its inputs and what else identifies a run."""

    source: str
    inputs: tuple[Input, ...]
    identity: tuple[Input, ...] = ()

    def __repr__(self) -> str:
        return f"Provenance({self.source}: {len(self.inputs)} inputs, evalnb {__version__})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        lines = [f"{self.source}, evalnb {__version__}", *(f"{one.digest}  {one.name}" for one in self.inputs)]
        return {PROVENANCE_MIME: readable(asdict(self)), "text/plain": visible("\n".join(lines))}


Source: TypeAlias = "Evaluation | EvaluationRun | EvalContract | Sequence[Corpus] | Review | MeasurementStudy"


def provenance(source: Source) -> Provenance:
    """Where results come from: the files of an evaluation, of recorded runs or of measurements, a contract, the
    evidence of a corpus.
    """
    from evalnb.evaluation import Evaluation

    if isinstance(source, Evaluation):
        return Provenance(source.folder.name, _inputs(source))
    if isinstance(source, EvalContract):
        return Provenance(source.contract_id, (), (Input("contract", digest_of(source)),))
    if isinstance(source, Review):
        return Provenance(source.name, tuple(Input(one.name, one.digest) for one in source.files))
    if isinstance(source, MeasurementStudy):
        return Provenance(source.name, tuple(Input(one.file, one.digest) for one in source.measurements))
    if isinstance(source, Sequence):
        return Provenance(" and ".join(corpus.name for corpus in source), tuple(map(_corpus, source)))
    identity = [Input("contract", digest_of(source.contract)), Input("sealed brief", digest_of(source.brief))]
    evidence = next((arm.evidence for arm in source.arms if arm.evidence is not None), None)
    if evidence is not None:
        identity.append(Input("scoring version", evidence.scoring_version))
        identity.append(Input("comparability key", evidence.comparability_key))
    return Provenance(source.evaluation.folder.name, _inputs(source.evaluation), tuple(identity))


def digest_of(artifact: Any) -> str:
    """The digest of an artifact as it was written."""
    from evalnb.engine.canonical import digest_artifact

    return digest_artifact(artifact.document, type(artifact).__name__)


def _corpus(corpus: Corpus) -> Input:
    """One digest over all the evidence of a corpus, in its order."""
    from evalnb.engine.canonical import digest_artifact, digest_bytes

    digests = [
        digest_bytes(one.source) if isinstance(one.source, bytes) else digest_of(one.source) for one in corpus.scored
    ]
    return Input(f"{corpus.name}: {len(digests)} evidence artifacts", digest_artifact(digests, "corpus"))


def _inputs(evaluation: Evaluation) -> tuple[Input, ...]:
    given = tuple(Input(name, digest) for name, digest in evaluation.digests.items())
    if evaluation.corpus_digest_computed:
        return (*given, Input("corpus digest, computed over the probe files", evaluation.corpus_digest))
    return given
