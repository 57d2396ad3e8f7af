"""What the commands of our own print for a person: whole sentences in a pipe, and what to do where a start failed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from evalnb.corpus import DEMO, example


def evalnb(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("evalnb")), *arguments], capture_output=True, text=True, cwd=cwd, timeout=60
    )


def test_coverage_in_a_pipe_keeps_each_rule_on_one_line(tmp_path: Path) -> None:
    done = evalnb("coverage", str(example(DEMO) / "contract.json"), cwd=tmp_path)
    assert done.returncode == 0
    assert "every declared sibling group has an oracle reading two of its members" in done.stdout


def test_a_server_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    done = evalnb("init", "--mcp", "nosuchcmd", "--out", "new", cwd=tmp_path)
    assert done.returncode == 5
    assert "nosuchcmd cannot be started: No such file or directory; name a command on PATH" in done.stderr
    assert "Errno" not in done.stderr


def test_a_measured_system_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    targets = {"systems": [{"interfaces": ["triage-desk"], "command": ["nosuchcmd"]}]}
    (tmp_path / "targets.json").write_text(json.dumps(targets))
    contract = str(example(DEMO) / "contract.json")
    done = evalnb("measure", "--contract", contract, "--targets", "targets.json", "--out", "new", cwd=tmp_path)
    assert done.returncode == 3
    assert "nosuchcmd cannot be started: No such file or directory; name a command on PATH" in done.stderr
    assert "Errno" not in done.stderr
