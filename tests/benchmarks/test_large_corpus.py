"""Two thousand evidence artifacts: opened and summed up in little more than their JSON takes, compared in seconds.

Every measurement is made in a fresh interpreter, imports included. All of it runs on one core, so that processor
time is what a person waits for on a machine that is not busy with something else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evalnb as ev
from evalnb.corpora import Corpus, open_corpus
from evalnb.corpus import DEMO
from evalnb.view import frames
from tests.benchmarks.evidence_corpus import Variation, write_varied
from tests.peak import NEEDS_PROC

ARTIFACTS = 2000
ROOT = Path(__file__).parents[2]

OPENING = """
import json, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
start = time.process_time()
for path in folder.iterdir():
    json.loads(path.read_bytes())
parsed = time.process_time()
from evalnb.corpora import open_corpus
from evalnb.view.frames import corpus_summary
summary = corpus_summary(open_corpus(folder))
done = time.process_time()
print(json.dumps({"json": parsed - start, "summary": done - parsed, "probes": int(summary["probes"].sum())}))
"""

COMPARING = """
import json, sys, time
start = time.process_time()
from evalnb.corpora import compare
from tests.peak import own_peak_kilobytes
from evalnb.view import frames
comparison = compare({"often": sys.argv[1], "seldom": sys.argv[2]})
made = [getattr(frames, name)(comparison) for name in ("corpus_strength", "paired", "dominance", "only_caught_by")]
print(json.dumps({
    "seconds": time.process_time() - start,
    "gigabytes": own_peak_kilobytes() / 2**20,
    "state": comparison.state,
    "pairs": int(made[1]["pairs"].sum()),
}))
"""


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    evidence = [arm.evidence for arm in ev.run(ev.example(DEMO)).arms if arm.evidence is not None]
    folder = tmp_path_factory.mktemp("large")
    often, seldom = folder / "often", folder / "seldom"
    write_varied(often, evidence, Variation(ARTIFACTS, seed=1, catch_share=0.8))
    write_varied(seldom, evidence, Variation(ARTIFACTS, seed=2, catch_share=0.6))
    return often, seldom


def measured(script: str, *arguments: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def test_the_variations_are_all_consistent(corpora: tuple[Path, Path]) -> None:
    corpus = open_corpus(corpora[0])
    assert corpus.problems == ()
    assert len(corpus.scored) == ARTIFACTS


def test_one_seed_always_makes_the_same_files(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    evidence = [arm.evidence for arm in ev.run(ev.example(DEMO)).arms if arm.evidence is not None]
    again = write_varied(tmp_path, evidence, Variation(20, seed=1, catch_share=0.8))
    assert [path.read_bytes() for path in again] == [(corpora[0] / path.name).read_bytes() for path in again]


def test_from_a_folder_to_the_summary(corpora: tuple[Path, Path]) -> None:
    # The best of three: what shares the core's caches for a moment says nothing about the program.
    found = [measured(OPENING, corpora[0]) for _ in range(3)]
    assert {one["probes"] for one in found} == {ARTIFACTS}
    assert min(one["summary"] - 1.5 * one["json"] for one in found) <= 2


@NEEDS_PROC
def test_comparing_two_large_corpora(corpora: tuple[Path, Path]) -> None:
    found = measured(COMPARING, *corpora)
    assert found["state"] == "compared"
    assert found["pairs"] > ARTIFACTS / 2
    assert found["seconds"] < 30
    assert found["gigabytes"] < 1


def test_a_large_corpus_keeps_few_objects(corpora: tuple[Path, Path]) -> None:
    corpus = open_corpus(corpora[0])
    assert all(isinstance(one.source, bytes) for one in corpus.scored)
    few = Corpus("few", corpus.entries[:12])
    assert len(frames.reduced_outcomes(few.evidence)) == 12
