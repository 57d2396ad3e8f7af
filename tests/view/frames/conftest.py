"""The packaged evaluation, run once."""

from __future__ import annotations

import pytest

import evalnb as ev
from evalnb.engine.artifacts import EvalContract
from evalnb.evaluation import EvaluationRun


@pytest.fixture(scope="session")
def run() -> EvaluationRun:
    return ev.run(ev.example("triage"))


@pytest.fixture(scope="session")
def contract(run: EvaluationRun) -> EvalContract:
    return run.contract
