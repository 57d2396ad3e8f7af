"""A whole score run: the order in which inputs are read, private bytes, and what each rung hands back."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from evalnb.engine.canonical import digest_bytes
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController
from evalnb.engine.score.designation import DesignatedOracleRefusal
from evalnb.engine.scoring import ScoreInputs, ScoreResult, run_score, run_score_with_port
from tests.engine.score import thermostat


def inputs(**changes: Any) -> ScoreInputs:
    given: dict[str, Any] = {
        "record": thermostat.record_document(),
        "manifest": thermostat.manifest_document(),
        "configuration": thermostat.configuration_document(),
        "contract": thermostat.contract_document(),
        "probe": thermostat.probe_document(),
        "preflight_verdict": thermostat.verdict_document(),
        "policy": thermostat.policy_document(),
        "corpus_digest": thermostat.CORPUS_DIGEST,
    }
    return ScoreInputs(**{**given, **changes})


def fault_of(**changes: Any) -> tuple[str, str]:
    with pytest.raises(RuntimeFault) as raised:
        run_score(inputs(**changes))
    return raised.value.code, raised.value.artifact_path


class Corpus:
    """Answers from a table, and remembers what it was asked."""

    def __init__(self, **answers: bytes | list[bytes]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(self, request: Any, signal: Any) -> object:
        self.asked.append(request.private_ref)
        answer = self.answers[request.private_ref]
        data = answer.pop(0) if isinstance(answer, list) else answer
        return {"privateRef": request.private_ref, "bytes": data}


def run_with(corpus: Corpus, **changes: Any) -> ScoreResult:
    return asyncio.run(run_score_with_port(inputs(**changes), corpus, AbortController().signal))


def private_manifest(*entries: tuple[str, bytes]) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        **thermostat.LINEAGE,
        "entries": [
            {
                "privateRef": name,
                "digest": digest_bytes(data),
                "artifactKind": "raw-trace",
                "publicSafeRunId": None,
                "sanitizationPolicy": None,
            }
            for name, data in entries
        ],
    }


def private_record(name: str, data: bytes, trial_index: int = 1) -> dict[str, Any]:
    reference = {"storage": "private", "path": None, "privateRef": name, "digest": digest_bytes(data)}
    return thermostat.record_document(trial_index, isolationManifestArtifact=reference)


def test_a_scored_run_hands_back_its_artifact_ladder_and_gate_result() -> None:
    result = run_score(inputs())
    assert result.artifact is not None
    assert result.artifact.scored_probe_id == "P-101"
    assert result.qualification.qualified
    assert result.ladder.exit_code == result.artifact.exit_code


def test_an_invalid_run_has_reasons_and_no_artifact() -> None:
    result = run_score(inputs(manifest=None, preflight_verdict=thermostat.verdict_document(passed=False)))
    assert result.artifact is None
    assert (result.ladder.verdict, result.ladder.exit_code) == (None, 3)
    assert result.ladder.basis == (
        "pre-flight verdict did not pass",
        "isolation manifest violation: isolation manifest absent",
    )


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("record", None, "SealedRunRecord"),
        ("record", [], "SealedRunRecord[]"),
        ("record", [None], "SealedRunRecord[]"),
        ("manifest", {}, "IsolationManifest"),
        ("configuration", {}, "EvaluatorConfiguration"),
        ("contract", None, "EvalContract"),
        ("probe", None, "Probe"),
        ("preflight_verdict", None, "PreflightVerdict"),
        ("policy", None, "ScoringPolicy"),
        ("private_manifest", {}, "PrivateArtifactManifest"),
        ("corpus_digest", "sha256:abc", "ScoringVersionInputs.corpusDigest"),
        ("corpus_digest", None, "ScoringVersionInputs.corpusDigest"),
    ],
)
def test_an_input_of_the_wrong_shape_is_named(name: str, value: object, path: str) -> None:
    assert fault_of(**{name: value}) == ("schema-parse-failure", path)


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("record", {"schemaVersion": 5, "trialIndex": 4}, "SealedRunRecord[trialIndex=4].schemaVersion"),
        ("record", {"schemaVersion": 5}, "SealedRunRecord[index=0].schemaVersion"),
        ("record", [{}, {"schemaVersion": 9}], "SealedRunRecord[index=1].schemaVersion"),
        ("probe", {"schemaVersion": 4, "probeId": "P-101"}, "Probe[probeId=P-101].schemaVersion"),
        ("probe", {"schemaVersion": 4, "probeId": 1}, "Probe.schemaVersion"),
        ("contract", {"schemaVersion": 4}, "EvalContract.schemaVersion"),
        ("policy", {"schemaVersion": 1}, "ScoringPolicy.schemaVersion"),
    ],
)
def test_a_stale_stamp_wins_over_the_shape(name: str, value: object, path: str) -> None:
    assert fault_of(**{name: value}) == ("schema-version-mismatch", path)


def test_inputs_are_read_in_the_fixed_order() -> None:
    broken: dict[str, Any] = {
        "record": [],
        "manifest": {},
        "configuration": {},
        "contract": {},
        "probe": {},
        "preflight_verdict": {},
        "policy": {},
        "private_manifest": {},
        "corpus_digest": "",
    }
    order = []
    while broken:
        order.append(fault_of(**broken)[1])
        broken.pop(next(iter(broken)))
    assert order == [
        "SealedRunRecord[]",
        "IsolationManifest",
        "EvaluatorConfiguration",
        "EvalContract",
        "Probe",
        "PreflightVerdict",
        "ScoringPolicy",
        "PrivateArtifactManifest",
        "ScoringVersionInputs.corpusDigest",
    ]


def test_the_presented_order_of_trials_never_shows() -> None:
    records = [thermostat.record_document(index) for index in (1, 2, 3)]
    artifact = run_score(inputs(record=records)).artifact
    assert artifact is not None
    assert artifact.trials.completed_attempts == (1, 2, 3)
    shuffled = records[:]
    random.Random(7).shuffle(shuffled)
    again = run_score(inputs(record=shuffled)).artifact
    assert again is not None
    assert again.document == artifact.document


def test_parsed_models_score_like_their_documents() -> None:
    parsed = inputs(
        record=thermostat.record(),
        manifest=thermostat.manifest(),
        configuration=thermostat.configuration(),
        contract=thermostat.contract(),
        probe=thermostat.probe(),
        preflight_verdict=thermostat.verdict(),
        policy=thermostat.policy(),
    )
    ours, theirs = run_score(parsed).artifact, run_score(inputs()).artifact
    assert ours is not None
    assert theirs is not None
    assert ours.document == theirs.document


@pytest.mark.parametrize(
    ("named", "token"),
    [
        ("", "not an oracle identifier"),
        ("O-1", "not an oracle identifier"),
        ("O-102", "B-101"),
        ("O-999", "O-101"),
    ],
)
def test_an_unusable_designation_is_refused_before_any_port_call(named: str, token: str) -> None:
    corpus = Corpus()
    with pytest.raises(DesignatedOracleRefusal) as raised:
        run_with(corpus, designated_oracle_id=named, private_manifest=private_manifest(("a", b"a")))
    assert "--designated-oracle" in str(raised.value)
    assert named in str(raised.value)
    assert token in str(raised.value)
    assert corpus.asked == []


def test_naming_the_only_oracle_changes_no_byte() -> None:
    named, derived = run_score(inputs(designated_oracle_id="O-101")).artifact, run_score(inputs()).artifact
    assert named is not None
    assert derived is not None
    assert named.document == derived.document


def test_nothing_private_needs_no_port() -> None:
    assert run_score(inputs(private_manifest=private_manifest())).artifact is not None
    with pytest.raises(TypeError, match="PrivateArtifactManifest"):
        run_score(inputs(private_manifest=private_manifest(("a", b"a"))))
    with pytest.raises(TypeError, match=r"SealedRunRecord\.isolationManifestArtifact"):
        run_score(inputs(record=private_record("m", b"m")))


def test_private_bytes_are_resolved_in_order_and_compared() -> None:
    corpus = Corpus(a=b"first", b=b"second", m=b"manifest")
    entries = private_manifest(("a", b"first"), ("b", b"second"))
    result = run_with(corpus, record=[private_record("m", b"manifest")], private_manifest=entries)
    assert result.artifact is not None
    assert corpus.asked == ["a", "b", "m"]


def test_the_first_entry_that_differs_is_named_after_all_are_resolved() -> None:
    corpus = Corpus(a=b"first", b=b"other", c=b"other")
    with pytest.raises(RuntimeFault) as raised:
        run_with(corpus, private_manifest=private_manifest(("a", b"first"), ("b", b"x"), ("c", b"x")))
    assert (raised.value.code, raised.value.artifact_path) == (
        "digest-mismatch",
        "PrivateArtifactManifest.entries[1]",
    )
    for token in ('"b"', digest_bytes(b"x"), digest_bytes(b"other")):
        assert token in raised.value.detail
    assert corpus.asked == ["a", "b", "c"]


def test_a_repeated_reference_keeps_its_last_bytes() -> None:
    corpus = Corpus(a=[b"old", b"new"])
    with pytest.raises(RuntimeFault) as raised:
        run_with(corpus, private_manifest=private_manifest(("a", b"old"), ("a", b"new")))
    assert raised.value.artifact_path == "PrivateArtifactManifest.entries[0]"


@pytest.mark.parametrize(
    ("records", "path"),
    [
        ([private_record("m", b"x")], "SealedRunRecord.isolationManifestArtifact"),
        (
            [thermostat.record_document(1), private_record("m", b"x", 3)],
            "SealedRunRecord[trialIndex=3].isolationManifestArtifact",
        ),
    ],
)
def test_an_isolation_manifest_of_other_bytes_is_a_fault(records: list[Any], path: str) -> None:
    with pytest.raises(RuntimeFault) as raised:
        run_with(Corpus(m=b"y"), record=records)
    assert (raised.value.code, raised.value.artifact_path) == ("digest-mismatch", path)


def test_an_aborted_run_asks_nothing() -> None:
    controller, corpus = AbortController(), Corpus(a=b"a")
    controller.abort()
    call = run_score_with_port(inputs(private_manifest=private_manifest(("a", b"a"))), corpus, controller.signal)
    with pytest.raises(RuntimeFault) as raised:
        asyncio.run(call)
    assert (raised.value.code, raised.value.artifact_path, corpus.asked) == (
        "aborted",
        "CorpusResolveRequest",
        [],
    )


def test_a_port_that_answers_nonsense_is_its_own_fault() -> None:
    class Broken:
        async def resolve(self, request: Any, signal: Any) -> object:
            return {"privateRef": request.private_ref}

    call = run_score_with_port(
        inputs(private_manifest=private_manifest(("a", b"a"))), Broken(), AbortController().signal
    )
    with pytest.raises(RuntimeFault) as raised:
        asyncio.run(call)
    assert (raised.value.code, raised.value.artifact_path) == (
        "port-contract-violation",
        "CorpusResolveResponse",
    )
