"""The headline and the provenance of what a report is about."""

from __future__ import annotations

from pathlib import Path

import pytest

import evalnb as ev
from evalnb.reporting import Fact, headline, provenance
from evalnb.reporting.facts import LONGEST_NOTE, readable
from tests.view.evaluations import run_of_example


def test_a_run_leads_with_its_worst_verdict_its_catch_rate_and_what_was_missed() -> None:
    about = headline(run_of_example())
    assert about.subject == "support-desk-triage"
    assert about.facts == (
        Fact("Verdict", "FAIL", "1 of 6 probes, exit code 2", "bad"),
        Fact(
            "Defects caught",
            "2 of 3",
            "67%, 95% interval 21% to 94%; gameability 1 of 1; zero-action 1 of 1",
            "warn",
        ),
        Fact("Missed", "D-003", "A draft promises a refund that nobody has approved.", "bad"),
    )


def test_a_contract_leads_with_its_claims_and_gaps() -> None:
    contract = ev.compile(ev.example("triage") / "contract.json")
    assert [fact.value for fact in headline(contract).facts] == ["7", "8", "none"]


def test_a_comparison_tells_what_one_alone_caught_or_why_it_is_refused(tmp_path: Path) -> None:
    run = run_of_example()
    compared = headline(ev.compare({"first": run, "second": run}))
    assert compared.subject == "first and second"
    assert compared.facts[0] == Fact("Corpora", "2", "defects caught: first 2 of 3, second 2 of 3")
    refused = headline(ev.compare({"first": run, "empty": tmp_path}))
    assert refused.facts == (Fact("Comparison", "refused", "differs: evidence", "fault"),)


def test_an_accepted_difference_is_told_in_the_headline() -> None:
    corpora = [ev.example("triage"), ev.example("triage-lean")]
    facts = headline(ev.compare(corpora, accept_differing=("evaluatorConfigurationDigest",))).facts
    note = "these inputs differ and you accepted it: evaluator configuration digest"
    assert facts[-1] == Fact("Accepted differences", "1", note, "warn")


def test_provenance_names_folders_and_files_by_their_own_names() -> None:
    run = run_of_example()
    origin = provenance(run)
    assert origin.source == "triage"
    assert {one.name: one.digest for one in origin.inputs} == dict(run.evaluation.digests)
    assert [one.name for one in origin.identity] == ["contract", "sealed brief", "scoring version", "comparability key"]
    assert origin.identity[0].digest == ev.digest(run.contract)


def test_provenance_of_corpora_changes_with_their_evidence() -> None:
    corpus = ev.open_corpus(ev.example("triage"))
    whole, part = (provenance([one]).inputs[0] for one in (corpus, type(corpus)("part", ())))
    assert whole.name == "triage: 6 evidence artifacts"
    assert part.name == "part: 0 evidence artifacts"
    assert whole.digest != part.digest


def test_a_long_note_is_cut() -> None:
    assert len(Fact("a", "b", "x" * 100_000).note) == LONGEST_NOTE + 1


@pytest.mark.parametrize(("text", "shown"), [("\ud800", "\\ud800"), ("\u202e", "\\u202e"), ("é", "é")])
def test_what_is_sent_to_a_page_can_be_sent_and_read(text: str, shown: str) -> None:
    assert readable({"a": (text, [text], 1)}) == {"a": [shown, [shown], 1]}
