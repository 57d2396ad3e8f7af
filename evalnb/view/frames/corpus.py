"""A corpus at a glance: a row a contract, and a row everything that was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from evalnb.corpora.class_counts import ClassCounts, count_probes
from evalnb.corpora.corpus import Corpus, Scoring
from evalnb.corpora.entries import ENTRY_KINDS, ENTRY_STATUSES, CorpusEntry
from evalnb.view.frames.columns import COUNT, FLAG, NUMBER, TEXT, Column, Row, Vocabulary, frame, joined, tabulated

STATUSES = Vocabulary(("scored", "not scored", *(status for status in ENTRY_STATUSES if status not in ("read", "run"))))

CORPUS_SUMMARY = (
    Column("corpus", TEXT, "the corpus"),
    Column("contract", TEXT, "the contract's id; the run where loose evidence does not tell, the path of a problem"),
    Column("contract_digest", TEXT, "the digest of the compiled contract, where known"),
    Column("path", TEXT, "where it lies in the corpus folder"),
    Column("status", STATUSES, "scored, or not, or what is wrong with it"),
    Column("reason", TEXT, "what is wrong with it"),
    Column("run_ids", TEXT, "the runs its evidence comes from"),
    Column("scoring_versions", COUNT, "how many scoring versions its evidence has; only within one do rates compare"),
    Column("behaviors", COUNT, "behaviors of the contract, where known"),
    Column("oracles", COUNT, "oracles of the contract, where known"),
    Column("coverage_gaps", COUNT, "discipline rules the contract leaves unwitnessed, where known"),
    Column("probes", COUNT, "scored probes, clean controls and canaries included"),
    Column("exercised", COUNT, "seeded probes that a valid trial reached"),
    Column("caught", COUNT, "seeded probes that were caught"),
    Column("defect_exercised", COUNT, "of them of class defect: reached"),
    Column("defect_caught", COUNT, "of class defect: caught"),
    Column("defect_rate", NUMBER, "of class defect: caught over exercised, 0 to 1"),
    Column("gameability_exercised", COUNT, "of class gameability: reached"),
    Column("gameability_caught", COUNT, "of class gameability: caught"),
    Column("gameability_rate", NUMBER, "of class gameability: caught over exercised, 0 to 1"),
    Column("zero_action_exercised", COUNT, "of class zero-action: reached"),
    Column("zero_action_caught", COUNT, "of class zero-action: caught"),
    Column("zero_action_rate", NUMBER, "of class zero-action: caught over exercised, 0 to 1"),
    Column("passed", COUNT, "arms with verdict PASS"),
    Column("waived", COUNT, "arms with verdict WAIVED"),
    Column("concerns", COUNT, "arms with verdict CONCERNS"),
    Column("failed", COUNT, "arms with verdict FAIL"),
    Column("invalid", COUNT, "arms that got no verdict; loose evidence does not tell of them"),
    Column("false_positives", COUNT, "clean controls that something was reported on"),
    Column("comparable", FLAG, "whether the strength of every arm may be compared; missing without evidence"),
)
CORPUS_ENTRIES = (
    Column("corpus", TEXT, "the corpus"),
    Column("path", TEXT, "where it lies in the corpus folder"),
    Column("kind", Vocabulary(ENTRY_KINDS), "what it is"),
    Column("status", Vocabulary(ENTRY_STATUSES), "read, run, or what is wrong with it"),
    Column("code", TEXT, "the registry code of the failure, where it has one"),
    Column("artifact_path", TEXT, "where in the artifact the failure is"),
    Column("reason", TEXT, "what is wrong"),
    Column("contract_id", TEXT, "the contract, where known"),
    Column("evidence", COUNT, "evidence artifacts it brings"),
)

_NUMBERS = {"PASS": "passed", "WAIVED": "waived", "CONCERNS": "concerns", "FAIL": "failed"}


@tabulated(CORPUS_SUMMARY)
def corpus_summary(corpus: Corpus) -> pd.DataFrame:
    """One row a contract as it was scored in one place, then one row everything that could not be read.

    Classes are counted apart: there is no composite rate.
    """
    rows = [_scoring(corpus.name, scoring) for scoring in corpus.scorings]
    rows += (_problem(corpus.name, entry) for entry in corpus.problems)
    return frame(CORPUS_SUMMARY, rows)


@tabulated(CORPUS_ENTRIES)
def corpus_entries(corpus: Corpus) -> pd.DataFrame:
    """One row everything that was found in the folder, in path order."""
    return frame(
        CORPUS_ENTRIES,
        (
            {
                "corpus": corpus.name,
                "path": entry.path,
                "kind": entry.kind,
                "status": entry.status,
                "code": entry.code,
                "artifact_path": entry.artifact_path,
                "reason": entry.reason,
                "contract_id": None if entry.contract is None else entry.contract.contract_id,
                "evidence": len(entry.scored),
            }
            for entry in corpus.entries
        ),
    )


def _scoring(corpus: str, scoring: Scoring) -> Row:
    scored, contract = scoring.scored, scoring.contract
    verdicts = Counter[str](one.verdict for one in scored)
    counts = count_probes(scored)
    return {
        "corpus": corpus,
        "contract": scoring.label,
        "contract_digest": None if contract is None else contract.digest,
        "path": scoring.path,
        "status": "scored" if scored or scoring.invalid_probe_ids else "not scored",
        "reason": None,
        "run_ids": joined(sorted({one.run_id for one in scored})),
        "scoring_versions": len({one.scoring_version for one in scored}),
        "behaviors": None if contract is None else contract.behaviors,
        "oracles": None if contract is None else contract.oracles,
        "coverage_gaps": None if contract is None else contract.coverage_gaps,
        "probes": len(scored) + len(scoring.invalid_probe_ids),
        "exercised": sum(one.exercised for one in counts),
        "caught": sum(one.caught for one in counts),
        **dict(_class_cells(counts)),
        **{column: verdicts[verdict] for verdict, column in _NUMBERS.items()},
        "invalid": len(scoring.invalid_probe_ids),
        "false_positives": sum(one.false_positive for one in scored),
        "comparable": all(one.comparable for one in scored) if scored else None,
    }


def _class_cells(counts: tuple[ClassCounts, ...]) -> Iterator[tuple[str, object]]:
    for one in counts:
        name = one.probe_class.replace("-", "_")
        yield f"{name}_exercised", one.exercised
        yield f"{name}_caught", one.caught
        yield f"{name}_rate", one.rate


def _problem(corpus: str, entry: CorpusEntry) -> Row:
    known = {"corpus": corpus, "contract": entry.path, "path": entry.path}
    told = {"status": entry.status, "reason": entry.reason}
    return {column.name: None for column in CORPUS_SUMMARY} | known | told
