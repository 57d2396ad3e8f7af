"""Ports made for testing the suite itself: they do by script what an adapter does, and break one rule at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evalnb.adapters.policies import (
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
)
from evalnb.conformance import (
    BuiltSubject,
    ClockPortSubject,
    CommandProbeSubject,
    CorpusPortSubject,
    DeniedAddressRequests,
    FileSystemPortSubject,
    McpProbeSubject,
    PortSubject,
    ProbeSubject,
    Scenario,
)
from evalnb.engine.port_seam import AbortSignal


class ForeignFault(Exception):
    """A fault as another copy of the package would raise it: told by its texts, not by its class."""

    def __init__(self, code: object = "port-failure", artifact_path: object = "Somewhere") -> None:
        super().__init__(f"{code} in {artifact_path}")
        self.code = code
        self.artifact_path = artifact_path


@dataclass(frozen=True)
class Answer:
    """What a port does with one request: so many mechanism calls, then this error or this response."""

    response: Any = None
    error: BaseException | None = None
    calls: int = 1


def refusal(code: str, calls: int = 1) -> Answer:
    return Answer(error=ForeignFault(code), calls=calls)


def denial() -> Answer:
    return refusal("forbidden-target", calls=0)


@dataclass(frozen=True)
class Script:
    """Everything one synthetic port does. `answers` are by operation, `sample` is the answer of the shared part."""

    sample: Answer
    answers: Mapping[str, Answer] = field(default_factory=dict)
    failing: Answer = field(default_factory=lambda: Answer(error=ForeignFault()))
    in_band: Answer = field(default_factory=lambda: Answer(error=ForeignFault()))
    ignores_abort: bool = False
    on_abort: Answer = field(default_factory=lambda: refusal("aborted"))
    build_error: Exception | None = None
    count_error: Exception | None = None
    dispose_error: Exception | None = None

    def build(self, scenario: Scenario) -> BuiltSubject:
        if self.build_error is not None:
            raise self.build_error
        calls = 0

        async def port(request: Any, signal: AbortSignal) -> object:
            nonlocal calls
            answer = self._answer(scenario, request)
            if scenario == "hangs":
                calls += 1
                answer = await self._hang(signal)
            else:
                calls += answer.calls
            if answer.error is not None:
                raise answer.error
            return correlated(answer.response, request)

        def count() -> int:
            if self.count_error is not None:
                raise self.count_error
            return calls

        def dispose() -> None:
            if self.dispose_error is not None:
                raise self.dispose_error

        return BuiltSubject(port=port, underlying_calls=count, dispose=dispose)

    def _answer(self, scenario: Scenario, request: Any) -> Answer:
        if scenario == "fails":
            return self.failing
        if scenario == "in-band-error":
            return self.in_band
        return self.answers.get(request.get("operationId", ""), self.sample)

    async def _hang(self, signal: AbortSignal) -> Answer:
        if self.ignores_abort:
            await asyncio.sleep(30)
        aborted = asyncio.Event()
        signal.on_abort(aborted.set)
        await aborted.wait()
        return self.on_abort


def correlated(response: Any, request: Any) -> Any:
    """A response that repeats the request's three identifiers, where it is an observation that does not yet."""
    if not isinstance(response, dict) or "kind" not in response or "probeId" in response:
        return response
    return {key: request[key] for key in ("probeId", "interfaceId", "operationId")} | response


# ---- requests and observations


def api(operation: str, interface: str = "orders") -> dict[str, Any]:
    return {
        "kind": "api",
        "probeId": "leg",
        "interfaceId": interface,
        "operationId": operation,
        "method": "GET",
        "pathTemplate": "/",
        "channels": {"path": {}, "query": {}, "header": {}, "body": {"kind": "absent"}},
    }


def cli(operation: str, executable: str = "tool", interface: str = "shell", **changes: Any) -> dict[str, Any]:
    channels = {
        "argument": {},
        "option": {},
        "environment": changes.pop("environment", {}),
        "stdin": {"kind": "absent"},
    }
    return {
        "kind": "cli",
        "probeId": "leg",
        "interfaceId": interface,
        "operationId": operation,
        "executable": executable,
        "subcommandPath": [],
        "channels": channels,
        **changes,
    }


def mcp(operation: str, tool: str = "find", interface: str = "notes") -> dict[str, Any]:
    return {
        "kind": "mcp",
        "probeId": "leg",
        "interfaceId": interface,
        "operationId": operation,
        "toolName": tool,
        "channels": {"arguments": {}},
    }


def api_seen(status: int = 200) -> Answer:
    return Answer({"kind": "api", "status": status, "headers": {}, "body": {"kind": "absent"}})


def cli_seen(exit_code: int = 0, stdout: Any = "", **artifacts: Any) -> Answer:
    kind = "text" if isinstance(stdout, str) else "json"
    return Answer(
        {
            "kind": "cli",
            "exitCode": exit_code,
            "stdout": {"kind": kind, "value": stdout},
            "stderr": {"kind": "text", "value": ""},
            "artifacts": artifacts,
        }
    )


def mcp_seen(result: Any = None, is_error: bool = False) -> Answer:
    body = {"kind": "absent"} if result is None else {"kind": "json", "value": result}
    return Answer({"kind": "mcp", "isError": is_error, "result": body})


# ---- subjects


def corpus(script: Script | None = None, **changes: Any) -> CorpusPortSubject:
    script = script or Script(Answer({"privateRef": "a", "bytes": b"x"}))
    return CorpusPortSubject(**_shared("corpus", {"privateRef": "a"}, script, changes))


def clock(script: Script | None = None, **changes: Any) -> ClockPortSubject:
    script = script or Script(Answer({"now": "2024-01-01T00:00:00Z"}))
    return ClockPortSubject(**_shared("clock", {}, script, changes))


def files(read: Script | None = None, write: Script | None = None) -> FileSystemPortSubject:
    read = read or Script(Answer({"path": "a", "bytes": b"x"}))
    write = write or Script(Answer({"path": "a", "byteLength": 1}))
    return FileSystemPortSubject(
        read=PortSubject(**_shared("files", {"path": "a"}, read, {})),
        write=PortSubject(**_shared("files", {"path": "a", "bytes": b"x"}, write, {})),
    )


def _shared(name: str, sample: Any, script: Script, changes: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "sample_request": sample, "build": script.build, "abort_budget_ms": 100, **changes}


HTTP_ANSWERS = {
    "faulting": api_seen(500),
    **dict.fromkeys(("unmapped", "loopback", "private", "link-local", "metadata", "method", "scheme"), denial()),
    "redirecting": refusal("forbidden-target"),
    "over-redirect": refusal("budget-exhausted", calls=4),
    "oversize": refusal("budget-exhausted"),
    "slow": refusal("budget-exhausted"),
}
HTTP_POLICY = parse_probe_target_policy(
    {
        "authorizations": [
            {
                "interfaceId": "orders",
                "scheme": "http",
                "host": "orders.test",
                "port": 80,
                "addresses": ["127.0.0.1"],
                "methods": ["GET"],
                "safeMethods": [],
                "maxRedirects": 3,
                "maxElapsedMs": 1,
                "maxRequestBytes": 1,
                "maxResponseBytes": 1,
            }
        ]
    }
)


def http_probe(script: Script | None = None, **changes: Any) -> ProbeSubject:
    script = script or Script(api_seen(), HTTP_ANSWERS)
    requests = {
        "policy": HTTP_POLICY,
        "authorized_request": api("authorized"),
        "faulting_request": api("faulting"),
        "unmapped_request": api("unmapped", "nowhere"),
        "denied_address_requests": DeniedAddressRequests(
            loopback=api("loopback"), private=api("private"), link_local=api("link-local"), metadata=api("metadata")
        ),
        "unauthorized_method_request": api("method"),
        "unauthorized_scheme_request": api("scheme"),
        "redirecting_request": api("redirecting"),
        "over_redirect_request": api("over-redirect"),
        "oversize_response_request": api("oversize"),
        "slow_request": api("slow"),
    }
    return ProbeSubject(**_shared("http", api("sample"), script, {**requests, **changes}))


COMMAND_ANSWERS = {
    "failing": cli_seen(3),
    **dict.fromkeys(("unmapped", "unpaired", "subcommand", "environment"), denial()),
    "literal": cli_seen(stdout={"argv": ["$(id); rm"]}),
    "artifact": cli_seen(report={"kind": "text", "value": "done"}),
    "slow": refusal("budget-exhausted"),
    "loud": refusal("budget-exhausted"),
}
COMMAND_POLICY = parse_command_target_policy(
    {
        "authorizations": [
            {
                "interfaceId": "shell",
                "executable": "tool",
                "target": "tool",
                "permittedSubcommandPaths": [[]],
                "permittedEnvironmentKeys": ["LANG"],
                "cwd": "/",
                "artifacts": {},
                "maxElapsedMs": 1,
                "maxOutputBytes": 1,
            }
        ]
    }
)


def command_probe(script: Script | None = None, **changes: Any) -> CommandProbeSubject:
    script = script or Script(cli_seen(), COMMAND_ANSWERS)
    requests = {
        "policy": COMMAND_POLICY,
        "authorized_request": cli("authorized"),
        "non_zero_exit_request": cli("failing"),
        "unmapped_interface_request": cli("unmapped", interface="nowhere"),
        "unmapped_executable_request": cli("unpaired", executable="other"),
        "unauthorized_subcommand_request": cli("subcommand", subcommandPath=["drop"]),
        "unauthorized_environment_key_request": cli("environment", environment={"HOME": "/"}),
        "injection_request": cli("literal"),
        "injection_argument_value": "$(id); rm",
        "artifact_request": cli("artifact"),
        "artifact_id": "report",
        "artifact_expected_text": "done",
        "over_elapsed_request": cli("slow"),
        "over_output_request": cli("loud"),
    }
    return CommandProbeSubject(**_shared("command", cli("sample"), script, {**requests, **changes}))


MCP_ANSWERS = {
    "failing": mcp_seen({"code": 1}, is_error=True),
    **dict.fromkeys(("unmapped", "unlisted"), denial()),
    "echo": mcp_seen({"said": [1, "x"]}),
    "structured": mcp_seen({"total": 1, "rows": []}),
    "slow": refusal("budget-exhausted"),
    "loud": refusal("budget-exhausted"),
}
MCP_POLICY = parse_mcp_target_policy(
    {
        "authorizations": [
            {
                "interfaceId": "notes",
                "target": "server",
                "targetArgs": [],
                "tools": ["find"],
                "cwd": "/",
                "serverEnvironment": {},
                "maxElapsedMs": 1,
                "maxOutputBytes": 1,
            }
        ]
    }
)


def mcp_probe(script: Script | None = None, **changes: Any) -> McpProbeSubject:
    script = script or Script(mcp_seen(), MCP_ANSWERS)
    requests = {
        "policy": MCP_POLICY,
        "authorized_request": mcp("authorized"),
        "error_result_request": mcp("failing"),
        "unmapped_interface_request": mcp("unmapped", interface="nowhere"),
        "unauthorized_tool_request": mcp("unlisted", tool="drop"),
        "argument_echo_request": mcp("echo"),
        "argument_echo_value": [1.0, "x"],
        "argument_echo_result_key": "said",
        "structured_result_request": mcp("structured"),
        "structured_result_keys": ("rows", "total"),
        "over_elapsed_request": mcp("slow"),
        "over_result_bytes_request": mcp("loud"),
    }
    return McpProbeSubject(**_shared("mcp", mcp("sample"), script, {**requests, **changes}))


def with_answer(script: Script, operation: str, answer: Answer) -> Script:
    """The script with another answer to one operation."""
    return replace(script, answers={**script.answers, operation: answer})
