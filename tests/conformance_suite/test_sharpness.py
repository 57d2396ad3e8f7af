"""Every assertion is sharp: a port that breaks one rule fails exactly the assertion about that rule.

spec: 10 §9.2 - §9.6
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from evalnb.conformance import Subject, check_conformance, claims_about, format_conformance_report
from tests.conformance_suite import synthetic as made
from tests.conformance_suite.synthetic import (
    Answer,
    ForeignFault,
    Script,
    api_seen,
    cli_seen,
    mcp_seen,
    refusal,
    with_answer,
)

HTTP = Script(api_seen(), made.HTTP_ANSWERS)
COMMAND = Script(cli_seen(), made.COMMAND_ANSWERS)
MCP = Script(mcp_seen(), made.MCP_ANSWERS)

SUBJECTS: dict[str, Callable[[], Subject]] = {
    "corpus": made.corpus,
    "clock": made.clock,
    "file-system": made.files,
    "environment-probe": made.http_probe,
    "command-probe": made.command_probe,
    "mcp-probe": made.mcp_probe,
}


@pytest.mark.parametrize("port", SUBJECTS)
def test_a_port_that_breaks_nothing_passes(port: str) -> None:
    report = check_conformance(SUBJECTS[port]())
    assert report.passed, format_conformance_report(report)
    assert (report.port, [outcome.id for outcome in report.outcomes]) == (
        port,
        [claim.id for claim in claims_about(SUBJECTS[port]())],
    )


@dataclass(frozen=True)
class Method:
    """One port method: how a subject with a script is made, and the script of a sound one."""

    prefix: str
    subject: Callable[[Script], Subject]
    sound: Script


METHODS = [
    Method("resolve", made.corpus, Script(Answer({"privateRef": "a", "bytes": b"x"}))),
    Method("read", made.clock, Script(Answer({"now": "2024-01-01T00:00:00Z"}))),
    Method("readFile", lambda script: made.files(read=script), Script(Answer({"path": "a", "bytes": b"x"}))),
    Method("writeFile", lambda script: made.files(write=script), Script(Answer({"path": "a", "byteLength": 1}))),
    Method("probe", made.http_probe, HTTP),
    Method("probe", made.command_probe, COMMAND),
    Method("probe", made.mcp_probe, MCP),
]

SHARED_BREAKS: list[tuple[str, Callable[[Script], Script]]] = [
    ("typed-fault", lambda s: replace(s, failing=Answer(error=OSError("plain")))),
    ("typed-fault", lambda s: replace(s, failing=Answer(error=ForeignFault("made-up")))),
    ("typed-fault", lambda s: replace(s, failing=Answer(error=ForeignFault("port-failure", "")))),
    ("typed-fault", lambda s: replace(s, failing=Answer(error=ForeignFault("port-failure", None)))),
    ("typed-fault", lambda s: replace(s, failing=Answer(error=ForeignFault(7)))),
    ("typed-fault", lambda s: replace(s, failing=s.sample)),
    ("single-underlying-call-on-success", lambda s: replace(s, sample=replace(s.sample, calls=2))),
    ("single-underlying-call-on-success", lambda s: replace(s, sample=replace(s.sample, calls=0))),
    ("single-underlying-call-on-failure", lambda s: replace(s, failing=Answer(error=ForeignFault(), calls=3))),
    ("single-underlying-call-on-failure", lambda s: replace(s, failing=Answer(error=ForeignFault(), calls=0))),
    ("prompt-abort", lambda s: replace(s, ignores_abort=True)),
    ("prompt-abort", lambda s: replace(s, on_abort=s.sample)),
    ("prompt-abort", lambda s: replace(s, on_abort=refusal("port-failure"))),
    ("prompt-abort", lambda s: replace(s, on_abort=Answer(error=OSError("aborted")))),
    ("no-in-band-error", lambda s: replace(s, in_band=s.sample)),
    ("no-in-band-error", lambda s: replace(s, in_band=Answer({"error": "yes"}))),
    ("no-in-band-error", lambda s: replace(s, in_band=Answer(error=ValueError("plain")))),
    ("schema-valid-return", lambda s: replace(s, sample=Answer({"error": "yes"}))),
    ("schema-valid-return", lambda s: replace(s, sample=Answer(None))),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.prefix)
@pytest.mark.parametrize(("assertion", "broken"), SHARED_BREAKS)
def test_a_broken_method_fails_the_assertion_about_it(
    method: Method, assertion: str, broken: Callable[[Script], Script]
) -> None:
    script = broken(method.sound)
    if script.sample is not method.sound.sample:  # the arms' own requests are answered as before
        script = replace(script, answers={**script.answers, "authorized": method.sound.sample})
    assert failures(method.subject(script)) == [f"{method.prefix}/{assertion}"]


def failures(subject: Subject) -> list[str]:
    return [outcome.id for outcome in check_conformance(subject).failures]


Break = tuple[str, str, Answer]


def refusing(assertion: str, operation: str, *, calls: int, resolves: Answer, right: str) -> list[Break]:
    """Ways to break a refusal: answer, the other code, an undeclared error, and the right code too late."""
    wrong = {"forbidden-target": "budget-exhausted", "budget-exhausted": "forbidden-target"}[right]
    return [
        (assertion, operation, replace(resolves, calls=calls)),
        (assertion, operation, refusal(wrong, calls)),
        (assertion, operation, refusal("aborted", calls)),
        (assertion, operation, Answer(error=PermissionError("no"), calls=calls)),
    ]


def too_late(assertion: str, operation: str, calls: int) -> Break:
    return assertion, operation, refusal("forbidden-target", calls)


def answering(assertion: str, operation: str, *wrong: Answer) -> list[Break]:
    """Ways to break an observation: a refusal, another correlation, no observation, and the given wrong ones."""
    sound = wrong[0]
    return [
        (assertion, operation, refusal("port-failure")),
        (
            assertion,
            operation,
            Answer({**(sound.response or {}), "probeId": "other", "interfaceId": "x", "operationId": "y"}),
        ),
        (assertion, operation, Answer({"kind": "api"})),
        *((assertion, operation, answer) for answer in wrong[1:]),
    ]


HTTP_BREAKS = [
    *answering("probe/allow-authorized-loopback", "authorized", api_seen()),
    *answering("probe/observe-anomalous-status", "faulting", api_seen(500), api_seen(200), api_seen(503)),
    *(
        entry
        for assertion, operation in (
            ("probe/deny-unmapped-interface", "unmapped"),
            ("probe/deny-unauthorized-loopback", "loopback"),
            ("probe/deny-private", "private"),
            ("probe/deny-link-local", "link-local"),
            ("probe/deny-metadata", "metadata"),
            ("probe/deny-unauthorized-method", "method"),
            ("probe/deny-unauthorized-scheme", "scheme"),
        )
        for entry in (
            *refusing(assertion, operation, calls=0, resolves=api_seen(), right="forbidden-target"),
            too_late(assertion, operation, 1),
        )
    ),
    *refusing("probe/deny-on-redirect", "redirecting", calls=1, resolves=api_seen(), right="forbidden-target"),
    too_late("probe/deny-on-redirect", "redirecting", 0),
    too_late("probe/deny-on-redirect", "redirecting", 2),
    *refusing("probe/cap-redirects", "over-redirect", calls=4, resolves=api_seen(), right="budget-exhausted"),
    ("probe/cap-redirects", "over-redirect", refusal("budget-exhausted", 3)),
    ("probe/cap-redirects", "over-redirect", refusal("budget-exhausted", 5)),
    *refusing("probe/cap-response-bytes", "oversize", calls=1, resolves=api_seen(), right="budget-exhausted"),
    *refusing("probe/cap-elapsed", "slow", calls=1, resolves=api_seen(), right="budget-exhausted"),
]

COMMAND_BREAKS = [
    *answering("command/allow-authorized-invocation", "authorized", cli_seen()),
    *answering("command/observe-nonzero-exit", "failing", cli_seen(3), cli_seen(0)),
    *(
        entry
        for assertion, operation in (
            ("command/deny-unmapped-interface", "unmapped"),
            ("command/deny-unmapped-executable", "unpaired"),
            ("command/deny-unauthorized-subcommand", "subcommand"),
            ("command/deny-unauthorized-environment-key", "environment"),
        )
        for entry in (
            *refusing(assertion, operation, calls=0, resolves=cli_seen(), right="forbidden-target"),
            too_late(assertion, operation, 1),
        )
    ),
    *answering(
        "command/argument-passed-literally",
        "literal",
        cli_seen(stdout={"argv": ["$(id); rm"]}),
        cli_seen(stdout={"argv": ["uid=0"]}),
        cli_seen(stdout={"argv": ["$(id);", "rm"]}),
        cli_seen(stdout={"argv": []}),
        cli_seen(stdout={"argv": "$(id); rm"}),
        cli_seen(stdout=["$(id); rm"]),
        cli_seen(stdout="$(id); rm"),
    ),
    *answering(
        "command/capture-declared-artifact",
        "artifact",
        cli_seen(report={"kind": "text", "value": "done"}),
        cli_seen(),
        cli_seen(report={"kind": "absent"}),
        cli_seen(report={"kind": "json", "value": "done"}),
        cli_seen(report={"kind": "text", "value": "done\n"}),
        cli_seen(other={"kind": "text", "value": "done"}),
    ),
    *refusing("command/cap-elapsed", "slow", calls=1, resolves=cli_seen(), right="budget-exhausted"),
    *refusing("command/cap-output-bytes", "loud", calls=1, resolves=cli_seen(), right="budget-exhausted"),
]

MCP_BREAKS = [
    *answering("mcp/allow-authorized-tool-call", "authorized", mcp_seen()),
    *answering(
        "mcp/observe-error-result",
        "failing",
        mcp_seen({"code": 1}, is_error=True),
        mcp_seen({"code": 1}),
        mcp_seen(None, is_error=True),
    ),
    *(
        entry
        for assertion, operation in (
            ("mcp/deny-unmapped-interface", "unmapped"),
            ("mcp/deny-unauthorized-tool", "unlisted"),
        )
        for entry in (
            *refusing(assertion, operation, calls=0, resolves=mcp_seen(), right="forbidden-target"),
            too_late(assertion, operation, 1),
        )
    ),
    *answering(
        "mcp/arguments-passed-as-declared",
        "echo",
        mcp_seen({"said": [1, "x"]}),
        mcp_seen({"said": ["1", "x"]}),
        mcp_seen({"other": [1, "x"]}),
        mcp_seen([1, "x"]),
        mcp_seen(),
    ),
    *answering(
        "mcp/observe-declared-result-channel",
        "structured",
        mcp_seen({"total": 1, "rows": []}),
        mcp_seen({"total": 1}),
        mcp_seen(["total", "rows"]),
        mcp_seen(),
    ),
    *refusing("mcp/cap-elapsed", "slow", calls=1, resolves=mcp_seen(), right="budget-exhausted"),
    *refusing("mcp/cap-result-bytes", "loud", calls=1, resolves=mcp_seen(), right="budget-exhausted"),
]

ARM_BREAKS = [
    *((made.http_probe, HTTP, *entry) for entry in HTTP_BREAKS),
    *((made.command_probe, COMMAND, *entry) for entry in COMMAND_BREAKS),
    *((made.mcp_probe, MCP, *entry) for entry in MCP_BREAKS),
]


@pytest.mark.parametrize(("subject", "sound", "assertion", "operation", "answer"), ARM_BREAKS)
def test_a_broken_probe_fails_the_assertion_about_it(
    subject: Callable[[Script], Subject], sound: Script, assertion: str, operation: str, answer: Answer
) -> None:
    assert failures(subject(with_answer(sound, operation, answer))) == [assertion]


def test_every_assertion_has_a_port_that_breaks_it() -> None:
    broken = {f"{method.prefix}/{assertion}" for method in METHODS for assertion, _ in SHARED_BREAKS}
    broken |= {assertion for _, _, assertion, _, _ in ARM_BREAKS}
    assert broken == {claim.id for subject in SUBJECTS.values() for claim in claims_about(subject())}


CONTRADICTIONS: list[tuple[Callable[..., Subject], str, dict[str, Any], str]] = [
    (made.http_probe, "probe/deny-unmapped-interface", {"unmapped_request": made.api("unmapped")}, "names the interface"),
    (made.command_probe, "command/deny-unmapped-interface", {"unmapped_interface_request": made.cli("unmapped")}, "names the interface"),
    (made.command_probe, "command/deny-unmapped-executable", {"unmapped_executable_request": made.cli("unpaired")}, "not unmapped"),
    (made.command_probe, "command/deny-unmapped-executable", {"unmapped_executable_request": made.mcp("unpaired")}, 'kind "mcp"'),
    (made.command_probe, "command/deny-unauthorized-subcommand", {"unauthorized_subcommand_request": made.cli("subcommand")}, "permits the request's subcommand"),
    (made.command_probe, "command/deny-unauthorized-subcommand", {"unauthorized_subcommand_request": made.cli("subcommand", executable="other")}, "does not pair"),
    (made.command_probe, "command/deny-unauthorized-subcommand", {"unauthorized_subcommand_request": made.api("subcommand")}, 'kind "api"'),
    (made.command_probe, "command/deny-unauthorized-environment-key", {"unauthorized_environment_key_request": made.cli("environment")}, "declares no environment key"),
    (made.command_probe, "command/deny-unauthorized-environment-key", {"unauthorized_environment_key_request": made.cli("environment", environment={"LANG": "C"})}, "permits every environment key"),
    (made.command_probe, "command/deny-unauthorized-environment-key", {"unauthorized_environment_key_request": made.cli("environment", interface="x", environment={"A": ""})}, "does not pair"),
    (made.command_probe, "command/deny-unauthorized-environment-key", {"unauthorized_environment_key_request": made.mcp("environment")}, 'kind "mcp"'),
    (made.mcp_probe, "mcp/deny-unmapped-interface", {"unmapped_interface_request": made.mcp("unmapped")}, "names the interface"),
    (made.mcp_probe, "mcp/deny-unauthorized-tool", {"unauthorized_tool_request": made.mcp("unlisted")}, "lists the tool"),
    (made.mcp_probe, "mcp/deny-unauthorized-tool", {"unauthorized_tool_request": made.mcp("unlisted", interface="x")}, "no authorization"),
    (made.mcp_probe, "mcp/deny-unauthorized-tool", {"unauthorized_tool_request": made.cli("unlisted")}, 'kind "cli"'),
    (made.http_probe, "probe/cap-redirects", {"over_redirect_request": made.api("over-redirect", "x")}, "no authorization"),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "assertion", "changes", "said"), CONTRADICTIONS)
def test_a_policy_that_contradicts_its_denied_request_fails(
    subject: Callable[..., Subject], assertion: str, changes: dict[str, Any], said: str
) -> None:
    report = check_conformance(subject(**changes))
    assert [(outcome.id, said in outcome.detail) for outcome in report.failures] == [(assertion, True)]


OTHER_KINDS: list[tuple[Callable[..., Subject], Script, str, dict[str, Any], Answer, str]] = [
    (made.command_probe, COMMAND, "command/observe-nonzero-exit", {"non_zero_exit_request": made.mcp("failing")}, mcp_seen(),
     'observed an observation of kind "mcp", expected a non-zero exit'),
    (made.command_probe, COMMAND, "command/argument-passed-literally", {"injection_request": made.mcp("literal")}, mcp_seen(), 'kind "mcp"'),
    (made.command_probe, COMMAND, "command/capture-declared-artifact", {"artifact_request": made.api("artifact")}, api_seen(), 'kind "api"'),
    (made.http_probe, HTTP, "probe/observe-anomalous-status", {"faulting_request": made.cli("faulting")}, cli_seen(), 'kind "cli"'),
    (made.mcp_probe, MCP, "mcp/observe-error-result", {"error_result_request": made.cli("failing")}, cli_seen(1), 'kind "cli"'),
    (made.mcp_probe, MCP, "mcp/arguments-passed-as-declared", {"argument_echo_request": made.cli("echo")}, cli_seen(), 'kind "cli"'),
    (made.mcp_probe, MCP, "mcp/observe-declared-result-channel", {"structured_result_request": made.api("structured")}, api_seen(), 'kind "api"'),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "sound", "assertion", "changes", "answer", "said"), OTHER_KINDS)
def test_an_answer_of_another_kind_is_named(
    subject: Callable[..., Subject], sound: Script, assertion: str, changes: dict[str, Any], answer: Answer, said: str
) -> None:
    operation = next(iter(changes.values()))["operationId"]
    report = check_conformance(subject(with_answer(sound, operation, answer), **changes))
    assert [outcome.id for outcome in report.failures] == [assertion]
    assert report.failures[0].detail == said if said.startswith("observed") else said in report.failures[0].detail
