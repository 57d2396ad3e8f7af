"""The outcome decision against the published decision cases and its four row tables. spec: 09 §6"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from evalnb.engine.evaluate.observations import Selection
from evalnb.engine.score.outcome import (
    CORROBORATION_ROWS,
    INVALIDATING_ROWS,
    STATE_ROWS,
    WAIVER_ROWS,
    CitedFinding,
    DispositionGiven,
    OutcomeInputs,
    OutcomeResolution,
    WitnessSeen,
    resolve_outcome,
)
from tests.conformance.reference import params, rows, supporting

FILE = "outcome-decision.json"


def of_kind(*kinds: str) -> list[Any]:
    return params([row for row in rows("cases", FILE) if row["kind"] in kinds], source=f"{FILE} ({', '.join(kinds)})")


def decision_cases() -> list[Any]:
    return [row for row in supporting("cases", FILE) if row["kind"] == "resolve"]


def outcome_inputs(case: dict[str, Any]) -> OutcomeInputs:
    disposition, finding, witness = case["disposition"], case["citedFinding"], case["witness"]
    return OutcomeInputs(
        required=case["required"],
        disposition=disposition and DispositionGiven(disposition["disposition"], tuple(disposition["observationIds"])),
        cited_finding=finding and CitedFinding(finding["findingId"], finding["bucket"]),
        witness=witness and WitnessSeen(witness["result"], tuple(witness["observationIds"])),
        selections=tuple(Selection(one["result"], tuple(one["matchedObservationIds"])) for one in case["selections"]),
        selector_ambiguity=case["selectorAmbiguity"],
        check_resolution=case["checkResolution"],
        polarity=case["polarity"],
        probe_class=case["probeClass"],
        expected_clean=case["expectedClean"],
        probe_signed=case["probeSigned"],
        probe_qualified=case["probeQualified"],
        waiver=case["waiver"],
        judge_conduct=case["judgeConduct"],
        evaluation_fault=case["evaluationFault"],
    )


def written(resolution: OutcomeResolution) -> dict[str, Any]:
    return {
        "rule": resolution.rule,
        "waiverRule": resolution.waiver_rule,
        "corroborationRule": resolution.corroboration_rule,
        "state": resolution.state,
        "corroboration": resolution.corroboration,
        "resolvedFrom": resolution.resolved_from,
        "selectedObservationIds": list(resolution.selected_observation_ids),
        "declinedFindingIds": list(resolution.declined_finding_ids),
        "invalidatingConditions": list(resolution.invalidating_conditions),
    }


@pytest.mark.parametrize("case", of_kind("resolve"))
def test_resolves_as_published(case: dict[str, Any]) -> None:
    assert written(resolve_outcome(outcome_inputs(case["inputs"]))) == case["expected"]


@pytest.mark.parametrize("case", of_kind("invalidating-condition-row"))
def test_invalidating_conditions_stand_in_published_order(case: dict[str, Any]) -> None:
    assert INVALIDATING_ROWS[case["position"] - 1].name == case["name"]


@pytest.mark.parametrize("case", of_kind("ladder-row"))
def test_state_rows_stand_in_published_order(case: dict[str, Any]) -> None:
    row = STATE_ROWS[case["position"] - 1]
    assert (row.name, row.state, row.from_citation) == (
        case["name"],
        case["state"],
        case["resolvesFromCitation"],
    )


@pytest.mark.parametrize("case", of_kind("waiver-row"))
def test_waiver_rows_are_as_published(case: dict[str, Any]) -> None:
    row = WAIVER_ROWS[case["position"] - 1]
    assert (row.name, row.waiver, list(row.over_provisional), row.state) == (
        case["name"],
        case["waiver"],
        case["overProvisional"],
        case["state"],
    )


@pytest.mark.parametrize("case", of_kind("corroboration-row"))
def test_corroboration_rows_stand_in_published_order(case: dict[str, Any]) -> None:
    row = CORROBORATION_ROWS[case["position"] - 1]
    assert row.name == case["name"]
    assert sorted(row.values) == sorted(case["values"])


@pytest.mark.parametrize("case", of_kind("near-miss"))
def test_one_field_makes_the_difference(case: dict[str, Any]) -> None:
    by_id = {row["id"]: row for row in decision_cases()}
    positive, near = by_id.get(case["positive"]), by_id.get(case["nearMiss"])
    if positive is None or near is None:
        pytest.skip("one of the two cases is not here")
    differing = {key for key, value in positive["inputs"].items() if near["inputs"][key] != value}
    assert differing == {case["differingField"]}
    assert resolve_outcome(outcome_inputs(positive["inputs"])).state == case["state"]
    assert resolve_outcome(outcome_inputs(near["inputs"])).state != case["state"]


@pytest.mark.parametrize("case", of_kind("infeasible-pair"))
def test_even_an_infeasible_pair_resolves(case: dict[str, Any]) -> None:
    """No run leads to such a pair; the decision answers all the same."""
    base = next((row["inputs"] for row in decision_cases()), None)
    if base is None:
        pytest.skip("no decision case is here")
    changes: dict[str, Any] = {}
    for side in ("left", "right"):
        field, label = case[side].split("=")
        labelled = [
            row["inputs"][field] for row in decision_cases() if row.get("labels") and row["labels"].get(field) == label
        ]
        if not labelled:
            pytest.skip(f"no case here is labelled {case[side]}")
        changes[field] = labelled[0]
    assert resolve_outcome(outcome_inputs(base | changes)).state


@pytest.mark.parametrize("case", of_kind("census"))
def test_no_count_exceeds_the_published_census(case: dict[str, Any]) -> None:
    """Some of the counted cases may be kept elsewhere, so a count can only be reached, not passed."""
    decided = [
        resolve_outcome(outcome_inputs(row["inputs"])) for row in rows("cases", FILE) if row["kind"] == "resolve"
    ]
    counts = {
        "state": Counter(one.state for one in decided),
        "rule": Counter(one.rule for one in decided),
        "waiverRule": Counter(one.waiver_rule for one in decided if one.waiver_rule),
        "corroborationRule": Counter(one.corroboration_rule for one in decided),
        "invalidatingCondition": Counter(name for one in decided for name in one.invalidating_conditions),
    }
    assert len(decided) <= case["resolvedCases"]
    for table, counted in counts.items():
        published = Counter(case["counts"][table])
        assert counted <= published
        if len(decided) == case["resolvedCases"]:
            assert counted == published
