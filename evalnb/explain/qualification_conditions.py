"""Probe qualification: how the condition of a signature is built."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Example, Explanation, explanation, in_probe

REGISTRY: Final = "probe qualification"


def _beside_missing_bookings(second: str) -> Example:
    """A condition that reads the answer, and one more expression."""
    text = f"""
    {{
      "op": "all",
      "operands": [
        {{ "op": "absence", "operands": [{{ "pointer": "/interactions/observed/response-body/bookings" }}] }},
        {second}
      ]
    }}"""
    return in_probe({"/defectSignature/condition/predicate": text})


def _predicate(text: str) -> Example:
    return in_probe({"/defectSignature/condition/predicate": text})


EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "condition-pointer-not-observation-rooted",
        REGISTRY,
        meaning="""The condition points at a step of some plan. A signature knows one call only, which it calls
        observed.""",
        why="""Steps belong to a contract. A signature is matched against whatever call an evaluator made, and there
        the step does not exist.""",
        remedy="""Start every pointer with /interactions/observed/, followed by a channel of that one call.""",
        bad=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/list/response-body/day" }] }'
        ),
        good=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/observed/response-body/day" }] }'
        ),
    ),
    explanation(
        "condition-pointer-unwritable",
        REGISTRY,
        meaning="""The condition reads a field that the operation of the signature does not declare.""",
        why="""The field will be missing from every answer, so a condition on it is either never met or always met.""",
        remedy="""Use a declared field, or declare the one the system really answers.""",
        bad=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/observed/response-body/total" }] }'
        ),
        good=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/observed/response-body/day" }] }'
        ),
    ),
    explanation(
        "condition-reference-set-operand",
        REGISTRY,
        meaning="""The condition names a reference set. Sets are declared by a contract, and a signature has none.""",
        why="""The same probe would mean something else under each contract, and the catch rates of two contracts could
        not be compared.""",
        remedy="""Write the values into the condition as a literal.""",
        bad=_predicate(
            """
            {
              "op": "set-membership",
              "operands": [
                { "pointer": "/interactions/observed/response-body/day" },
                { "referenceSet": "holidays" }
              ]
            }"""
        ),
        good=_predicate(
            """
            {
              "op": "set-membership",
              "operands": [
                { "pointer": "/interactions/observed/response-body/day" },
                { "literal": ["2030-12-25", "2030-12-26"] }
              ]
            }"""
        ),
    ),
    explanation(
        "condition-operand-illegal",
        REGISTRY,
        meaning="""An operator of the condition got a kind of operand it does not take.""",
        why="""The condition cannot be decided as written, so whether a call shows the defect cannot be decided
        either.""",
        remedy="""Give existence, absence, regex, ordering, count-tolerance and shape a pointer, and compare literals
        with equality or deep-equality.""",
        bad=_beside_missing_bookings('{ "op": "existence", "operands": [{ "literal": "day" }] }'),
        good=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/observed/response-body/day" }] }'
        ),
    ),
    explanation(
        "condition-regex-illegal",
        REGISTRY,
        meaning="""A regular expression in the condition is not valid ECMAScript, does not cover the whole text, or
        uses a backreference or a lookbehind.""",
        why="""A pattern that is open at one end matches healthy answers too, and the probe seems to be caught.""",
        remedy="""Put ^ and $ around the whole pattern, with alternatives in a group, and stay within plain
        constructs.""",
        bad=_predicate(
            r"""
            {
              "op": "regex",
              "operands": [{ "pointer": "/interactions/observed/response-body/day" }],
              "pattern": "^([0-9]{2})\\1-.*$"
            }"""
        ),
        good=_predicate(
            """
            {
              "op": "regex",
              "operands": [{ "pointer": "/interactions/observed/response-body/day" }],
              "pattern": "^2020-.*$"
            }"""
        ),
    ),
    explanation(
        "condition-quantifier-nesting",
        REGISTRY,
        meaning="""A quantifier or a covers-by-key stands inside the predicate of another quantifier.""",
        why="""The rule is the same as for the checks of a contract, so that a defect which can be planted can also be
        looked for.""",
        remedy="""Look at a field of the element, or combine two quantifiers side by side with all or any.""",
        bad=_predicate(
            """
            {
              "op": "for-any",
              "collection": { "pointer": "/interactions/observed/response-body/bookings" },
              "predicate": {
                "op": "for-any",
                "collection": { "pointer": "@/guests" },
                "predicate": { "op": "absence", "operands": [{ "pointer": "@/name" }] }
              }
            }"""
        ),
        good=_predicate(
            """
            {
              "op": "for-any",
              "collection": { "pointer": "/interactions/observed/response-body/bookings" },
              "predicate": { "op": "absence", "operands": [{ "pointer": "@/room" }] }
            }"""
        ),
    ),
    explanation(
        "condition-quantifier-over-non-collection",
        REGISTRY,
        meaning="""A quantifier of the condition ranges over a field that the operation declares as something other
        than an array.""",
        why="""There are no elements, so the condition says nothing about the answer.""",
        remedy="""Range over the array, or drop the quantifier and look at the field.""",
        bad=_predicate(
            """
            {
              "op": "for-any",
              "collection": { "pointer": "/interactions/observed/response-body/day" },
              "predicate": { "op": "absence", "operands": [{ "pointer": "@/room" }] }
            }"""
        ),
        good=_predicate(
            """
            {
              "op": "for-any",
              "collection": { "pointer": "/interactions/observed/response-body/bookings" },
              "predicate": { "op": "absence", "operands": [{ "pointer": "@/room" }] }
            }"""
        ),
    ),
    explanation(
        "condition-bound-element-outside-quantifier",
        REGISTRY,
        meaning="""The condition uses a pointer that starts with @ where no quantifier binds an element.""",
        why="""There is no element it could mean, so it reads nothing.""",
        remedy="""Wrap the expression in for-all or for-any, or write the pointer out from
        /interactions/observed/.""",
        bad=_beside_missing_bookings('{ "op": "existence", "operands": [{ "pointer": "@/day" }] }'),
        good=_beside_missing_bookings(
            '{ "op": "existence", "operands": [{ "pointer": "/interactions/observed/response-body/day" }] }'
        ),
    ),
)
