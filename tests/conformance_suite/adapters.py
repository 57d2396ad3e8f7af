"""The shipped adapters as conformance subjects, each over a real mechanism that can be broken by scenario."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evalnb.adapters import CommandLineAdapter, HttpAdapter, LocalCorpus, LocalFiles, McpAdapter, SystemClock
from evalnb.adapters.command_run import CommandResult, LocalProcesses
from evalnb.adapters.http_answer import HttpAnswer
from evalnb.adapters.http_exchange import DirectConnections
from evalnb.adapters.http_policy import HttpPolicy
from evalnb.adapters.mcp_results import ToolAnswer
from evalnb.adapters.mcp_servers import LocalServers
from evalnb.adapters.policies import parse_command_target_policy, parse_mcp_target_policy
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
from evalnb.engine.artifacts.reading import validated
from tests.adapters.http_server import Names, Received, ScriptedServer, authorization, response
from tests.conformance_suite import synthetic as made

SCRIPT = str(Path(__file__).with_name("tool.py"))


class Counter:
    """How often a mechanism was asked, and what it does instead of its work in a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.calls = 0
        self._release = threading.Event()

    async def meet(self, in_band: Any) -> Any:
        """Count; then fail, hang or give the in-band answer, or give None where the work is to be done."""
        self.calls += 1
        if self.scenario == "fails":
            raise OSError("the mechanism failed")
        if self.scenario == "hangs":
            await asyncio.Event().wait()
        return in_band if self.scenario == "in-band-error" else None

    def meet_blocking(self, in_band: Any) -> Any:
        """The same for a mechanism that runs in a thread."""
        self.calls += 1
        if self.scenario == "fails":
            raise OSError("the mechanism failed")
        if self.scenario == "hangs":
            self._release.wait(30)
        return in_band if self.scenario == "in-band-error" else None

    def release(self) -> None:
        self._release.set()

    def built(self, port: Any, dispose: Callable[[], Any] | None = None) -> BuiltSubject:
        def end() -> Any:
            self.release()
            return dispose() if dispose is not None else None

        return BuiltSubject(port=port, underlying_calls=lambda: self.calls, dispose=end)


def corpus(root: Path) -> CorpusPortSubject:
    (root / "a.json").write_bytes(b"{}")

    def build(scenario: Scenario) -> BuiltSubject:
        counter = Counter(scenario)

        def read(path: str) -> Any:
            return counter.meet_blocking({"error": "unreadable"}) or Path(path).read_bytes()

        return counter.built(LocalCorpus(root, read).resolve)

    return CorpusPortSubject(name="LocalCorpus", sample_request={"privateRef": "a.json"}, build=build)


def clock() -> ClockPortSubject:
    def build(scenario: Scenario) -> BuiltSubject:
        counter = Counter(scenario)

        class HangingClock(SystemClock):
            """The clock's mechanism answers at once, so only here can it be made to hang."""

            async def _call(self, request: Any, signal: Any) -> object:
                return await counter.meet({"error": "stopped"}) or await super()._call(request, signal)

        return counter.built(HangingClock().read)

    return ClockPortSubject(name="SystemClock", sample_request={}, build=build)


def files(root: Path) -> FileSystemPortSubject:
    path = str(root / "f")
    Path(path).write_bytes(b"before")

    class Counted:
        def __init__(self, counter: Counter) -> None:
            self._counter = counter

        def read(self, path: str) -> Any:
            return self._counter.meet_blocking({"error": "unreadable"}) or Path(path).read_bytes()

        def write(self, path: str, data: bytes) -> Any:
            return self._counter.meet_blocking(-1) or Path(path).write_bytes(data)

    def build(method: str) -> Callable[[Scenario], BuiltSubject]:
        def built(scenario: Scenario) -> BuiltSubject:
            counter = Counter(scenario)
            return counter.built(getattr(LocalFiles(Counted(counter)), method))

        return built

    return FileSystemPortSubject(
        read=PortSubject(name="LocalFiles", sample_request={"path": path}, build=build("read_file")),
        write=PortSubject(name="LocalFiles", sample_request={"path": path, "bytes": b"x"}, build=build("write_file")),
    )


class ServerThread:
    """A scripted server in an event loop and a thread of its own, so that its port is known before the suite runs."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return asyncio.run_coroutine_threadsafe(self.server.__aenter__(), self._loop).result(10)

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _stop(self) -> None:
        await self.server.__aexit__(None, None, None)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def slow(received: Received, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


HTTP_ANSWERS: dict[str, Any] = {
    "/": response(200, b"{}"),
    "/fault": response(500),
    "/away": response(302, b"", "Location: http://169.254.169.254/"),
    "/loop": response(302, b"", "Location: /loop"),
    "/large": response(200, b"x" * 5000),
    "/slow": slow,
}


class CountedExchanges:
    """Direct connections, counted."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self._direct = DirectConnections()

    async def exchange(self, exchange: Any) -> Any:
        return await self._counter.meet(HttpAnswer(0, (), b"")) or await self._direct.exchange(exchange)


def http(
    port: int, adapt: Callable[[HttpAdapter, CountedExchanges], Any] = lambda adapter, mechanism: adapter
) -> ProbeSubject:
    """The HTTP adapter; `adapt` may wrap it into one that breaks a rule."""
    denied = {
        "loopback": "127.0.0.9",
        "private": "10.0.0.1",
        "link-local": "169.254.1.1",
        "metadata": "169.254.169.254",
    }
    policy: HttpPolicy = validated(
        HttpPolicy,
        {
            "authorizations": [
                authorization(port, maxRedirects=2, methods=["GET"], maxElapsedMs=1000),
                authorization(port, interfaceId="secure", scheme="https", methods=["GET"]),
                *(
                    authorization(port, interfaceId=name, host=f"{name}.test", addresses=["93.184.216.34"])
                    for name in denied
                ),
            ],
            "connections": {"secure": {"baseUrl": f"http://orders.test:{port}"}},
        },
    )

    def build(scenario: Scenario) -> BuiltSubject:
        counter = Counter(scenario)
        names = Names({f"{name}.test": [address] for name, address in denied.items()})
        mechanism = CountedExchanges(counter)
        return counter.built(adapt(HttpAdapter(policy, mechanism, resolve=names), mechanism).probe)

    def sent(path: str = "/", interface: str = "orders", method: str = "GET") -> dict[str, Any]:
        return {**made.api("operation", interface), "pathTemplate": path, "method": method}

    return ProbeSubject(
        name="HttpAdapter",
        sample_request=sent(),
        build=build,
        policy=policy,
        authorized_request=sent(),
        faulting_request=sent("/fault"),
        unmapped_request=sent(interface="nowhere"),
        denied_address_requests=DeniedAddressRequests(
            loopback=sent(interface="loopback"),
            private=sent(interface="private"),
            link_local=sent(interface="link-local"),
            metadata=sent(interface="metadata"),
        ),
        unauthorized_method_request=sent(method="DELETE"),
        unauthorized_scheme_request=sent(interface="secure"),
        redirecting_request=sent("/away"),
        over_redirect_request=sent("/loop"),
        oversize_response_request=sent("/large"),
        slow_request=sent("/slow"),
    )


class CountedProcesses(LocalProcesses):
    """Local processes, counted."""

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter

    async def run(self, run: Any, signal: Any) -> Any:
        odd = CommandResult(exit_code="failed", stdout="", stderr="")  # type: ignore[arg-type]
        return await self._counter.meet(odd) or await super().run(run, signal)


def command(root: Path, mechanism: Callable[[Counter], CountedProcesses] = CountedProcesses) -> CommandProbeSubject:
    """The command-line adapter over a script; `mechanism` may break a rule."""
    policy = parse_command_target_policy(
        {
            "authorizations": [
                {
                    "interfaceId": "shell",
                    "executable": "tool",
                    "target": sys.executable,
                    "permittedSubcommandPaths": [[]],
                    "permittedEnvironmentKeys": ["LANG"],
                    "cwd": str(root),
                    "artifacts": {"report": "report.txt"},
                    "maxElapsedMs": 2000,
                    "maxOutputBytes": 10_000,
                }
            ]
        }
    )

    def build(scenario: Scenario) -> BuiltSubject:
        counter = Counter(scenario)
        return counter.built(CommandLineAdapter(policy, mechanism(counter)).probe)

    def sent(*words: str, executable: str = "tool", interface: str = "shell", **changes: Any) -> dict[str, Any]:
        request = made.cli("operation", executable, interface, **changes)
        request["channels"]["argument"] = {"words": [SCRIPT, *words]}
        return request

    return CommandProbeSubject(
        name="CommandLineAdapter",
        sample_request=sent("argv"),
        build=build,
        policy=policy,
        authorized_request=sent("argv", environment={"LANG": "C"}),
        non_zero_exit_request=sent("exit", "3"),
        unmapped_interface_request=sent("argv", interface="nowhere"),
        unmapped_executable_request=sent("argv", executable="other"),
        unauthorized_subcommand_request=sent("argv", subcommandPath=["drop"]),
        unauthorized_environment_key_request=sent("argv", environment={"HOME": "/"}),
        injection_request=sent("argv", "$(echo injected); echo 'x' \"y\" *"),
        injection_argument_value="$(echo injected); echo 'x' \"y\" *",
        artifact_request=sent("write", "report.txt", "all done"),
        artifact_id="report",
        artifact_expected_text="all done",
        over_elapsed_request=sent("sleep"),
        over_output_request=sent("flood"),
    )


class CountedServers(LocalServers):
    """Local tool servers, counted."""

    def __init__(self, counter: Counter) -> None:
        super().__init__()
        self._counter = counter

    async def call_tool(self, call: Any, signal: Any) -> Any:
        odd = ToolAnswer(is_error="failed", body={"kind": "absent"}, reading="structured")  # type: ignore[arg-type]
        return await self._counter.meet(odd) or await super().call_tool(call, signal)


def mcp(mechanism: Callable[[Counter], CountedServers] = CountedServers) -> McpProbeSubject:
    """The MCP adapter over a server of our own; `mechanism` may break a rule."""
    policy = parse_mcp_target_policy(
        {
            "authorizations": [
                {
                    "interfaceId": "notes",
                    "target": sys.executable,
                    "targetArgs": [SCRIPT, "serve"],
                    "tools": ["find", "refuse", "sleep", "flood"],
                    "cwd": "/",
                    "serverEnvironment": {},
                    "maxElapsedMs": 3000,
                    "maxOutputBytes": 10_000,
                }
            ]
        }
    )

    def build(scenario: Scenario) -> BuiltSubject:
        counter = Counter(scenario)
        adapter = McpAdapter(policy, mechanism(counter))
        return counter.built(adapter.probe, adapter.aclose)

    said = {"b": [1, None, "ü"], "a": {"10": True}}
    echo = made.mcp("operation")
    echo["channels"]["arguments"] = {"say": said}
    return McpProbeSubject(
        name="McpAdapter",
        sample_request=made.mcp("operation"),
        build=build,
        policy=policy,
        authorized_request=made.mcp("operation"),
        error_result_request=made.mcp("operation", "refuse"),
        unmapped_interface_request=made.mcp("operation", interface="nowhere"),
        unauthorized_tool_request=made.mcp("operation", "drop"),
        argument_echo_request=echo,
        argument_echo_value=said,
        argument_echo_result_key="said",
        structured_result_request=made.mcp("operation"),
        structured_result_keys=("said", "total"),
        over_elapsed_request=made.mcp("operation", "sleep"),
        over_result_bytes_request=made.mcp("operation", "flood"),
    )
