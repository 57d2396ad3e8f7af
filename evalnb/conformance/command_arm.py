"""The assertions about an environment probe over commands (spec: 10 §9.5)."""

from __future__ import annotations

from typing import Final

from evalnb.conformance.arm import ArmAssertion, Observed, PinnedCalls, Refused, anything, other_kind
from evalnb.conformance.subjects import CommandProbeSubject
from evalnb.engine.artifacts.bodies import JsonBody, TextBody
from evalnb.engine.artifacts.port_messages import (
    CliProbeObservation,
    CliProbeRequest,
    ProbeObservation,
    ProbeRequest,
)
from evalnb.engine.artifacts.target_policies import CommandTargetAuthorization
from evalnb.engine.json_values import json_equal

_DENIED: Final = Refused("forbidden-target")
_EXHAUSTED: Final = Refused("budget-exhausted")


def _non_zero_exit(subject: CommandProbeSubject, observation: ProbeObservation) -> str:
    if not isinstance(observation, CliProbeObservation):
        return other_kind(observation, "a non-zero exit")
    return "" if observation.exit_code != 0 else "observed exit code 0, expected a non-zero exit"


def _one_literal_argument(subject: CommandProbeSubject, observation: ProbeObservation) -> str:
    expected = "standard output as JSON with the literal argument as its only argv"
    if not isinstance(observation, CliProbeObservation):
        return other_kind(observation, expected)
    body = observation.stdout
    argv = body.value.get("argv") if isinstance(body, JsonBody) and isinstance(body.value, dict) else None
    if isinstance(argv, list) and json_equal(argv, [subject.injection_argument_value]):
        return ""
    return f"observed {body!r}, expected {expected}"


def _declared_artifact(subject: CommandProbeSubject, observation: ProbeObservation) -> str:
    expected = f'the text of the artifact "{subject.artifact_id}"'
    if not isinstance(observation, CliProbeObservation):
        return other_kind(observation, expected)
    body = observation.artifacts.get(subject.artifact_id)
    if isinstance(body, TextBody) and body.value == subject.artifact_expected_text:
        return ""
    return f"observed {body!r}, expected {expected}"


def _authorizations_of(subject: CommandProbeSubject, request: CliProbeRequest) -> list[CommandTargetAuthorization]:
    return [
        entry
        for entry in subject.policy.authorizations
        if (entry.interface_id, entry.executable) == (request.interface_id, request.executable)
    ]


def _none_where_unmapped(subject: CommandProbeSubject, request: ProbeRequest) -> int | str:
    if any(entry.interface_id == request.interface_id for entry in subject.policy.authorizations):
        return f'the subject\'s policy names the interface "{request.interface_id}", so nothing is unmapped'
    return 0


def _none_where_unpaired(subject: CommandProbeSubject, request: ProbeRequest) -> int | str:
    if not isinstance(request, CliProbeRequest):
        return f'the subject\'s request is of kind "{request.kind}", so it names no executable'
    if _authorizations_of(subject, request):
        return f'the subject\'s policy pairs the interface with "{request.executable}", so it is not unmapped'
    return 0


def _none_where_the_path_is_not_permitted(subject: CommandProbeSubject, request: ProbeRequest) -> int | str:
    if not isinstance(request, CliProbeRequest):
        return f'the subject\'s request is of kind "{request.kind}", so it names no subcommand'
    paired = _authorizations_of(subject, request)
    if not paired:
        return "the subject's policy does not pair the request's interface and executable"
    if tuple(request.subcommand_path) in {tuple(path) for path in paired[0].permitted_subcommand_paths}:
        return "the subject's policy permits the request's subcommand path"
    return 0


def _none_where_a_key_is_not_permitted(subject: CommandProbeSubject, request: ProbeRequest) -> int | str:
    if not isinstance(request, CliProbeRequest):
        return f'the subject\'s request is of kind "{request.kind}", so it declares no environment'
    paired = _authorizations_of(subject, request)
    if not paired:
        return "the subject's policy does not pair the request's interface and executable"
    declared = set(request.channels.environment)
    if not declared:
        return "the subject's request declares no environment key"
    if declared <= set(paired[0].permitted_environment_keys):
        return "the subject's policy permits every environment key of the request"
    return 0


COMMAND_ARM: Final[tuple[ArmAssertion[CommandProbeSubject], ...]] = (
    ArmAssertion(
        "command/allow-authorized-invocation",
        "an authorized command runs",
        lambda subject: subject.authorized_request,
        Observed(anything),
    ),
    ArmAssertion(
        "command/observe-nonzero-exit",
        "a non-zero exit is an observation",
        lambda subject: subject.non_zero_exit_request,
        Observed(_non_zero_exit),
    ),
    ArmAssertion(
        "command/deny-unmapped-interface",
        "an interface without authorization is denied before anything starts",
        lambda subject: subject.unmapped_interface_request,
        _DENIED,
        PinnedCalls(_none_where_unmapped),
    ),
    ArmAssertion(
        "command/deny-unmapped-executable",
        "an executable that is not paired with the interface is denied before anything starts",
        lambda subject: subject.unmapped_executable_request,
        _DENIED,
        PinnedCalls(_none_where_unpaired),
    ),
    ArmAssertion(
        "command/deny-unauthorized-subcommand",
        "a subcommand path that is not permitted is denied before anything starts",
        lambda subject: subject.unauthorized_subcommand_request,
        _DENIED,
        PinnedCalls(_none_where_the_path_is_not_permitted),
    ),
    ArmAssertion(
        "command/deny-unauthorized-environment-key",
        "an environment key that is not permitted is denied before anything starts",
        lambda subject: subject.unauthorized_environment_key_request,
        _DENIED,
        PinnedCalls(_none_where_a_key_is_not_permitted),
    ),
    ArmAssertion(
        "command/argument-passed-literally",
        "an argument reaches the command as one literal token, never through a shell",
        lambda subject: subject.injection_request,
        Observed(_one_literal_argument),
    ),
    ArmAssertion(
        "command/capture-declared-artifact",
        "a declared artifact is read after the run",
        lambda subject: subject.artifact_request,
        Observed(_declared_artifact),
    ),
    ArmAssertion(
        "command/cap-elapsed",
        "a command that runs past its cap is an exhausted budget",
        lambda subject: subject.over_elapsed_request,
        _EXHAUSTED,
    ),
    ArmAssertion(
        "command/cap-output-bytes",
        "output larger than its cap is an exhausted budget",
        lambda subject: subject.over_output_request,
        _EXHAUSTED,
    ),
)
