"""The project holds together: one list of dependencies, clean tools, layers that only point down."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))


def test_conda_environment_lists_the_same_dependencies() -> None:
    environment = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))
    listed: list[str] = []
    for entry in environment["dependencies"]:
        listed += entry["pip"] if isinstance(entry, dict) else [entry]
    assert f"python{PYPROJECT['project']['requires-python']}" in listed
    beside = {f"python{PYPROJECT['project']['requires-python']}", "pip", "-e ."}
    assert sorted(set(listed) - beside) == sorted(PYPROJECT["project"]["dependencies"])


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "."], id="ruff"),
        pytest.param(["ruff", "format", "--check", "."], id="format"),
        pytest.param(["mypy"], id="mypy"),
        pytest.param(["importlinter.cli"], id="layers"),
    ],
)
def test_tool_finds_nothing(command: list[str]) -> None:
    if command == ["importlinter.cli"]:
        arguments = [str(Path(sys.executable).with_name("lint-imports"))]
    else:
        arguments = [sys.executable, "-m", *command]
    result = subprocess.run(arguments, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


# What the engine may not touch: files, processes, the network, clocks, randomness.
EFFECTS = {
    "asyncio", "datetime", "glob", "http", "io", "os", "pathlib", "random", "secrets", "shutil", "signal",
    "socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


def engine_modules() -> list[Path]:
    return sorted((PROJECT / "evalnb" / "engine").rglob("*.py"))


def test_the_engine_has_no_effects() -> None:
    found = []
    for path in engine_modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "print"):
                found.append(f"{path.relative_to(PROJECT)}:{node.lineno} calls {node.func.id}")
            found += [f"{path.relative_to(PROJECT)}:{node.lineno} {n}" for n in names if n.split(".")[0] in EFFECTS]
    assert found == []


MINTING = {"seal", "preflight", "emit", "aggregate"}
LINEAGE = re.compile(r"\b(parent_digest|revision_count)\s*=|[\"'](parentDigest|revisionCount)[\"']\s*[:\]]")


def test_only_minting_stages_write_lineage() -> None:
    """spec: 01 §7, rule 1: besides the shapes and the lineage module, four stages mint artifacts."""
    found = set()
    for path in engine_modules():
        place = path.relative_to(PROJECT / "evalnb" / "engine").parts
        stage = place[0].removesuffix(".py")
        if stage == "artifacts" or place == ("canonical", "lineage.py") or stage in MINTING:
            continue
        if LINEAGE.search(path.read_text(encoding="utf-8")):
            found.add("/".join(place))
    assert found == set()


LIGHT_IMPORTS = ("pandas", "altair", "ipywidgets", "mcp", "papermill", "httpx2")


def test_importing_the_package_stays_light() -> None:
    code = f"import sys, evalnb; print([m for m in {LIGHT_IMPORTS!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_type_information_ships() -> None:
    assert (PROJECT / "evalnb" / "py.typed").exists()
