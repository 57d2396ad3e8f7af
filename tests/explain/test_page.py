"""`evalnb explain` on a terminal: pages that fit, a list that is whole, suggestions for a slip."""

from __future__ import annotations

import click
import pytest

from evalnb.cli.explain_page import code_list, explanation_page
from evalnb.cli.main import main
from evalnb.explain import REGISTRIES, codes, explain


@pytest.mark.parametrize("code", codes())
def test_a_page_fits_eighty_columns_and_says_everything(code: str) -> None:
    page = explanation_page(code)
    lines = page.split("\n")
    assert max(len(line) for line in lines) <= 80
    assert [line for line in lines if line == line.rstrip()] == lines
    assert lines[0] == code
    assert lines[1].startswith(explain(code).registry)
    positions = [
        page.index(f"\n\n{title}\n") for title in ("What it means", "Why it matters", "What to do", "Bad", "Good")
    ]
    assert positions == sorted(positions)
    flat = " ".join(page.split())
    for text in (explain(code).meaning, explain(code).why, explain(code).remedy, explain(code).bad.note):
        assert text in flat


def test_fragments_are_shown_under_the_path_a_message_would_give() -> None:
    assert "EvalContract.interactionPlan[stepId=report].after\n" in explanation_page("nested-temporal-clause")
    assert "EvalContract.behaviors[id=B-001].severity\n" in explanation_page("schema-parse-failure")
    assert "Probe.qualification.rollbackVerified\n" in explanation_page("qualification-evidence-unverified")


def test_the_list_holds_every_code_under_its_registry() -> None:
    listed = code_list()
    assert max(len(line) for line in listed.split("\n")) <= 80
    assert [line.strip() for line in listed.split("\n") if line.strip() in codes()] == list(codes())
    assert len(REGISTRIES) == sum(1 for line in listed.split("\n") if line.endswith(")") and not line.startswith(" "))


def test_a_slip_is_answered_with_suggestions() -> None:
    with pytest.raises(click.ClickException, match="did you mean binding-cycle"):
        explanation_page("binding-cycl")
    with pytest.raises(click.ClickException, match="lists all 68"):
        explanation_page("zzzz")


def test_the_command_prints_a_page_and_exits_with_the_usage_code_for_a_slip(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "waiver-incomplete"]) == 0
    assert capfd.readouterr().out == explanation_page("waiver-incomplete") + "\n"
    assert main(["explain"]) == 0
    assert capfd.readouterr().out == code_list() + "\n"
    assert main(["explain", "waiver"]) == 64
    ended = capfd.readouterr()
    assert ended.out == ""
    assert ended.err.startswith('evalnb: usage: no code "waiver"; did you mean waiver-incomplete')
