"""The packaged measurements: what they say holds together, and measuring again gives the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.corpus import example
from evalnb.corpus.measuring import MEASURED, MeasuredSystem, measuring_file
from evalnb.corpus.measuring.git_repository import make_repository
from evalnb.harness import (
    Measurement,
    MeasureOptions,
    open_measurement,
    read_measured_targets,
    read_user_mutants,
    run_measurement,
)
from tests.harness.witnessed import assert_every_catch_is_witnessed, document
from tests.installed import require, search_path

NAMES = [one.name for one in MEASURED]
OPERATORS = {
    "memory": ("dropped-write", "emptied-collection"),
    "git": ("dropped-write",),
    "time": ("altered-scalar", "leaked-field"),
    "desk": ("dropped-write", "foreign-record", "leaked-field"),
}
"""A few for each system, so that measuring again takes seconds; one that is caught, and one that is missed."""


def contract_of(one: MeasuredSystem, stage: str = "before") -> dict[str, Any]:
    if stage == "after":
        return document(measuring_file(f"{one.name}-strengthened-contract.json"))
    if one.contract is None:
        return document(measuring_file(f"{one.name}-first-contract.json"))
    path = example(one.contract)
    return document(path / "contract.json" if path.is_dir() else path)


def stored(one: MeasuredSystem, stage: str) -> Measurement:
    return open_measurement(measuring_file(f"results/{one.name}-{stage}.json"))


def statuses(measurement: Measurement) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {mutant.spec.mutant_id: (mutant.status, mutant.caught_by) for mutant in measurement.mutants}


@pytest.mark.parametrize("one", MEASURED, ids=NAMES)
@pytest.mark.parametrize("stage", ["before", "after"])
def test_a_stored_measurement_counts_what_it_lists(one: MeasuredSystem, stage: str) -> None:
    measurement = stored(one, stage)
    assert (measurement.trials, measurement.seed) == (3, 0)
    assert measurement.overall.caught == sum(mutant.status == "caught" for mutant in measurement.mutants)
    for mutant in measurement.mutants:
        assert mutant.caught_by or mutant.status != "caught", mutant.spec.mutant_id
        assert mutant.status != "caught" or mutant.votes.count("caught") > 1
    missed = [mutant.spec.mutant_id for mutant in measurement.mutants if mutant.status == "missed"]
    assert [survivor.mutant_id for survivor in measurement.survivors] == missed
    known = {oracle["id"] for oracle in contract_of(one, stage)["oracles"]}
    assert {oracle for mutant in measurement.mutants for oracle in mutant.caught_by} <= known


@pytest.mark.parametrize("one", MEASURED, ids=NAMES)
def test_the_strengthened_contract_is_the_first_one_with_the_suggested_oracles(one: MeasuredSystem) -> None:
    first, stronger = ev.compile(contract_of(one)).document, contract_of(one, "after")
    assert ev.compile(stronger).document == stronger
    assert stronger["oracles"][: len(first["oracles"])] == first["oracles"]
    added = [oracle["check"] for oracle in stronger["oracles"][len(first["oracles"]) :]]
    suggested = [survivor.suggestion["check"] for survivor in stored(one, "before").survivors if survivor.suggestion]
    assert added == [check for place, check in enumerate(suggested) if check not in suggested[:place]]
    same = ("interactionPlan", "permittedInterfaces", "testData", "budgets")
    assert {key: stronger[key] for key in same} == {key: first[key] for key in same}
    before, after = stored(one, "before"), stored(one, "after")
    assert list(statuses(before)) == list(statuses(after))
    assert after.overall.caught > before.overall.caught
    lost = [name for name, (status, _) in statuses(before).items() if status == "caught" != statuses(after)[name][0]]
    assert lost == []


@pytest.mark.parametrize("one", MEASURED, ids=NAMES)
def test_measuring_again_finds_the_same_and_every_catch_is_witnessed(
    one: MeasuredSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if one.command is not None:
        require(one.command)
        monkeypatch.setenv("PATH", search_path())
    own = () if one.mutants is None else tuple(read_user_mutants(measuring_file(one.mutants)))
    out = tmp_path / "out"
    options = MeasureOptions(operators=OPERATORS[one.name], mutants=own, jobs=2, out=out)
    measurement = run_measurement(contract_of(one), read_measured_targets(measuring_file(one.targets)), options)
    known = statuses(stored(one, "before"))
    assert measurement.mutants
    assert statuses(measurement) == {name: known[name] for name in statuses(measurement)}
    assert {mutant.status for mutant in measurement.mutants} >= {"caught", "missed"}
    assert_every_catch_is_witnessed(measurement, out)


@pytest.mark.parametrize("name", ["memory", "git"])
def test_the_first_contract_is_what_init_writes_with_what_a_person_decided(name: str, tmp_path: Path) -> None:
    command = require(f"mcp-server-{name}")
    decided = document(measuring_file(f"{name}-decided.json"))
    place = tmp_path / "place"
    place.mkdir()
    if name == "git":
        make_repository(place)
    arguments = ["init", "--mcp", command, "--out", str(tmp_path / "out"), "--cwd", str(place)]
    arguments += ["--env", f"PATH={search_path()}", "--env", f"MEMORY_FILE_PATH={place / 'memory.jsonl'}"]
    for key, value in decided["values"].items():
        arguments += ["--value", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    assert main(arguments) == 0
    assert edited(document(tmp_path / "out" / "contract.json"), decided["edits"]) == contract_of(
        next(one for one in MEASURED if one.name == name)
    )
    assert all(edit["why"].endswith(".") for edit in decided["edits"])


def edited(written: dict[str, Any], edits: list[dict[str, Any]]) -> dict[str, Any]:
    """The document after a list of replacements and moves, as RFC 6902 has them."""
    result = copy.deepcopy(written)
    for edit in edits:
        parent, key = _place(result, edit["path"])
        if edit["op"] == "move":
            source, old = _place(result, edit["from"])
            parent.insert(key, source.pop(old))
        else:
            assert edit["op"] == "replace"
            parent[key] = edit["value"]
    return result


def _place(value: Any, pointer: str) -> tuple[Any, Any]:
    *around, last = pointer.split("/")[1:]
    for token in around:
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value, int(last) if isinstance(value, list) else last
