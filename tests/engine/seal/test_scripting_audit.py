"""Which words and marks count as dictating a sequence, and when a brief dictates too much."""

from __future__ import annotations

import pytest

from evalnb.engine.artifacts import SealedEvaluatorBrief
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.seal import audit_brief_scripting, count_step_markers, seal_compiled
from tests.engine.seal.documents import contract


def brief(bound: int | None, *texts: str) -> SealedEvaluatorBrief:
    document = dict(seal_compiled(contract(probeStepBound=bound)).document)
    document["directions"] = [
        {"oracleId": f"O-{number:03}", "text": text} for number, text in enumerate(texts, start=1)
    ]
    return SealedEvaluatorBrief.model_validate(document)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1. Do the first thing. 2. Do the second thing.", 2),
        ("1.Do the first thing.2.Do the second thing.", 2),
        ("a) Open it. b) Click it.", 2),
        ("THEN afterwards, Next; finally.", 4),
        ("thenafter _then then_ beforehand", 0),
        ("read-after-write", 1),
        ("See item 5. It explains. Rule 12. All", 0),
        ("Section 3.2 covers 12.5 percent of $2. 50 cents", 0),
        ("Confirm the record. 2.", 1),
        ("See section 3.2.", 1),
        ("Its data.x.y field", 1),
        ("Setup\n \u00a01) go\n(2) stop", 1),
        ("So! 10) go", 1),
        ("ſ) ١. first second", 0),
        ("", 0),
    ],
)
def test_markers_are_counted(text: str, count: int) -> None:
    assert count_step_markers(text) == count


def test_no_bound_allows_anything() -> None:
    audit_brief_scripting(brief(None, "Then next finally."))


def test_a_bound_holds_for_each_direction_alone() -> None:
    audit_brief_scripting(brief(1, "Then.", "Next."))


def test_the_first_direction_over_the_bound_is_named() -> None:
    with pytest.raises(StructuralFailure) as failure:
        audit_brief_scripting(brief(0, "Clean.", "Then next.", "Then."))
    assert failure.value.code == "brief-exceeds-scripting-bound"
    assert failure.value.artifact_path == "SealedEvaluatorBrief.directions[oracleId=O-002].text"
    assert failure.value.detail == "2 enumerated-probe-step marker(s) exceed the declared bound of 0"


def test_sealing_does_not_audit() -> None:
    scoped = contract(probeStepBound=0)
    wordy = scoped.document | {"safetyLimits": ["then next"]}
    wordy["oracles"][0]["direction"]["scope"] = "Then next."
    assert count_step_markers(seal_compiled(type(scoped).model_validate(wordy)).directions[0].text) == 2
