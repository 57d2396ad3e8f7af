"""Reads what was found in a corpus folder. Whatever is wrong with a file becomes the reason of its entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from evalnb.corpora.corpus import entries_of_run
from evalnb.corpora.entries import ContractFacts, CorpusEntry, EntryKind, EntryStatus
from evalnb.corpora.failure_text import failure_detail
from evalnb.corpora.found import RUN_CONTRACT, RUN_FOLDERS, Found, evidence_files, name_inside
from evalnb.corpora.judging import judged
from evalnb.corpora.quick_evidence import read_quickly
from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, EvalContract, EvidenceArtifact, read
from evalnb.engine.canonical import scan_json
from evalnb.engine.compile import compile_contract
from evalnb.engine.faults import EvaluationFailure, RuntimeFault
from evalnb.evaluation import layout, open_evaluation, run_evaluation
from evalnb.files import FileProblem, read_file

EVIDENCE_KEYS: Final = ("scoringVersionInputs", "reducedProbeOutcomes", "verdictBasis")
CONTRACT_KEYS: Final = ("interactionPlan", "contractId")
"""Keys that only documents of the kind have; one of them is enough, so that a damaged document is still named."""

USELESS: Final = "neither a contract nor an evidence artifact"


def read_found(found: Found) -> Iterator[CorpusEntry]:
    """The entries of one thing found: itself, and every unreadable part of it."""
    if found.kind == "closed":
        yield CorpusEntry(found.name, "other", "unreadable", "the folder cannot be listed")
    elif found.kind == "file":
        yield _file(found.path, found.name)
    elif found.kind == "run":
        yield from _as_left(found, found.path, _evidence_of(found.path, found))
    else:
        yield from _evaluation(found)


def _file(path: Path, name: str) -> CorpusEntry:
    try:
        data = read_file(path, "an artifact")
        artifact = read_quickly(data)
        if artifact is not None:
            return judged(artifact, name, data)
        document = scan_json(data, name)
    except (RuntimeFault, FileProblem) as problem:
        return _failed(name, "other", problem)
    reader = _READERS.get(_kind_of(document))
    return CorpusEntry(name, "other", "ignored", USELESS) if reader is None else reader(document, data, name)


def _contract(document: Any, data: bytes, name: str) -> CorpusEntry:
    try:
        return CorpusEntry(name, "contract", "read", contract=ContractFacts.of(compile_contract(document)))
    except EvaluationFailure as failure:
        return _failed(name, "contract", failure)


def _evidence(document: Any, data: bytes, name: str) -> CorpusEntry:
    try:
        artifact: EvidenceArtifact = read(EVIDENCE_ARTIFACT, document)
    except RuntimeFault as fault:
        return _failed(name, "evidence", fault)
    return judged(artifact, name, data)


def _evaluation(found: Found) -> Iterator[CorpusEntry]:
    """What a run left in the folder, if it was a run of the contract that lies there; else a run of it now."""
    for candidate in RUN_FOLDERS:
        run_folder = found.path / candidate
        members = _evidence_of(run_folder, found)
        if members and _is_of_contract(run_folder, found.path / layout.CONTRACT.name):
            yield from _as_left(found, run_folder, members)
            return
    try:
        yield from entries_of_run(found.name, run_evaluation(open_evaluation(found.path)))
    except (EvaluationFailure, FileProblem) as problem:
        yield _failed(found.name, "evaluation", problem)


def _is_of_contract(run_folder: Path, contract_file: Path) -> bool:
    """Whether the contract a run left is the one that lies beside it now; a run without one is taken at its word."""
    left = run_folder / RUN_CONTRACT
    if not left.is_file():
        return True
    try:
        return _compiled(left).document == _compiled(contract_file).document
    except (EvaluationFailure, FileProblem):
        return False


def _evidence_of(run_folder: Path, found: Found) -> list[CorpusEntry]:
    """What lies where a run leaves its evidence, except for what is something else altogether."""
    members = [_file(path, _inside(path, found)) for path in evidence_files(run_folder)]
    return [member for member in members if member.kind == "evidence" or member.status == "unreadable"]


def _as_left(found: Found, run_folder: Path, members: list[CorpusEntry]) -> Iterator[CorpusEntry]:
    """The evaluation as its run left it, after an entry for each evidence file that does not count."""
    yield from (member for member in members if not member.is_good)
    scored = tuple(one for member in members for one in member.scored)
    contract_file = run_folder / RUN_CONTRACT
    try:
        contract = _compiled(contract_file if contract_file.is_file() else found.path / layout.CONTRACT.name)
    except (EvaluationFailure, FileProblem) as problem:
        yield replace(_failed(found.name, "evaluation", problem), scored=scored)
        return
    yield CorpusEntry(found.name, "evaluation", "read", contract=ContractFacts.of(contract), scored=scored)


def _compiled(path: Path) -> EvalContract:
    return compile_contract(scan_json(read_file(path, "the contract"), "EvalContract"))


def _inside(path: Path, found: Found) -> str:
    inside = name_inside(path, found.path)
    return inside if found.name == "." else f"{found.name}/{inside}"


def _kind_of(document: Any) -> EntryKind:
    if isinstance(document, dict):
        if any(key in document for key in EVIDENCE_KEYS):
            return "evidence"
        if any(key in document for key in CONTRACT_KEYS):
            return "contract"
    return "other"


def _failed(name: str, kind: EntryKind, problem: EvaluationFailure | FileProblem) -> CorpusEntry:
    if isinstance(problem, FileProblem):
        return CorpusEntry(name, kind, "unreadable", problem.problem)
    status: EntryStatus = "unreadable" if isinstance(problem, RuntimeFault) else "refused"
    return CorpusEntry(name, kind, status, failure_detail(problem), problem.code, problem.artifact_path)


_READERS: Final[dict[EntryKind, Callable[[Any, bytes, str], CorpusEntry]]] = {
    "contract": _contract,
    "evidence": _evidence,
}
