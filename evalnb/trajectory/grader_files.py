"""Graders of the users' own, loaded from a file or a module that registers them."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from evalnb.trajectory.findings import LAYERS
from evalnb.trajectory.grading import Grader, graders


class GraderProblem(ValueError):
    """What was named gives no grader; the message says why."""


def load_graders(named: str) -> tuple[Grader, ...]:
    """The graders that the file `named` (its name ends in .py), or the module of that name, registers.

    They take part in every grading from now on. Raises `GraderProblem`.
    """
    before = {one.name for one in graders()}
    try:
        module = _file_as_module(Path(named)) if named.endswith(".py") else _module(named)
    except Exception as error:
        raise GraderProblem(f"graders cannot be loaded from {named}: {type(error).__name__}: {error}") from error
    own = (one for one in graders() if one.name not in LAYERS)
    found = tuple(one for one in own if one.name not in before or one.judge.__module__ == module.__name__)
    if not found:
        raise GraderProblem(f"{named} registers no grader; decorate a function with evalnb.trajectory.grading.grader")
    return found


def _file_as_module(path: Path) -> ModuleType:
    name = f"evalnb_graders_of_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _module(name: str) -> ModuleType:
    if "" not in sys.path:  # a console script does not look in the current folder by itself
        sys.path.insert(0, "")
    return import_module(name)
