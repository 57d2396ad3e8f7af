"""`measure` for a notebook cell or a script: paths, documents or models in, the answer out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeAlias

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.canonical import scan_json
from evalnb.files import read_file
from evalnb.harness.measure import MeasureOptions, run_measurement
from evalnb.harness.measured_targets import MeasuredTargets, read_measured_targets
from evalnb.harness.measurement import Measurement
from evalnb.harness.mutants.spec import MutantSpec
from evalnb.harness.mutants.user import parse_user_mutants, read_user_mutants
from evalnb.harness.progress import OnProgress
from evalnb.harness.stimuli import Stimuli, parse_stimuli, read_stimuli

PathName: TypeAlias = "str | os.PathLike[str]"


def measure(
    contract: PathName | Mapping[str, Any] | EvalContract,
    targets: PathName | Mapping[str, Any] | MeasuredTargets,
    *,
    trials: int = 3,
    seed: int = 0,
    operators: Iterable[str] | None = None,
    mutants: PathName | Mapping[str, Any] | Iterable[MutantSpec] = (),
    stimuli: PathName | Mapping[str, Any] | Stimuli | None = None,
    policy: PathName | Mapping[str, Any] | None = None,
    sites: int = 1,
    jobs: int = 1,
    executor: Executor | None = None,
    cluster: str | None = None,
    out: PathName | None = None,
    resume: bool = False,
    on_progress: OnProgress | None = None,
) -> Measurement:
    """Plant defects in the system behind `targets`, and count which of them `contract` catches.

    The same as `evalnb measure`; without `out` nothing is left on disk. `jobs` processes, `executor`, or the
    dask.distributed cluster at the address `cluster` run mutants at once. Raises `MeasurementStopped` where the clean
    system lets nothing be measured, and what `run_measurement` does.
    """
    given_operators = None if operators is None else tuple(operators)
    options = MeasureOptions(
        trials=trials,
        seed=seed,
        operators=given_operators,
        mutants=_mutants(mutants),
        sites=sites,
        stimuli=_stimuli(stimuli, seed),
        policy=_document(policy, "the scoring policy", "ScoringPolicy"),
        jobs=jobs,
        executor=executor,
        cluster=cluster,
        out=None if out is None else Path(out),
        resume=resume,
        on_progress=on_progress,
    )
    return run_measurement(
        _document(contract, "the evaluation contract", "EvalContract"),
        read_measured_targets(Path(targets)) if isinstance(targets, str | os.PathLike) else targets,
        options,
    )


def _document(source: Any, purpose: str, artifact_path: str) -> Any:
    if isinstance(source, str | os.PathLike):
        return scan_json(read_file(Path(source), purpose), artifact_path)
    return dict(source) if isinstance(source, Mapping) else source


def _mutants(source: Any) -> tuple[MutantSpec, ...]:
    if isinstance(source, str | os.PathLike):
        return tuple(read_user_mutants(Path(source)))
    return tuple(parse_user_mutants(dict(source)) if isinstance(source, Mapping) else source)


def _stimuli(source: Any, seed: int) -> Stimuli:
    if isinstance(source, str | os.PathLike):
        return read_stimuli(Path(source), seed)
    if source is None:
        return Stimuli(seed)
    return source if isinstance(source, Stimuli) else parse_stimuli(dict(source), seed)
