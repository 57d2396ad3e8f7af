"""Servers that nobody here wrote, under the packaged contracts: they can be measured, and their answers differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpus import UnknownExample, example, example_recording, example_targets, examples
from evalnb.engine.canonical import serialize_artifact
from tests.probing.real_servers import COMMANDS, fixture


def witnesses(contract: dict[str, Any]) -> list[tuple[str, str]]:
    """The two legs of every sensitivity witness."""
    return [
        tuple(leg["legId"] for leg in operation["sensitivityWitness"]["legs"])  # type: ignore[misc]
        for interface in contract["permittedInterfaces"]
        for operation in interface["operations"]
        if operation["sensitivityWitness"] is not None
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_live_preflight_passes_and_the_witnesses_really_differ(name: str, tmp_path: Path) -> None:
    server = fixture(name, tmp_path)
    run = ev.probe(example(name), [], server.example_targets(name), run_id="live")
    assert [check.note for check in run.verdict.checks if check.outcome == "failed"] == []
    assert run.verdict.passed
    answers = {one["probeId"]: (one["isError"], one["result"]) for one in run.observation_documents}
    pairs = witnesses(json.loads(example(name).read_text(encoding="utf-8")))
    assert pairs
    for first, second in pairs:
        assert answers[first] != answers[second], (first, second)
    assert all(report.output_schema != "violated" for report in run.tool_reports)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_stored_verdict_is_that_of_the_stored_observations(name: str) -> None:
    folder = example_recording(name)
    verdict = ev.preflight(example(name), [], folder / "observations.json", run_id="recorded")
    assert verdict.passed
    text = serialize_artifact(verdict.document, "PreflightVerdict")
    assert (folder / "preflight-verdict.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", ["time-server", "everything-server"])
def test_a_second_run_finds_the_fixture_that_was_recorded(name: str, tmp_path: Path) -> None:
    server = fixture(name, tmp_path)
    run = ev.probe(example(name), [], server.example_targets(name), run_id="recorded")
    stored = json.loads((example_recording(name) / "preflight-verdict.json").read_text(encoding="utf-8"))
    assert run.verdict.document == stored


def test_the_servers_of_the_examples_are_the_ones_tried_here() -> None:
    served = [info.name for info in examples() if info.server is not None]
    assert served == list(COMMANDS)
    for name in served:
        authorization = json.loads(example_targets(name).read_text(encoding="utf-8"))["mcp"]["authorizations"][0]
        assert authorization["target"] == COMMANDS[name]
        tools = {
            operation["toolName"]
            for interface in json.loads(example(name).read_text(encoding="utf-8"))["permittedInterfaces"]
            for operation in interface["operations"]
        }
        assert set(authorization["tools"]) == tools
    with pytest.raises(UnknownExample):
        example_targets("meeting-calendar")
