"""A live pre-flight of the packaged desk: what is recorded of it is what it answers now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.engine.canonical import scan_json
from evalnb.probing import LegFault, LegProgress
from tests.probing import live_triage
from tests.probing.live_triage import builds, contract, planning_list, targets, write


@pytest.fixture
def ports() -> Iterator[dict[str | None, int]]:
    with builds() as started:
        yield started


@pytest.fixture
def flags(tmp_path: Path, ports: dict[str | None, int]) -> list[str]:
    """The flags of `evalnb probe` but for its output."""
    return [
        "--contract", str(write(tmp_path, "contract.json", contract())),
        "--probes", str(write(tmp_path, "probes.json", planning_list())),
        "--targets", str(write(tmp_path, "targets.json", targets(ports))),
        "--run-id", "live",
    ]  # fmt: skip


def without_length(observations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The recorder leaves the transport's own header out."""
    kept = [{key: value for key, value in one["headers"].items() if key != "content-length"} for one in observations]
    return [{**one, "headers": headers} for one, headers in zip(observations, kept, strict=True)]


def test_the_live_answers_are_the_packaged_observations(ports: dict[str | None, int]) -> None:
    seen: list[LegProgress] = []
    run = ev.probe(contract(), planning_list(), targets(ports), run_id="live", on_leg=seen.append)
    assert run.verdict.passed
    assert without_length(run.observation_documents) == live_triage.recorded_observations()
    assert run.unused == ()
    assert [one.state for one in seen] == ["planned", "observed"] * len(run.observations)
    assert seen[-1].done == seen[-1].total == len(run.observations)


def test_preflight_over_the_saved_observations_gives_the_same_bytes(
    flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = tmp_path / "live"
    assert main(["probe", *flags, "--out", str(live)]) == 0
    live_lines = capsys.readouterr().err
    again = tmp_path / "again"
    given = [*flags[:4], *flags[6:], "--observations", str(live / "observations.json"), "--out", str(again)]
    assert main(["preflight", *given]) == 0
    assert (again / "preflight-verdict.json").read_bytes() == (live / "preflight-verdict.json").read_bytes()
    assert capsys.readouterr().err == live_lines
    assert not (live / "observations.partial.json").exists()


def test_reads_side_by_side_come_to_the_same_verdict(ports: dict[str | None, int]) -> None:
    one = ev.probe(contract(), planning_list(), targets(ports), run_id="live")
    with builds() as fresh:
        many = ev.probe(contract(), planning_list(), targets(fresh), run_id="live", concurrency=4)
    assert [item.probe_id for item in many.observations] == [item.probe_id for item in one.observations]
    assert [check.outcome for check in many.verdict.checks] == [check.outcome for check in one.verdict.checks]


def test_without_overrides_no_fault_fires(ports: dict[str | None, int]) -> None:
    clean = {"api": live_triage.api_section(ports[None])}
    run = ev.probe(contract(), planning_list(), clean, run_id="live")
    fired = {check.outcome for check in run.verdict.checks if check.kind == "seeded-fault-fired"}
    assert fired == {"failed"}


def test_a_leg_override_goes_before_a_probe_override(ports: dict[str | None, int]) -> None:
    given = targets(ports)
    given["overrides"].append({"legs": ["fault-late-hazard"], "api": live_triage.api_section(ports[None])})
    given["overrides"].append({"legs": ["no-such-leg"], "api": live_triage.api_section(ports[None])})
    run = ev.probe(contract(), planning_list(), given, run_id="live")
    failed = [check.note for check in run.verdict.checks if check.outcome == "failed"]
    assert failed == ["D-001: the manifestation witness resolved false on its own fault leg"]
    assert run.unused == ("no-such-leg",)


def test_a_fault_names_the_leg_and_keeps_what_was_observed(
    flags: list[str], tmp_path: Path, ports: dict[str | None, int], capsys: pytest.CaptureFixture[str]
) -> None:
    given = targets(ports)
    given["overrides"][2]["api"]["authorizations"][0]["methods"] = ["PUT"]
    write(tmp_path, "targets.json", given)
    live = tmp_path / "live"
    assert main(["probe", *flags, "--out", str(live)]) == 5
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith('evalnb: forbidden-target: ProbeRequest: leg "fault-invented-promise": ')
    assert not (live / "observations.json").exists()
    assert not (live / "preflight-verdict.json").exists()
    kept = scan_json((live / "observations.partial.json").read_bytes(), "ProbeObservation")
    expected = [one["probeId"] for one in live_triage.recorded_observations()]
    assert [one["probeId"] for one in kept] == expected[: expected.index("fault-invented-promise")]


def test_a_fault_carries_its_observations(ports: dict[str | None, int]) -> None:
    given = targets(ports)
    given["overrides"][0]["api"]["authorizations"][0]["methods"] = ["PUT"]
    with pytest.raises(LegFault) as caught:
        ev.probe(contract(), planning_list(), given, run_id="live")
    assert caught.value.leg_id == "fault-late-hazard"
    assert caught.value.reason == "method-not-authorized"
    assert len(caught.value.observations) > 5


def test_a_running_event_loop_is_no_obstacle(ports: dict[str | None, int]) -> None:
    async def cell() -> tuple[bool, bool]:
        plain = ev.probe(contract(), [], targets(ports), run_id="live")
        awaited = await ev.probe_async(contract(), [], targets(ports), run_id="live")
        return plain.verdict.passed, awaited.verdict.passed

    assert asyncio.run(cell()) == (True, True)
