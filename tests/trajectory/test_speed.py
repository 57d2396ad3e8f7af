"""The whole layered scorecard against one unordered match of another library, over the same runs.

Both sides count their processor time, so that what else the machine does decides nothing.

The other library runs in its own process where EVALNB_AGENTEVALS names a Python that has it, else in this one.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalnb.trajectory.grading import grade
from evalnb.trajectory.loading import load
from evalnb.trajectory.scorecard import scorecard
from evalnb.trajectory.tau_cases import cases_from_tau
from tests.conformance.reference import reference_path
from tests.peak import NEEDS_PROC

ROUNDS = 9
ROOT = Path(__file__).parents[2]

MATCH = """
import json, statistics, sys, time
from importlib.metadata import version
from agentevals.trajectory.match import create_trajectory_match_evaluator
runs = json.load(open(sys.argv[1]))
def expected(run):
    calls = [{"id": str(i), "type": "function", "function": {"name": a["name"], "arguments": json.dumps(a["kwargs"])}}
             for i, a in enumerate(run["info"]["task"]["actions"])]
    return [{"role": "assistant", "content": "", "tool_calls": calls}]
pairs = [(run["traj"], expected(run)) for run in runs]
match = create_trajectory_match_evaluator(trajectory_match_mode="unordered")
times = []
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    for given, wanted in pairs:
        match(outputs=given, reference_outputs=wanted)
    times.append(time.process_time() - start)
print(statistics.median(times), version("agentevals"))
"""


def other_python() -> str:
    named = os.environ.get("EVALNB_AGENTEVALS")
    if named:
        return named
    if importlib.util.find_spec("agentevals") is None:
        pytest.skip("agentevals is not installed, and EVALNB_AGENTEVALS names no Python that has it")
    return sys.executable


def test_the_scorecard_takes_at_most_half_the_time_of_one_match() -> None:
    python = other_python()
    path = reference_path("traces", "tau-bench", "gpt-4o-airline-trials-0-1.json")
    runs = load(path)
    suite = cases_from_tau(path, reference_path("traces", "tau-bench", "airline-tools.json"))
    scorecard(grade(runs, suite))
    ratios = []
    for _ in range(5):
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            scorecard(grade(runs, suite))
            times.append(time.process_time() - start)
        done = subprocess.run([python, "-c", MATCH, str(path), str(ROUNDS)], capture_output=True, text=True, check=True)
        match, version = done.stdout.split()
        ratios.append(statistics.median(times) / float(match))
    ratio = statistics.median(ratios)
    print(f"scorecard / match of agentevals {version} = {ratio:.2f}")
    assert ratio <= 0.5


MEASURE = """
import sys
from evalnb.trajectory.grading import grade_each
from evalnb.trajectory.loading import stream
from tests.peak import own_peak_kilobytes
runs = stream(sys.argv[1])
graded = sum(1 for _ in grade_each(runs))
print(graded, runs.report.events, own_peak_kilobytes())
"""


@NEEDS_PROC
@pytest.mark.parametrize("calls_per_run", [20, 500_000])
def test_a_million_events_pass_in_bounded_memory(calls_per_run: int, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    with file.open("w") as out:
        for number in range(500_000 // calls_per_run):
            call = {
                "role": "assistant",
                "tool_calls": [{"id": "c", "function": {"name": "get", "arguments": '{"a": 1}'}}],
            }
            pair = (
                json.dumps(call)
                + ", "
                + json.dumps({"role": "tool", "tool_call_id": "c", "content": f"value {number}"})
            )
            out.write('{"messages": [' + ", ".join([pair] * calls_per_run) + "]}\n")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(file)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    graded, events, kilobytes = map(int, done.stdout.split())
    print(f"{graded} runs of {events} events: {kilobytes / 1000:.0f} MB")
    assert (graded, events) == (500_000 // calls_per_run, 1_000_000)
    assert kilobytes < 1_000_000
