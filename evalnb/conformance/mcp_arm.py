"""The assertions about an environment probe over tool servers (spec: 10 §9.6)."""

from __future__ import annotations

from typing import Any, Final

from evalnb.conformance.arm import ArmAssertion, Observed, PinnedCalls, Refused, anything, other_kind
from evalnb.conformance.subjects import McpProbeSubject
from evalnb.engine.artifacts.bodies import AbsentBody, JsonBody
from evalnb.engine.artifacts.port_messages import (
    McpProbeObservation,
    McpProbeRequest,
    ProbeObservation,
    ProbeRequest,
)
from evalnb.engine.json_values import ABSENT, json_equal

_DENIED: Final = Refused("forbidden-target")
_EXHAUSTED: Final = Refused("budget-exhausted")


def _error_with_a_result(subject: McpProbeSubject, observation: ProbeObservation) -> str:
    if not isinstance(observation, McpProbeObservation):
        return other_kind(observation, "a tool error with a result")
    if not observation.is_error:
        return "observed isError false, expected a tool error"
    return "observed no result, expected one" if isinstance(observation.result, AbsentBody) else ""


def _echoed_argument(subject: McpProbeSubject, observation: ProbeObservation) -> str:
    key = subject.argument_echo_result_key
    expected = f'the declared argument under the result\'s key "{key}"'
    if not isinstance(observation, McpProbeObservation):
        return other_kind(observation, expected)
    echoed: Any = _members(observation).get(key, ABSENT)
    return "" if json_equal(echoed, subject.argument_echo_value) else f"observed {echoed!r}, expected {expected}"


def _declared_keys(subject: McpProbeSubject, observation: ProbeObservation) -> str:
    expected = "a result with every declared key"
    if not isinstance(observation, McpProbeObservation):
        return other_kind(observation, expected)
    members = _members(observation)
    missing = [key for key in subject.structured_result_keys if key not in members]
    if isinstance(observation.result, JsonBody) and isinstance(observation.result.value, dict) and not missing:
        return ""
    return f"observed {observation.result!r}, expected {expected}"


def _members(observation: McpProbeObservation) -> dict[str, Any]:
    body = observation.result
    return body.value if isinstance(body, JsonBody) and isinstance(body.value, dict) else {}


def _none_where_unmapped(subject: McpProbeSubject, request: ProbeRequest) -> int | str:
    if any(entry.interface_id == request.interface_id for entry in subject.policy.authorizations):
        return f'the subject\'s policy names the interface "{request.interface_id}", so nothing is unmapped'
    return 0


def _none_where_the_tool_is_not_listed(subject: McpProbeSubject, request: ProbeRequest) -> int | str:
    if not isinstance(request, McpProbeRequest):
        return f'the subject\'s request is of kind "{request.kind}", so it names no tool'
    named = (entry for entry in subject.policy.authorizations if entry.interface_id == request.interface_id)
    first = next(named, None)
    if first is None:
        return f'no authorization of the subject\'s policy names the interface "{request.interface_id}"'
    if request.tool_name in first.tools:
        return f'the subject\'s policy lists the tool "{request.tool_name}"'
    return 0


MCP_ARM: Final[tuple[ArmAssertion[McpProbeSubject], ...]] = (
    ArmAssertion(
        "mcp/allow-authorized-tool-call",
        "an authorized tool is called",
        lambda subject: subject.authorized_request,
        Observed(anything),
    ),
    ArmAssertion(
        "mcp/observe-error-result",
        "an error that the tool reports is an observation",
        lambda subject: subject.error_result_request,
        Observed(_error_with_a_result),
    ),
    ArmAssertion(
        "mcp/deny-unmapped-interface",
        "an interface without authorization is denied before a server starts",
        lambda subject: subject.unmapped_interface_request,
        _DENIED,
        PinnedCalls(_none_where_unmapped),
    ),
    ArmAssertion(
        "mcp/deny-unauthorized-tool",
        "a tool that is not listed is denied before a server starts",
        lambda subject: subject.unauthorized_tool_request,
        _DENIED,
        PinnedCalls(_none_where_the_tool_is_not_listed),
    ),
    ArmAssertion(
        "mcp/arguments-passed-as-declared",
        "an argument reaches the tool as it was declared",
        lambda subject: subject.argument_echo_request,
        Observed(_echoed_argument),
    ),
    ArmAssertion(
        "mcp/observe-declared-result-channel",
        "a structured result is observed with its keys",
        lambda subject: subject.structured_result_request,
        Observed(_declared_keys),
    ),
    ArmAssertion(
        "mcp/cap-elapsed",
        "a session that runs past its cap is an exhausted budget",
        lambda subject: subject.over_elapsed_request,
        _EXHAUSTED,
    ),
    ArmAssertion(
        "mcp/cap-result-bytes",
        "a result larger than its cap is an exhausted budget",
        lambda subject: subject.over_result_bytes_request,
        _EXHAUSTED,
    ),
)
