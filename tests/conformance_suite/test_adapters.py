"""Every shipped adapter conforms, and an adapter with one rule broken does not."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.http_probe import HttpAdapter
from evalnb.conformance import Subject, check_conformance, format_conformance_report
from evalnb.engine.faults import RuntimeFault
from tests.adapters.http_server import ScriptedServer
from tests.conformance_suite import adapters
from tests.conformance_suite.adapters import (
    HTTP_ANSWERS,
    CountedExchanges,
    CountedProcesses,
    CountedServers,
    Counter,
    ServerThread,
)


@pytest.mark.parametrize("subject", [adapters.corpus, adapters.files, adapters.command])
def test_an_adapter_of_files_or_commands_conforms(subject: Callable[[Path], Subject], tmp_path: Path) -> None:
    conforms(subject(tmp_path))


@pytest.mark.parametrize("subject", [adapters.clock, adapters.mcp])
def test_an_adapter_of_its_own_conforms(subject: Callable[[], Subject]) -> None:
    conforms(subject())


def test_the_http_adapter_conforms() -> None:
    with ServerThread(ScriptedServer(HTTP_ANSWERS)) as server:
        conforms(adapters.http(server.port))


def conforms(subject: Subject) -> None:
    report = check_conformance(subject)
    assert report.passed, format_conformance_report(report)


class Wrapped:
    """An HTTP adapter with its probe replaced."""

    def __init__(self, adapter: HttpAdapter, mechanism: CountedExchanges) -> None:
        self.adapter = adapter
        self.mechanism = mechanism


class Retrying(Wrapped):
    async def probe(self, request: Any, signal: Any) -> Any:
        try:
            return await self.adapter.probe(request, signal)
        except RuntimeFault as fault:
            if fault.code != "port-failure":
                raise
            return await self.adapter.probe(request, signal)


class DeniesAfterwards(Wrapped):
    """Asks the policy only once the request is out."""

    async def probe(self, request: Any, signal: Any) -> Any:
        try:
            return await self.adapter.probe(request, signal)
        except RuntimeFault as fault:
            if fault.reason == "method-not-authorized":
                self.mechanism._counter.calls += 1
            raise


class CallsEveryCapAnAbort(Wrapped):
    async def probe(self, request: Any, signal: Any) -> Any:
        try:
            return await self.adapter.probe(request, signal)
        except RuntimeFault as fault:
            if "maxElapsedMs" in fault.detail:
                raise RuntimeFault("aborted", fault.artifact_path, fault.detail) from fault
            raise


class FaultsOnServerErrors(Wrapped):
    async def probe(self, request: Any, signal: Any) -> Any:
        observation = await self.adapter.probe(request, signal)
        if observation.status >= 500:
            raise RuntimeFault("port-failure", "ProbeObservation", "the server failed")
        return observation


class AnswersWithoutCorrelation(Wrapped):
    async def probe(self, request: Any, signal: Any) -> Any:
        observation = await self.adapter.probe(request, signal)
        return observation.model_copy(update={"probe_id": "another"})


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        (Retrying, ["probe/single-underlying-call-on-failure"]),
        (DeniesAfterwards, ["probe/deny-unauthorized-method"]),
        (CallsEveryCapAnAbort, ["probe/cap-elapsed"]),
        (FaultsOnServerErrors, ["probe/observe-anomalous-status"]),
        (AnswersWithoutCorrelation, ["probe/allow-authorized-loopback", "probe/observe-anomalous-status"]),
    ],
)
def test_a_broken_http_adapter_is_found_out(broken: type[Wrapped], failing: list[str]) -> None:
    with ServerThread(ScriptedServer(HTTP_ANSWERS)) as server:
        assert failures(adapters.http(server.port, broken)) == failing


class ThroughAShell(CountedProcesses):
    """Runs a line of shell, with the arguments as they are written."""

    async def run(self, run: Any, signal: Any) -> Any:
        line = " ".join([*map(shlex.quote, run.argv[:2]), *run.argv[2:]])
        return await super().run(replace(run, argv=("/bin/sh", "-c", line)), signal)


class ReadsNoArtifacts(CountedProcesses):
    async def read_artifact(self, path: str, max_bytes: int) -> Any:
        found = await super().read_artifact(path, max_bytes)
        return replace(found, present=False)


class RunsUncapped(CountedProcesses):
    async def run(self, run: Any, signal: Any) -> Any:
        return await super().run(replace(run, max_output_bytes=10**9), signal)


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        (ThroughAShell, ["command/argument-passed-literally", "command/capture-declared-artifact"]),
        (ReadsNoArtifacts, ["command/capture-declared-artifact"]),
        (RunsUncapped, ["command/cap-output-bytes"]),
    ],
)
def test_a_broken_command_adapter_is_found_out(
    broken: Callable[[Counter], CountedProcesses], failing: list[str], tmp_path: Path
) -> None:
    assert failures(adapters.command(tmp_path, broken)) == failing


class DropsResults(CountedServers):
    async def call_tool(self, call: Any, signal: Any) -> Any:
        return replace(await super().call_tool(call, signal), body={"kind": "absent"})


class SendsText(CountedServers):
    async def call_tool(self, call: Any, signal: Any) -> Any:
        return await super().call_tool(replace(call, arguments={k: str(v) for k, v in call.arguments.items()}), signal)


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        (
            DropsResults,
            ["mcp/observe-error-result", "mcp/arguments-passed-as-declared", "mcp/observe-declared-result-channel"],
        ),
        (SendsText, ["mcp/arguments-passed-as-declared"]),
    ],
)
def test_a_broken_mcp_adapter_is_found_out(broken: Callable[[Counter], CountedServers], failing: list[str]) -> None:
    assert failures(adapters.mcp(broken)) == failing


def failures(subject: Subject) -> list[str]:
    return [outcome.id for outcome in check_conformance(subject).failures]
