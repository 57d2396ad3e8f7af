"""What a port implementation hands to the suite: how to build it in each scenario, and the requests to try.

spec: 10 §9.1, §9.4 - §9.6
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from evalnb.engine.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from evalnb.engine.port_seam import AbortSignal

Scenario: TypeAlias = Literal["resolves", "fails", "in-band-error", "hangs"]
"""What the mechanism under the port does: answer, fail, answer with an error inside its answer, or never settle."""

PortMethodCall: TypeAlias = Callable[[Any, AbortSignal], Awaitable[object]]
"""A port's one method: a request and a signal in, a response or a raised fault out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSubject:
    """A fresh port.

    `underlying_calls` counts what the *mechanism* was asked to do, from zero; `dispose`, which may be asynchronous,
    gives back what `build` took.
    """

    port: PortMethodCall
    underlying_calls: Callable[[], int]
    dispose: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PortSubject:
    """A port implementation under test. `build`, which may be asynchronous, makes a new one for each scenario.

    `sample_request` is one that succeeds in the scenario `resolves`. After an abort a call must have rejected within
    `abort_budget_ms`; any other call must have settled within `call_budget_ms`.
    """

    name: str
    sample_request: Any
    build: Callable[[Scenario], BuiltSubject | Awaitable[BuiltSubject]]
    abort_budget_ms: int = 1000
    call_budget_ms: int = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusPortSubject(PortSubject):
    """A corpus port; its method is `resolve`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPortSubject(PortSubject):
    """A clock port; its method is `read`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemPortSubject:
    """A file-system port: its two methods, each built on its own."""

    read: PortSubject
    write: PortSubject

    @property
    def name(self) -> str:
        """One name where both have the same."""
        return self.read.name if self.read.name == self.write.name else f"{self.read.name} + {self.write.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeniedAddressRequests:
    """A request for each class of address that the policy does not name."""

    loopback: Any
    private: Any
    link_local: Any
    metadata: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSubject(PortSubject):
    """An environment probe over HTTP, its policy, and a request for every assertion of the arm."""

    policy: ProbeTargetPolicy
    authorized_request: Any
    faulting_request: Any
    unmapped_request: Any
    denied_address_requests: DeniedAddressRequests
    unauthorized_method_request: Any
    unauthorized_scheme_request: Any
    redirecting_request: Any
    over_redirect_request: Any
    oversize_response_request: Any
    slow_request: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandProbeSubject(PortSubject):
    """An environment probe over commands, its policy, and a request for every assertion of the arm.

    `injection_request` runs a command that prints its arguments as JSON under `argv`; `injection_argument_value` is
    the one it is given.
    """

    policy: CommandTargetPolicy
    authorized_request: Any
    non_zero_exit_request: Any
    unmapped_interface_request: Any
    unmapped_executable_request: Any
    unauthorized_subcommand_request: Any
    unauthorized_environment_key_request: Any
    injection_request: Any
    injection_argument_value: str
    artifact_request: Any
    artifact_id: str
    artifact_expected_text: str
    over_elapsed_request: Any
    over_output_request: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class McpProbeSubject(PortSubject):
    """An environment probe over tool servers, its policy, and a request for every assertion of the arm."""

    policy: McpTargetPolicy
    authorized_request: Any
    error_result_request: Any
    unmapped_interface_request: Any
    unauthorized_tool_request: Any
    argument_echo_request: Any
    argument_echo_value: Any
    argument_echo_result_key: str
    structured_result_request: Any
    structured_result_keys: Sequence[str]
    over_elapsed_request: Any
    over_result_bytes_request: Any


Subject: TypeAlias = (
    CorpusPortSubject | ClockPortSubject | FileSystemPortSubject | ProbeSubject | CommandProbeSubject | McpProbeSubject
)
