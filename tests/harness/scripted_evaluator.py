"""An evaluator of few words: it reads its brief and its ways to the system, makes the calls it is told, and reports.

`MODE` says how it misbehaves; nothing of evalnb is imported, as an evaluator of anybody else would not.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ACCESS = json.loads(Path(os.environ["EVALNB_ACCESS"]).read_text())
BRIEF = json.loads(Path(os.environ["EVALNB_BRIEF"]).read_text())


def http(interface: str, method: str, path: str, body: Any = None) -> tuple[int, Any, str | None]:
    """Status, answer and the id of the recorded call."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(ACCESS["apis"][interface] + path, data, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response), response.headers["Evalnb-Observation"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), error.headers["Evalnb-Observation"]


async def tools(interface: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Tool calls over one session of an ordinary client."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = ACCESS["mcpServers"][interface]
    parameters = StdioServerParameters(command=server["command"], args=server["args"])
    async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        listed = await session.list_tools()
        answers: list[Any] = [[tool.name for tool in listed.tools]]
        for name, arguments in calls:
            answers.append(await session.call_tool(name, arguments))
        return answers


def report(**document: Any) -> None:
    with open(os.environ["EVALNB_FINDINGS"], "w") as file:
        json.dump(document, file)


def desk() -> None:
    """File a ticket with a danger in it, read it back, and judge whether it was put first."""
    http("triage-desk", "POST", "/desk/restore", {"snapshot": "monday-morning"})
    message = "Hello. " * 30 + "There is smoke coming from the heater and it smells of burning."
    ticket = {"customer": "c-1", "subject": "Heater", "message": message, "channel": "web-form"}
    _, opened, filed = http("triage-desk", "POST", "/tickets", ticket)
    _, _, read = http("triage-desk", "GET", f"/tickets/{opened['ticketId']}")
    missed = opened["priority"] != "urgent" and opened["team"] != "safety"
    finding = {
        "type": "defect",
        "oracle": "O-001",
        "behavior": "B-001",
        "severity": "critical",
        "summary": "A danger described late in a message is not seen.",
        "observations": [filed],
        "quotes": [{"channel": "response-body", "text": f'"priority":"{opened["priority"]}"'}],
    }
    report(
        recommendation="FAIL" if missed else "PASS",
        dispositions=[
            {"oracle": "O-001", "disposition": "violated" if missed else "held", "observations": [filed, read]}
        ],
        findings=[finding] if missed else [],
        use={"inputTokens": 12},
    )


def command() -> None:
    """Render a report with the wrapped command, once as declared and once not."""
    # The input stays open, as many programs leave it.
    rendering = ["report", "render", "--title", "Plan", "--count", "2"]
    open_input, kept_open = os.pipe()
    done = subprocess.run(rendering, stdin=open_input, capture_output=True, text=True, timeout=20)
    os.close(kept_open)
    wrong = subprocess.run(["report", "erase"], capture_output=True, text=True)
    assert wrong.returncode != 0, wrong
    assert "refused" in wrong.stderr, wrong
    held = done.returncode == 0 and json.loads(done.stdout)["title"] == "Plan"
    seen = [json.loads(line)["observationId"] for line in Path(ACCESS["observations"]).read_text().splitlines()]
    report(
        recommendation="PASS" if held else "FAIL",
        dispositions=[{"oracle": "O-001", "disposition": "held" if held else "violated", "observations": seen[:1]}],
    )


def notes() -> None:
    """Add a note with a tool and see whether it is listed."""
    listed, added, refused, after = asyncio.run(
        tools("notes", ("add_note", {"text": "milk"}), ("drop_database", {}), ("list_notes", {"prefix": ""}))
    )
    assert refused.is_error, refused
    ids = [answer.meta["evalnb/observation"] for answer in (added, after)]
    print(listed, after.content[0].text)
    report(
        recommendation="PASS",
        dispositions=[{"oracle": "O-001", "disposition": "held", "observations": ids}],
        findings=[
            {
                "type": "confirmation",
                "oracle": "O-001",
                "severity": "low",
                "summary": "The note is listed.",
                "observations": ids,
            }
        ],
    )


def memory() -> None:
    """Remember somebody, and see whether that is remembered."""
    entity = {"name": "Ada", "entityType": "person", "observations": ["writes"]}
    listed, created, graph = asyncio.run(
        tools("memory", ("create_entities", {"entities": [entity]}), ("read_graph", {}))
    )
    assert "delete_relations" not in listed, listed
    ids = [answer.meta["evalnb/observation"] for answer in (created, graph)]
    report(
        recommendation="PASS",
        dispositions=[{"oracle": BRIEF["directions"][0]["oracleId"], "disposition": "held", "observations": ids}],
    )


def misbehave(mode: str) -> None:
    """Everything that a well-meaning or hostile evaluator may do wrong."""
    _, _, seen = http("triage-desk", "GET", "/tickets?status=open&limit=20")
    if mode == "leaves-a-child":
        subprocess.Popen(["sleep", "4321"], start_new_session=True)
        report(recommendation="PASS")
    elif mode == "replaces-the-log":
        os.unlink(ACCESS["observations"])
        os.mkfifo(ACCESS["observations"])
        assert http("triage-desk", "GET", "/tickets?limit=1")[0] == 200
        report(recommendation="PASS")
    elif mode == "names-no-artifact":
        report(recommendation="FAIL", findings=[{**defect([seen]), "quotes": [{"channel": "artifact", "text": "x"}]}])
    elif mode == "no-record-can-hold-it":
        status, answer, _ = http("triage-desk", "POST", "/tickets", {"subject": "\ud800", "message": 10**30})
        assert (status, "refused" in answer) == (403, True), (status, answer)
        report(recommendation="PASS")
    elif mode == "breaks-what-starts-the-system":
        Path(os.environ["STARTER"]).write_text("raise SystemExit(9)")
        report(recommendation="PASS")
    elif mode == "calls-at-once":
        with ThreadPoolExecutor(8) as pool:
            seen_too = list(pool.map(lambda _: http("triage-desk", "GET", "/tickets?limit=1")[2], range(16)))
        assert len({seen, *seen_too}) == 17, seen_too
        report(recommendation="PASS")
    elif mode == "hangs":
        subprocess.Popen(["sleep", "4321"])
        time.sleep(3600)
    elif mode == "dies":
        os.kill(os.getpid(), 9)
    elif mode == "fails":
        sys.exit(3)
    elif mode == "floods":
        for _ in range(400):
            sys.stdout.write("x" * 65536)
        report(recommendation="PASS")
    elif mode == "says-nothing":
        pass
    elif mode == "garbage":
        Path(os.environ["EVALNB_FINDINGS"]).write_bytes(b"\xff{]" * 100)
    elif mode == "huge":
        Path(os.environ["EVALNB_FINDINGS"]).write_bytes(b"[" * 5_000_000)
    elif mode == "link":
        os.symlink("/etc/passwd", os.environ["EVALNB_FINDINGS"])
    elif mode == "invents-a-call":
        report(recommendation="FAIL", findings=[defect(["obs-099"])])
    elif mode == "misquotes":
        quote = {"channel": "response-body", "text": "the desk is on fire"}
        report(recommendation="FAIL", findings=[{**defect([seen]), "quotes": [quote]}])
    elif mode == "unknown-oracle":
        report(recommendation="FAIL", findings=[{**defect([seen]), "oracle": "O-099"}])
    elif mode == "cites-nothing":
        report(recommendation="FAIL", findings=[defect([])])
    elif mode == "wrong-shape":
        report(recommendation="MAYBE", verdict="good")
    elif mode == "undeclared":
        status, answer, _ = http("triage-desk", "DELETE", "/tickets/T-1")
        assert (status, "refused" in answer) == (403, True), (status, answer)
        report(recommendation="PASS")
    elif mode == "spends-everything":
        answers = [http("triage-desk", "GET", "/tickets?limit=1")[0] for _ in range(50)]
        assert answers.count(200) == 39, answers
        report(recommendation="PASS")


def defect(observations: list[Any]) -> dict[str, Any]:
    return {
        "type": "defect",
        "oracle": "O-001",
        "severity": "material",
        "summary": "Something is wrong.",
        "observations": observations,
    }


if __name__ == "__main__":
    mode = sys.argv[1]
    {"desk": desk, "command": command, "notes": notes, "memory": memory}.get(mode, lambda: misbehave(mode))()
