"""Where a stage command's artifact goes, and that this is not one of its inputs (spec: 08 §3)."""

from __future__ import annotations

import posixpath

from evalnb.cli.arguments import GRAMMARS, Run
from evalnb.cli.environment import Environment


def target_file(command: str, out: str | None) -> str | None:
    """The file `--out` names: itself when it ends in `.json`, else `<out>/<kind>.json`; `None` is standard output.

    The file system is never asked.
    """
    if out is None:
        return None
    if out.lower().endswith(".json"):
        return out
    return posixpath.normpath(posixpath.join(out, f"{GRAMMARS[command].artifact_kind}.json"))


def collision(run: Run, environment: Environment) -> str | None:
    """The usage message when the target is also an input of this run, by name or on disk."""
    target = target_file(run.command, run.out)
    if target is None:
        return None
    directory = environment.working_directory()
    absolute = _absolute(directory, target)
    for name, given in run.inputs.items():
        for value in given if isinstance(given, tuple) else (given,):
            if value == "-":
                continue
            if _absolute(directory, value) == absolute or environment.same_file(target, value):
                return f'--out resolves to "{absolute}", which is also --{name} "{value}"'
    return None


def _absolute(directory: str, path: str) -> str:
    normal = posixpath.normpath(posixpath.join(directory, path))
    # POSIX keeps exactly two leading slashes apart; here they are one.
    return "/" + normal.lstrip("/") if normal.startswith("//") else normal
