"""The score stage: what each trial decides, which vote it casts, and what the ladder is told."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.score.score_stage import score_trial_set
from evalnb.engine.score.scored import ScoredTrialSet
from tests.engine.score import thermostat


def score(*trials: Any, contract: Any = None, probe: Any = None, **options: Any) -> ScoredTrialSet:
    policy = thermostat.policy(**options.pop("policy", {}))
    return score_trial_set(
        contract or thermostat.contract(),
        trials,
        probe or thermostat.probe(),
        thermostat.verdict(),
        policy,
        **options,
    )


def states(scored: ScoredTrialSet) -> dict[str, str]:
    return {one.oracle_id: one.state for one in scored.outcomes}


def votes(scored: ScoredTrialSet) -> list[tuple[int, str]]:
    return [(vote.trial_index, vote.state) for vote in scored.reduced_probe_outcomes[0].trial_votes]


SILENT: dict[str, Any] = {
    "findings": [],
    "oracleDispositions": [
        thermostat.disposition("O-101", "held", "obs-2"),
        thermostat.disposition("O-102", "held", "obs-1"),
    ],
}


def test_the_designated_oracle_catches_and_votes() -> None:
    scored = score(thermostat.trial())
    assert states(scored) == {"O-101": "caught", "O-102": "confirmed"}
    assert votes(scored) == [(1, "caught")]
    reduced = scored.reduced_probe_outcomes[0]
    assert (reduced.exercised, reduced.caught, reduced.severity) == (True, True, "critical")
    assert scored.outcomes[0].selected_observation_ids == ("obs-1", "obs-2")
    assert [one.severity for one in scored.outcomes] == ["critical", "critical"]


def test_a_defect_that_shows_and_is_not_claimed_is_missed() -> None:
    assert states(score(thermostat.trial(**SILENT)))["O-101"] == "missed"


def test_each_trial_votes_and_the_share_decides() -> None:
    trials = (thermostat.trial(1), thermostat.trial(2, **SILENT), thermostat.trial(3))
    scored = score(*trials)
    assert votes(scored) == [(1, "caught"), (2, "missed"), (3, "caught")]
    assert scored.reduced_probe_outcomes[0].caught
    assert not score(*trials[:2]).reduced_probe_outcomes[0].caught


def test_the_ladder_sees_the_findings_severity_or_the_behaviours() -> None:
    """The specimen's second oracle is listed by a behavior of low severity; a catch by citation has the finding's."""
    probe = thermostat.probe(
        thermostat.probe_document()
        | {
            "probeClass": "canary",
            "defects": [],
            "defectSignature": None,
            "qualification": {
                "route": "canary",
                "indicts": "corpus",
                "nonDetectionEvidence": thermostat.REFERENCE,
            },
        }
    )
    finding = thermostat.finding("F-101", "obs-2", severity="material")
    scored = score(thermostat.trial(findings=[finding]), probe=probe)
    assert states(scored)["O-101"] == "caught"
    assert [one.severity for one in scored.assessment.outcomes] == ["material", "low"]


def test_without_a_designated_oracle_an_invalid_state_votes_first() -> None:
    contract = thermostat.contract_document()
    contract["behaviors"] = [thermostat.behavior("B-101", "critical", "O-101", "O-102")]
    ambiguous = [
        *thermostat.record_document()["observations"],
        thermostat.observation("obs-3", 3, "read-room", 18),
    ]
    trial = thermostat.trial(observations=ambiguous)
    scored = score(trial, contract=thermostat.contract(contract))
    assert states(scored) == {"O-101": "infrastructure-error", "O-102": "confirmed"}
    assert votes(scored) == [(1, "infrastructure-error")]
    assert [one.reason for one in scored.trials.invalidated_attempts] == ["infrastructure-error"]
    contract["oracles"].reverse()
    assert votes(score(thermostat.trial(), contract=thermostat.contract(contract))) == [(1, "confirmed")]


def test_a_named_oracle_takes_the_designation() -> None:
    contract = thermostat.contract_document()
    contract["behaviors"] = [thermostat.behavior("B-101", "critical", "O-101", "O-102")]
    parsed = thermostat.contract(contract)
    scored = score(thermostat.trial(), contract=parsed, designated_oracle_id="O-101")
    assert votes(scored) == [(1, "caught")]
    with pytest.raises(TypeError, match="--designated-oracle"):
        score(thermostat.trial(), contract=parsed, designated_oracle_id="O-999")


def test_an_ambiguous_step_decides_only_the_oracles_that_address_it() -> None:
    observations = [
        *thermostat.record_document()["observations"],
        thermostat.observation("obs-3", 3, "read-room", 18),
    ]
    scored = score(thermostat.trial(observations=observations))
    by_oracle = {one.oracle_id: one.resolution.invalidating_conditions for one in scored.assessment.outcomes}
    assert by_oracle == {"O-101": ("selector-ambiguity",), "O-102": ()}


def test_a_null_check_is_told_apart_from_one_that_answered() -> None:
    contract = thermostat.contract_document()
    contract["oracles"][1]["check"] = None
    scored = score(thermostat.trial(), contract=thermostat.contract(contract))
    assert [one.check_resolved for one in scored.assessment.outcomes] == [True, False]
    assert scored.outcomes[1].check_resolution is None


def test_two_dispositions_of_one_oracle_are_none() -> None:
    given = [*thermostat.record_document()["oracleDispositions"], thermostat.disposition("O-101", "held", "obs-2")]
    scored = score(thermostat.trial(oracleDispositions=given))
    assert scored.outcomes[0].disposition == "not-attempted"
    assert "disposition-missing" in scored.assessment.outcomes[0].resolution.invalidating_conditions


def test_waiver_and_evaluation_fault_reach_every_oracle() -> None:
    waived = score(thermostat.trial(**SILENT), waiver="applied-condition-met")
    assert states(waived)["O-101"] == "not-applicable"
    assert set(states(score(thermostat.trial(), evaluation_fault=True)).values()) == {"oracle-error"}


def test_an_unscored_criterion_is_malformed_conduct_only_where_a_rubric_is_declared() -> None:
    unscored = [{"rubricId": "R-101", "criterionId": "RC-101", "score": None, "note": None}]
    scored = score(thermostat.trial(judgeResults=unscored))
    assert states(scored)["O-101"] == "caught"
    assert [one.rubric_id for one in scored.assessment.judge_results_unscored] == ["R-101"]


def test_an_unqualified_probe_invalidates_every_oracle() -> None:
    document = thermostat.probe_document()
    document["qualification"]["rollbackVerified"] = False
    scored = score(thermostat.trial(), probe=thermostat.probe(document))
    assert set(states(scored).values()) == {"infrastructure-error"}
    assert (scored.admitted_probe_ids, scored.excluded_probe_ids) == ((), ("P-101",))
    assert not scored.qualification.qualified


def test_a_condition_the_gate_refuses_may_also_be_unfit_to_evaluate() -> None:
    """A reference set in set position cannot be resolved for a signature; the gate's answer stands alone."""
    document = thermostat.probe_document()
    document["defectSignature"]["condition"]["predicate"] = {
        "op": "set-membership",
        "operands": [
            {"pointer": "/interactions/observed/response-body/celsius"},
            {"referenceSet": "temperatures"},
        ],
    }
    scored = score(thermostat.trial(), probe=thermostat.probe(document))
    assert [one.code for one in scored.qualification.failures] == ["condition-reference-set-operand"]
    assert set(states(scored).values()) == {"infrastructure-error"}


def test_trials_that_disagree_are_named_exactly() -> None:
    other = thermostat.trial(4, runId="run-2", mode="production", contractDigest=thermostat.OTHER_DIGEST)
    own = thermostat.record().contract_digest
    disagreements = score(thermostat.trial(2), other, thermostat.trial(4)).assessment.trial_set_disagreements
    assert disagreements == (
        f'contractDigest: trial 4 = "{thermostat.OTHER_DIGEST}", supplied EvalContract = "{own}"',
        'mode: trial 2 = "contract-scoring", trial 4 = "production"',
        'runId: trial 2 = "run-1", trial 4 = "run-2"',
        "trialIndex: duplicate value 4",
    )


def test_uncited_findings_are_listed_by_trial_and_defects_among_them_become_gaps() -> None:
    noticed = thermostat.finding("F-103", "obs-2", findingType="observation", oracleId=None)
    del noticed["quotedEvidence"]
    findings = [thermostat.finding("F-102", "obs-2", oracleId=None), noticed, thermostat.finding("F-101", "obs-2")]
    trial, again = thermostat.trial(1, findings=findings), thermostat.trial(2, findings=findings)
    scored = score(trial, again)
    assert scored.uncited_findings == ("F-102", "F-103") * 2
    assert [gap.finding_id for gap in scored.assessment.uncited_defect_findings] == ["F-102", "F-102"]


def test_no_trials_leave_an_empty_production_set() -> None:
    scored = score()
    assert (scored.run_id, scored.mode, scored.trials.completed) == ("", "production", 0)
    assert scored.assessment.evaluator_recommendation == "PASS"
    assert not scored.reduced_probe_outcomes[0].exercised


def test_a_contract_without_oracles_gives_no_vote() -> None:
    contract = thermostat.contract_document() | {"oracles": []}
    scored = score(thermostat.trial(), contract=thermostat.contract(contract))
    assert votes(scored) == []
    assert scored.outcomes == ()
