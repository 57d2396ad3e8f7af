"""Structural failures of check expressions: what they read, how they are built, which sets they name."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_contract

REGISTRY: Final = "structural failure"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "unreachable-check-evidence",
        REGISTRY,
        meaning="""A check, a captured value, a witness or the fixture reset reads something the declared interfaces
        cannot give: a step that is not in the plan, an operation nobody declares, a field outside the declared
        answer, or a value without one fixed scalar type.""",
        why="""Such a check can never hold or fail on what the system did; it only ever sees nothing. The oracle then
        looks like coverage and is blind.""",
        remedy="""Compare the pointer with the plan and with the response descriptor of the step's operation. Mend the
        spelling, or declare the field if the system does answer it. A captured value needs one declared scalar type
        on both ends.""",
        bad=in_contract(
            {"/oracles/1/check/operands/0/pointer": '"/interactions/create/response-body/state"'},
            note="create-booking declares id, day and status in its answer, and no state.",
        ),
        good=in_contract({"/oracles/1/check/operands/0/pointer": '"/interactions/create/response-body/status"'}),
    ),
    explanation(
        "malformed-operator-expression",
        REGISTRY,
        meaning="""An expression could not be decided as written: an operand of a kind the operator does not take, an
        element pointer outside a quantifier, a regular expression that does not cover the whole text or uses a
        refused construct, a reference set whose members repeat or lack their key, or a witness that varies
        nothing.""",
        why="""An undecidable check is found out only while scoring, when the recorded run is already paid for. And a
        pattern that is open on one side passes almost anything, so that it never catches a defect.""",
        remedy="""Read the path in the message, it leads to the operand or pattern. Put ^ and $ around the whole
        pattern, with the alternatives in a group; use no backreference and no lookbehind; make the keys of reference
        set members unique.""",
        bad=in_contract(
            {"/oracles/1/check/pattern": '"^booked|held$"'},
            note="Either half is anchored on one side only, so cancelled-and-withheld would match.",
        ),
        good=in_contract({"/oracles/1/check/pattern": '"^(booked|held)$"'}),
    ),
    explanation(
        "quantifier-over-non-collection",
        REGISTRY,
        meaning="""A quantifier (for-all, for-any) ranges over a field that the response descriptor declares as
        something other than an array.""",
        why="""There is nothing to go through, so the predicate is never asked. The check cannot notice a bad element.
        """,
        remedy="""Range over the array itself, or declare the field as an array if that is what the system answers.
        For a single value use the predicate without the quantifier.""",
        bad=in_contract({"/oracles/2/check/collection": '{ "pointer": "/interactions/create/response-body/status" }'}),
        good=in_contract({"/oracles/2/check/collection": '{ "pointer": "/interactions/list/response-body/bookings" }'}),
    ),
    explanation(
        "quantifier-nesting-exceeded",
        REGISTRY,
        meaning="""A quantifier or a covers-by-key stands inside the predicate of another quantifier. One level is
        allowed.""",
        why="""A check over elements of elements is hard to read, and its direction cannot be said in one plain
        sentence. What an evaluator cannot be told plainly, it cannot be fairly measured on.""",
        remedy="""Split it: one oracle for the outer collection, another for the inner one, or let the predicate look
        at a field of the element. Side by side under all or any, several quantifiers are fine.""",
        bad=in_contract(
            {
                "/oracles/2/check/predicate": """
                {
                  "op": "for-any",
                  "collection": { "pointer": "@/guests" },
                  "predicate": { "op": "existence", "operands": [{ "pointer": "@/" }] }
                }"""
            }
        ),
        good=in_contract(
            {"/oracles/2/check/predicate": '{ "op": "existence", "operands": [{ "pointer": "@/guests" }] }'}
        ),
    ),
    explanation(
        "unresolved-reference-set",
        REGISTRY,
        meaning="""An operand names a reference set that the contract does not declare under referenceSets.""",
        why="""The expected values are the half of the comparison that the author owns. Without them the check has
        nothing to compare with.""",
        remedy="""Mend the name, or declare the set with its keys and members. Names are compared letter by letter.""",
        bad=in_contract({"/oracles/0/check/operands/0": '{ "referenceSet": "room" }'}),
        good=in_contract({"/oracles/0/check/operands/0": '{ "referenceSet": "rooms" }'}),
    ),
    explanation(
        "unresolved-artifact-reference",
        REGISTRY,
        meaning="""A pointer or a descriptor channel names a file that its operation does not list among the artifacts
        it writes.""",
        why="""Nobody would look for that file, so the evidence would always be missing and every run would seem to
        fail, or every check to be unreached.""",
        remedy="""List the file under artifacts of the operation, or name one that is listed. HTTP operations and tools
        write no files at all.""",
        bad=in_contract(
            {"/permittedInterfaces/1/operations/0/descriptorChannel": '{ "kind": "artifact", "artifactId": "totals" }'}
        ),
        good=in_contract(
            {"/permittedInterfaces/1/operations/0/descriptorChannel": '{ "kind": "artifact", "artifactId": "summary" }'}
        ),
    ),
)
