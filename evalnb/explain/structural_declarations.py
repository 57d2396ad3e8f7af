"""Structural failures of what a contract declares about interfaces, inputs and what must stay hidden."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_contract

REGISTRY: Final = "structural failure"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "duplicate-operation-signature",
        REGISTRY,
        meaning="""Two operations look the same on the wire: same method and path once the parameter names are taken
        out, same command, or same tool name.""",
        why="""A recorded call could then belong to either of them, and a defect planted in one would be counted for
        the other.""",
        remedy="""Declare the operation once. If two interfaces share a route on purpose, evaluate them in two
        contracts.""",
        bad=in_contract(
            {"/permittedInterfaces/0/operations/1/method": '"POST"'},
            note="create-booking is POST /bookings already.",
        ),
        good=in_contract({"/permittedInterfaces/0/operations/1/method": '"GET"'}),
    ),
    explanation(
        "unsupported-interface-kind",
        REGISTRY,
        meaning="""An interface is of a kind that is not measured. Supported are api, cli and mcp; web is a known word
        and nothing more.""",
        why="""There is no way to observe such an interface and to plant a defect in it, so nothing said about it could
        be backed by evidence.""",
        remedy="""Evaluate the HTTP interface behind the web page as api, or the command that drives it as cli.""",
        bad=in_contract({"/permittedInterfaces/0/kind": '"web"'}),
        good=in_contract({"/permittedInterfaces/0/kind": '"api"'}),
    ),
    explanation(
        "duplicate-interface-identifier",
        REGISTRY,
        meaning="""Two permitted interfaces carry one logicalId. Steps and recorded calls name an interface by that id
        alone.""",
        why="""Evidence from one interface would be read under the declarations of the other, and nobody would notice.
        """,
        remedy="""Give each interface an id of its own and let the steps follow, also where the kinds differ.""",
        bad=in_contract({"/permittedInterfaces/1/logicalId": '"bookings"'}),
        good=in_contract({"/permittedInterfaces/1/logicalId": '"reports"'}),
    ),
    explanation(
        "forbidden-input-floor-incomplete",
        REGISTRY,
        meaning="""The contract does not forbid everything that must always be kept from an evaluator. Seven names are
        mandatory; more may be added.""",
        why="""An evaluator that can read the source, the specification or earlier results may report what it read. Its
        score says nothing about finding defects.""",
        remedy="""Put all seven names into forbiddenInputs. The message names the first one that is missing.""",
        bad=in_contract({"/forbiddenInputs": '["original-spec", "source-code", "repository"]'}),
        good=in_contract(
            {
                "/forbiddenInputs": """
                [
                  "original-spec",
                  "source-code",
                  "repository",
                  "builder-transcript",
                  "implementation-logs",
                  "comparator-results",
                  "human-labels"
                ]"""
            }
        ),
    ),
    explanation(
        "scoped-reference-resolves-forbidden",
        REGISTRY,
        meaning="""The contract hands the evaluator a document or a data resource. Nothing shows that such a resource
        is free of forbidden inputs, so none is accepted: scopedResources and testData.resources must be empty.""",
        why="""A handbook or a data dump is the easiest way for the answers to slip into the brief.""",
        remedy="""Take the resource out. Say what the evaluator needs to know in the scope of a direction or in
        testData.setup.""",
        bad=in_contract({"/scopedResources": '[{ "reference": "booking-handbook", "kind": "document" }]'}),
        good=in_contract({"/scopedResources": "null"}),
    ),
    explanation(
        "excluded-content-in-declaration",
        REGISTRY,
        meaning="""Some text in the contract has the shape of a secret or of personal data: a private key, an access
        token, an e-mail address, an account or card number. The message gives the place and the category and never
        the text.""",
        why="""Contracts are copied into briefs, records and reports and handed around. What is in one cannot be taken
        back.""",
        remedy="""Replace the value by a made-up one that does not have that shape, or by the name of a principal that
        the environment resolves. If it was a real credential, revoke it.""",
        bad=in_contract({"/safetyLimits": '["Tell desk@example.org before a large booking."]'}),
        good=in_contract({"/safetyLimits": '["Tell the front desk before a large booking."]'}),
    ),
)
