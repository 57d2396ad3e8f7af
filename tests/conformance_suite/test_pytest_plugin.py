"""The pytest plugin: one test an assertion, with the report's line where it fails."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

CLOCKS = """
from evalnb.conformance import BuiltSubject, ClockPortSubject, port_conformance
from evalnb.adapters import SystemClock

def subject(name, answer):
    def build(scenario):
        calls = []
        def mechanism():
            calls.append(1)
            if scenario == "fails":
                raise OSError("stopped")
            return {"error": 1} if scenario == "in-band-error" else answer
        return BuiltSubject(port=SystemClock(mechanism).read, underlying_calls=lambda: len(calls))
    return ClockPortSubject(name=name, sample_request={}, build=build)

@port_conformance
def good():
    return subject("good", "2024-01-01T00:00:00Z")

@port_conformance
def test_both():
    return [subject("good", "2024-01-01T00:00:00Z"), subject("bad", "now")]

def test_plain():
    assert good().name == "good"
"""


@pytest.fixture
def clocks(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_clocks=CLOCKS)
    return pytester


def run(clocks: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return clocks.runpytest_inprocess("-p", "evalnb.conformance.pytest_plugin", "-p", "no:cacheprovider", *arguments)


def test_every_assertion_is_a_test(clocks: pytest.Pytester) -> None:
    result = run(clocks, "-v")
    result.assert_outcomes(passed=6 + 10 + 1, failed=2)
    result.stdout.fnmatch_lines(["*good::read/typed-fault*PASSED*", "*good::read/schema-valid-return*PASSED*"])


def test_a_failing_assertion_shows_its_line_without_a_traceback(clocks: pytest.Pytester) -> None:
    result = run(clocks, "test_clocks.py::test_both")
    result.assert_outcomes(passed=10, failed=2)
    result.stdout.fnmatch_lines(
        ["FAIL read/single-underlying-call-on-success: * - the call rejected with port-contract-violation*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*runtest*")


def test_what_returns_no_subject_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from evalnb.conformance import port_conformance

        @port_conformance
        def nothing():
            return "no subject"
        """
    )
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["nothing returned something else than conformance subjects*"])
    result.stdout.no_fnmatch_line("*factories.py*")


def test_an_assertion_can_be_chosen_by_name(clocks: pytest.Pytester) -> None:
    result = run(clocks, "test_clocks.py::good", "-k", "prompt-abort")
    result.assert_outcomes(passed=1, deselected=5)
