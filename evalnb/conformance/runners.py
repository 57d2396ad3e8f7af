"""Running the suite over a subject: one runner a port, and one that picks the runner by the subject's type.

spec: 10 §9.1
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from evalnb.conformance.arm import ArmAssertion, arm_outcome
from evalnb.conformance.command_arm import COMMAND_ARM
from evalnb.conformance.http_arm import HTTP_ARM
from evalnb.conformance.mcp_arm import MCP_ARM
from evalnb.conformance.report import Claim, ConformanceReport, Outcome, in_published_order
from evalnb.conformance.shared_assertions import MethodUnderTest, ResponseParser, shared_outcomes
from evalnb.conformance.subjects import (
    ClockPortSubject,
    CommandProbeSubject,
    CorpusPortSubject,
    FileSystemPortSubject,
    McpProbeSubject,
    PortSubject,
    ProbeSubject,
    Subject,
)
from evalnb.engine.artifacts.port_messages import (
    ClockReadResponse,
    CorpusResolveResponse,
    FileReadResponse,
    FileWriteResponse,
)
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.preflight.probe_port import parse_probe_observation


def _shape(shape: Any) -> ResponseParser:
    return lambda value: validated(shape, value)


_RESOLVE: Final = MethodUnderTest("resolve", _shape(CorpusResolveResponse))
_READ: Final = MethodUnderTest("read", _shape(ClockReadResponse))
_READ_FILE: Final = MethodUnderTest("readFile", _shape(FileReadResponse))
_WRITE_FILE: Final = MethodUnderTest("writeFile", _shape(FileWriteResponse))
_PROBE: Final = MethodUnderTest("probe", parse_probe_observation)


async def run_corpus_port_conformance(subject: PortSubject) -> ConformanceReport:
    """Assert everything about a corpus port."""
    return ConformanceReport(subject.name, "corpus", await _method_outcomes(_RESOLVE, subject))


async def run_clock_port_conformance(subject: PortSubject) -> ConformanceReport:
    """Assert everything about a clock port."""
    return ConformanceReport(subject.name, "clock", await _method_outcomes(_READ, subject))


async def run_file_system_port_conformance(read: PortSubject, write: PortSubject) -> ConformanceReport:
    """Assert everything about a file-system port, its reading first."""
    both = FileSystemPortSubject(read=read, write=write)
    outcomes = await _method_outcomes(_READ_FILE, read) + await _method_outcomes(_WRITE_FILE, write)
    return ConformanceReport(both.name, "file-system", outcomes)


async def run_environment_probe_port_conformance(subject: ProbeSubject) -> ConformanceReport:
    """Assert everything about an environment probe over HTTP."""
    return await _probe_report("environment-probe", subject, HTTP_ARM)


async def run_command_line_probe_conformance(subject: CommandProbeSubject) -> ConformanceReport:
    """Assert everything about an environment probe over commands."""
    return await _probe_report("command-probe", subject, COMMAND_ARM)


async def run_mcp_probe_conformance(subject: McpProbeSubject) -> ConformanceReport:
    """Assert everything about an environment probe over tool servers."""
    return await _probe_report("mcp-probe", subject, MCP_ARM)


async def run_conformance(subject: Subject) -> ConformanceReport:
    """Assert everything about a subject of any port; TypeError for anything that is no subject."""
    match subject:
        case CorpusPortSubject():
            return await run_corpus_port_conformance(subject)
        case ClockPortSubject():
            return await run_clock_port_conformance(subject)
        case FileSystemPortSubject():
            return await run_file_system_port_conformance(subject.read, subject.write)
        case ProbeSubject():
            return await run_environment_probe_port_conformance(subject)
        case CommandProbeSubject():
            return await run_command_line_probe_conformance(subject)
        case McpProbeSubject():
            return await run_mcp_probe_conformance(subject)
    raise TypeError(f"{type(subject).__name__} is no conformance subject")


def check_conformance(subject: Subject) -> ConformanceReport:
    """`run_conformance` in an event loop of its own."""
    return asyncio.run(run_conformance(subject))


def claims_about(subject: Subject) -> tuple[Claim, ...]:
    """The assertions that a report about `subject` will hold, in order; TypeError for anything that is no subject."""
    for kind, claims in _CLAIMS.items():
        if isinstance(subject, kind):
            return claims
    raise TypeError(f"{type(subject).__name__} is no conformance subject")


_CLAIMS: Final[dict[type[Any], tuple[Claim, ...]]] = {
    CorpusPortSubject: _RESOLVE.claims,
    ClockPortSubject: _READ.claims,
    FileSystemPortSubject: _READ_FILE.claims + _WRITE_FILE.claims,
    ProbeSubject: _PROBE.claims + tuple(assertion.claim for assertion in HTTP_ARM),
    CommandProbeSubject: _PROBE.claims + tuple(assertion.claim for assertion in COMMAND_ARM),
    McpProbeSubject: _PROBE.claims + tuple(assertion.claim for assertion in MCP_ARM),
}


async def _method_outcomes(method: MethodUnderTest, subject: PortSubject) -> tuple[Outcome, ...]:
    return in_published_order(method.claims, await shared_outcomes(method, subject))


async def _probe_report(port: str, subject: PortSubject, arm: Sequence[ArmAssertion[Any]]) -> ConformanceReport:
    shared = await _method_outcomes(_PROBE, subject)
    outcomes = [await arm_outcome(assertion, subject) for assertion in arm]
    return ConformanceReport(subject.name, port, shared + in_published_order([a.claim for a in arm], outcomes))
