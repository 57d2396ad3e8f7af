"""Measurements read back are those that were made, alone or before beside after; other files are refused in words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evalnb.engine.faults import RuntimeFault
from evalnb.files import FileProblem
from evalnb.harness import MeasureOptions, open_measurement, open_measurements, run_measurement
from evalnb.view import frames
from tests.harness import notes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("measured") / "notes"


@pytest.fixture(scope="module")
def made(folder: Path) -> object:
    options = MeasureOptions(operators=("dropped-write", "leaked-field", "nulled-field"), trials=1, out=folder)
    return run_measurement(notes.strong(), notes.targets(), options)


def test_a_folder_gives_the_measurement_back(made: object, folder: Path) -> None:
    assert open_measurement(folder) == replace(made, clean=None)  # type: ignore[type-var]


def test_a_document_alone_gives_all_but_the_strength(made: object, folder: Path) -> None:
    alone = open_measurement(folder / "measurement.json")
    assert alone == replace(made, clean=None, strength=None, folder=None)  # type: ignore[type-var]


def test_other_files_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"holds no measurement\.json"):
        open_measurement(tmp_path)
    with pytest.raises(FileProblem, match="not found"):
        open_measurement(tmp_path / "nowhere.json")
    other = tmp_path / "other.json"
    for text, told in (("[]", "no object"), ('{"contract_id": 7}', "contract_id"), (json.dumps(BROKEN), "mutants.0")):
        other.write_text(text, encoding="utf-8")
        with pytest.raises(RuntimeFault, match="schema-parse-failure") as refused:
            open_measurement(other)
        assert told in str(refused.value)


BROKEN = {"contract_id": "c", "seed": 0, "trials": 1, "mutants": [{"status": "lost"}]}


def test_two_measurements_are_before_and_after(made: object, folder: Path, tmp_path: Path) -> None:
    strengthened = json.loads((folder / "strengthened-contract.json").read_text("utf-8"))
    operators = ("dropped-write", "leaked-field", "nulled-field")
    later = tmp_path / "later"
    run_measurement(strengthened, notes.targets(), MeasureOptions(operators=operators, trials=1, out=later))
    study = open_measurements(later, before=folder / "measurement.json")
    assert [(one.stage, one.file) for one in study.measurements] == [
        ("before", "measurement.json"),
        ("after", "later/measurement.json"),
    ]
    change = frames.before_after(study).set_index("grouping").loc["total"]
    assert change["rate_before"] < 1
    assert change["rate_after"] == 1, "every suggestion is in the contract, and each catches what it was made for"
    assert len(frames.measurements(study.latest)) == len(frames.measurements(study.first)) == 1
    with pytest.raises(FileProblem, match="a later one"):
        open_measurements(before=folder)


def test_survivors_are_the_most_severe_first_and_as_many_as_asked(made: object, folder: Path) -> None:
    study = open_measurements(folder)
    every = study.survivors()
    assert every.found == len(every) == len(study.measurements[0].measurement.survivors)
    ranks = [("low", "material", "critical").index(one.mutant.severity or "low") for one in every]
    assert ranks == sorted(ranks, reverse=True)
    assert (len(study.survivors(most=1)), study.survivors(most=1).found) == (1, every.found)
    with pytest.raises(ValueError, match="a severity is one of"):
        study.survivors("worst")
