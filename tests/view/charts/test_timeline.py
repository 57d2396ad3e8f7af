"""The evidence timeline: calls in sequence, findings below, and which of them rest on which."""

from __future__ import annotations

from evalnb.view.charts import evidence_timeline
from evalnb.view.charts.story import MAX_CALLS, MAX_FINDINGS
from tests.view.charts.samples import SAMPLES, call, data, domain, layers, mark, table


def test_operations_and_findings_have_a_lane_each() -> None:
    spec = evidence_timeline(SAMPLES["timeline"]).to_dict()
    assert domain(spec, "y") == ["call", "open", "read", "F-001 material"]


def test_calls_stand_in_sequence_whatever_the_numbers_are() -> None:
    spec = evidence_timeline(SAMPLES["timeline"]).to_dict()
    calls = data(spec, next(layer for layer in layers(spec) if mark(layer) == "point"))
    assert [(one["place"], one["sequence"], one["lane"]) for one in calls] == [
        (1, "1", "open"),
        (2, "2", "read"),
        (3, "5", "open"),
    ]


def test_a_cited_call_is_told_by_shape_and_names_its_findings() -> None:
    spec = evidence_timeline(SAMPLES["timeline"]).to_dict()
    calls, findings = (data(spec, layer) for layer in layers(spec) if mark(layer) == "point")
    assert [one["kind"] for one in calls] == ["call nothing cites", "cited call", "cited call"]
    assert [one["cited"] for one in calls] == ["", "F-001", "F-001"]
    assert [(one["place"], one["kind"]) for one in findings] == [(2, "defect finding"), (3, "defect finding")]
    assert domain(spec, "shape") == ["cited call", "call nothing cites", "defect finding"]
    assert spec["description"] == "3 calls, 2 of them cited by 1 defect finding."


def test_a_line_falls_from_a_call_to_the_last_finding_that_cites_it() -> None:
    rows = [
        call(1, "open", "F-001"),
        call(1, "open", "F-002", severity="critical"),
        call(2, "open", "F-002", severity="critical"),
    ]
    spec = evidence_timeline(table("timeline", *rows)).to_dict()
    assert domain(spec, "y")[-2:] == ["F-002 critical", "F-001 material"]
    threads = next(data(spec, layer) for layer in layers(spec) if "y2" in layer["encoding"])
    assert [(one["place"], one["until"]) for one in threads] == [(1, "F-001 material"), (2, "F-002 critical")]


def test_trials_stand_one_after_the_other_and_findings_name_theirs() -> None:
    rows = [call(n, "open", "F-001", trial_index=trial) for trial in (1, 2) for n in (1, 2)]
    spec = evidence_timeline(table("timeline", *rows)).to_dict()
    assert domain(spec, "y") == ["trial", "call", "open", "F-001 material P-001 #1", "F-001 material P-001 #2"]
    assert spec["description"] == "4 calls over 2 trials, 4 of them cited by 2 defect findings."


def test_calls_that_nothing_cites_are_still_a_chart() -> None:
    spec = evidence_timeline(table("timeline", call(1, "open"))).to_dict()
    assert spec["description"] == "1 call, none cited by a finding."
    assert domain(spec, "y") == ["call", "open"]


def test_the_same_operation_of_two_interfaces_has_two_lanes() -> None:
    rows = [call(1, "open"), call(2, "open", interface_id="shop")]
    assert domain(evidence_timeline(table("timeline", *rows)).to_dict(), "y") == ["call", "desk open", "shop open"]


def test_an_operation_called_like_a_heading_keeps_its_own_lane() -> None:
    lanes = domain(evidence_timeline(table("timeline", call(1, "call"))).to_dict(), "y")
    assert lanes == ["call", "call (2)"]


def test_what_is_left_out_is_said() -> None:
    rows = [call(n, "open", f"F-{n:04}") for n in range(1, MAX_CALLS + 11)]
    spec = evidence_timeline(table("timeline", *rows)).to_dict()
    assert spec["description"].endswith(
        f"; 10 calls and {MAX_CALLS - MAX_FINDINGS:,} findings left out of the drawing."
    )
    assert len(domain(spec, "y")) == 1 + MAX_FINDINGS
