"""Measurements over a command and over HTTP, with defects that a person planted."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import evalnb.corpus
from evalnb.cli.main import main
from evalnb.corpus import example
from evalnb.corpus.triage.desk import DEFECTS
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.harness import (
    MeasureOptions,
    parse_measured_targets,
    parse_user_mutants,
    read_measured_targets,
    read_user_mutants,
    run_measurement,
)
from tests.harness import reports
from tests.probing.live_triage import write

PATCH = """\
--- a/report_tool.py
+++ b/report_tool.py
@@ -21,4 +21,4 @@
     with open("report.txt", "w", encoding="utf-8") as file:
         file.write("".join(f"{line}\\n" for line in lines))
-    sys.stdout.write(json.dumps({"ok": True, "title": title, "lines": len(lines)}) + "\\n")
+    sys.stdout.write(json.dumps({"ok": True, "title": title.lower(), "lines": len(lines)}) + "\\n")
     return 0
"""


@pytest.fixture
def working(tmp_path: Path) -> Path:
    folder = tmp_path / "tool"
    folder.mkdir()
    shutil.copy(reports.TOOL, folder)
    start = folder / "start"
    start.write_text(
        f'#!/bin/sh\nexec {sys.executable} -I -S "$(dirname "$0")/report_tool.py" "$@"\n', encoding="utf-8"
    )
    start.chmod(0o755)
    return folder


def measured(working: Path, check: dict[str, Any], **options: Any) -> dict[str, str]:
    targets = reports.targets(working, working / "start")
    measurement = run_measurement(
        reports.contract(check, reports.REFUSED), targets, MeasureOptions(trials=1, **options)
    )
    return {mutant.spec.mutant_id: mutant.status for mutant in measurement.mutants}


def test_a_command_is_measured_and_its_exit_code_with_it(working: Path) -> None:
    found = measured(working, reports.RENDERED, operators=("zeroed-exit", "altered-scalar", "spurious-error"))
    assert found == {
        "spurious-error-reports-render": "caught",
        "altered-scalar-reports-render": "caught",
        "zeroed-exit-reports-render": "caught",
    }


def test_a_defect_in_a_file_is_refused_by_the_gate_in_its_own_words(working: Path) -> None:
    targets = reports.targets(working, working / "start")
    contract = reports.contract(reports.RENDERED, reports.REFUSED)
    measurement = run_measurement(contract, targets, MeasureOptions(trials=1, operators=("wrong-artifact",)))
    (mutant,) = measurement.mutants
    assert mutant.status == "unqualified"
    assert mutant.reasons[0].startswith("condition-artifact-channel-contract-local")


def test_a_file_that_is_not_written_costs_its_mutant_and_no_other(working: Path) -> None:
    edit = {"file": "report_tool.py", "find": 'open("report.txt", "w"', "replace": 'open("/dev/null", "w"'}
    mutants = parse_user_mutants({"mutants": [{"id": "lost", "summary": "no file is written", "edits": [edit]}]})
    targets = reports.targets(working, working / "start")
    contract = reports.contract(reports.RENDERED, reports.REFUSED)
    options = MeasureOptions(trials=1, operators=("altered-scalar",), mutants=tuple(mutants))
    found = {one.spec.mutant_id: one for one in run_measurement(contract, targets, options).mutants}
    assert found["altered-scalar-reports-render"].status == "caught"
    assert found["user-lost"].status == "unqualified"
    assert found["user-lost"].reasons[0].startswith("condition-artifact-channel-contract-local")


def test_edits_and_patches_are_planted_in_a_copy_and_the_original_stays(working: Path, tmp_path: Path) -> None:
    patch = tmp_path / "title.patch"
    patch.write_text(PATCH, encoding="utf-8")
    edit = {"file": "report_tool.py", "find": "int(count) + 1)", "replace": "int(count))"}
    mutants = parse_user_mutants(
        {
            "mutants": [
                {"id": "short", "summary": "a line is missing", "edits": [edit]},
                {"id": "title", "summary": "the title loses its capitals", "patch": str(patch)},
                {"id": "nowhere", "summary": "finds no place", "edits": [{**edit, "find": "no such text"}]},
            ]
        }
    )
    before = reports.TOOL.read_bytes()
    found = measured(working, reports.RENDERED, operators=(), mutants=tuple(mutants))
    assert found == {"user-short": "caught", "user-title": "caught", "user-nowhere": "broken"}
    assert (working / "report_tool.py").read_bytes() == before


@pytest.mark.parametrize("named", ["../held.txt", "/ABSOLUTE/held.txt", "link.txt", "gone.txt"])
def test_an_edit_reaches_nothing_outside_the_working_copy(named: str, working: Path, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere" / "held.txt"
    outside.parent.mkdir()
    outside.write_text("held", encoding="utf-8")
    (working / "link.txt").symlink_to(outside)
    edit = {"file": named.replace("/ABSOLUTE", str(outside.parent)), "find": "held", "replace": "lost"}
    mutants = parse_user_mutants({"mutants": [{"id": "far", "summary": "reaches out", "edits": [edit]}]})
    targets = reports.targets(working, working / "start")
    contract = reports.contract(reports.RENDERED, reports.REFUSED)
    measurement = run_measurement(contract, targets, MeasureOptions(trials=1, operators=(), mutants=tuple(mutants)))
    (mutant,) = measurement.mutants
    assert mutant.status == "broken"
    assert ("has no file gone.txt" if named == "gone.txt" else "is not in the working copy") in mutant.reasons[0]
    assert outside.read_text(encoding="utf-8") == "held"


@pytest.mark.parametrize(
    "document",
    [
        {"mutants": []},
        {"mutants": [{"id": "a", "summary": "changes nothing"}]},
        {"mutants": [{"id": "a", "summary": "s", "flags": ["-x"]}, {"id": "a", "summary": "s", "flags": ["-y"]}]},
        {"mutants": [{"id": "a", "summary": "s", "flag": "-x"}]},
    ],
)
def test_a_file_of_user_mutants_that_says_nothing_clear_is_refused(document: Any) -> None:
    with pytest.raises(RuntimeFault, match="schema-parse-failure"):
        parse_user_mutants(document)


@pytest.mark.parametrize(
    "document", [[], {"apis": {}}, {"systems": [{}]}, {"instances": "per-day"}, {"workingCopy": 1}]
)
def test_targets_of_another_shape_are_refused(document: Any) -> None:
    with pytest.raises(RuntimeFault, match="schema-parse-failure"):
        parse_measured_targets(document)


MEASURING = Path(evalnb.corpus.__file__).parent / "measuring"


def test_the_packaged_desk_misses_the_defect_its_contract_is_known_to_miss(tmp_path: Path) -> None:
    mutants = read_user_mutants(MEASURING / "triage-defects.json")
    contract: Any = scan_json((example("triage") / "contract.json").read_bytes(), "EvalContract")
    options = MeasureOptions(operators=("dropped-write", "swallowed-error"), mutants=tuple(mutants), jobs=2)
    measurement = run_measurement(contract, read_measured_targets(MEASURING / "triage-targets.json"), options)
    found = {mutant.spec.mutant_id: mutant.status for mutant in measurement.mutants}
    assert [name for name, status in found.items() if status == "missed"] == ["user-invented-promise"]
    assert {found[f"user-{name}"] for name in DEFECTS} == {"caught", "missed"}
    (survivor,) = measurement.survivors
    assert survivor.differing == ("/interactions/draft-plain/response-body/reply",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--floor", "nan"], "nan is no finite number"),
        (["--seed", str(10**20)], "'--seed'"),
        (["--operators", ""], "there is nothing to plant"),
        (["--operators", "no-such"], "no mutation operator is called 'no-such'"),
        (["--out", "FILE"], "is no folder; name another one"),
    ],
)
def test_a_command_line_that_measures_nothing_is_refused(
    given: list[str], said: str, working: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = write(tmp_path, "contract.json", reports.contract(reports.LOOSE, reports.REFUSED))
    targets = write(tmp_path, "targets.json", reports.targets(working, working / "start"))
    given = [str(contract) if word == "FILE" else word for word in given]
    out = ["--out", str(tmp_path / "out")]
    assert main(["measure", "--contract", str(contract), "--targets", str(targets), *out, *given]) == 64
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_prints_the_answer_and_keeps_to_the_floor(
    working: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = write(tmp_path, "contract.json", reports.contract(reports.LOOSE, reports.REFUSED))
    targets = write(tmp_path, "targets.json", reports.targets(working, working / "start"))
    arguments = ["measure", "--contract", str(contract), "--targets", str(targets), "--trials", "1"]
    arguments += ["--operators", "nulled-field,zeroed-exit", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--floor", "0.9"]) == 2
    printed = capsys.readouterr().out
    assert "catch rate 50%" in printed
    assert "survived: nulled-field-reports-render" in printed
    assert main([*arguments, "--resume", "--floor", "0.5"]) == 0
    assert main(arguments) == 64
    assert main([*arguments[:-1], str(tmp_path / "other"), "--operators", "no-such"]) == 64
