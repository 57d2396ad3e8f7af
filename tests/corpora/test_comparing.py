"""Corpora side by side, or a plain refusal that names what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import evalnb as ev
from evalnb.corpora import Corpus, compare
from evalnb.corpora.comparison import Comparison
from evalnb.engine.artifacts import EvidenceArtifact
from evalnb.evaluation import EvaluationRun, write_run
from evalnb.view import frames
from tests.corpora.conftest import Maker

DIGEST = "sha256:" + "a" * 64
DEFECTS = ("P-001", "P-002", "P-003")


def of(name: str, artifacts: list[EvidenceArtifact]) -> Corpus:
    return Corpus.of(name, artifacts)


def many(make: Maker, caught: int, missed: int, flipped: int = 0) -> list[EvidenceArtifact]:
    """Defect probes P-100 and on: first the caught ones, then the missed, of which the first `flipped` are caught."""
    total = caught + missed
    return [
        make.artifact("P-002", number < caught or number - caught < flipped, as_probe=f"P-{100 + number}")
        for number in range(total)
    ]


def relation(comparison: Comparison, a: str, b: str) -> str:
    return next(one.relation for one in comparison.dominance if (one.corpus_a, one.corpus_b) == (a, b))


def test_strength_is_told_by_class_and_corpus(make: Maker) -> None:
    found = frames.corpus_strength(
        compare(
            [
                of("a", make.artifacts(["P-001", "P-004"], ["P-002"])),
                of("b", make.artifacts(["P-002", "P-001"], ["P-004"])),
            ]
        )
    ).set_index(["corpus", "probe_class"])
    assert found.loc[("a", "defect"), ["eligible", "exercised", "caught", "rate"]].tolist() == [2, 2, 1, 0.5]
    assert found.loc[("b", "gameability"), ["caught", "rate"]].tolist() == [0, 0]
    assert found.loc[("a", "zero-action"), "eligible"] == 0
    assert found.loc[("a", "defect"), ["low", "high"]].tolist() == pytest.approx([0.094531, 0.905469], abs=1e-5)


def test_the_paired_test_is_mcnemars_exact(make: Maker) -> None:
    result = compare([of("a", many(make, 3, 9, flipped=6)), of("b", many(make, 3, 9))])
    (test,) = result.paired
    assert (test.both, test.only_a, test.only_b, test.neither, test.pairs) == (3, 6, 0, 3, 12)
    assert test.p_value == pytest.approx(2 * 0.5**6)
    assert test.difference == pytest.approx(0.5)
    assert test.significant
    assert not compare([of("a", many(make, 3, 9, 6)), of("b", many(make, 3, 9))], confidence=0.99).paired[0].significant


def test_many_tests_are_adjusted_after_holm(make: Maker) -> None:
    corpora = [of("a", many(make, 0, 8, flipped=8)), of("b", many(make, 0, 8, flipped=1)), of("c", many(make, 0, 8))]
    tests = {(test.corpus_a, test.corpus_b): test for test in compare(corpora).paired}
    raw = {pair: test.p_value for pair, test in tests.items()}
    assert raw == {("a", "b"): 2 * 0.5**7, ("a", "c"): 2 * 0.5**8, ("b", "c"): 1.0}
    assert tests[("a", "c")].adjusted == pytest.approx(3 * 2 * 0.5**8)
    assert tests[("a", "b")].adjusted == pytest.approx(2 * 2 * 0.5**7)
    assert tests[("b", "c")].adjusted == 1.0


def test_what_only_one_catches_is_listed_with_its_oracles(make: Maker) -> None:
    found = frames.only_caught_by(
        compare(
            [
                of("a", make.artifacts(["P-001", "P-003"], ["P-002"])),
                of("b", make.artifacts(["P-003", "P-002"], ["P-001"])),
            ]
        )
    )
    assert found[["corpus", "probe_id"]].to_numpy().tolist() == [["a", "P-001"], ["b", "P-002"]]
    assert found["caught_by"].tolist() == ["O-001", "O-003"]


@pytest.mark.parametrize(
    "caught_a, caught_b, floor, expected",
    [
        ([], [], "material", "equivalent"),
        (["P-002"], ["P-002"], "material", "equivalent"),
        (["P-002"], [], "material", "a-dominates-b"),
        ([], ["P-004"], "material", "b-dominates-a"),
        (["P-002"], ["P-004"], "material", "incomparable"),
        (["P-002", "P-003"], ["P-001"], "critical", "incomparable"),
        (["P-001", "P-002"], ["P-003"], "critical", "a-dominates-b"),
        (["P-001", "P-002"], ["P-003"], "material", "incomparable"),
        (["P-002"], ["P-003"], "low", "equivalent"),
    ],
)
def test_dominance_weighs_classes_and_heeds_the_floor(
    make: Maker, caught_a: list[str], caught_b: list[str], floor: str, expected: str
) -> None:
    probes = (*DEFECTS, "P-004")
    a, b = (
        of(name, make.artifacts(caught, [probe for probe in probes if probe not in caught]))
        for name, caught in (("a", caught_a), ("b", caught_b))
    )
    result = compare([a, b], severity_floor=floor)
    assert relation(result, "a", "b") == expected
    turned = {"a-dominates-b": "b-dominates-a", "b-dominates-a": "a-dominates-b"}
    assert relation(result, "b", "a") == turned.get(expected, expected)


@settings(max_examples=30, deadline=None)
@given(caught_a=st.booleans(), caught_b=st.booleans(), floor=st.sampled_from(["low", "material", "critical"]))
def test_with_one_artifact_a_side_dominance_is_the_engines(
    make: Maker, caught_a: bool, caught_b: bool, floor: str
) -> None:
    a, b = make.artifact("P-001", caught_a), make.artifact("P-001", caught_b)
    ours = relation(compare([of("a", [a]), of("b", [b])], severity_floor=floor), "a", "b")
    assert ours == ev.compare_dominance(a, b, severity_floor=floor)
    alone = frames.dominance({"a": a, "b": b}, severity_floor=floor)
    assert alone["relation"].tolist()[0] == ours


def test_arms_that_may_not_be_compared_are_left_out_of_tests_and_dominance(make: Maker) -> None:
    few = make.document("P-001", True)
    few["trials"]["declaredMinimum"] = 9
    few["strength"]["comparable"] = False
    result = compare([of("a", [_read(few)]), of("b", make.artifacts(["P-001"]))])
    (test,) = result.paired
    assert (test.pairs, test.passed_over, test.p_value, test.significant) == (0, 1, None, False)
    assert relation(result, "a", "b") == "incomparable"
    assert "P-001 was not scored comparably" in result.dominance[0].reason
    strength = frames.corpus_strength(result).set_index(["corpus", "probe_class"])["comparable"]
    assert (strength[("a", "defect")], strength[("b", "defect")]) == (False, True)


def test_a_probe_scored_twice_counts_as_caught_only_when_caught_twice(make: Maker) -> None:
    wavering = of("a", [make.artifact("P-001", True), make.artifact("P-001", False), make.artifact("P-002", True)])
    result = compare([wavering, of("b", make.artifacts(["P-001", "P-002"]))])
    found = frames.probe_results(result).set_index(["corpus", "probe_id"])
    assert found.loc[("a", "P-001"), ["caught", "scorings", "caught_by"]].tolist() == [False, 2, ""]
    assert found.loc[("b", "P-001"), ["caught", "scorings"]].tolist() == [True, 1]
    assert result.strength[0].counts.eligible == 2


def other_policy(make: Maker) -> list[EvidenceArtifact]:
    return make.artifacts(["P-001"], scoringPolicyDigest=DIGEST)


@pytest.mark.parametrize(
    "name, value",
    [
        ("contractSchemaVersion", 5),
        ("corpusDigest", DIGEST),
        ("fixtureDigest", DIGEST),
        ("evaluatorConfigurationDigest", DIGEST),
        ("scoringPolicyDigest", DIGEST),
    ],
)
def test_a_scoring_input_that_differs_is_named(make: Maker, name: str, value: Any) -> None:
    result = compare(
        {"a": of("x", make.artifacts(["P-001"])), "b": of("y", make.artifacts(["P-001"], **{name: value}))}
    )
    assert result.state == "refused"
    (refusal,) = result.refusals
    assert (refusal.input, refusal.corpus_a, refusal.corpus_b) == (name, "a", "b")
    assert str(value) in refusal.reason
    assert f"only b has {value}" in refusal.reason


@pytest.mark.parametrize(
    "name, value",
    [
        ("contractSchemaVersion", 5),
        ("corpusDigest", DIGEST),
        ("fixtureDigest", DIGEST),
        ("evaluatorConfigurationDigest", DIGEST),
        ("scoringPolicyDigest", DIGEST),
    ],
)
def test_a_difference_that_is_accepted_is_a_caveat(make: Maker, name: str, value: Any) -> None:
    a = of("a", make.artifacts(["P-001", "P-002"]))
    b = of("b", make.artifacts(["P-001"], ["P-002"], **{name: value}))
    assert f"accept_differing=('{name}',) compares them all the same" in compare([a, b]).refusals[0].reason
    result = compare([a, b], accept_differing=(name,))
    assert result.state == "compared"
    assert [(test.pairs, test.only_a) for test in result.paired] == [(2, 1)]
    assert relation(result, "a", "b") == "a-dominates-b"
    (caveat,) = result.caveats
    assert (caveat.input, caveat.corpus_a, caveat.corpus_b) == (name, "a", "b")
    assert caveat.values_b == (str(value),)
    assert frames.caveats(result)["input"].tolist() == [name]
    assert f"accepted: {name}" in repr(result)


def test_what_is_not_accepted_still_refuses_and_the_way_out_names_both(make: Maker) -> None:
    a = of("a", make.artifacts(["P-001"]))
    b = of("b", make.artifacts(["P-001"], fixtureDigest=DIGEST, scoringPolicyDigest=DIGEST))
    result = compare([a, b], accept_differing=("fixtureDigest",))
    assert [refusal.input for refusal in result.refusals] == ["scoringPolicyDigest"]
    assert "accept_differing=('fixtureDigest', 'scoringPolicyDigest')" in result.refusals[0].reason
    assert [caveat.input for caveat in result.caveats] == ["fixtureDigest"]
    assert frames.probe_results(result).empty


def test_what_is_accepted_and_does_not_differ_is_no_caveat(make: Maker) -> None:
    a, b = of("a", make.artifacts(["P-001"])), of("b", make.artifacts(["P-001"]))
    assert compare([a, b], accept_differing=("corpusDigest",)).caveats == ()
    assert compare([a, of("b", [])], accept_differing=("corpusDigest",)).caveats == ()


def test_every_result_keeps_the_scoring_version_it_was_scored_under(make: Maker) -> None:
    a, b = make.artifacts(["P-001"]), make.artifacts(["P-001"], corpusDigest=DIGEST)
    result = compare([of("a", a), of("b", b)], accept_differing=["corpusDigest"])
    assert frames.probe_results(result)["scoring_version"].tolist() == [a[0].scoring_version, b[0].scoring_version]


def test_a_comparison_made_again_keeps_what_was_accepted(make: Maker) -> None:
    a, b = of("a", make.artifacts(["P-001"])), of("b", make.artifacts(["P-001"], corpusDigest=DIGEST))
    first = compare([a, b], accept_differing=("corpusDigest",))
    assert first.again(confidence=0.5).state == "compared"
    assert first.again(accept_differing=()).state == "refused"


@pytest.mark.parametrize("names", [("corpus",), ("strength.basis",), ("comparabilityKey",), "corpus", ("",)])
def test_only_scoring_version_inputs_can_be_accepted(make: Maker, names: Any) -> None:
    corpus = of("a", make.artifacts(["P-001"]))
    with pytest.raises(ValueError, match="accept_differing takes names of scoring version inputs"):
        compare([corpus, corpus], accept_differing=names)


def test_a_mode_that_differs_is_named(make: Maker) -> None:
    document = make.document("P-001", True, mode="production")
    for key in ("uncitedFindingGaps", "systemRecommendationRecorded", "systemRecommendationNote"):
        document.pop(key)
    document.update(mode="production", productionVerdict=document.pop("contractVerdict"))
    result = compare([of("a", make.artifacts(["P-001"])), of("b", [_read(document)])])
    assert [refusal.input for refusal in result.refusals] == ["mode"]


def test_every_input_that_differs_is_named(make: Maker) -> None:
    changed = make.artifacts(["P-001"], fixtureDigest=DIGEST, corpusDigest=DIGEST)
    result = compare([of("a", make.artifacts(["P-001"])), of("b", changed)])
    assert [refusal.input for refusal in result.refusals] == ["corpusDigest", "fixtureDigest"]


def test_the_same_values_put_together_differently_are_refused(make: Maker) -> None:
    one, other = {"fixtureDigest": DIGEST}, {"corpusDigest": DIGEST}
    both = {**one, **other}
    a = [*make.artifacts(["P-001"]), *make.artifacts(["P-001"], **both)]
    b = [*make.artifacts(["P-001"], **one), *make.artifacts(["P-001"], **other)]
    assert [refusal.input for refusal in compare([of("a", a), of("b", b)]).refusals] == ["scoringVersion"]


def test_what_the_caller_attested_must_agree(make: Maker) -> None:
    document = make.document("P-001", True)
    document["callerAttestedInputs"] = []
    result = compare([of("a", make.artifacts(["P-001"])), of("b", [_read(document)])])
    assert [refusal.input for refusal in result.refusals] == ["callerAttestedInputs"]


def test_other_probes_are_another_comparability_key(make: Maker) -> None:
    a, b = of("a", make.artifacts(["P-001", "P-002"])), of("b", make.artifacts(["P-001"], ["P-003"]))
    result = compare([a, b])
    (refusal,) = result.refusals
    assert (refusal.input, refusal.values_a, refusal.values_b) == ("comparabilityKey", ("P-002",), ("P-003",))
    shared = compare([a, b], only_shared=True)
    assert shared.state == "compared"
    assert [test.pairs for test in shared.paired] == [1]
    assert {key.probe_id for key in shared.results["a"]} == {"P-001"}


def test_only_shared_does_not_make_up_what_is_not_shared(make: Maker) -> None:
    result = compare([of("a", make.artifacts(["P-001"])), of("b", other_policy(make))], only_shared=True)
    assert [refusal.input for refusal in result.refusals] == ["scoringPolicyDigest"]


def test_a_corpus_without_evidence_cannot_be_compared(make: Maker) -> None:
    result = compare([of("a", make.artifacts(["P-001"])), of("b", [])])
    (refusal,) = result.refusals
    assert (refusal.input, refusal.corpus_a, refusal.corpus_b) == ("evidence", "b", None)
    assert compare([of("a", []), of("b", [])], only_shared=True).state == "refused"


def test_a_refused_comparison_has_no_numbers(make: Maker) -> None:
    result = compare([of("a", make.artifacts(["P-001"])), of("b", other_policy(make))])
    for made in (frames.corpus_strength, frames.paired, frames.dominance, frames.probe_results, frames.only_caught_by):
        assert made(result).empty
    reasons = frames.refusals(result)
    assert reasons["input"].tolist() == ["scoringPolicyDigest"]
    assert "refused; scoringPolicyDigest differs" in repr(result)


def test_sources_may_be_folders_runs_and_corpora(
    tmp_path: Path, run: EvaluationRun, evidence: dict[str, EvidenceArtifact]
) -> None:
    write_run(run, tmp_path / "kept")
    result = compare([tmp_path / "kept", run, of("kept", list(evidence.values()))])
    assert result.names == ("kept", "support-desk-triage", "kept (2)")
    assert result.state == "compared"
    assert {one.relation for one in result.dominance} == {"equivalent"}


def test_a_comparison_can_be_made_again_under_other_options(make: Maker) -> None:
    probes = ("P-001", "P-002", "P-003")
    a, b = of("a", make.artifacts(probes[:2], probes[2:])), of("b", make.artifacts(probes[2:], probes[:2]))
    first = compare([a, b, of("c", other_policy(make))], severity_floor="critical")
    assert first.state == "refused"
    two = first.again(names=["a", "b"])
    assert (two.names, two.severity_floor, relation(two, "a", "b")) == (("a", "b"), "critical", "a-dominates-b")
    assert relation(two.again(severity_floor="low"), "a", "b") == "incomparable"
    assert two.again(confidence=0.5).confidence == 0.5
    with pytest.raises(KeyError):
        first.again(names=["a", "nobody"])


def test_evidence_that_contradicts_itself_is_not_compared(make: Maker) -> None:
    forged = make.document("P-001", True)
    forged["reducedProbeOutcomes"][0]["caughtCount"] = 0
    corpus = of("b", [_read(forged), make.artifact("P-002", True)])
    assert [entry.status for entry in corpus.entries] == ["inconsistent", "read"]
    assert compare([of("a", make.artifacts(["P-001", "P-002"])), corpus]).refusals[0].values_a == ("P-001",)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"severity_floor": "severe"}, "severity_floor must be one of low, material, critical"),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
    ],
)
def test_options_out_of_range_are_refused(make: Maker, options: dict[str, Any], message: str) -> None:
    corpus = of("a", make.artifacts(["P-001"]))
    with pytest.raises(ValueError, match=message):
        compare([corpus, corpus], **options)


def test_one_corpus_is_not_a_comparison(make: Maker, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least two"):
        compare([of("a", make.artifacts(["P-001"]))])
    with pytest.raises(ValueError, match="at least two"):
        compare(str(tmp_path))


def _read(document: dict[str, Any]) -> EvidenceArtifact:
    from evalnb.engine.artifacts import EVIDENCE_ARTIFACT, read

    artifact: EvidenceArtifact = read(EVIDENCE_ARTIFACT, document)
    return artifact
