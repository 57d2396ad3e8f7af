"""A gate's decision for machines: JSON, JUnit XML, SARIF."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from evalnb.engine.json_values import Json
from evalnb.engine.version import ENGINE_VERSION
from evalnb.trajectory.findings import FINDING_KINDS, Finding
from evalnb.trajectory.gate import GateDecision
from evalnb.trajectory.grade_files import GradedRuns

# What XML 1.0 cannot hold, whatever an agent or a tool wrote.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LEVELS = {"safety": "error", "resolution": "error", "quality": "warning", "note": "note"}


def decision_json(decision: GateDecision) -> str:
    """The decision as one JSON document."""
    body = {
        "schema": "evalnb-trajectory-gate/1",
        "outcome": decision.outcome,
        "exitCode": decision.exit_code,
        "policy": {
            "name": decision.policy,
            "version": decision.policy_version,
            "owners": list(decision.owners),
        },
        "runs": decision.runs,
        "graders": [
            {"grader": one.grader, "decides": one.barred is None, "barred": one.barred} for one in decision.graders
        ],
        "reasons": [asdict(reason) for reason in decision.reasons],
    }
    return json.dumps(body, indent=2) + "\n"


def decision_junit(decision: GateDecision) -> str:
    """The decision as a JUnit test suite: a rule a test, blocked and review failures, not measurable an error."""
    blocked = sum(reason.outcome in ("blocked", "review") for reason in decision.reasons)
    errors = sum(reason.outcome == "not-measurable" for reason in decision.reasons)
    suite = Xml.Element(
        "testsuite",
        name=_xml(f"evalnb trajectory gate {decision.policy}"),
        tests=str(len(decision.reasons)),
        failures=str(blocked),
        errors=str(errors),
    )
    for reason in decision.reasons:
        test = Xml.SubElement(suite, "testcase", classname="evalnb.trajectory.gate", name=_xml(reason.rule))
        if reason.outcome == "pass":
            Xml.SubElement(test, "system-out").text = _xml(reason.detail)
        else:
            tag = "error" if reason.outcome == "not-measurable" else "failure"
            told = Xml.SubElement(test, tag, type=reason.outcome, message=_xml(reason.detail))
            told.text = _xml("\n".join([reason.detail, *reason.runs]))
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def findings_sarif(graded: GradedRuns, decision: GateDecision | None = None) -> str:
    """Every finding as SARIF 2.1.0: the run is the artifact, the first cited event its line.

    With a `decision`, what a grader found that may not decide is a note, with the reason beside it.
    """
    barred = {one.grader: one.barred for one in (decision.graders if decision else ()) if one.barred is not None}
    results: list[Json] = []
    used: dict[str, None] = {}
    for grade in graded.grades:
        for one in grade.findings:
            used[one.code] = None
            results.append(
                {
                    "ruleId": one.code,
                    "level": "note" if one.grader in barred else _LEVELS[one.bears_on],
                    "message": {"text": one.detail},
                    "locations": [_location(grade.run_id, one.events)],
                    "properties": {
                        "case": grade.case_id,
                        "events": list(one.events),
                        "hard": one.hard,
                        **_told(one, barred),
                    },
                }
            )
    driver = {"name": "evalnb", "version": ENGINE_VERSION, "rules": [_rule(code) for code in sorted(used)]}
    body = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(body, indent=1) + "\n"


def _told(one: Finding, barred: Mapping[str, str]) -> dict[str, Json]:
    """Whose finding it is, where it is a user's grader's, and why that may not decide."""
    if one.grader is None:
        return {}
    return {"grader": one.grader, **({"barred": barred[one.grader]} if one.grader in barred else {})}


def _rule(code: str) -> dict[str, Json]:
    kind = FINDING_KINDS.get(code)
    text = kind.meaning if kind is not None else code
    return {"id": code, "shortDescription": {"text": text}}


def _location(run_id: str, events: tuple[int, ...]) -> dict[str, Json]:
    place: dict[str, Json] = {"artifactLocation": {"uri": quote(run_id, safe="/", errors="replace")}}
    if events:
        place["region"] = {"startLine": max(min(events), 1)}
    return {"physicalLocation": place}
