"""The suite that decides whether a port implementation conforms, whoever wrote it.

A port of your own is an object with one asynchronous method of (request, abort signal). Describe it to the suite as
a subject: how to build a fresh one in each of four scenarios, and what its mechanism - the thing below the port that
really does the work - was asked to do:

    from evalnb.conformance import BuiltSubject, ClockPortSubject, check_conformance

    def build(scenario):
        calls = []

        def mechanism():                      # what your port calls to get its work done
            calls.append(1)
            if scenario == "fails":
                raise OSError("no clock")
            if scenario == "in-band-error":
                return {"error": "no clock"}  # an error inside an answer
            return "2024-01-01T00:00:00Z"     # "hangs" must never answer, "resolves" answers well

        port = MyClock(mechanism)
        return BuiltSubject(port=port.read, underlying_calls=lambda: len(calls))

    def clock():
        return ClockPortSubject(name="my clock", sample_request={}, build=build)

    print(check_conformance(clock()).passed)

Then run `evalnb conformance my_module:clock`, or let pytest show every assertion as a test of its own: enable the
plugin `evalnb.conformance.pytest_plugin` and decorate the function that returns the subject with `port_conformance`.
The subjects of environment probes also carry their policy and one request for each assertion about it.

The suite uses nothing of the adapters: one that shared their decisions would pass a port that shares their mistakes.
spec: 10 §9
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalnb.engine.lazy_names import lazy_names

if TYPE_CHECKING:
    from evalnb.conformance.marks import port_conformance
    from evalnb.conformance.report import ConformanceReport, Outcome, format_conformance_report
    from evalnb.conformance.runners import (
        check_conformance,
        claims_about,
        run_clock_port_conformance,
        run_command_line_probe_conformance,
        run_conformance,
        run_corpus_port_conformance,
        run_environment_probe_port_conformance,
        run_file_system_port_conformance,
        run_mcp_probe_conformance,
    )
    from evalnb.conformance.subjects import (
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
        Subject,
    )

__all__ = [
    "BuiltSubject",
    "ClockPortSubject",
    "CommandProbeSubject",
    "ConformanceReport",
    "CorpusPortSubject",
    "DeniedAddressRequests",
    "FileSystemPortSubject",
    "McpProbeSubject",
    "Outcome",
    "PortSubject",
    "ProbeSubject",
    "Scenario",
    "Subject",
    "check_conformance",
    "claims_about",
    "format_conformance_report",
    "port_conformance",
    "run_clock_port_conformance",
    "run_command_line_probe_conformance",
    "run_conformance",
    "run_corpus_port_conformance",
    "run_environment_probe_port_conformance",
    "run_file_system_port_conformance",
    "run_mcp_probe_conformance",
]

# A test run that only has the plugin loaded pays for none of this.
__getattr__ = lazy_names(
    __name__,
    {
        "evalnb.conformance.marks": ("port_conformance",),
        "evalnb.conformance.report": (
            "ConformanceReport",
            "Outcome",
            "format_conformance_report",
        ),
        "evalnb.conformance.runners": (
            "check_conformance",
            "claims_about",
            "run_clock_port_conformance",
            "run_command_line_probe_conformance",
            "run_conformance",
            "run_corpus_port_conformance",
            "run_environment_probe_port_conformance",
            "run_file_system_port_conformance",
            "run_mcp_probe_conformance",
        ),
        "evalnb.conformance.subjects": (
            "BuiltSubject",
            "ClockPortSubject",
            "CommandProbeSubject",
            "CorpusPortSubject",
            "DeniedAddressRequests",
            "FileSystemPortSubject",
            "McpProbeSubject",
            "PortSubject",
            "ProbeSubject",
            "Scenario",
            "Subject",
        ),
    },
)
