"""Parameters are checked before anything runs, and never tell a notebook where things lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalnb.files import FileProblem
from evalnb.reporting.failures import ParameterProblem
from evalnb.reporting.parameters import check_parameters, shown_value, working_folder
from evalnb.reporting.registry import Notebook, Parameter, ParameterType


def notebook(*types: ParameterType) -> Notebook:
    parameters = tuple(Parameter(type, type, "", f"the {type} it reads") for type in types)
    return Notebook("small", Path("small.ipynb"), "Small", "", parameters)


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("str", "", ""),
        ("str", 'quote " and \\ and\nnewline', 'quote " and \\ and\nnewline'),
        ("int", "-12", -12),
        ("float", "0.95", 0.95),
        ("float", "1e-3", 0.001),
        ("bool", "Yes", True),
        ("bool", "false", False),
        ("severity", "critical", "critical"),
        ("inputs", "", []),
        ("inputs", "corpusDigest", ["corpusDigest"]),
        ("inputs", "mode, fixtureDigest", ["mode", "fixtureDigest"]),
    ],
)
def test_a_text_becomes_a_value_of_the_parameters_type(type: ParameterType, text: str, value: object) -> None:
    (argument,) = check_parameters(notebook(type), {type: text})
    assert argument.value == value
    assert argument.given


@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("int", "1.5"),
        ("int", ""),
        ("int", "1_000"),
        ("int", "９"),
        ("int", "9" * 5000),
        ("float", "nan"),
        ("float", "inf"),
        ("float", "1e999"),
        ("float", "0x1p3"),
        ("bool", "maybe"),
        ("severity", "high"),
        ("inputs", "corpus"),
        ("inputs", "mode,"),
        ("bool", ""),
        ("folder", ""),
        ("folder", "a\0b"),
    ],
)
def test_a_text_of_another_type_is_refused(type: ParameterType, text: str) -> None:
    with pytest.raises(ParameterProblem, match=f"parameter '{type}': must"):
        check_parameters(notebook(type), {type: text})


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(
        ParameterProblem, match="parameter 'foldr': the notebook small does not have it; it takes folder"
    ):
        check_parameters(notebook("folder"), {"foldr": "."})


def test_a_missing_folder_is_named_with_what_it_is_for(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="not found; the parameter folder is the folder it reads") as caught:
        check_parameters(notebook("folder"), {"folder": str(tmp_path / "none")})
    assert caught.value.path == str(tmp_path / "none")


@pytest.mark.parametrize(("type", "problem"), [("folder", "is not a folder"), ("file", "is not a file")])
def test_the_wrong_kind_of_file_is_refused(type: ParameterType, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(FileProblem, match=problem):
        check_parameters(notebook(type), {type: str(file if type == "folder" else tmp_path)})


def test_a_name_too_long_for_the_file_system_is_refused() -> None:
    with pytest.raises(FileProblem, match="the parameter folder is"):
        check_parameters(notebook("folder"), {"folder": "x" * 5000})


def test_a_parameter_left_out_keeps_its_default() -> None:
    (argument,) = check_parameters(notebook("folder"), {})
    assert argument.value == ""
    assert not argument.given


def test_a_notebook_is_given_names_and_finds_the_folders_behind_them(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "runs", tmp_path / "b" / "runs"
    for folder in (one, other):
        folder.mkdir(parents=True)
        (folder / "mark").write_text(str(folder))
    arguments = check_parameters(
        notebook("folder", "folders"), {"folder": str(one), "folders": f"{one}{os.pathsep}{other}{os.pathsep}{one}"}
    )
    assert [shown_value(argument) for argument in arguments] == ["runs", "runs, runs, runs"]
    with working_folder(arguments) as working:
        assert working.values == {"folder": "runs", "folders": ["runs", "runs-2", "runs"]}
        assert (working.path / "runs" / "mark").read_text() == str(one)
        assert (working.path / "runs-2" / "mark").read_text() == str(other)
    assert (one / "mark").exists()


def test_defaults_are_not_injected() -> None:
    with working_folder(check_parameters(notebook("str", "int"), {"int": "3"})) as working:
        assert working.values == {"int": 3}
