"""The states that frames about trajectories hold, each with its full vocabulary."""

from __future__ import annotations

from typing import Final, get_args

from evalnb.trajectory.events import EVENT_CLASSES, ResultStatus
from evalnb.trajectory.gate import GateOutcome
from evalnb.view.frames.columns import Vocabulary

BEARINGS: Final = Vocabulary(("note", "quality", "resolution", "safety"), ordered=True)
"""What a finding bears on: a note counts nowhere, quality is a rate, resolution and safety decide a run."""

EVENT_TYPES: Final = Vocabulary(tuple(shape.type for shape in EVENT_CLASSES))
RESULT_STATUSES: Final = Vocabulary(get_args(ResultStatus))
CALL_STATUSES: Final = Vocabulary((*get_args(ResultStatus), "unanswered"))
GATE_OUTCOMES: Final = Vocabulary(get_args(GateOutcome))
APPROVALS: Final = Vocabulary(("approved", "denied", "undecided", "no request"))
SCHEMA_FITS: Final = Vocabulary(("fits", "does not fit", "no schema"))
RATE_KINDS: Final = Vocabulary(("outcome", "layer"))
SPLITS: Final = Vocabulary(("development", "holdout"))
EFFECTS: Final = Vocabulary(("read", "write", "financial", "destructive", "external"))
