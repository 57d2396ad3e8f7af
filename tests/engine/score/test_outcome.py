"""The outcome decision is total, and its result follows from the rows alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st

from evalnb.engine.evaluate.observations import Selection
from evalnb.engine.score.outcome import (
    CORROBORATION_ROWS,
    STATE_ROWS,
    WAIVER_ROWS,
    CitedFinding,
    DispositionGiven,
    OutcomeInputs,
    WitnessSeen,
    resolve_outcome,
)

ids = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3).map(tuple)
flags = st.sampled_from([None, True, False])


def one_of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


inputs = st.builds(
    OutcomeInputs,
    required=st.booleans(),
    disposition=st.none() | st.builds(DispositionGiven, one_of("held", "violated", "not-attempted"), ids),
    cited_finding=st.none()
    | st.builds(CitedFinding, st.just("F-101"), one_of("dangling", "signatureless", "mapped", "unmapped")),
    witness=st.none()
    | st.builds(
        WitnessSeen,
        one_of(
            "unexercised",
            "unwitnessed-claim",
            "matched",
            "manifested-unclaimed",
            "not-triggered",
            "vacuous",
        ),
        ids,
    ),
    selections=st.lists(ids.map(Selection.of), max_size=3).map(tuple),
    selector_ambiguity=st.booleans(),
    check_resolution=one_of(None, "true", "false", "insufficient-evidence"),
    polarity=one_of("expects-hold", "expects-violation"),
    probe_class=one_of(None, "defect", "gameability", "zero-action", "canary"),
    expected_clean=flags,
    probe_signed=flags,
    probe_qualified=flags,
    waiver=one_of("none", "applied-condition-met", "applied-condition-unmet", "expired"),
    judge_conduct=one_of("absent", "conforming", "malformed"),
    evaluation_fault=st.booleans(),
)

CLEAR = OutcomeInputs(
    required=True,
    disposition=DispositionGiven("held", ("obs-1",)),
    cited_finding=None,
    witness=None,
    selections=(Selection.of(["obs-1"]),),
    selector_ambiguity=False,
    check_resolution="true",
    polarity="expects-hold",
    probe_class="defect",
    expected_clean=False,
    probe_signed=True,
    probe_qualified=True,
    waiver="none",
    judge_conduct="absent",
    evaluation_fault=False,
)


@given(inputs)
def test_every_combination_resolves(given_inputs: OutcomeInputs) -> None:
    resolution = resolve_outcome(given_inputs)
    row = next(row for row in STATE_ROWS if row.name == resolution.rule)
    corroborated = next(row for row in CORROBORATION_ROWS if row.name == resolution.corroboration_rule)
    assert resolution.corroboration in corroborated.values
    assert list(resolution.invalidating_conditions) == sorted(set(resolution.invalidating_conditions))
    assert len(set(resolution.selected_observation_ids)) == len(resolution.selected_observation_ids)
    if resolution.waiver_rule is None:
        assert resolution.state == row.state
    else:
        waiver = next(one for one in WAIVER_ROWS if one.name == resolution.waiver_rule)
        assert (waiver.waiver, waiver.state) == (given_inputs.waiver, resolution.state)
        assert row.state in waiver.over_provisional
    if resolution.resolved_from is not None:
        assert row.from_citation
        assert resolution.declined_finding_ids == ()


@given(inputs)
def test_neither_conditions_nor_signing_change_the_state(given_inputs: OutcomeInputs) -> None:
    """Whether a disposition is missing, and whether the probe is signed, is none of the state's business."""
    state = resolve_outcome(given_inputs).state
    assert resolve_outcome(replace(given_inputs, required=not given_inputs.required)).state == state
    assert resolve_outcome(replace(given_inputs, probe_signed=not given_inputs.probe_signed)).state == state


def test_selected_observations_keep_their_first_appearance() -> None:
    resolution = resolve_outcome(
        replace(
            CLEAR,
            selections=(Selection.of(["obs-3"]), Selection.of(["obs-1", "obs-3"])),
            witness=WitnessSeen("not-triggered", ("obs-2", "obs-1")),
        )
    )
    assert resolution.selected_observation_ids == ("obs-3", "obs-1", "obs-2")


def test_an_empty_check_agrees_with_silence_and_disagrees_with_a_finding() -> None:
    empty = replace(CLEAR, check_resolution="insufficient-evidence")
    assert resolve_outcome(empty).corroboration == "agrees"
    cited = replace(
        empty, disposition=DispositionGiven("violated", ("obs-1",)), cited_finding=CitedFinding("F-101", "mapped")
    )
    resolution = resolve_outcome(cited)
    assert (resolution.corroboration_rule, resolution.corroboration) == ("examined-nothing", "disagrees")


def test_a_waiver_touches_nothing_but_a_miss() -> None:
    missed = replace(CLEAR, witness=WitnessSeen("manifested-unclaimed", ()))
    states = {
        waiver: resolve_outcome(replace(missed, waiver=waiver)).state
        for waiver in ("none", "expired", "applied-condition-met", "applied-condition-unmet")
    }
    assert states == {
        "none": "missed",
        "expired": "missed",
        "applied-condition-met": "not-applicable",
        "applied-condition-unmet": "bypassed",
    }
    assert resolve_outcome(replace(CLEAR, waiver="applied-condition-met")).state == "confirmed"
