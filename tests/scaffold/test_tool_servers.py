"""`evalnb init --mcp` on published servers: contracts that compile as written, and that pass live once decided."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.cli.main import main
from evalnb.scaffold import MARK
from tests.installed import require
from tests.probing.real_servers import COMMANDS, Fixture, fixture


def scaffolded(name: str, folder: Path) -> tuple[Fixture, Path]:
    """The folder that `evalnb init` wrote about a server."""
    place = folder / "server"
    place.mkdir()
    server, out = fixture(name, place), folder / "out"
    command = shlex.quote(require(COMMANDS[name]))
    arguments = ["init", "--mcp", command, "--out", str(out), "--cwd", str(place)]
    for key, value in server.environment.items():
        arguments += ["--env", f"{key}={value}"]
    if name == "git-server":
        arguments += ["--value", "repo_path=."]
    assert main(arguments) == 0
    return server, out


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def at(document: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        document = document[int(token)] if isinstance(document, list) else document[token]
    return document


@pytest.mark.parametrize("name", COMMANDS)
def test_the_contract_compiles_unchanged_and_every_decision_points_at_something(name: str, tmp_path: Path) -> None:
    _, out = scaffolded(name, tmp_path)
    contract = read(out / "contract.json")
    assert ev.compile(out / "contract.json").document == contract
    assert len(contract["interactionPlan"]) <= 16
    decisions = read(out / "decisions.json")["decisions"]
    for decision in decisions:
        at(read(out / decision["file"]), decision["pointer"])
    decided = {decision["pointer"] for decision in decisions if decision["needed"]}
    marked = [f"/behaviors/{place}/description" for place in range(len(contract["behaviors"]))]
    assert decided >= {*marked, "/testData"}
    assert read(out / "probes.json") == []


def filled(contract: dict[str, Any]) -> dict[str, Any]:
    """The contract with every marked text written."""

    def written(value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(MARK, "Decided: ")
        if isinstance(value, dict):
            return {key: written(item) for key, item in value.items()}
        return [written(item) for item in value] if isinstance(value, list) else value

    done: dict[str, Any] = written(contract)
    assert MARK not in json.dumps(done)
    return done


def kept(contract: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """The contract about some of its operations only."""
    interface = contract["permittedInterfaces"][0]
    operations = [one for one in interface["operations"] if one["operationId"] in names]
    plan = [step for step in contract["interactionPlan"] if step["operationId"] in names]
    steps = {step["stepId"] for step in plan}
    oracles = [
        oracle
        for oracle in contract["oracles"]
        if all(target.split("/")[2] in steps for target in oracle["direction"]["evidenceTargets"])
    ]
    ids = {oracle["id"] for oracle in oracles}
    return {
        **contract,
        "permittedInterfaces": [{**interface, "operations": operations}],
        "interactionPlan": plan,
        "oracles": oracles,
        "behaviors": [behavior for behavior in contract["behaviors"] if set(behavior["oracles"]) <= ids],
    }


def test_the_time_server_passes_live_once_its_texts_are_written(tmp_path: Path) -> None:
    _, out = scaffolded("time-server", tmp_path)
    contract = filled(read(out / "contract.json"))
    operations = {one["operationId"]: one for one in contract["permittedInterfaces"][0]["operations"]}
    assert "/datetime" in operations["get-current-time"]["volatilePointers"]
    witnesses = [decision["pointer"] for decision in read(out / "decisions.json")["decisions"]]
    assert not any(pointer.endswith("sensitivityWitness") for pointer in witnesses)
    run = ev.probe(contract, [], out / "targets.json", run_id="filled")
    assert run.verdict.passed, run.verdict.document


def test_the_memory_server_passes_live_once_it_is_decided(tmp_path: Path) -> None:
    server, out = scaffolded("memory-server", tmp_path)
    assert not (server.folder / "memory.jsonl").exists(), "a write was called"
    decisions = read(out / "decisions.json")["decisions"]
    undecided = [one["pointer"] for one in decisions if one["pointer"].endswith("sensitivityWitness")]
    assert len(undecided) == 8
    contract = kept(filled(read(out / "contract.json")), {"create-entities", "read-graph", "search-nodes"})
    read_back = next(step for step in contract["interactionPlan"] if step["stepId"] == "create-entities-read-back")
    assert (read_back["operationId"], read_back["after"]) == ("read-graph", "create-entities-call")
    assert ev.compile(contract).document == contract
    run = ev.probe(contract, [], out / "targets.json", run_id="filled")
    assert run.verdict.passed, run.verdict.document


def test_a_folder_with_decisions_in_it_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "contract.json").write_text("{}", encoding="utf-8")
    assert main(["init", "--mcp", "true", "--out", str(tmp_path)]) == 64
    assert "not empty" in capsys.readouterr().err


def test_a_command_that_is_no_server_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--mcp", "/bin/false", "--out", str(tmp_path / "out")]) == 5
    assert capsys.readouterr().err.startswith("evalnb: port-failure: ")
    assert not (tmp_path / "out").exists()
