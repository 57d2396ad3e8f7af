"""The report: counts, its text, and what a subject that misbehaves outside its calls does to it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from evalnb.conformance import (
    BuiltSubject,
    ConformanceReport,
    Outcome,
    PortSubject,
    Scenario,
    check_conformance,
    claims_about,
    format_conformance_report,
    run_conformance,
    run_file_system_port_conformance,
)
from evalnb.conformance.report import PUBLISHED_COUNTS, Claim, in_published_order
from tests.conformance_suite import synthetic as made
from tests.conformance_suite.synthetic import Answer, Script

SOUND = Script(Answer({"now": "2024-01-01T00:00:00Z"}))


def failures(script: Script) -> dict[str, str]:
    return {outcome.id: outcome.detail for outcome in check_conformance(made.clock(script)).failures}


def test_every_report_has_its_published_count_of_distinct_assertions() -> None:
    subjects = [made.corpus(), made.clock(), made.files(), made.http_probe(), made.command_probe(), made.mcp_probe()]
    counts = {}
    for subject, port in zip(subjects, PUBLISHED_COUNTS, strict=True):
        identifiers = [claim.id for claim in claims_about(subject)]
        assert len(set(identifiers)) == len(identifiers)
        counts[port] = len(identifiers)
    assert counts == PUBLISHED_COUNTS


def test_the_shared_assertions_come_in_report_order() -> None:
    assert [claim.id for claim in claims_about(made.clock())] == [
        "read/typed-fault",
        "read/single-underlying-call-on-success",
        "read/single-underlying-call-on-failure",
        "read/prompt-abort",
        "read/no-in-band-error",
        "read/schema-valid-return",
    ]
    assert [claim.id.partition("/")[0] for claim in claims_about(made.files())] == ["readFile"] * 6 + ["writeFile"] * 6


def test_the_text_of_a_report() -> None:
    outcomes = (Outcome("read/a", "first", True), Outcome("read/b", "second", False, "because"))
    assert format_conformance_report(ConformanceReport("my clock", "clock", outcomes)) == (
        'FAIL clock conformance for "my clock": 1/2 assertions passed\n'
        "pass read/a: first\n"
        "FAIL read/b: second - because"
    )
    assert format_conformance_report(check_conformance(made.clock())).startswith(
        'PASS clock conformance for "clock": 6/6 assertions passed\npass read/typed-fault: '
    )


def test_a_report_that_lacks_an_assertion_has_not_passed() -> None:
    report = check_conformance(made.clock())
    assert report.passed
    assert not replace(report, outcomes=report.outcomes[1:]).passed
    ordered = in_published_order([Claim("a", "x"), Claim("b", "y")], [Outcome("b", "y", True)])
    assert [(outcome.id, outcome.passed) for outcome in ordered] == [("a", False), ("b", True)]


def test_a_build_that_raises_fails_every_outcome() -> None:
    found = failures(replace(SOUND, build_error=ValueError("nothing to build")))
    assert len(found) == 6
    assert all("build(" in detail and "nothing to build" in detail for detail in found.values())


def test_a_counter_that_raises_fails_the_counting_outcomes() -> None:
    found = failures(replace(SOUND, count_error=ValueError("lost count")))
    assert set(found) == {"read/single-underlying-call-on-success", "read/single-underlying-call-on-failure"}
    assert all("lost count" in detail for detail in found.values())


def test_a_dispose_that_raises_fails_every_outcome_of_its_build() -> None:
    found = failures(replace(SOUND, dispose_error=ValueError("stuck")))
    assert len(found) == 6
    assert all("dispose()" in detail and "stuck" in detail for detail in found.values())
    probe = check_conformance(
        made.mcp_probe(Script(made.mcp_seen(), made.MCP_ANSWERS, dispose_error=ValueError("stuck")))
    )
    assert len(probe.failures) == 14


def test_both_parts_of_a_failed_denial_are_told() -> None:
    script = Script(made.api_seen(), {**made.HTTP_ANSWERS, "private": made.api_seen()})
    [failure] = check_conformance(made.http_probe(script)).failures
    assert failure.detail == (
        "the call resolved, expected a rejection with forbidden-target; mechanism calls: 1, expected 0"
    )


def test_a_request_out_of_shape_is_the_subjects_fault() -> None:
    [failure] = check_conformance(made.http_probe(slow_request={"kind": "api"})).failures
    assert failure.id == "probe/cap-elapsed"
    assert "shape of a probe request" in failure.detail


@pytest.mark.parametrize("field", ["kind", "probeId", "interfaceId", "operationId"])
def test_an_observation_answers_its_own_request(field: str) -> None:
    triple = {"probeId": "leg", "interfaceId": "orders", "operationId": "authorized"}
    wrong = {**made.api_seen().response, **triple, field: "other"}
    if field == "kind":
        wrong = {**made.mcp_seen().response, **triple}
    script = Script(made.api_seen(), {**made.HTTP_ANSWERS, "authorized": Answer(wrong)})
    [failure] = check_conformance(made.http_probe(script)).failures
    assert failure.id == "probe/allow-authorized-loopback"
    assert field.removesuffix("Id") in failure.detail


def test_file_system_reports_are_named_after_both_subjects() -> None:
    files = made.files()
    other = replace(files.write, name="other")
    report = asyncio.run(run_file_system_port_conformance(files.read, other))
    assert (report.subject, report.port, report.passed) == ("files + other", "file-system", True)
    assert check_conformance(files).subject == "files"


def test_building_and_disposing_may_be_asynchronous() -> None:
    open_now = 0

    async def build(scenario: Scenario) -> BuiltSubject:
        nonlocal open_now
        open_now += 1
        await asyncio.sleep(0)

        async def dispose() -> None:
            nonlocal open_now
            open_now -= 1

        return replace(SOUND.build(scenario), dispose=dispose)

    assert check_conformance(made.clock(build=build)).passed
    assert open_now == 0


def test_a_call_that_never_settles_ends_at_its_budget() -> None:
    async def never(request: Any, signal: Any) -> object:
        return await asyncio.Event().wait()

    built = BuiltSubject(port=never, underlying_calls=lambda: 1)
    report = check_conformance(made.clock(build=lambda scenario: built, call_budget_ms=20))
    assert "had not settled after 20 ms" in report.outcomes[0].detail


def test_a_port_that_cancels_itself_has_raised_no_declared_fault() -> None:
    script = replace(SOUND, failing=Answer(error=asyncio.CancelledError()))
    assert list(failures(script)) == ["read/typed-fault"]


def test_what_is_no_subject_is_a_type_error() -> None:
    plain = PortSubject(name="x", sample_request={}, build=SOUND.build)
    for check in (check_conformance, claims_about):
        with pytest.raises(TypeError, match="no conformance subject"):
            check(plain)  # type: ignore[operator]
    with pytest.raises(TypeError):
        asyncio.run(run_conformance("clock"))  # type: ignore[arg-type]
