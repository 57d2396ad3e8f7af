"""Checks the parameters a report was asked for, and gives a notebook folders and files by name, not by place."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evalnb.corpora.version_inputs import VERSION_INPUTS
from evalnb.engine.coverage.report import SEVERITY_ORDER
from evalnb.engine.json_values import Json
from evalnb.files import FileProblem
from evalnb.reporting.failures import ParameterProblem
from evalnb.reporting.registry import Notebook, Parameter, ParameterType

_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter with its checked value; `paths` are the folders or files behind it, in the value's order."""

    parameter: Parameter
    value: Json
    given: bool
    paths: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkingFolder:
    """Where a notebook runs: every given path is linked here under its own name, and `values` use that name."""

    path: Path
    values: Mapping[str, Json]


def check_parameters(notebook: Notebook, given: Mapping[str, str]) -> tuple[Argument, ...]:
    """The arguments of a notebook, one a parameter and in its order.

    Raises `ParameterProblem` for a name the notebook does not know and for a value of the wrong type, `FileProblem`
    for a folder or file that is not there.
    """
    for name in given:
        if notebook.parameter(name) is None:
            known = ", ".join(parameter.name for parameter in notebook.parameters) or "no parameters"
            raise ParameterProblem(name, f"the notebook {notebook.name} does not have it; it takes {known}")
    return tuple(
        _argument(parameter, given[parameter.name])
        if parameter.name in given
        else Argument(parameter, parameter.default, given=False)
        for parameter in notebook.parameters
    )


@contextmanager
def working_folder(arguments: tuple[Argument, ...]) -> Iterator[WorkingFolder]:
    """A temporary folder that links to everything the arguments name.

    The notebook is run in it with bare names for values, so its outputs depend neither on the caller's folder nor on
    where on this machine the inputs lie.
    """
    with TemporaryDirectory(prefix="evalnb-") as name:
        folder = Path(name)
        values: dict[str, Json] = {}
        for argument in arguments:
            if argument.given:
                values[argument.parameter.name] = _linked(argument, folder)
        yield WorkingFolder(folder, values)


def shown_value(argument: Argument) -> str:
    """The value as a report states it: folders and files by their last name."""
    if argument.paths:
        return ", ".join(path.name for path in argument.paths)
    if isinstance(argument.value, list):
        return ", ".join(map(str, argument.value)) or "none"
    return argument.value if isinstance(argument.value, str) else repr(argument.value)


def _linked(argument: Argument, folder: Path) -> Json:
    if not argument.paths:
        return argument.value
    names = [_link(path, folder) for path in argument.paths]
    return names if argument.parameter.type == "folders" else names[0]


def _link(path: Path, folder: Path) -> str:
    name, count = path.name, 1
    while os.path.lexists(folder / name):
        if os.path.realpath(folder / name) == str(path):
            return name
        count += 1
        name = f"{path.name}-{count}"
    (folder / name).symlink_to(path)
    return name


def _argument(parameter: Parameter, text: str) -> Argument:
    if parameter.type in _PATHS:
        paths = tuple(_PATHS[parameter.type](parameter, text))
        names: list[Json] = [path.name for path in paths]
        return Argument(parameter, names if parameter.type == "folders" else names[0], given=True, paths=paths)
    value = _PLAIN[parameter.type](text)
    if value is None:
        raise ParameterProblem(parameter.name, f"must be {_TYPE_WORDS[parameter.type]}, not {text!r}")
    return Argument(parameter, value, given=True)


def _integer(text: str) -> int | None:
    return int(text) if len(text) < 20 and _INTEGER.fullmatch(text) else None


def _decimal(text: str) -> float | None:
    number = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _inputs(text: str) -> Json:
    """Names of scoring version inputs; none for an empty text."""
    names: list[Json] = [part.strip() for part in text.split(",")] if text.strip() else []
    return names if all(name in VERSION_INPUTS for name in names) else None


def _folder(parameter: Parameter, text: str) -> list[Path]:
    return [_existing(parameter, text, Path.is_dir, "folder")]


def _folders(parameter: Parameter, text: str) -> list[Path]:
    return [_existing(parameter, part, Path.is_dir, "folder") for part in text.split(os.pathsep)]


def _file(parameter: Parameter, text: str) -> list[Path]:
    return [_existing(parameter, text, Path.is_file, "file")]


def _path(parameter: Parameter, text: str) -> list[Path]:
    return [_existing(parameter, text, Path.exists, "file or a folder")]


def _existing(parameter: Parameter, text: str, is_right: Callable[[Path], bool], kind: str) -> Path:
    if not text:
        raise ParameterProblem(parameter.name, f"must name a {kind}; it is empty")
    if "\0" in text:
        raise ParameterProblem(parameter.name, f"must name a {kind}; the name holds a NUL character")
    path = Path(os.path.realpath(text))
    try:
        if is_right(path):
            return path
        problem = f"is not a {kind}" if path.exists() else "not found"
    except OSError as error:
        problem = f"cannot be read ({(error.strerror or type(error).__name__).lower()})"
    purpose = parameter.meaning or f"a {kind}"
    raise FileProblem(text, f"{problem}; the parameter {parameter.name} is {purpose}")


_PATHS: Final[dict[ParameterType, Callable[[Parameter, str], list[Path]]]] = {
    "folder": _folder,
    "folders": _folders,
    "file": _file,
    "path": _path,
}
_PLAIN: Final[dict[ParameterType, Callable[[str], Json]]] = {
    "str": lambda text: text,
    "int": _integer,
    "float": _decimal,
    "bool": lambda text: _TRUTH.get(text.lower()),
    "severity": lambda text: text if text in SEVERITY_ORDER else None,
    "inputs": _inputs,
}
_TYPE_WORDS: Final[dict[ParameterType, str]] = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "severity": f"one of {', '.join(SEVERITY_ORDER)}",
    "inputs": f"empty, or some of {', '.join(VERSION_INPUTS)}, with commas between them",
}
