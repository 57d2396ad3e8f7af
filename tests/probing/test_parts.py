"""The parts of a live run on their own: targets with overrides, the order of legs, the observations file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.engine.artifacts import ProbeRequest
from evalnb.engine.canonical import scan_json
from evalnb.engine.port_seam import AbortController, AbortSignal
from evalnb.engine.preflight import plan_preflight
from evalnb.engine.preflight.inputs import parse_contract, parse_probes
from evalnb.probing import LegFault, ProbeOptions, parse_live_targets, probe_through, read_live_targets
from evalnb.probing.observation_file import ObservationFile
from evalnb.probing.schedule import waves
from tests.probing import live_triage


@pytest.mark.parametrize(
    ("overrides", "where"),
    [
        ({}, "overrides: "),
        ([7], "overrides/0: "),
        ([{"api": {"authorizations": []}}], "overrides/0: "),
        ([{"legs": ["a"]}], "overrides/0: "),
        ([{"legs": [], "api": {"authorizations": []}}], "overrides/0: "),
        ([{"legs": ["a"], "cli": {"authorizations": []}}, {"legs": ["b"], "ftp": {}}], "overrides/1: "),
        ([{"legs": ["a"], "cli": {"authorizations": [{}]}}], "overrides/0: "),
    ],
)
def test_a_wrong_override_is_refused_where_it_stands(overrides: Any, where: str) -> None:
    with pytest.raises(ev.RuntimeFault) as caught:
        parse_live_targets({"overrides": overrides})
    assert caught.value.code == "schema-parse-failure"
    assert caught.value.artifact_path == "TargetsFile"
    assert caught.value.detail.startswith(where)


def test_an_override_decides_about_its_own_sections_only(tmp_path: Path) -> None:
    path = tmp_path / "targets.yaml"
    path.write_text("cli: {authorizations: []}\noverrides:\n- probes: [P-001]\n  api: {authorizations: []}\n")
    targets = read_live_targets(path)
    assert targets.route("api", "fault", "P-001") == 0
    assert targets.route("cli", "fault", "P-001") is None
    assert targets.route("api", "fault", None) is None
    assert targets.at(None).cli is not None


def plan() -> Any:
    contract, probes = parse_contract(live_triage.contract()), parse_probes(live_triage.planning_list())
    return plan_preflight(contract, probes, "run")


def test_only_reads_between_two_changes_share_a_wave() -> None:
    legs = plan().legs
    grouped = list(waves(plan()))
    assert [leg.leg_id for wave in grouped for leg in wave] == [leg.leg_id for leg in legs]
    assert any(len(wave) > 1 for wave in grouped)
    for wave in grouped:
        if len(wave) > 1:
            assert not any(leg.operation.state_change_marker or leg.purpose.startswith("control") for leg in wave)


class CannedPort:
    """Answers from the packaged observations; `breaks_at` is a leg whose answer does not come."""

    def __init__(self, breaks_at: str | None = None) -> None:
        self._answers = {one["probeId"]: one for one in live_triage.recorded_observations()}
        self._breaks_at = breaks_at
        self.under_way = self.most = 0

    async def probe(self, request: ProbeRequest, signal: AbortSignal) -> object:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(0.01)
            if request.probe_id == self._breaks_at:
                raise OSError("the wire is cut")
            return self._answers[request.probe_id]
        finally:
            self.under_way -= 1


def run(port: CannedPort, options: ProbeOptions) -> Any:
    return asyncio.run(probe_through(port, live_triage.contract(), live_triage.planning_list(), "run", options))


def test_no_more_reads_are_under_way_than_allowed() -> None:
    for concurrency in (1, 2, 8):
        port = CannedPort()
        assert run(port, ProbeOptions(concurrency=concurrency)).verdict.passed
        assert 1 <= port.most <= concurrency
        assert (port.most > 1) == (concurrency > 1)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_the_first_fault_ends_what_is_under_way(concurrency: int, tmp_path: Path) -> None:
    port, file = CannedPort("fault-stock-reply"), tmp_path / "seen.json"
    with pytest.raises(LegFault) as caught:
        run(port, ProbeOptions(concurrency=concurrency, save_observations=file))
    assert caught.value.code == "port-failure"
    assert caught.value.detail.startswith('leg "fault-stock-reply": ')
    assert port.under_way == 0
    kept = scan_json((tmp_path / "seen.partial.json").read_bytes(), "ProbeObservation")
    assert {one["probeId"] for one in kept} == {one.probe_id for one in caught.value.observations}


def test_an_abort_ends_the_run_at_a_leg() -> None:
    controller = AbortController()
    controller.abort()
    with pytest.raises(LegFault) as caught:
        run(CannedPort(), ProbeOptions(signal=controller.signal))
    assert caught.value.code == "aborted"


def test_an_empty_run_id_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ev.RuntimeFault) as caught:
        asyncio.run(probe_through(CannedPort(), live_triage.contract(), [], ""))
    assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", "runId")


def test_the_partial_file_is_a_list_after_every_observation(tmp_path: Path) -> None:
    file = ObservationFile(tmp_path / "deep" / "observations.json")
    file.begin()
    given = [{"text": "\ud800 ]\n"}, {"n": -0.0}, {"umlaut": "ä"}]
    for number, one in enumerate(given, 1):
        file.keep(one)
        assert json.loads(file.partial_path.read_text()) == given[:number]
    file.finish(list(reversed(given)))
    assert json.loads(file.path.read_text()) == given[::-1]
    assert not file.partial_path.exists()


def test_what_an_earlier_run_left_is_taken_away(tmp_path: Path) -> None:
    file = ObservationFile(tmp_path / "observations.json")
    file.partial_path.write_text("[\n1,\n2\n]\n")
    file.begin()
    assert not file.partial_path.exists()
