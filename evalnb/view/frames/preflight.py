"""Whether the environment could be measured, check by check."""

from __future__ import annotations

import pandas as pd

from evalnb.engine.artifacts import PreflightVerdict
from evalnb.evaluation import EvaluationRun
from evalnb.view.frames.columns import COUNT, TEXT, Column, frame, tabulated
from evalnb.view.frames.vocabularies import CHECK_KINDS, CHECK_OUTCOMES

PREFLIGHT_CHECKS = (
    Column("run_id", TEXT, "the run"),
    Column("position", COUNT, "the check's place in the verdict, from 1"),
    Column("kind", CHECK_KINDS, "what was checked"),
    Column("interface_id", TEXT, "the interface, missing for a check of the whole environment"),
    Column("operation_id", TEXT, "the operation, missing for a check of the whole environment"),
    Column("outcome", CHECK_OUTCOMES, "how it came out"),
    Column("note", TEXT, "why"),
)


@tabulated(PREFLIGHT_CHECKS)
def preflight_checks(verdict: PreflightVerdict | EvaluationRun) -> pd.DataFrame:
    """One row a pre-flight check, in the order of the verdict."""
    judged = verdict.preflight if isinstance(verdict, EvaluationRun) else verdict
    return frame(
        PREFLIGHT_CHECKS,
        (
            {
                "run_id": judged.run_id,
                "position": position,
                "kind": check.kind,
                "interface_id": check.interface_id,
                "operation_id": check.operation_id,
                "outcome": check.outcome,
                "note": check.note,
            }
            for position, check in enumerate(judged.checks, start=1)
        ),
    )
