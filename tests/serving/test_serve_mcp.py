"""evalnb as a tool server: the SDK's own client and the MCP inspector get schema-valid answers, and no file too many."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

from evalnb.corpus import example
from evalnb.serving.file_root import FileRoot, RefusedPath
from evalnb.serving.server import build_server
from evalnb.serving.tool_table import TOOLS
from tests.installed import require, search_path
from tests.probing.live_triage import planning_list

EVALNB = ["-c", "from evalnb.cli.main import main; raise SystemExit(main())", "serve-mcp"]
TRIAGE = example("triage")
SCHEMAS = {tool.name: tool.output_schema for tool in TOOLS}
Conversation = Callable[[Client], Coroutine[Any, Any, None]]


def contract(**changes: Any) -> dict[str, Any]:
    return {**json.loads((TRIAGE / "contract.json").read_text(encoding="utf-8")), **changes}


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call, which conforms to what the tool publishes."""
    result = await client.call_tool(tool, arguments)
    answer = result.structured_content
    Draft202012Validator(SCHEMAS[tool]).validate(answer)
    assert json.loads(result.content[0].text) == answer
    assert result.is_error is (not answer["ok"] and answer["failure"]["kind"] == "request")
    return answer


def over_memory(conversation: Conversation, root: Path | None = None) -> None:
    async def main() -> None:
        async with Client(build_server(root)) as client:
            await conversation(client)

    asyncio.run(main())


def over_stdio(conversation: Conversation, root: Path | None = None) -> None:
    rooted = [] if root is None else ["--root", str(root)]

    async def main() -> None:
        async with Client(StdioServerParameters(command=sys.executable, args=[*EVALNB, *rooted])) as client:
            await conversation(client)

    asyncio.run(main())


def over_http(conversation: Conversation, root: Path | None = None) -> None:
    rooted = [] if root is None else ["--root", str(root)]
    process = subprocess.Popen([sys.executable, *EVALNB, "--http", "0", *rooted], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None

    async def main(url: str) -> None:
        async with Client(url) as client:
            await conversation(client)

    try:
        url = process.stderr.readline().split()[-1]
        assert url.startswith("http://127.0.0.1:")
        asyncio.run(main(url))
    finally:
        process.terminate()
        process.communicate(timeout=10)


@pytest.mark.parametrize("over", [over_memory, over_stdio, over_http])
def test_a_client_lists_the_tools_and_compiles_a_good_and_a_bad_contract(over: Any) -> None:
    async def conversation(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == {
            "compile", "coverage", "seal", "preflight", "score", "explain", "list-examples", "read-schema",
        }  # fmt: skip
        for name, tool in listed.items():
            Draft202012Validator.check_schema(tool.input_schema)
            Draft202012Validator.check_schema(tool.output_schema)
            assert tool.output_schema == SCHEMAS[name]
            assert tool.annotations.read_only_hint
        good = await ask(client, "compile", contract=contract())
        assert good["contract"] == contract()
        bad = await ask(client, "compile", contract=contract(forbiddenInputs=[]))
        assert bad["failure"]["kind"] == "structural"
        meaning = await ask(client, "explain", code=bad["failure"]["code"])
        assert meaning["explanations"][0]["remedy"]
        shapeless = await ask(client, "compile", contract=contract(behaviors="none", surprise=1))
        assert shapeless["failure"]["code"] == "schema-parse-failure"
        assert {issue["path"] for issue in shapeless["failure"]["issues"]} >= {"/behaviors"}

    over(conversation)


def test_every_stage_answers_as_the_functions_do() -> None:
    async def conversation(client: Client) -> None:
        assert (await ask(client, "coverage", contract="contract.json"))["gaps"] == []
        assert (await ask(client, "seal", contract="contract.json"))["brief"]["schemaVersion"] == 2
        ready = await ask(
            client, "preflight", contract="contract.json", probes=planning_list(), observations="observations.json",
            runId="served",
        )  # fmt: skip
        assert ready["verdict"]["passed"]
        scored = await ask(
            client, "score", record=[f"records/P-003-trial-{trial}.json" for trial in (1, 2, 3)],
            contract="contract.json", probe="probes/P-003.json", preflightVerdict=ready["verdict"],
            policy="scoring-policy.json", corpusDigest=(TRIAGE / "corpus-digest.txt").read_text().strip(),
            isolationManifest="isolation-manifest.json", evaluatorConfiguration="evaluator-configuration.json",
        )  # fmt: skip
        assert (scored["verdict"], scored["exitCode"]) == ("FAIL", 2)
        assert scored["evidence"]["outcomes"]
        assert len((await ask(client, "explain"))["explanations"]) > 40
        listed = await ask(client, "list-examples")
        assert listed["contract"] is None
        named = await ask(client, "list-examples", name=listed["examples"][0]["name"])
        assert (await ask(client, "compile", contract=named["contract"]))["ok"]
        schema = (await ask(client, "read-schema", kind="eval-contract"))["schema"]
        Draft202012Validator(schema).validate(named["contract"])

    over_memory(conversation, TRIAGE)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("compile", {}),
        ("compile", {"contract": 7}),
        ("compile", {"contract": {}, "out": "x.json"}),
        ("explain", {"code": "no-such-code"}),
        ("list-examples", {"name": "../triage"}),
        ("read-schema", {"kind": "../eval-contract"}),
        ("preflight", {"contract": {}, "probes": [], "observations": [], "runId": ""}),
    ],
)
def test_a_wrong_call_is_answered_with_a_reason(tool: str, arguments: dict[str, Any]) -> None:
    async def conversation(client: Client) -> None:
        answer = await ask(client, tool, **arguments)
        assert answer["failure"]["kind"] == "request"
        assert answer["failure"]["detail"]

    over_memory(conversation)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "contract.json").write_text(json.dumps(contract()), encoding="utf-8")
    (tmp_path / "secret.json").write_text('{"secret": 1}', encoding="utf-8")
    (tmp_path / "rooted").mkdir()
    (tmp_path / "rooted" / "secret.json").write_text('{"secret": 1}', encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "up").symlink_to(tmp_path)
    (folder / "within.json").symlink_to(folder / "inner" / "contract.json")
    return folder


def test_files_below_the_root_are_read_and_no_others(root: Path) -> None:
    async def conversation(client: Client) -> None:
        for inside in (
            "inner/contract.json",
            "./inner/../inner/contract.json",
            "within.json",
            str(root / "within.json"),
        ):
            assert (await ask(client, "compile", contract=inside))["ok"]
        outside = ("../secret.json", str(root.parent / "secret.json"), "link.json", "up/secret.json", "inner", "",
                   "../rooted/secret.json", "/etc/passwd", "none.json", "a\0b", "inner/../../secret.json", "x" * 5000)  # fmt: skip
        for path in outside:
            answer = await ask(client, "compile", contract=path)
            assert answer["failure"]["kind"] == "request"
            assert 'secret": 1' not in json.dumps(answer)

    over_memory(conversation, root)


def test_a_pipe_is_not_waited_for(root: Path) -> None:
    import os

    os.mkfifo(root / "pipe.json")
    with pytest.raises(RefusedPath):
        FileRoot(root).read_json("pipe.json", "EvalContract")


def test_without_a_root_no_file_is_read(root: Path) -> None:
    async def conversation(client: Client) -> None:
        answer = await ask(client, "compile", contract=str(root / "inner" / "contract.json"))
        assert "no files are served" in answer["failure"]["detail"]

    over_memory(conversation)


def inspect(*arguments: str) -> dict[str, Any]:
    """One call of the inspector's command line against a server of ours."""
    inspector = require("mcp-inspector")
    command = [inspector, "--cli", sys.executable, *EVALNB, "--root", str(TRIAGE), *arguments]
    environment = {"PATH": search_path(), "HOME": "/nonexistent"}
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr
    answered: dict[str, Any] = json.loads(finished.stdout)
    return answered


def test_the_inspector_lists_the_tools() -> None:
    assert {tool["name"] for tool in inspect("--method", "tools/list")["tools"]} == set(SCHEMAS)


def test_the_inspector_compiles_a_good_and_a_bad_contract() -> None:
    call = ("--method", "tools/call", "--tool-name", "compile", "--tool-arg")
    good = inspect(*call, "contract=contract.json")
    assert good["structuredContent"]["contract"] == contract()
    bad = inspect(*call, "contract=scoring-policy.json")
    assert not bad["structuredContent"]["ok"]
    for answer in (good, bad):
        Draft202012Validator(SCHEMAS["compile"]).validate(answer["structuredContent"])
