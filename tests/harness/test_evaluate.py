"""Any command as an evaluator: what it did is what the gateway saw, and nothing it says is believed without a call."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import evalnb as ev
from evalnb.cli.main import main
from evalnb.corpus import DEMO, example
from evalnb.engine.artifacts import EVAL_CONTRACT, SEALED_RUN_RECORD, read
from evalnb.harness.gateway.faces import give_access
from evalnb.harness.gateway.sealing import digest_of_command
from evalnb.harness.gateway.trial import EvaluatorTrial
from evalnb.harness.measured_targets import parse_measured_targets
from tests.harness import notes, reports

EVALUATOR = [sys.executable, str(Path(__file__).with_name("scripted_evaluator.py"))]
RUN_ID = json.loads(next((example(DEMO) / "records").glob("*.json")).read_text())["runId"]
STARTED = """import signal; signal.signal(signal.SIGINT, signal.{})
from evalnb.cli.main import main; raise SystemExit(main())"""
MEASURING = Path(ev.__file__).parent / "corpus" / "measuring"


def prepared(folder: Path, contract: Any, targets: Any) -> list[str]:
    """The brief beside its contract, and the targets; the flags that name them."""
    (folder / "brief").mkdir()
    (folder / "brief" / "contract.json").write_text(json.dumps(contract))
    (folder / "brief" / "brief.json").write_text(json.dumps(ev.seal(contract).document))
    (folder / "targets.json").write_text(json.dumps(targets))
    return ["--brief", str(folder / "brief" / "brief.json"), "--targets", str(folder / "targets.json")]


def desk_flags(folder: Path, *flags: str) -> list[str]:
    contract = json.loads((example(DEMO) / "contract.json").read_text())
    targets = json.loads((MEASURING / "triage-targets.json").read_text())
    targets["systems"][0]["command"] += flags
    return prepared(folder, contract, targets)


def evaluated(folder: Path, flags: list[str], *command: str, trials: int = 1) -> int:
    """`evalnb evaluate` with the scripted evaluator; the exit code."""
    out = ["--out", str(folder / "out"), "--trials", str(trials)]
    return main(["evaluate", *flags, *out, "--", *EVALUATOR, *command])


def record(folder: Path) -> dict[str, Any]:
    [path] = sorted((folder / "out").glob("sealed-run-record*.json"))
    document: dict[str, Any] = json.loads(path.read_text())
    return document


def arm_of_the_example(folder: Path, probe: Path) -> Path:
    """An evaluation folder of one arm: the example's papers, and what was sealed into `folder / "out"`."""
    arm = folder / "arm"
    arm.mkdir()
    probes = [json.loads(path.read_text()) for path in sorted(probe.parent.glob("*.json"))]
    (arm / "probes.json").write_text(json.dumps(probes))
    (arm / "probe.json").write_bytes(probe.read_bytes())
    for name in ("observations.json", "scoring-policy.json"):
        (arm / name).write_bytes((example(DEMO) / name).read_bytes())
    for path in (folder / "out").glob("*.json"):
        (arm / path.name).write_bytes(path.read_bytes())
    return arm


@pytest.mark.parametrize(
    ("named", "flags", "outcome"),
    [("P-001", ["--defect", "late-hazard"], "caught"), ("P-005", [], "passed-clean-control")],
    ids=["a planted defect", "the clean system"],
)
def test_what_a_command_reports_is_scored_like_any_evaluation(
    named: str, flags: list[str], outcome: str, tmp_path: Path
) -> None:
    probe = example(DEMO) / "probes" / f"{named}.json"
    given = [*desk_flags(tmp_path, *flags), "--probe", named, "--run-id", RUN_ID]
    assert evaluated(tmp_path, given, "desk", trials=3) == 0
    run = ev.run(arm_of_the_example(tmp_path, probe))
    [result] = run.arms
    assert result.evidence is not None, result.score.ladder.basis
    assert {one.oracle_id: one.state for one in result.evidence.outcomes}["O-001"] == outcome


def test_a_command_reaches_a_tool_server_through_its_own_client(tmp_path: Path) -> None:
    flags = prepared(tmp_path, notes.contract(notes.READ_BACK), notes.targets())
    assert evaluated(tmp_path, flags, "notes") == 0
    sealed = record(tmp_path)
    assert [(one["sequence"], one["operationId"]) for one in sealed["observations"]] == [
        (1, "add-note"),
        (2, "list-notes"),
    ]
    assert sealed["observations"][0]["callInputs"]["arguments"] == {"text": "milk"}
    said = (tmp_path / "out" / "output" / "trial-1.stdout.txt").read_text()
    assert "add_note" in said
    assert "drop_database" not in said


def test_a_command_reaches_commands_through_wrappers(tmp_path: Path) -> None:
    working = tmp_path / "tool"
    working.mkdir()
    (working / "report_tool.py").write_bytes(reports.TOOL.read_bytes())
    start = working / "start"
    start.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$(dirname "$0")/report_tool.py" "$@"\n')
    start.chmod(0o755)
    flags = prepared(tmp_path, reports.contract(reports.LOOSE, reports.REFUSED), reports.targets(working, start))
    assert evaluated(tmp_path, flags, "command") == 0
    [observation] = record(tmp_path)["observations"]
    assert observation["callInputs"]["option"] == {"title": "Plan", "count": 2}
    assert observation["exitCode"] == 0
    assert observation["artifacts"]["report"]["kind"] == "text"


def test_two_interfaces_may_declare_the_same_executable(tmp_path: Path) -> None:
    raw = reports.contract(reports.LOOSE)
    raw["permittedInterfaces"].append({**raw["permittedInterfaces"][0], "logicalId": "drafts"})
    access = give_access(tmp_path, read(EVAL_CONTRACT, raw), "http://127.0.0.1:1/secret", {})
    commands = json.loads(access.file.read_text())["commands"]
    assert "'drafts'" in Path(commands["drafts"]["report"]).read_text()
    assert "'drafts'" not in Path(commands["reports"]["report"]).read_text()
    assert commands["drafts"]["report"] != commands["reports"]["report"]


def test_the_papers_say_what_was_reached_and_what_is_not_closed(tmp_path: Path) -> None:
    assert evaluated(tmp_path, desk_flags(tmp_path), "desk") == 0
    manifest = json.loads((tmp_path / "out" / "isolation-manifest.json").read_text())
    assert manifest["observedToolCalls"] == [
        "triage-desk.get-ticket",
        "triage-desk.open-ticket",
        "triage-desk.restore-desk",
    ]
    assert "does not close" in manifest["forbiddenInputAccounting"]["source-code"]["note"]
    configuration = json.loads((tmp_path / "out" / "evaluator-configuration.json").read_text())
    assert "the command" in configuration["evaluatorIdentity"]
    sealed = record(tmp_path)
    assert sealed["resourceUse"]["toolCalls"] == 3
    assert sealed["resourceUse"]["inputTokens"] == 12
    read(SEALED_RUN_RECORD, sealed)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("hangs", "was not done in 2 s and was ended"),
        ("leaves-a-child", "or something it started, was not done in 2 s and was ended"),
        ("dies", "ended with exit code -9"),
        ("fails", "ended with exit code 3"),
        ("says-nothing", "no findings were written to the file that EVALNB_FINDINGS names"),
        ("garbage", "EvaluatorFindings:"),
        ("huge", "the findings are larger than"),
        ("link", "no findings were written"),
        ("invents-a-call", "findings/0: no call was recorded as obs-099"),
        ("misquotes", 'findings/0: no cited call has "the desk is on fire" in its response-body'),
        ("names-no-artifact", "findings/0/quotes/0: a quote in the channel artifact, and no other, names its artifact"),
        ("unknown-oracle", "findings/0: the brief has no oracle O-099"),
        ("cites-nothing", "findings/0: a defect cites at least one call"),
        ("wrong-shape", "recommendation:"),
    ],
)
def test_an_evaluator_that_goes_wrong_costs_its_trial_and_is_said(
    mode: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(tmp_path, [*desk_flags(tmp_path), "--timeout", "2"], mode) == 5
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err
    assert not list((tmp_path / "out").glob("sealed-run-record*.json"))
    assert "sleep 4321" not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


def test_a_flood_of_output_is_cut_and_costs_nothing(tmp_path: Path) -> None:
    assert evaluated(tmp_path, desk_flags(tmp_path), "floods") == 0
    assert (tmp_path / "out" / "output" / "trial-1.stdout.txt").stat().st_size == 1024 * 1024


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("undeclared", "refused: triage-desk has no operation DELETE /tickets/T-1"),
        ("no-record-can-hold-it", "refused: triage-desk.open-ticket: no record can hold this call"),
        ("spends-everything", "refused: the budget of 40 calls is spent"),
    ],
)
def test_calls_beyond_the_contract_are_refused_and_told(
    mode: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(tmp_path, desk_flags(tmp_path), mode) == 0
    assert said in capsys.readouterr().err
    [recording] = (tmp_path / "out" / "recordings").iterdir()
    assert any(said == f"refused: {one}"[: len(said)] for one in json.loads(recording.read_text())["refused"])
    assert len(record(tmp_path)["observations"]) == (40 if mode == "spends-everything" else 1)


def test_the_gateway_writes_to_nothing_that_an_evaluator_puts_in_place_of_its_log(tmp_path: Path) -> None:
    assert evaluated(tmp_path, desk_flags(tmp_path), "replaces-the-log") == 0
    assert len(record(tmp_path)["observations"]) == 2


def test_calls_made_at_once_stand_in_one_sequence(tmp_path: Path) -> None:
    assert evaluated(tmp_path, desk_flags(tmp_path), "calls-at-once") == 0
    assert [one["sequence"] for one in record(tmp_path)["observations"]] == list(range(1, 18))


def test_a_system_that_does_not_start_again_costs_the_trials_that_lack_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starter = tmp_path / "starter.py"
    starter.write_text("import runpy; runpy.run_module('evalnb.corpus.triage.system', run_name='__main__')")
    monkeypatch.setenv("STARTER", str(starter))
    flags = desk_flags(tmp_path)
    targets = json.loads((tmp_path / "targets.json").read_text())
    command = targets["systems"][0]["command"]
    targets["systems"][0]["command"] = [command[0], str(starter), *command[command.index("--port") :]]
    (tmp_path / "targets.json").write_text(json.dumps(targets))
    given = [*flags, "--env", "STARTER"]
    assert evaluated(tmp_path, given, "breaks-what-starts-the-system", trials=2) == 5
    assert "trial 2: problem: the system: port-failure" in capsys.readouterr().err
    assert record(tmp_path)["trialIndex"] == 1


def test_a_brief_without_its_contract_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = desk_flags(tmp_path)
    (tmp_path / "brief" / "contract.json").write_text(json.dumps(notes.strong()))
    assert evaluated(tmp_path, flags, "desk") == 64
    assert "holds no contract that the brief was sealed from; name it with --contract" in capsys.readouterr().err


def test_a_folder_with_records_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = desk_flags(tmp_path)
    assert evaluated(tmp_path, flags, "desk") == 0
    assert evaluated(tmp_path, flags, "desk") == 64
    assert "holds sealed run records already" in capsys.readouterr().err


def test_a_script_where_one_is_is_found_and_its_last_words_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = desk_flags(tmp_path)
    (tmp_path / "evaluator.py").write_text("import os, sys\nprint(os.listdir())\nsys.exit('no key for the model')\n")
    monkeypatch.chdir(tmp_path)
    given = ["--trials", "1", "--out", "out", "--", sys.executable, "evaluator.py"]
    assert main(["evaluate", *flags, *given]) == 5
    assert "the evaluator ended with exit code 1: no key for the model" in capsys.readouterr().err
    assert (tmp_path / "out" / "output" / "trial-1.stdout.txt").read_text() == "[]\n"


def test_a_command_that_is_not_there_is_a_problem_of_every_trial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = desk_flags(tmp_path)
    assert main(["evaluate", *flags, "--trials", "1", "--out", str(tmp_path / "out"), "--", "nosuchcmd"]) == 5
    assert "nosuchcmd cannot be started" in capsys.readouterr().err


def test_another_script_of_the_same_name_is_another_evaluator(tmp_path: Path) -> None:
    script = tmp_path / "evaluator.py"
    script.write_text("first")
    first = digest_of_command(["python", str(script)])
    assert digest_of_command(["python", str(script)]) == first
    script.write_text("second")
    assert digest_of_command(["python", str(script)]) != first


def test_nothing_of_the_system_or_the_contract_is_in_what_a_command_is_given(tmp_path: Path) -> None:
    flags = desk_flags(tmp_path)
    program = "import os,json; print(json.dumps([dict(os.environ), open(os.environ['EVALNB_ACCESS']).read()]))"
    main(["evaluate", *flags, "--trials", "1", "--out", str(tmp_path / "out"), "--", sys.executable, "-c", program])
    given = (tmp_path / "out" / "output" / "trial-1.stdout.txt").read_text()
    assert str(tmp_path) not in given
    assert "sensitivityWitness" not in given
    assert parse_measured_targets(json.loads((tmp_path / "targets.json").read_text())).is_remade


def test_the_example_of_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")
    program = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "evaluator.py").write_text(program, encoding="utf-8")
    flags = desk_flags(tmp_path, "--defect", "one-row-per-customer")
    command = [sys.executable, str(tmp_path / "evaluator.py")]
    assert main(["evaluate", *flags, "--trials", "1", "--out", str(tmp_path / "out"), "--", *command]) == 0
    assert record(tmp_path)["evaluatorRecommendation"] == "FAIL"
    assert [one["oracleId"] for one in record(tmp_path)["findings"]] == ["O-003"]


def test_the_schema_of_findings_takes_what_the_page_shows_and_nothing_else(tmp_path: Path) -> None:
    assert main(["schemas", "--out", str(tmp_path)]) == 0
    schema = json.loads((tmp_path / "evaluator-findings.schema.json").read_text())
    page = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")
    shown = json.loads(page.split("```json\n")[1].split("```")[0])
    validator = Draft202012Validator(schema)
    assert validator.is_valid(shown)
    assert not validator.is_valid({**shown, "verdict": "good"})
    assert not validator.is_valid({key: value for key, value in shown.items() if key != "recommendation"})


@pytest.mark.skipif("EVALNB_NODE_MODULES" not in os.environ, reason="EVALNB_NODE_MODULES names no installed servers")
def test_a_published_tool_server_is_evaluated_through_the_gateway(tmp_path: Path) -> None:
    server = Path(os.environ["EVALNB_NODE_MODULES"]) / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    contract = json.loads((Path(ev.__file__).parent / "corpus" / "contracts" / "memory-server.json").read_text())
    authorization = {
        "interfaceId": "memory",
        "target": shutil.which("node"),
        "targetArgs": [str(server)],
        "tools": ["create_entities", "read_graph", "search_nodes", "delete_entities"],
        "cwd": "{scratch}",
        "serverEnvironment": {"MEMORY_FILE_PATH": "{scratch}/memory.jsonl"},
        "maxElapsedMs": 30_000,
        "maxOutputBytes": 1_000_000,
    }
    targets = {"mcp": {"authorizations": [authorization], "connections": {"memory": {"session": "per-run"}}}}
    assert evaluated(tmp_path, prepared(tmp_path, contract, targets), "memory") == 0
    sealed = record(tmp_path)
    assert [one["operationId"] for one in sealed["observations"]] == ["create-entities", "read-graph"]
    assert sealed["observations"][1]["responseBody"]["entities"][0]["name"] == "Ada"


def test_a_cell_evaluates_with_a_command(tmp_path: Path) -> None:
    desk_flags(tmp_path)
    run = ev.evaluate(
        tmp_path / "brief" / "brief.json",
        tmp_path / "targets.json",
        [*EVALUATOR, "desk"],
        out=tmp_path / "out",
        trials=2,
        probe_id="P-005",
    )
    assert [trial.problems for trial in run.trials] == [(), ()]
    assert [path.name for path in run.records] == ["sealed-run-record-P-005-1.json", "sealed-run-record-P-005-2.json"]


def test_an_interrupt_seals_the_trials_before_it(tmp_path: Path) -> None:
    desk_flags(tmp_path)

    def stop(trial: EvaluatorTrial) -> None:
        if trial.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ev.evaluate(
            tmp_path / "brief" / "brief.json",
            tmp_path / "targets.json",
            [*EVALUATOR, "desk"],
            out=tmp_path / "out",
            on_trial=stop,
        )
    assert len(list((tmp_path / "out").glob("sealed-run-record*.json"))) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--probe", "../../P-001"], 'the probe "../../P-001" is no probe\'s id'),
        (["--probe", "P-1"], 'the probe "P-1" is no probe\'s id'),
        (["--run-id", ""], 'the run id "" cannot be written down'),
        (["--model", "half \ud800"], "the model"),
        (["--evaluator", ""], 'the evaluator "" cannot be written down'),
    ],
)
def test_what_no_record_can_hold_is_refused_before_anything_is_started(
    given: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(tmp_path, [*desk_flags(tmp_path), *given], "desk") == 64
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("interrupts", ["SIG_IGN", "default_int_handler"], ids=["in the background", "in front"])
def test_a_supervisor_that_ends_the_command_keeps_the_trials_before(interrupts: str, tmp_path: Path) -> None:
    flags = [*desk_flags(tmp_path), "--out", str(tmp_path / "out"), "--trials", "3"]
    # The first trial reports; the second is under way when the signal comes.
    program = "import json, os, time\nif os.environ['EVALNB_TRIAL'] == '2':\n    print('under way'); time.sleep(60)\n"
    program += "json.dump({'recommendation': 'PASS'}, open(os.environ['EVALNB_FINDINGS'], 'w'))"
    (tmp_path / "scratch").mkdir()
    running = subprocess.Popen(
        [
            sys.executable,
            "-u",
            "-c",
            STARTED.format(interrupts),
            "evaluate",
            *flags,
            "--",
            sys.executable,
            "-c",
            program,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
    )
    assert running.stdout is not None
    assert running.stdout.readline().startswith("trial 1: ")
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=30)
    assert "stopped: 1 of 3 trials sealed in" in said
    assert "Traceback" not in said
    assert running.returncode == 130
    assert len(list((tmp_path / "out").glob("sealed-run-record*.json"))) == 1
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_arms_of_the_page_become_one_evaluation(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "evaluating.md").read_text(encoding="utf-8")
    commands = page.split("into one evaluation folder:\n\n```sh\n")[1].split("```")[0]
    contract = json.loads((example(DEMO) / "contract.json").read_text())
    targets = json.loads((MEASURING / "triage-targets.json").read_text())
    (tmp_path / "clean.json").write_text(json.dumps(targets))
    targets["systems"][0]["command"] += ["--defect", "late-hazard"]
    (tmp_path / "late-hazard.json").write_text(json.dumps(targets))
    (tmp_path / "contract.json").write_text(json.dumps(contract))
    (tmp_path / "brief.json").write_text(json.dumps(ev.seal(contract).document))
    # The scripted evaluator under the name that the page gives it.
    starter = (
        f"import runpy, sys; sys.argv = ['evaluator', 'desk']; runpy.run_path({EVALUATOR[1]!r}, run_name='__main__')"
    )
    (tmp_path / "evaluator.py").write_text(starter)
    probes = {path.name: path.read_text() for path in sorted((example(DEMO) / "probes").glob("*.json"))}
    (tmp_path / "probes").mkdir()
    for name in ("P-001.json", "P-005.json"):
        (tmp_path / "probes" / name).write_text(probes[name])
    (tmp_path / "probes.json").write_text(f"[{','.join(probes.values())}]")
    for name in ("observations.json", "scoring-policy.json"):
        shutil.copy(example(DEMO) / name, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", commands], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("3 of 3 trials sealed") == 2
    run = ev.run(tmp_path / "evaluation", out=tmp_path / "out")
    caught = {arm.arm.probe.probe_id: [one.state for one in arm.evidence.outcomes] for arm in run.arms if arm.evidence}
    assert "caught" in caught["P-001"]
    assert "passed-clean-control" in caught["P-005"]
