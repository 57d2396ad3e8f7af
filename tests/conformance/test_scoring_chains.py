"""The published evaluation runs, scored from their files to their verdicts. spec: 00 "known good", 09"""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.canonical import digest_artifact
from evalnb.engine.preflight import preflight_from_observations
from evalnb.engine.scoring import ScoreInputs, ScoreResult, run_score
from tests.conformance.reference import load, reference_path

CHAINS = ("walkthrough", "agent")
DEFAULT_POLICY: dict[str, Any] = {
    "schemaVersion": 2,
    "parentDigest": None,
    "revisionCount": 0,
    "policyId": "default-policy",
    "severityFloor": "material",
    "confidenceThreshold": 0.7,
    "catchThreshold": 0.5,
    "minimumTrialCount": 3,
    "reExecutionCap": 2,
    "remediationCap": 3,
    "regexMatchStepBudget": 1000000,
}


def chain_file(chain: str, name: str) -> Any:
    return load("chains", chain, f"{name}.json")


def inputs(chain: str, record: object = None) -> ScoreInputs:
    document = chain_file(chain, "sealed-run-record")
    contract = chain_file(chain, "contract")
    verdict = preflight_from_observations(
        contract, chain_file(chain, "probes"), document["runId"], chain_file(chain, "observations")
    )
    return ScoreInputs(
        record=document if record is None else record,
        manifest=chain_file(chain, "isolation-manifest"),
        configuration=chain_file(chain, "evaluator-configuration"),
        contract=contract,
        probe=chain_file(chain, "probe"),
        preflight_verdict=verdict.document,
        policy=DEFAULT_POLICY,
        corpus_digest=reference_path("chains", chain, "corpus-digest.txt").read_text(encoding="utf-8").strip(),
    )


def rows_of(result: ScoreResult, width: int) -> list[list[str]]:
    assert result.artifact is not None
    return [[one.oracle_id, one.state, one.disposition, one.corroboration][:width] for one in result.artifact.outcomes]


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain_scores_as_its_page_says(chain: str) -> None:
    expected = chain_file(chain, "expected")["score"]
    result = run_score(inputs(chain))
    artifact: Any = result.artifact
    assert result.qualification.qualified
    assert rows_of(result, len(expected["outcomes"][0])) == expected["outcomes"]
    assert (artifact.mode, artifact.contract_verdict) == (expected["mode"], expected["contractVerdict"])
    assert artifact.exit_code == result.ladder.exit_code == expected["exitCode"]
    assert artifact.document["verdictBasis"] == expected["verdictBasis"]
    assert artifact.document["strength"]["vector"] == expected["strengthVector"]
    assert artifact.document["strength"]["comparable"] is False


@pytest.mark.parametrize("chain", CHAINS)
def test_the_record_names_the_contract_and_configuration_as_they_are_written(chain: str) -> None:
    given = inputs(chain)
    record: Any = given.record
    assert digest_artifact(given.contract, "EvalContract") == record["contractDigest"]
    configuration = digest_artifact(given.configuration, "EvaluatorConfiguration")
    assert configuration == record["evaluatorConfigurationDigest"]


@pytest.mark.parametrize("chain", CHAINS)
def test_three_records_that_differ_in_nothing_but_the_trial_are_comparable(chain: str) -> None:
    record = chain_file(chain, "sealed-run-record")
    records = [record | {"trialIndex": index} for index in (3, 1, 2)]
    result = run_score(inputs(chain, records))
    artifact: Any = result.artifact
    expected = chain_file(chain, "expected")["score"]
    assert artifact.strength.comparable is True
    assert artifact.document["strength"]["vector"] == expected["strengthVector"]
    assert artifact.trials.completed_attempts == (1, 2, 3)
    assert len(artifact.outcomes) == 3 * len(expected["outcomes"])
    assert not any("below the declared minimum" in line for line in artifact.verdict_basis)


def test_the_walkthrough_abstains_over_its_empty_list() -> None:
    """The list is empty, so a check over its members proves nothing, and counting it proves there are none."""
    given = inputs("walkthrough")
    contract: Any = chain_file("walkthrough", "contract")
    oracle = next(one for one in contract["oracles"] if one["id"] == "O-004")
    oracle["check"] = {
        "op": "count-tolerance",
        "operands": [oracle["check"]["collection"]],
        "expected": 0,
        "tolerance": 0,
        "relative": False,
    }
    record = chain_file("walkthrough", "sealed-run-record") | {
        "contractDigest": digest_artifact(contract, "EvalContract")
    }
    manifest = chain_file("walkthrough", "isolation-manifest") | {"contractDigest": record["contractDigest"]}
    counted = ScoreInputs(
        record=record,
        manifest=manifest,
        configuration=given.configuration,
        contract=contract,
        probe=given.probe,
        preflight_verdict=given.preflight_verdict,
        policy=given.policy,
        corpus_digest=given.corpus_digest,
    )
    assert dict(map(tuple, rows_of(run_score(given), 2)))["O-004"] == "abstained"
    assert dict(map(tuple, rows_of(run_score(counted), 2)))["O-004"] == "confirmed"
