"""A whole evaluation as one folder: open it, run it from contract to strength, write what it produces."""

from evalnb.evaluation.folder import Arm, Evaluation, open_evaluation
from evalnb.evaluation.outputs import write_run
from evalnb.evaluation.run import ArmResult, EvaluationRun, run_evaluation

__all__ = [
    "Arm",
    "ArmResult",
    "Evaluation",
    "EvaluationRun",
    "open_evaluation",
    "run_evaluation",
    "write_run",
]
