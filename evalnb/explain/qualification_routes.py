"""Probe qualification: how a probe is vouched for, and whether it has the signature its class needs."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_probe

REGISTRY: Final = "probe qualification"

_CANARY = """
    {
      "route": "canary",
      "indicts": "corpus",
      "nonDetectionEvidence": {
        "storage": "public",
        "path": "canary.jsonl",
        "privateRef": null,
        "digest": "sha256:5555555555555555555555555555555555555555555555555555555555555555"
      }
    }"""
_SIGNATURE = """
    {
      "interfaceKind": "api",
      "method": "GET",
      "pathTemplate": "/bookings",
      "observableChannel": "response-body",
      "condition": {
        "selector": {
          "inputBinding": {
            "path": null, "query": null, "header": null, "body": null, "argument": null,
            "option": null, "environment": null, "stdin": null, "arguments": null
          }
        },
        "predicate": {
          "op": "absence",
          "operands": [{ "pointer": "/interactions/observed/response-body/bookings" }]
        }
      }
    }"""

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "qualification-route-incompatible",
        REGISTRY,
        meaning="""The probe is vouched for in a way that does not fit what it is. A planted defect goes with
        controlled-mutation, a real old one with historical, a degenerate answer with gameability, a clean revision
        with clean-control, an undetectable one with canary.""",
        why="""The route says what makes the defect real. Evidence for another kind of probe leaves it open whether
        there was anything to catch.""",
        remedy="""Use the route the message names, with the evidence that route asks for, or correct the class of the
        probe or the source of its defects.""",
        bad=in_probe({"/probeClass": '"gameability"'}, note="Its route is controlled-mutation."),
        good=in_probe({"/probeClass": '"defect"'}),
    ),
    explanation(
        "qualification-defect-sources-mixed",
        REGISTRY,
        meaning="""The probe carries both a defect that occurred by itself and one that was planted. No single route
        vouches for both, so the route is reported as well.""",
        why="""If it is caught, nobody knows which of the two was caught, and the catch counts for both.""",
        remedy="""Make two probes, one for each source, each vouched for by the route of its own.""",
        bad=in_probe({"/defects/1/source": '"natural"'}, note="The first defect was planted."),
        good=in_probe({"/defects/1/source": '"controlled-mutation"'}),
    ),
    explanation(
        "qualification-evidence-unverified",
        REGISTRY,
        meaning="""The one fact a route rests on is marked as not checked: that the planted defect was taken out again
        and the system passed, or that the oracle judged the old and the new revision alike.""",
        why="""Without it a failure may come from a broken baseline, and the probe would count as caught for the wrong
        reason.""",
        remedy="""Do the check, then set rollbackVerified or oracleStableAcrossRevisions to true. Setting it without
        the check makes every rate built on it untrue.""",
        bad=in_probe({"/qualification/rollbackVerified": "false"}),
        good=in_probe({"/qualification/rollbackVerified": "true"}),
    ),
    explanation(
        "signature-absent",
        REGISTRY,
        meaning="""The probe plants something and has no defect signature, so nothing says how the defect shows.""",
        why="""A finding counts as a catch only if it points at the defect. Without a signature any complaint about the
        right behavior would do.""",
        remedy="""Describe the call and the answer that give the defect away: operation, inputs, and a condition over
        the observed answer.""",
        bad=in_probe({"/defectSignature": "null"}),
        good=in_probe({"/defectSignature": _SIGNATURE}),
    ),
    explanation(
        "signature-present-on-canary",
        REGISTRY,
        meaning="""A canary carries a defect signature. A canary is a probe nobody can detect; it has nothing to match.
        """,
        why="""A canary is there to catch leaks: whoever reports it has seen more than the interface. A signature
        would turn that alarm into an ordinary catch.""",
        remedy="""Set the signature to null, or, if the defect can be observed, choose another class.""",
        bad=in_probe({"/probeClass": '"canary"', "/qualification": _CANARY}, note="The signature is still there."),
        good=in_probe({"/probeClass": '"canary"', "/qualification": _CANARY, "/defectSignature": "null"}),
    ),
)
