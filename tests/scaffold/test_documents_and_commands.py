"""`evalnb init` from an OpenAPI document and from a command's help."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import evalnb as ev
from evalnb.cli.main import main
from evalnb.corpus.triage.system import serving
from evalnb.scaffold import Scaffold, ScaffoldOptions, scaffold_cli, scaffold_openapi

TICKET = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "ticketId": {"type": "string"}, "team": {"type": "string"}},
    "required": ["ok", "ticketId"],
}
LIST = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "tickets": {"type": "array", "items": {"$ref": "#/components/schemas/Row"}},
        "servedAt": {"type": "string"},
    },
    "required": ["ok", "tickets"],
}


def answered(schema: dict[str, Any]) -> dict[str, Any]:
    return {"200": {"description": "fine", "content": {"application/json": {"schema": schema}}}}


DESK: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Support desk", "version": "1"},
    "servers": [{"url": "https://desk.example/v1"}],
    "components": {
        "schemas": {
            "Row": {"type": "object", "properties": {"ticketId": {"type": "string"}}},
            "Loop": {"$ref": "#/components/schemas/Loop"},
        },
        "parameters": {"Limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 2}}},
    },
    "paths": {
        "/tickets": {
            "get": {
                "operationId": "listTickets",
                "parameters": [
                    {"name": "status", "in": "query", "required": True, "schema": {"enum": ["open", "closed"]}},
                    {"$ref": "#/components/parameters/Limit"},
                ],
                "responses": answered(LIST),
            },
            "post": {
                "operationId": "openTicket",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["subject"],
                                "properties": {
                                    "subject": {"type": "string"},
                                    "more": {"$ref": "#/components/schemas/Loop"},
                                },
                            }
                        }
                    }
                },
                "responses": answered(TICKET),
            },
        },
        "/tickets/{ticketId}": {
            "parameters": [
                {
                    "name": "ticketId",
                    "in": "path",
                    "required": True,
                    "schema": {"type": "string", "examples": ["T-1041", "T-1"]},
                }
            ],
            "get": {"operationId": "getTicket", "responses": answered(TICKET)},
            "delete": {"operationId": "dropTicket", "responses": {"204": {"description": "gone"}}},
        },
        "/odd:path": {"get": {"responses": {}}},
    },
}


def operations(made: Scaffold) -> dict[str, dict[str, Any]]:
    declared: list[dict[str, Any]] = made.contract.document["permittedInterfaces"][0]["operations"]
    return {one["operationId"]: one for one in declared}


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_an_openapi_document_becomes_a_contract_without_an_address(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"desk{suffix}"
    path.write_text(json.dumps(DESK) if suffix == ".json" else yaml.safe_dump(DESK), encoding="utf-8")
    made = scaffold_openapi(path)
    assert set(operations(made)) == {"list-tickets", "open-ticket", "get-ticket"}
    assert operations(made)["list-tickets"]["responseDescriptor"]["successIndicator"] == "/ok"
    assert operations(made)["list-tickets"]["responseDescriptor"]["collectionLocations"][0]["pointer"] == "/tickets"
    assert operations(made)["open-ticket"]["stateChangeMarker"]
    assert len(made.left_out) == 2
    assert "desk.example" not in json.dumps(made.contract.document)
    assert made.targets["api"]["connections"]["support-desk"]["baseUrl"] == "https://desk.example/v1"
    assert ev.compile(made.contract.document).document == made.contract.document


def test_the_reads_of_a_service_are_called_and_its_writes_are_not(tmp_path: Path) -> None:
    path = tmp_path / "desk.json"
    path.write_text(json.dumps(DESK), encoding="utf-8")
    with serving() as server:
        before = len(server.desk.tickets) if hasattr(server.desk, "tickets") else None
        made = scaffold_openapi(path, ScaffoldOptions(base_url=f"http://127.0.0.1:{server.port}"))
        after = len(server.desk.tickets) if hasattr(server.desk, "tickets") else None
        assert before == after
        listed, got = operations(made)["list-tickets"], operations(made)["get-ticket"]
        assert listed["volatilePointers"] == ["/servedAt"]
        undecided = {one.pointer for one in made.decisions if one.pointer.endswith("sensitivityWitness")}
        assert undecided == {"/permittedInterfaces/0/operations/1/sensitivityWitness"}
        reads = {**made.contract.document, "interactionPlan": [], "oracles": [], "fixtureReset": None}
        interface = reads["permittedInterfaces"][0]
        reads["permittedInterfaces"] = [{**interface, "operations": [listed, got]}]
        run = ev.probe(reads, [], made.targets, run_id="reads")
        assert run.verdict.passed, run.verdict.document


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "OpenAPI 3"),
        ('{"swagger": "2.0", "paths": {}}', "OpenAPI 3"),
        ('{"openapi": "3.0.0", "paths": {}}', "nothing"),
    ],
)
def test_another_document_is_refused(text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    assert main(["init", "--openapi", str(path), "--out", str(tmp_path / "out")]) == 64
    assert told in capsys.readouterr().err


SCRIPT = f"""#!{sys.executable}
import argparse, json
parser = argparse.ArgumentParser(prog="shelf")
commands = parser.add_subparsers()
show = commands.add_parser("show", help="show a book")
show.add_argument("title")
show.add_argument("--pages", type=int, metavar="N", help="how many pages")
add = commands.add_parser("add", help="add a book")
add.add_argument("--title", metavar="TITLE")
given = vars(parser.parse_args())
if "pages" not in given:
    open("added", "w").write("called")
print(json.dumps({{"ok": True, "title": given["title"]}}))
"""


def test_a_command_becomes_a_contract_from_its_help(tmp_path: Path) -> None:
    script = tmp_path / "shelf"
    script.write_text(SCRIPT, encoding="utf-8")
    script.chmod(0o755)
    made = scaffold_cli(str(script), ScaffoldOptions(cwd=str(tmp_path)))
    assert not (tmp_path / "added").exists()
    assert set(operations(made)) == {"show", "add"}
    show = operations(made)["show"]
    assert show["invocation"] == {"executable": "shelf", "subcommandPath": ["show"]}
    assert show["requestShape"]["option"]["types"] == {"pages": "number"}
    assert show["requestShape"]["argument"]["requiredKeys"] == ["1"]
    assert show["responseDescriptor"]["requiredKeys"] == ["ok", "title"]
    assert operations(made)["add"]["stateChangeMarker"]
    reads = {**made.contract.document, "interactionPlan": [], "oracles": []}
    interface = reads["permittedInterfaces"][0]
    reads["permittedInterfaces"] = [{**interface, "operations": [show]}]
    assert ev.probe(reads, [], made.targets, run_id="reads").verdict.passed
