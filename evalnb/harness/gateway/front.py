"""An evaluation by a command, for cells and scripts: paths in, the sealed trials out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evalnb.harness.gateway.run import EvaluateOptions, EvaluatorRun, contract_of, read_brief, run_evaluator
from evalnb.harness.measured_targets import read_measured_targets


def evaluate(
    brief: str | os.PathLike[str],
    targets: str | os.PathLike[str],
    command: Sequence[str],
    *,
    out: str | os.PathLike[str],
    contract: str | os.PathLike[str] | None = None,
    **options: Any,
) -> EvaluatorRun:
    """Let `command` evaluate a live system from its sealed brief, and seal what it found into `out`.

    The same as `evalnb evaluate`; `options` are the fields of `EvaluateOptions`: trials, seconds, variables, probe_id,
    run_id, evaluator, model, on_trial. Raises as `run_evaluator` and `contract_of` do.
    """
    path = Path(brief)
    sealed = read_brief(path)
    behind = contract_of(sealed, None if contract is None else Path(contract), path.parent)
    chosen = EvaluateOptions(**options)
    return run_evaluator(behind, sealed, read_measured_targets(Path(targets)), command, Path(out), chosen)
