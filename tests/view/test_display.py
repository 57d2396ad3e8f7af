"""Inside IPython artifacts show as cards and failures without a traceback; outside nothing happens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from evalnb.display import one_line, register
from tests.view.evaluations import run_of_example

HEAVY = ("pandas", "altair", "itables", "ipywidgets", "IPython", "evalnb.view")


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell()
    made.history_manager.enabled = False
    yield made
    made.history_manager.end_session()


def formatted(shell: InteractiveShell, shown: Any) -> dict[str, str]:
    data, _ = shell.display_formatter.format(shown)
    return dict(data)


def test_outside_ipython_nothing_happens_and_nothing_heavy_is_loaded() -> None:
    script = (
        "import sys, evalnb.display as display\n"
        "assert display.register() is False\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_registering_loads_nothing_of_the_view() -> None:
    script = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "import evalnb.display as display\n"
        "assert display.register(InteractiveShell()) is True\n"
        "assert 'evalnb.view' not in sys.modules and 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_artifacts_are_cards_with_a_useful_line(shell: InteractiveShell) -> None:
    register(shell)
    run = run_of_example()
    for shown in (run.contract, run.brief, run.preflight, run.arms[0].evidence, run.strength, run, run.evaluation):
        data = formatted(shell, shown)
        assert "enb-card" in data["text/html"]
        assert "\n" not in data["text/plain"]
        assert len(data["text/plain"]) < 240


def test_lines_say_something() -> None:
    run = run_of_example()
    assert one_line(run.contract) == (
        "EvalContract(support-desk-triage: 7 behaviors, 8 oracles, 11 steps, 1 interfaces)"
    )
    assert one_line(run.arms[2].evidence) == "ContractScoringEvidence(P-003: FAIL; 21 confirmed, 3 missed)"
    assert one_line(run.arms[0].arm.probe).startswith("SeededProbe(P-001: defect, 1 defects for ")
    assert one_line(run.arms[0].arm.records[0]).startswith("SealedRunRecord(triage-monday-1 trial 1: ")
    assert one_line({"a": 1}) == "{'a': 1}"


def test_a_failure_is_a_line_instead_of_a_traceback(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    register(shell)
    result = shell.run_cell("import evalnb as ev; ev.compile('/nowhere.json')", store_history=False)
    written = capsys.readouterr().out
    assert "evalnb: /nowhere.json: not found" in written
    assert "Traceback" not in written
    assert not result.success
    assert type(result.error_in_exec).__name__ == "FileProblem"


def test_other_errors_keep_their_traceback(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    register(shell)
    shell.run_cell("1 / 0", store_history=False)
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_handlers_of_others_stay(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    seen = []
    shell.set_custom_exc((ZeroDivisionError,), lambda *arguments, **named: seen.append(arguments[1]))
    register(shell)
    register(shell)
    shell.run_cell("1 / 0", store_history=False)
    assert seen == [ZeroDivisionError]
    shell.run_cell("import evalnb as ev; ev.compile('/nowhere.json')", store_history=False)
    assert "evalnb: /nowhere.json" in capsys.readouterr().out


class Kernel:
    """A shell that looks like a notebook's."""

    def __init__(self) -> None:
        self.kernel = object()
        self.display_pub = self
        self.published: list[dict[str, str]] = []
        self.errors: list[list[str]] = []

    def publish(self, data: dict[str, str]) -> None:
        self.published.append(data)

    def _showtraceback(self, kind: type, failure: BaseException, lines: list[str]) -> None:
        self.errors.append(lines)


def test_in_a_notebook_the_card_is_published_and_the_cell_still_fails() -> None:
    import evalnb as ev
    from evalnb.display import _show_failure

    kernel = Kernel()
    failure = ev.StructuralFailure("binding-cycle", "EvalContract.interactionPlan", "a and b")
    _show_failure(kernel, type(failure), failure)
    line = "evalnb: binding-cycle: EvalContract.interactionPlan: a and b"
    assert kernel.errors == [[line]]
    assert kernel.published[0]["text/plain"] == line
    assert "enb-card" in kernel.published[0]["text/html"]
