"""The notebooks a report can be made from, and the parameters each of them takes."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from evalnb.engine.json_values import Json
from evalnb.reporting.failures import UnknownNotebook

ParameterType: TypeAlias = Literal[
    "folder", "folders", "file", "path", "str", "int", "float", "bool", "severity", "inputs"
]
PARAMETER_TYPES: Final[tuple[str, ...]] = get_args(ParameterType)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One name of the cell tagged `parameters`: the type its annotation gives, its default, the comment behind it."""

    name: str
    type: ParameterType
    default: Json
    meaning: str


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook that ships with the package. `title` and `summary` are the first heading and the text below it."""

    name: str
    path: Path
    title: str
    summary: str
    parameters: tuple[Parameter, ...]

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, if there is one."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def notebooks() -> tuple[Notebook, ...]:
    """Every notebook, in the order of the file names."""
    return tuple(read_notebook(path) for path in sorted(_folder().glob("*.ipynb")))


def find_notebook(name: str) -> Notebook:
    """The notebook called `name`. Raises `UnknownNotebook`."""
    paths = {_name_of(path): path for path in sorted(_folder().glob("*.ipynb"))}
    if name not in paths:
        raise UnknownNotebook(name, paths)
    return read_notebook(paths[name])


def read_notebook(path: Path) -> Notebook:
    """The notebook in a file; `01-contract.ipynb` is called `contract`."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    heading, _, below = _first_markdown(cells).partition("\n")
    title = heading.lstrip("# ").strip() or _name_of(path)
    return Notebook(_name_of(path), path, title, " ".join(below.split()), _parameters(path))


def _folder() -> Path:
    """`notebooks/` inside the installed package, or beside the package in a source tree."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "notebooks"
    return inside if inside.is_dir() else package.parent / "notebooks"


def _name_of(path: Path) -> str:
    return re.sub(r"^\d+-", "", path.stem)


def _first_markdown(cells: list[dict[str, Any]]) -> str:
    return next(("".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "markdown"), "")


def _parameters(path: Path) -> tuple[Parameter, ...]:
    from papermill import inspect_notebook

    return tuple(
        Parameter(
            name, _type(path, name, found["inferred_type_name"]), ast.literal_eval(found["default"]), found["help"]
        )
        for name, found in inspect_notebook(path).items()
    )


def _type(path: Path, name: str, written: str) -> ParameterType:
    if written not in PARAMETER_TYPES:
        raise ValueError(f"{path.name}: parameter {name} is annotated {written}, which is none of {PARAMETER_TYPES}")
    return written  # type: ignore[return-value]
