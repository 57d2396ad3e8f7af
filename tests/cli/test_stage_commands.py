"""The stage commands as a person meets them: help, versions, stdin, output places, whole processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalnb.cli.arguments import GRAMMARS, STAGE_COMMANDS, Run, UsageError, parse_arguments
from evalnb.cli.exit_codes import EXIT_CODE_MEANINGS
from evalnb.cli.help_text import help_page
from evalnb.cli.lenient_json import NotJson, parse_lenient_json
from evalnb.cli.main import main
from evalnb.cli.stderr_lines import issue_lines, printable
from evalnb.engine.artifacts.issues import Issue

EVALNB = [sys.executable, "-c", "from evalnb.cli.main import main; raise SystemExit(main())"]


@pytest.mark.parametrize("command", [None, *STAGE_COMMANDS])
def test_every_help_page_carries_the_exit_codes(command: str | None) -> None:
    page = help_page(command)
    for code, _ in EXIT_CODE_MEANINGS:
        assert re.search(rf"^ {{2}}{code} +\S", page, re.MULTILINE)


def test_general_help_lists_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    page = capfd.readouterr().out
    assert page.endswith("\n")
    for command in STAGE_COMMANDS:
        assert f"evalnb {command}" in page


def test_a_command_page_shows_its_own_flags_only() -> None:
    assert "--strict-inputs" in help_page("compile")
    assert "--observations" not in help_page("compile")
    page = help_page("aggregate-strength")
    assert all(part in page for part in ("--evidence <path>", "--floors <path>", "strength-aggregate.json"))


def test_designated_oracle_is_read_and_checked_for_form() -> None:
    complete = ["--record", "r", "--contract", "c", "--probe", "p", "--preflight-verdict", "v", "--policy", "y"]
    score = ["score", *complete, "--corpus-digest", "d"]
    parsed = parse_arguments([*score, "--designated-oracle", "O-001"])
    assert isinstance(parsed, Run)
    assert parsed.designated_oracle == "O-001"
    for tail in (["--designated-oracle=X"], ["--designated-oracle=O-001", "--designated-oracle=O-001"]):
        refused = parse_arguments([*score, *tail])
        assert isinstance(refused, UsageError)
        assert "--designated-oracle" in refused.message


def test_version_is_printed_alone(capfd: pytest.CaptureFixture[str]) -> None:
    from evalnb import __version__

    assert main(["-V"]) == 0
    assert capfd.readouterr().out == f"{__version__}\n"


def test_a_whole_process_reads_stdin_and_exits_with_the_fault_code() -> None:
    result = subprocess.run([*EVALNB, "compile"], input=b"nope", capture_output=True, check=False)
    assert result.returncode == 5
    assert result.stdout == b""
    assert result.stderr.decode() == (
        "evalnb: schema-parse-failure: EvalContract: --in is not JSON: "
        "Unexpected token 'o', \"nope\" is not valid JSON\n"
    )


def test_an_output_that_is_an_input_is_refused_on_disk_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    contract = tmp_path / "contract.json"
    contract.write_text("{}")
    (tmp_path / "alias.json").symlink_to(contract)
    assert main(["compile", "--in", str(contract), "--out", str(tmp_path / "alias.json")]) == 64
    assert "which is also --in" in capfd.readouterr().err
    assert contract.read_text() == "{}"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
        ('"\\ud800"', "\ud800"),
        ("12345678901234567890", 12345678901234567000.0),
        ("1.0", 1),
        ("[" * 3000 + "]" * 3000, None),
    ],
)
def test_lenient_reading_leaves_judgement_to_the_engine(text: str, value: object) -> None:
    parsed = parse_lenient_json(text)
    if value is not None:
        assert parsed == value


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", '{"a":1', "'a'", '"a\nb"', "\ufeff{}", "", "{} {}", "01", "[1,]"]
)
def test_what_is_not_json_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(NotJson) as caught:
        parse_lenient_json(text)
    assert str(caught.value)


def test_a_terminal_never_receives_control_characters() -> None:
    hostile = "\x1b[31mred\x07\u202eabc\x9b1m"
    assert printable(hostile) == "\\x1b[31mred\\x07\\u202eabc\\x9b1m"
    with pytest.raises(NotJson) as caught:
        parse_lenient_json("\x1b[2J")
    assert "\x1b" not in str(caught.value)


def test_issue_lines_are_sorted_as_text_and_capped() -> None:
    issues = [Issue(("a", number), "custom", "bad") for number in range(25)]
    lines = issue_lines(issues)
    assert len(lines) == 21
    assert lines[-1] == "  ... and 5 more"
    assert lines[:2] == ["  /a/0: bad", "  /a/10: bad"]


@pytest.mark.parametrize("command", STAGE_COMMANDS)
def test_grammar_names_each_artifact_once(command: str) -> None:
    names = [flag.name for flag in GRAMMARS[command].flags]
    assert len(names) == len(set(names))


def test_the_starting_stage_loads_nothing_heavy() -> None:
    heavy = ("pandas", "altair", "ipywidgets", "mcp", "papermill", "httpx2", "click", "rich", "asyncio")
    code = (
        "import sys, json; from evalnb.cli.main import main; main(['compile', '--in', '/dev/null']);"
        f"print(json.dumps([m for m in {heavy!r} if m in sys.modules]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) == []


@pytest.mark.parametrize(("argv", "hint"), [(["repport"], 'did you mean "report"?'), ([], "no command given")])
def test_every_command_is_named_to_a_person_who_names_none(
    argv: list[str], hint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == 64
    said = capfd.readouterr().err
    assert hint in said
    assert "compile" in said
    assert "demo" in said
