"""How many contracts compile, and what is wrong with the others: one row a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from evalnb.api import Source, compile as compile_source
from evalnb.corpora.failure_text import failure_detail
from evalnb.engine.artifacts import EvalContract
from evalnb.engine.coverage import coverage_gaps
from evalnb.engine.faults import RuntimeFault, StructuralFailure
from evalnb.files import FileProblem
from evalnb.view.frames.columns import COUNT, TEXT, Column, Row, frame, tabulated
from evalnb.view.frames.vocabularies import COMPILE_STATUSES

ManyContracts: TypeAlias = "str | os.PathLike[str] | Mapping[str, Source] | Iterable[Source]"
"""A file, a folder of JSON files, sources by the label to show them under, or sources."""

COMPILE_RESULTS = (
    Column("source", TEXT, "the file, the given label, or the place in the given order"),
    Column("contract_id", TEXT, "the contract, where it could be read"),
    Column("status", COMPILE_STATUSES, "compiled, refused for what it says, or unreadable as a contract"),
    Column("code", TEXT, "the registry code of the failure"),
    Column("path", TEXT, "where in the contract the failure is"),
    Column("detail", TEXT, "what is wrong"),
    Column("behaviors", COUNT, "behaviors of a compiled contract"),
    Column("oracles", COUNT, "oracles of a compiled contract"),
    Column("coverage_gaps", COUNT, "discipline rules it leaves unwitnessed"),
)


@tabulated(COMPILE_RESULTS)
def compile_results(contracts: ManyContracts, *, strict_inputs: bool = True) -> pd.DataFrame:
    """One row a contract: compiled, or why not. A failure is a row, never an exception."""
    return frame(
        COMPILE_RESULTS,
        (_compiled(label, source, strict_inputs) for label, source in _labeled(contracts)),
    )


def _labeled(contracts: ManyContracts) -> Iterator[tuple[str, Source]]:
    if isinstance(contracts, Mapping):
        yield from contracts.items()
    elif isinstance(contracts, str | os.PathLike):
        folder = Path(contracts)
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else [folder]:
            yield path.name, path
    else:
        for position, source in enumerate(contracts, start=1):
            yield (os.fspath(source) if isinstance(source, str | os.PathLike) else f"contract {position}"), source


def _compiled(label: str, source: Source, strict_inputs: bool) -> Row:
    cells: dict[str, Any] = {column.name: None for column in COMPILE_RESULTS} | {"source": label}
    try:
        contract = compile_source(source, strict_inputs=strict_inputs)
    except (StructuralFailure, RuntimeFault) as failure:
        status = "refused" if isinstance(failure, StructuralFailure) else "unreadable"
        found = {"code": failure.code, "path": failure.artifact_path, "detail": failure_detail(failure)}
        return {**cells, "status": status, **found}
    except FileProblem as problem:
        return {**cells, "status": "unreadable", "detail": problem.problem}
    return {**cells, "status": "compiled", **_counts(contract)}


def _counts(contract: EvalContract) -> Row:
    return {
        "contract_id": contract.contract_id,
        "behaviors": len(contract.behaviors),
        "oracles": len(contract.oracles),
        "coverage_gaps": len(coverage_gaps(contract)),
    }
