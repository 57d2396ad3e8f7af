"""Every explanation is there, and its examples do what it says they do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from evalnb.adapters.policies.decisions import CommandTarget, Denied, evaluate_command_target
from evalnb.engine.aggregate import aggregate_strength
from evalnb.engine.artifacts import EVAL_CONTRACT, PROBE, read
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy
from evalnb.engine.canonical import digest_artifact, digest_bytes, scan_json
from evalnb.engine.canonical.lineage import LineageOptions, validate_lineage_chain
from evalnb.engine.codes import FAILURE_CODES, QUALIFICATION_FAILURE_CODES, RUNTIME_FAULT_CODES
from evalnb.engine.compile import compile_contract
from evalnb.engine.evaluate.operators import regex_match
from evalnb.engine.faults import AggregationRefusal, EvaluationFailure, RuntimeFault, StructuralFailure
from evalnb.engine.port_seam import AbortController
from evalnb.engine.preflight import preflight_from_observations, run_preflight
from evalnb.engine.score.qualify.gate import qualify_probe, signature_of
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.engine.scoring import ScoreInputs, run_score
from evalnb.engine.seal import seal
from evalnb.engine.seal.scripting_audit import audit_brief_scripting
from evalnb.explain import REGISTRIES, Example, UnknownCode, base_document, codes, document_of, explain
from evalnb.explain.base_documents import patched
from tests.engine.score import thermostat

LINEAGE_CODES = REGISTRIES["lineage defect"]


def code_of(call: Callable[[], object]) -> str | None:
    """The code the call fails with, or None where it goes through."""
    try:
        call()
    except EvaluationFailure as failure:
        return failure.code
    return None


# --- the registry ----------------------------------------------------------------------------------------------------


def test_every_code_of_every_registry_is_explained_once() -> None:
    assert len(codes()) == len(set(codes())) == 27 + 2 + 10 + 20 + 9
    for registry, listed in REGISTRIES.items():
        for code in listed:
            assert (explain(code).code, explain(code).registry) == (code, registry)


@pytest.mark.parametrize("code", codes())
def test_an_explanation_says_something_of_its_own(code: str) -> None:
    explained = explain(code)
    for text in (explained.meaning, explained.why, explained.remedy):
        assert text.endswith(".")
        assert len(text.split()) >= 8
    assert explained.bad.fragments
    assert explained.good.fragments
    assert explained.bad != explained.good


def test_no_two_codes_share_a_text() -> None:
    texts = [text for code in codes() for text in (explain(code).meaning, explain(code).why)]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("binding-cycles", "binding-cycle"),
        ("Unreachable_Check_Evidence", "unreachable-check-evidence"),
        ("rubric", "rubric-unanchored"),
        ("lineage-multiple-root", "lineage-multiple-roots"),
    ],
)
def test_an_unknown_code_names_those_that_look_like_it(asked: str, best: str) -> None:
    with pytest.raises(LookupError) as caught:
        explain(asked)
    assert isinstance(caught.value, UnknownCode)
    assert best in caught.value.close
    assert best in str(caught.value)


def test_an_unknown_code_that_looks_like_none_has_no_suggestion() -> None:
    with pytest.raises(UnknownCode) as caught:
        explain("zzzz")
    assert caught.value.close == ()


# --- the base documents ----------------------------------------------------------------------------------------------


def test_the_base_contract_compiles_and_seals() -> None:
    document = base_document("EvalContract")
    assert compile_contract(document).document == document
    audit_brief_scripting(seal(document))


def test_base_documents_are_fresh_each_time() -> None:
    base_document("Probe")["probeId"] = "changed"
    assert base_document("Probe")["probeId"] == "P-001"


# --- structural failures ---------------------------------------------------------------------------------------------


def compiled_and_audited(example: Example) -> None:
    contract = compile_contract(document_of(example))
    audit_brief_scripting(seal(contract))


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_the_bad_contract_fails_with_the_code_and_the_good_one_compiles(code: str) -> None:
    explained = explain(code)
    with pytest.raises(StructuralFailure) as caught:
        compiled_and_audited(explained.bad)
    assert caught.value.code == code
    compiled_and_audited(explained.good)
    assert explained.exit_code == 4


# --- probe qualification ---------------------------------------------------------------------------------------------

# A probe with mixed sources admits no route at all, so its route is reported too.
COMPANIONS = {"qualification-defect-sources-mixed": ["qualification-route-incompatible"]}


def qualification_codes(example: Example) -> list[str]:
    interfaces = read(EVAL_CONTRACT, base_document("EvalContract")).permitted_interfaces
    probe = read(PROBE, document_of(example))
    signature = signature_of(probe)
    home = None if signature is None else resolve_home_operation(signature, interfaces)
    assert signature is None or home is not None
    return [failure.code for failure in qualify_probe(probe, home and home.operation).failures]


@pytest.mark.parametrize("code", QUALIFICATION_FAILURE_CODES)
def test_the_bad_probe_is_refused_for_the_code_alone_and_the_good_one_qualifies(code: str) -> None:
    assert qualification_codes(explain(code).bad) == [code, *COMPANIONS.get(code, [])]
    assert qualification_codes(explain(code).good) == []


def score_inputs(**changes: Any) -> ScoreInputs:
    given: dict[str, Any] = {
        "record": [thermostat.record_document()],
        "manifest": thermostat.manifest_document(),
        "configuration": thermostat.configuration_document(),
        "contract": thermostat.contract_document(),
        "probe": thermostat.probe_document(),
        "preflight_verdict": thermostat.verdict_document(),
        "policy": thermostat.policy_document(),
        "private_manifest": None,
        "corpus_digest": thermostat.CORPUS_DIGEST,
        "designated_oracle_id": None,
    }
    return ScoreInputs(**given | changes)


def test_an_unqualified_probe_leaves_a_run_without_a_verdict() -> None:
    explained = explain("qualification-evidence-unverified")
    result = run_score(score_inputs(probe=patched(thermostat.probe_document(), explained.bad)))
    assert [failure.code for failure in result.qualification.failures] == [explained.code]
    assert (result.ladder.verdict, result.ladder.exit_code) == (None, explained.exit_code)


# --- aggregation refusals --------------------------------------------------------------------------------------------


def scored_evidence() -> Any:
    artifact = run_score(score_inputs()).artifact
    assert artifact is not None
    return json.loads(json.dumps(artifact.document))


def aggregate_with(example: Example) -> None:
    documents = {"EvidenceArtifact": scored_evidence(), "ScoringPolicy": thermostat.policy_document()}
    documents[example.artifact] = patched(documents[example.artifact], example)
    aggregate_strength([documents["EvidenceArtifact"]], {}, documents["ScoringPolicy"])


@pytest.mark.parametrize("code", REGISTRIES["aggregation refusal"])
def test_the_bad_evidence_is_refused_and_the_good_one_aggregated(code: str) -> None:
    with pytest.raises(AggregationRefusal) as caught:
        aggregate_with(explain(code).bad)
    assert caught.value.code == code
    aggregate_with(explain(code).good)


# --- lineage defects -------------------------------------------------------------------------------------------------

# A history without its first version lacks the parent of its second as well.
LINEAGE_COMPANIONS = {"lineage-no-root": ["lineage-parent-absent"]}


def lineage_codes(example: Example) -> list[str]:
    given = document_of(example)
    digests: dict[str, str] = {}
    chain = []
    for revision in given["revisions"]:
        parent = revision["parentDigest"]
        if parent is not None:
            name = parent.removeprefix("digest of ")
            parent = digests.get(name, "sha256:" + "0" * 64)
        member = {
            "schemaVersion": 7,
            "contractId": revision["name"],
            "revisionCount": revision["revisionCount"],
            "parentDigest": parent,
        }
        digests[revision["name"]] = digest_artifact(member, "EvalContract")
        chain.append(member)
    options = LineageOptions("EvalContract", 7, given["declaredRevisionCount"], given.get("remediationCap"))
    return [finding.code for finding in validate_lineage_chain(chain, options).findings]


@pytest.mark.parametrize("code", LINEAGE_CODES)
def test_the_bad_history_has_the_defect_and_the_good_one_has_none(code: str) -> None:
    assert lineage_codes(explain(code).bad) == [code, *LINEAGE_COMPANIONS.get(code, [])]
    assert lineage_codes(explain(code).good) == []


# --- runtime faults --------------------------------------------------------------------------------------------------


def compiled(example: Example) -> None:
    compile_contract(document_of(example))


def scanned(example: Example) -> None:
    scan_json(example.fragments[0].text, example.artifact)


def matched(example: Example) -> None:
    pattern = document_of(example)["oracles"][1]["check"]["pattern"]
    regex_match("booked", pattern, 1_000_000, "EvalContract")


def reduced(example: Example) -> None:
    preflight_from_observations(base_document("EvalContract"), [], "run-1", [document_of(example)], None)


FAULTS: dict[str, Callable[[Example], None]] = {
    "schema-parse-failure": compiled,
    "schema-version-mismatch": compiled,
    "non-canonicalizable-value": scanned,
    "budget-exhausted": matched,
    "operator-cannot-accept-operand": matched,
    "port-contract-violation": reduced,
}
# Their examples need more than one call of the engine; each has a test of its own below.
TOLD_APART = ("digest-mismatch", "port-failure", "forbidden-target", "aborted")


def test_no_runtime_fault_goes_without_a_test() -> None:
    assert {*FAULTS, *TOLD_APART} == set(RUNTIME_FAULT_CODES)


@pytest.mark.parametrize("code", FAULTS)
def test_the_bad_example_faults_and_the_good_one_does_not(code: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        FAULTS[code](explain(code).bad)
    assert caught.value.code == code
    FAULTS[code](explain(code).good)
    assert explain(code).exit_code == 5


def test_compile_finds_the_pattern_that_scoring_cannot_accept() -> None:
    explained = explain("operator-cannot-accept-operand")
    assert code_of(lambda: compiled(explained.bad)) == "malformed-operator-expression"
    assert code_of(lambda: compiled(explained.good)) is None


def test_the_good_digest_is_that_of_the_stored_bytes() -> None:
    def stated(example: Example) -> str:
        digest: str = json.loads(example.fragments[0].text)["digest"]
        return digest

    explained = explain("digest-mismatch")
    assert stated(explained.good) == digest_bytes(b"ok\n")
    assert stated(explained.bad) == digest_bytes(b"ok")


POLICY = {
    "authorizations": [
        {
            "interfaceId": "reports",
            "executable": "bookings",
            "target": "bookings",
            "permittedSubcommandPaths": [["report"]],
            "permittedEnvironmentKeys": [],
            "cwd": "/",
            "artifacts": {"summary": "summary.json"},
            "maxElapsedMs": 1000,
            "maxOutputBytes": 1000,
        }
    ]
}


def command_policy(example: Example) -> CommandTargetPolicy:
    return CommandTargetPolicy.model_validate(patched(json.loads(json.dumps(POLICY)), example))


def test_the_bad_policy_denies_the_report_and_the_good_one_allows_it() -> None:
    report = CommandTarget("reports", "bookings", ("report",))
    explained = explain("forbidden-target")
    assert isinstance(evaluate_command_target(command_policy(explained.bad), report), Denied)
    assert not isinstance(evaluate_command_target(command_policy(explained.good), report), Denied)


def test_the_policies_of_a_failing_port_are_policies() -> None:
    explained = explain("port-failure")
    assert command_policy(explained.bad) != command_policy(explained.good)


def test_an_aborted_signal_ends_the_run_as_the_example_says() -> None:
    class Port:
        async def probe(self, request: object, signal: object) -> object:
            raise AssertionError("nothing may be asked")

    async def run() -> None:
        controller = AbortController()
        controller.abort()
        await run_preflight(base_document("EvalContract"), [], "run-1", Port(), controller.signal)

    assert code_of(lambda: asyncio.run(run())) == "aborted"
    assert "controller.abort()" in explain("aborted").bad.fragments[0].text
    assert "controller.abort()" not in explain("aborted").good.fragments[0].text
