"""Whole measurements over a tool server: what is caught is caught for a reason, and nothing else is."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.files import FileProblem
from evalnb.harness import (
    Measurement,
    MeasurementStopped,
    MeasureOptions,
    measure as ev_measure,
    open_measurement,
    parse_user_mutants,
    run_measurement,
)
from tests.harness import notes

CHANGING = ("dropped-write", "doubled-write", "stale-read", "delayed-effect")


@cache
def strong() -> Measurement:
    return run_measurement(notes.strong(), notes.targets())


def statuses(measurement: Measurement) -> dict[str, str]:
    return {mutant.spec.mutant_id: mutant.status for mutant in measurement.mutants}


def named(mode: str) -> dict[str, Any]:
    return {"id": mode, "summary": mode, "environment": {"MODE": mode}}


def user(mode: str) -> Any:
    return parse_user_mutants({"mutants": [named(mode)]})


def test_a_strong_contract_catches_defects_through_a_qualified_probe_and_a_witnessed_citation() -> None:
    measurement = strong()
    assert measurement.overall.rate is not None
    assert measurement.overall.rate > 0.7
    assert not [m for m in measurement.mutants if m.status == "caught" and not m.caught_by]
    assert measurement.strength is not None
    defect = measurement.strength.classes.defect
    zero_action = measurement.strength.classes.zero_action
    assert defect is not None
    assert zero_action is not None
    assert defect.caught + zero_action.caught == measurement.overall.caught
    assert all(
        statuses(measurement)[f"{name}-notes-add-note"] == "caught" for name in ("dropped-write", "doubled-write")
    )


def test_every_survivor_comes_with_an_oracle_that_would_have_caught_it() -> None:
    measurement = strong()
    assert measurement.survivors
    for survivor in measurement.survivors:
        assert survivor.suggestion is not None, survivor.mutant_id
        assert survivor.clean != survivor.mutated
        assert survivor.differing


def test_a_vacuous_contract_catches_nothing_that_changes_state() -> None:
    measurement = run_measurement(notes.contract(notes.VACUOUS), notes.targets(), MeasureOptions(operators=CHANGING))
    assert measurement.overall.caught == 0
    assert measurement.overall.scored >= 3


def test_an_oracle_that_cannot_fail_is_shown_to_catch_nothing() -> None:
    options = MeasureOptions(operators=("dropped-write", "emptied-collection", "nulled-field"))
    measurement = run_measurement(notes.contract(notes.READ_BACK, notes.NEVER_FAILS), notes.targets(), options)
    assert measurement.overall.caught > 0
    assert measurement.silent_oracles == ("O-002",)


def test_without_an_oracle_exactly_what_it_alone_caught_survives() -> None:
    measurement = strong()
    without = run_measurement(notes.contract(notes.READ_BACK, notes.ACKNOWLEDGED), notes.targets())
    alone = {m.spec.mutant_id for m in measurement.mutants if m.caught_by == ("O-002",)}
    lost = {name for name, status in statuses(measurement).items() if status == "caught"}
    lost -= {name for name, status in statuses(without).items() if status == "caught"}
    assert alone
    assert lost == alone


BROKEN = {
    "dies": "ended",
    "hangs": "maxElapsedMs",
    "floods": "maxOutputBytes",
    "garbage": "JSON",
}
"""What is said of each way to break."""


def running() -> set[str]:
    """The command lines of all processes that serve notes."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return {line for line in listed.splitlines() if notes.SERVER.name in line}


@cache
def unbroken() -> dict[str, tuple[str, tuple[str, ...]]]:
    options = MeasureOptions(operators=("dropped-write",), mutants=tuple(user("lossy")), trials=1)
    return outcomes(run_measurement(notes.strong(), notes.targets(), options))


def outcomes(measurement: Measurement) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {mutant.spec.mutant_id: (mutant.status, mutant.caught_by) for mutant in measurement.mutants}


@pytest.mark.parametrize("when", ["-early", ""], ids=["at its first call", "in the middle of the plan"])
@pytest.mark.parametrize("mode", BROKEN)
def test_a_system_that_breaks_costs_that_mutant_only(
    mode: str, when: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, before = unbroken(), running()
    for name, document in (
        ("contract", notes.strong()),
        ("targets", notes.targets(elapsed_ms=1500)),
        ("mutants", {"mutants": [named(f"{mode}{when}"), named("lossy")]}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    given = [part for name in ("contract", "targets", "mutants") for part in (f"--{name}", f"{tmp_path}/{name}.json")]
    out = tmp_path / "out"
    assert main(["measure", *given, "--operators", "dropped-write", "--trials", "1", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    [line] = [line for line in told.splitlines() if line.startswith(f"broken: user-{mode}{when}: ")]
    assert BROKEN[mode] in line
    assert "2 caught, 1 broken" in told
    found = outcomes(open_measurement(out))
    assert found.pop(f"user-{mode}{when}")[0] == "broken"
    assert found == expected
    assert running() == before


def test_a_defect_that_shows_in_one_trial_of_three_is_never_caught_by_luck() -> None:
    measurement = run_measurement(
        notes.strong(), notes.targets(), MeasureOptions(operators=(), mutants=tuple(user("flaky")))
    )
    assert statuses(measurement) == {"user-flaky": "unreached"}


def test_a_clean_system_that_fails_an_oracle_stops_the_measurement_and_says_which() -> None:
    check = notes.equal("list-after/response-body/total", 2)
    with pytest.raises(MeasurementStopped) as stopped:
        run_measurement(notes.contract(check), notes.targets(), MeasureOptions(operators=("dropped-write",)))
    assert any("O-001" in reason for reason in stopped.value.reasons)


def test_a_system_that_cannot_be_started_stops_the_measurement() -> None:
    targets = notes.targets()
    targets["mcp"]["authorizations"][0]["target"] = "/nowhere/notes"
    with pytest.raises(MeasurementStopped, match="cannot be asked"):
        run_measurement(notes.strong(), targets)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".measure" not in path.parts
    }


def test_one_and_two_jobs_and_a_resumed_run_leave_the_same_bytes(tmp_path: Path) -> None:
    operators = ("dropped-write", "nulled-field", "leaked-field")
    for name, jobs in (("one", 1), ("two", 2)):
        options = MeasureOptions(operators=operators, jobs=jobs, out=tmp_path / name)
        run_measurement(notes.strong(), notes.targets(), options)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    before = tree(tmp_path / "one")
    (tmp_path / "one" / ".measure" / "nulled-field-notes-add-note.json").unlink()
    (tmp_path / "one" / "measurement.json").unlink()
    run_measurement(
        notes.strong(), notes.targets(), MeasureOptions(operators=operators, out=tmp_path / "one", resume=True)
    )
    assert tree(tmp_path / "one") == before


def test_a_stopped_measurement_goes_on_where_it_was(tmp_path: Path) -> None:
    told: list[str | None] = []

    def stop(progress: Any) -> None:
        told.append(progress.mutant_id)
        if progress.done == 2:
            raise KeyboardInterrupt

    operators = ("dropped-write", "nulled-field")
    with pytest.raises(KeyboardInterrupt):
        run_measurement(
            notes.strong(), notes.targets(), MeasureOptions(operators=operators, out=tmp_path, on_progress=stop)
        )
    rest: list[Any] = []
    options = MeasureOptions(operators=operators, out=tmp_path, resume=True, on_progress=rest.append)
    measurement = run_measurement(notes.strong(), notes.targets(), options)
    assert rest[0].done == 2
    assert [one.mutant_id for one in rest[1:]] == [m.spec.mutant_id for m in measurement.mutants][2:]


def test_a_folder_of_another_measurement_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="not empty"):
        run_measurement(notes.strong(), notes.targets(), MeasureOptions(out=tmp_path))


def test_what_changed_is_named_where_a_measurement_cannot_go_on(tmp_path: Path) -> None:
    options = MeasureOptions(operators=("dropped-write",), trials=1, out=tmp_path / "out")
    run_measurement(notes.strong(), notes.targets(), options)
    changed = replace(options, trials=2, resume=True)
    with pytest.raises(
        FileProblem, match=r"of another targets, another policy, another number of trials; name another"
    ):
        run_measurement(notes.strong(), notes.targets(elapsed_ms=19_000), changed)


def test_the_folder_is_an_ordinary_evaluation(tmp_path: Path) -> None:
    out = tmp_path / "measured"
    measurement = run_measurement(
        notes.strong(), notes.targets(), MeasureOptions(operators=("dropped-write",), out=out)
    )
    corpus = ev.open_corpus(out)
    assert not corpus.problems
    assert len(corpus.scored) == 1 + measurement.overall.scored
    again = ev.run(out)
    assert {arm.arm.probe.probe_id for arm in again.arms} == {"P-000", "P-001"}
    assert json.loads((out / "evaluator-configuration.json").read_text())["modelSnapshot"] == "none: no model is asked"


def test_the_strengthened_contract_catches_more(tmp_path: Path) -> None:
    weak = notes.contract(notes.ACKNOWLEDGED)
    first = run_measurement(weak, notes.targets(), MeasureOptions(operators=CHANGING, out=tmp_path / "weak"))
    stronger = json.loads((tmp_path / "weak" / "strengthened-contract.json").read_text(encoding="utf-8"))
    second = run_measurement(stronger, notes.targets(), MeasureOptions(operators=CHANGING))
    assert first.overall.caught == 0
    assert second.overall.caught == second.overall.scored > 0


def test_a_cell_with_a_running_event_loop_can_measure() -> None:
    async def cell() -> Measurement:
        return ev_measure(notes.strong(), notes.targets(), operators=["dropped-write"], trials=1)

    assert asyncio.run(cell()).overall.caught == 1


def test_a_measurement_that_could_not_begin_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    broken = notes.targets()
    broken["mcp"]["authorizations"][0]["target"] = "nosuchcmd"
    new, empty = tmp_path / "new", tmp_path / "empty"
    empty.mkdir()
    for folder in (new, empty):
        with pytest.raises(MeasurementStopped, match="name a command on PATH"):
            run_measurement(notes.strong(), broken, MeasureOptions(out=folder))
    with pytest.raises(ValueError, match="no-such-operator"):
        run_measurement(notes.strong(), notes.targets(), MeasureOptions(out=new, operators=("no-such-operator",)))
    assert not new.exists()
    options = MeasureOptions(out=new, operators=("dropped-write",), trials=1)
    assert run_measurement(notes.strong(), notes.targets(), options).overall.scored


def test_relative_names_begin_at_the_folder_of_the_targets_file(tmp_path: Path) -> None:
    beside = tmp_path / "somewhere"
    beside.mkdir()
    server = beside / "server"
    server.write_text(f"#!/bin/sh\nexec {sys.executable} -I -S {notes.SERVER}\n")
    server.chmod(0o755)
    targets = notes.targets()
    targets["mcp"]["authorizations"][0] |= {"target": "./server", "targetArgs": [], "cwd": "."}
    (beside / "targets.json").write_text(json.dumps(targets))
    measurement = ev_measure(
        notes.strong(), beside / "targets.json", trials=1, operators=["dropped-write", "constant-answer"]
    )
    assert measurement.counts["broken"] == 0
    assert measurement.overall.scored
