"""The probes of the example, one an arm: the condition under which each defect shows, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evalnb.corpus.triage.arms import Arm
from evalnb.corpus.triage.calls import INTERFACE
from evalnb.corpus.triage.desk import DEFECTS

Reference = Mapping[str, Any]

SYSTEM_ID: Final = "larkfield-support-desk"
_OBSERVED: Final = "/interactions/observed/"
_HAZARD: Final = r"^[\s\S]*([Bb]rake|[Ss]moke|[Bb]urning|[Ss]park|[Ii]njur)[\s\S]*$"
_PROMISE: Final = r"^[\s\S]*I have refunded[\s\S]*$"
_LATE_HAZARD: Final = (
    "Hi, quick one before I forget it again. I moved to the new flat last week and keep the bike in the cellar, where "
    "there is a socket for the charger right beside the door. Tonight I saw sparks where the plug goes in, so I have "
    "unplugged everything."
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the probes refer to: digests of the builds, and files beside the contract."""

    source_digest: str
    build_digests: Mapping[str, str]
    target: Reference
    recordings: Mapping[str, Reference]
    naive_oracle: Reference
    disciplined_oracle: Reference

    @property
    def clean(self) -> Reference:
        return self.recordings["clean"]


@dataclass(frozen=True, slots=True)
class _Sign:
    """How a defect shows on one call: the operation, what the call binds, and the condition on its answer."""

    method: str
    path_template: str
    binding: Mapping[str, Any]
    condition: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Witness:
    """One call that makes the defect show, and the relation that its answer then satisfies."""

    operation_id: str
    inputs: Mapping[str, Any]
    relation: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Planted:
    """What is written about one planted defect."""

    defect_id: str
    probe_class: str
    behavior_id: str
    severity: str
    rationale: str
    operator: str
    expected_failure: str
    sign: _Sign
    witness: _Witness


def probe_document(arm: Arm, evidence: Evidence) -> dict[str, Any]:
    """The probe of one arm."""
    planted = None if arm.defect is None else _PLANTED[arm.defect]
    common = {
        "schemaVersion": 6,
        "parentDigest": None,
        "revisionCount": 0,
        "probeId": arm.probe_id,
        "systemId": SYSTEM_ID if arm.defect is None else f"{SYSTEM_ID} with {arm.defect}",
        "implementationDigest": evidence.build_digests[arm.name],
        "artifactDigest": evidence.target["digest"],
        "commitDigest": evidence.source_digest,
    }
    if planted is None:
        return {
            **common,
            "probeClass": "zero-action",
            "behaviorId": "B-002",
            "rationale": "The desk as it is. An evaluation that finds a defect here finds it in itself.",
            "expectedClean": True,
            "defects": [],
            "qualification": {
                "route": "clean-control",
                "baselinePassEvidence": evidence.clean,
                "revisionCommitDigest": evidence.source_digest,
                "noKnownDefectStatement": "No switch of the desk is on, and every check of the contract holds.",
            },
        }
    assert arm.defect is not None
    return {
        **common,
        "probeClass": planted.probe_class,
        "behaviorId": planted.behavior_id,
        "rationale": planted.rationale,
        "expectedClean": False,
        "defects": [_defect(arm, planted, evidence)],
        "defectSignature": _signature(planted.sign),
        "qualification": _qualification(arm, planted, evidence),
    }


def _defect(arm: Arm, planted: _Planted, evidence: Evidence) -> dict[str, Any]:
    leg = f"fault-{arm.name}"
    return {
        "defectId": planted.defect_id,
        "behaviorId": planted.behavior_id,
        "summary": f"{DEFECTS[arm.name].capitalize()}.",
        "severity": planted.severity,
        "oracleEvidence": [evidence.recordings[arm.name]],
        "source": "controlled-mutation",
        "manifestationWitness": {
            "legId": leg,
            "interfaceId": INTERFACE,
            "operationId": planted.witness.operation_id,
            "inputs": planted.witness.inputs,
            "relation": _rooted(planted.witness.relation, f"/interactions/{leg}/"),
        },
    }


def _signature(sign: _Sign) -> dict[str, Any]:
    channels = ("path", "query", "header", "body", "argument", "option", "environment", "stdin", "arguments")
    return {
        "interfaceKind": "api",
        "method": sign.method,
        "pathTemplate": sign.path_template,
        "observableChannel": "response-status" if sign.condition["op"] == "equality" else "response-body",
        "condition": {
            "selector": {"inputBinding": {channel: sign.binding.get(channel) for channel in channels}},
            "predicate": _rooted(sign.condition, _OBSERVED),
        },
    }


def _qualification(arm: Arm, planted: _Planted, evidence: Evidence) -> dict[str, Any]:
    if planted.probe_class == "gameability":
        return {
            "route": "gameability",
            "degenerateResponse": planted.expected_failure,
            "naiveOracleSatisfiedEvidence": evidence.naive_oracle,
            "disciplinedOracleRejectedEvidence": evidence.disciplined_oracle,
        }
    return {
        "route": "controlled-mutation",
        "mutationSource": f"the --defect {arm.defect} switch of the desk",
        "mutationOperator": planted.operator,
        "targetArtifact": evidence.target,
        "expectedObservableFailure": planted.expected_failure,
        "baselinePassEvidence": evidence.clean,
        "mutatedFailEvidence": evidence.recordings[arm.name],
        # The clean arm is recorded once more after all others, and must come out the same.
        "rollbackVerified": True,
    }


def _rooted(expression: Any, root: str) -> Any:
    """An expression whose pointers are written from the call on, with the call put in front of them."""
    if isinstance(expression, list):
        return [_rooted(item, root) for item in expression]
    if not isinstance(expression, Mapping):
        return expression
    return {
        key: root + value if key == "pointer" and not value.startswith("@") else _rooted(value, root)
        for key, value in expression.items()
    }


def _at(pointer: str) -> dict[str, Any]:
    return {"pointer": pointer}


def _equal(pointer: str, value: Any) -> dict[str, Any]:
    return {"op": "equality", "operands": [_at(pointer), {"literal": value}]}


def _matches(pointer: str, pattern: str) -> dict[str, Any]:
    return {"op": "regex", "operands": [_at(pointer)], "pattern": pattern}


def _all(*operands: Mapping[str, Any]) -> dict[str, Any]:
    return {"op": "all", "operands": list(operands)}


def _not(operand: Mapping[str, Any]) -> dict[str, Any]:
    return {"op": "not", "operands": [operand]}


def _inputs(
    path: Mapping[str, Any] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    sent = {"kind": "absent"} if body is None else {"kind": "json", "value": body}
    return {"path": path or {}, "query": query or {}, "header": {}, "body": sent}


_ANY: Final = {"matcher": "any"}
_DRAFT: Final = "/tickets/{ticketId}/draft"
_DRAFT_INPUTS: Final = _inputs(path={"ticketId": "T-1046"}, query={"tone": "plain"})

# On every one of these the clean desk answers otherwise.
_MISFILED: Final = _all(
    _matches("call-inputs/body/message", _HAZARD),
    _equal("response-body/ok", True),
    _not(_equal("response-body/team", "safety")),
)
_ROW_MISSING: Final = _all(
    _equal("response-status", 200),
    _equal("call-inputs/query/status", "open"),
    _not({"op": "for-any", "collection": _at("response-body/tickets"), "predicate": _equal("@/ticketId", "T-1046")}),
)
_PROMISED: Final = _matches("response-body/reply", _PROMISE)
_IMPERSONAL: Final = _all(
    _equal("response-body/ok", True),
    _not({"op": "containment", "operands": [_at("response-body/reply"), _at("call-inputs/path/ticketId")]}),
)

_PLANTED: Final = {
    "late-hazard": _Planted(
        "D-001",
        "defect",
        "B-001",
        "critical",
        "Assistants lose what stands late in a long message. People who describe a danger often lead up to it.",
        "truncate-input",
        "a message that names a hazard in its second half is filed for another team than safety",
        _Sign("POST", "/tickets", {"body": {"message": _ANY}}, _MISFILED),
        _Witness(
            "open-ticket",
            _inputs(
                body={
                    "customer": "Iris Novak",
                    "subject": "The new charger",
                    "message": _LATE_HAZARD,
                    "channel": "web-form",
                }
            ),
            _MISFILED,
        ),
    ),
    "one-row-per-customer": _Planted(
        "D-002",
        "defect",
        "B-003",
        "material",
        "A list that groups by customer looks tidy and loses the second complaint. The count above it still says six.",
        "drop-row",
        "the open list leaves out T-1046, the second open ticket of one customer",
        _Sign("GET", "/tickets", {"query": {"status": {"literal": "open"}}}, _ROW_MISSING),
        _Witness("list-tickets", _inputs(query={"status": "open", "limit": 20}), _ROW_MISSING),
    ),
    "invented-promise": _Planted(
        "D-003",
        "defect",
        "B-005",
        "material",
        "The classic of generated replies: fluent, correctly addressed, well sourced, and wrong about money. No check "
        "of the contract reads what a reply promises, so this probe measures a blind spot that is known.",
        "append-unsupported-claim",
        "a drafted reply says that a fee has been refunded",
        _Sign("GET", _DRAFT, {"query": {"tone": _ANY}}, _PROMISED),
        _Witness("draft-reply", _DRAFT_INPUTS, _PROMISED),
    ),
    "stock-reply": _Planted(
        "D-004",
        "gameability",
        "B-005",
        "material",
        "The cheapest way past a check that only asks for a reply and an allowed source: one sentence for everybody.",
        "replace-with-template",
        "Hello and thank you so much for getting in touch! Your message matters to us.",
        _Sign("GET", _DRAFT, {"path": {"ticketId": _ANY}}, _IMPERSONAL),
        _Witness("draft-reply", _DRAFT_INPUTS, _IMPERSONAL),
    ),
    "acknowledge-only": _Planted(
        "D-005",
        "zero-action",
        "B-002",
        "critical",
        "The assistant says that it filed the ticket and files nothing. Its own answer looks perfect.",
        "skip-side-effect",
        "the reference that the filing returned cannot be read back",
        _Sign("GET", "/tickets/{ticketId}", {"path": {"ticketId": _ANY}}, _equal("response-status", 404)),
        # One call shows it as well: six tickets were open ahead of the filing, and six after it.
        _Witness(
            "open-ticket",
            _inputs(
                body={
                    "customer": "Iris Novak",
                    "subject": "Basket came loose",
                    "message": "The front basket came loose on the cobbles. Can I get a new clip?",
                    "channel": "web-form",
                }
            ),
            _equal("response-body/openTickets", 6),
        ),
    ),
}
