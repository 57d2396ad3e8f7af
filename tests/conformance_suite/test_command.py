"""`evalnb conformance`: every assertion in a table or as JSON, and an exit code that says whether the port conforms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalnb.cli.main import main

MODULE = """
from evalnb.conformance import BuiltSubject, ClockPortSubject
from evalnb.adapters import SystemClock

def clock(name="good", answer="2024-01-01T00:00:00Z"):
    def build(scenario):
        calls = []
        def mechanism():
            calls.append(1)
            if scenario == "fails":
                raise OSError("stopped")
            return {"error": 1} if scenario == "in-band-error" else answer
        return BuiltSubject(port=SystemClock(mechanism).read, underlying_calls=lambda: len(calls))
    return ClockPortSubject(name=name, sample_request={}, build=build)

def both():
    return [clock(), clock("[red]bad\\x1b[31m", "now")]

def wrong():
    return 7

def none():
    return []

def raising():
    raise ValueError("out of order")

constant = 1
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"ports_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / "broken_ports.py").write_text("def :")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", __import__("sys").path.copy())
    return name


def test_a_conforming_port_exits_0_with_every_assertion_named(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", f"{module}:clock"]) == 0
    out = capsys.readouterr().out
    assert 'PASS clock conformance for "good": 6/6' in out
    for name in ("typed-fault", "single-underlying-call-on-success", "prompt-abort", "schema-valid-return"):
        assert f"read/{name} " in out


def test_a_port_that_does_not_conform_exits_2_and_its_texts_stay_text(
    module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conformance", f"{module}:both"]) == 2
    out = capsys.readouterr().out
    assert 'FAIL clock conformance for "[red]bad' in out
    assert "\x1b[31m" not in out


def test_reports_as_json(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", f"{module}:both", "--json"]) == 2
    good, bad = json.loads(capsys.readouterr().out)
    assert (good["port"], good["passed"], bad["passed"]) == ("clock", True, False)
    assert [outcome["id"] for outcome in bad["outcomes"] if not outcome["passed"]] == [
        "read/single-underlying-call-on-success",
        "read/schema-valid-return",
    ]


@pytest.mark.parametrize(
    ("factory", "said"),
    [
        ("{module}", "MODULE:FACTORY"),
        (":clock", "MODULE:FACTORY"),
        ("{module}:", "MODULE:FACTORY"),
        ("no_such_ports:clock", "cannot be imported"),
        ("broken_ports:clock", "SyntaxError"),
        ("{module}:absent", "no function"),
        ("{module}:constant", "no function"),
        ("{module}:wrong", "something else"),
        ("{module}:none", "no conformance subject"),
        ("{module}:raising", "out of order"),
    ],
)
def test_what_gives_no_subject_is_a_usage_error(
    module: str, factory: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conformance", factory.format(module=module)]) == 64
    assert said in capsys.readouterr().err
