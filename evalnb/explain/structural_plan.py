"""Structural failures of the interaction plan and of the brief that is made from it."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_contract

REGISTRY: Final = "structural failure"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "undeclared-mandatory-input",
        REGISTRY,
        meaning="""A step binds an input that its operation does not declare, names a principal the test data does not
        have, or an operation with inputs comes without a sensitivity witness that supplies exactly the declared
        inputs. Checked unless --no-strict-inputs is given; the inputs of a fixture reset are always checked.""",
        why="""An input nobody declared may change the answer without anyone knowing. An operation without a witness
        may ignore its inputs altogether, and then every probe of it measures a constant.""",
        remedy="""Declare the key under requiredKeys or permittedKeys of that channel, or bind a declared one. Add a
        witness with two legs whose inputs differ and whose answers must differ.""",
        bad=in_contract({"/interactionPlan/1/inputBinding/query": '{ "date": { "literal": "2030-05-06" } }'}),
        good=in_contract({"/interactionPlan/1/inputBinding/query": '{ "day": { "literal": "2030-05-06" } }'}),
    ),
    explanation(
        "nested-temporal-clause",
        REGISTRY,
        meaning="""A step comes after a step that itself comes after another one. Only one level of order is allowed.
        """,
        why="""A chain of steps is a script. An evaluator that is led through a script shows that it can follow one,
        not that it can find a defect.""",
        remedy="""Let the step follow the first one directly, or drop its order if nothing depends on it.""",
        bad=in_contract(
            {"/interactionPlan/3/after": '"list"'}, note='The step "list" already comes after the step "create".'
        ),
        good=in_contract({"/interactionPlan/3/after": "null"}),
    ),
    explanation(
        "plan-exceeds-scripting-bound",
        REGISTRY,
        meaning="""The plan as a whole dictates too much: more than two steps after one step, more than two steps that
        each have two followers, more than four separate pairs, or more than sixteen steps.""",
        why="""The more a plan prescribes, the less there is left to measure. Beyond these bounds the contract tests
        obedience.""",
        remedy="""Keep the steps whose evidence an oracle reads and drop the rest. Split a large contract by behavior.
        """,
        bad=in_contract(
            {
                "/interactionPlan/3/after": '"create"',
                "/interactionPlan/-": """
                {
                  "stepId": "list-third-day",
                  "interfaceId": "bookings",
                  "operationId": "list-bookings",
                  "inputBinding": {
                    "path": null,
                    "query": { "day": { "literal": "2030-05-08" } },
                    "header": null,
                    "body": null
                  },
                  "after": "create",
                  "cardinality": "exactly-one"
                }""",
            },
            note="Four steps would then wait for create.",
        ),
        good=in_contract({"/interactionPlan/3/after": "null"}, note="Two steps wait for create, which is the bound."),
    ),
    explanation(
        "binding-cycle",
        REGISTRY,
        meaning="""Steps wait for each other: one takes a value out of the answer of another, and that one needs or
        follows the first.""",
        why="""No order of calls can produce that evidence, so the plan cannot be carried out by any evaluator.""",
        remedy="""Follow the captured value in the message back to its step and give one of the inputs a literal or
        a matcher.""",
        bad=in_contract(
            {
                "/interactionPlan/0/inputBinding/body": """
                {
                  "room": { "literal": "blue" },
                  "day": { "captured": "/interactions/list/response-body/day" }
                }"""
            },
            note='The step "list" comes after "create", and "create" would need the answer of "list".',
        ),
        good=in_contract(
            {
                "/interactionPlan/0/inputBinding/body": """
                {
                  "room": { "literal": "blue" },
                  "day": { "literal": "2030-05-06" }
                }"""
            }
        ),
    ),
    explanation(
        "captured-channel-undeclared",
        REGISTRY,
        meaning="""A binding captures a value from a channel the earlier operation gives no structure to, such as a
        header, a status or a bare stream.""",
        why="""Only the described part of an answer has declared fields and types. A value from elsewhere may be of
        any type, and whether two calls belong together could no longer be decided from the record.""",
        remedy="""Capture a field of the described answer: the response body of an HTTP operation or a tool, the
        described stream or file of a command.""",
        bad=in_contract(
            {
                "/interactionPlan/1/inputBinding/query": """
                { "day": { "captured": "/interactions/create/response-headers/date" } }"""
            }
        ),
        good=in_contract(
            {
                "/interactionPlan/1/inputBinding/query": """
                { "day": { "captured": "/interactions/create/response-body/day" } }"""
            }
        ),
    ),
    explanation(
        "irreducible-step-reference",
        REGISTRY,
        meaning="""Two steps of one operation are named in one direction, and no wording of their inputs tells them
        apart.""",
        why="""The brief speaks of steps in words, since an evaluator does not see step ids. If two steps read alike,
        it cannot know which of the two calls is meant.""",
        remedy="""Bind different literals, matchers or principals in the two steps, or name only one of them in the
        direction.""",
        bad=in_contract(
            {"/interactionPlan/2/inputBinding/query": '{ "day": { "literal": "2030-05-06" } }'},
            note='Step "list" binds the same day, and oracle O-004 compares the two.',
        ),
        good=in_contract({"/interactionPlan/2/inputBinding/query": '{ "day": { "literal": "2030-05-07" } }'}),
    ),
    explanation(
        "brief-exceeds-scripting-bound",
        REGISTRY,
        meaning="""A direction of the generated brief spells out more steps in its text than the contract's
        probeStepBound allows. Words such as then, before, after, next and finally count, and so do list numbers.
        Reported by the audit of a finished brief.""",
        why="""A plan within its bounds can still become a recipe once an author writes one into the scope. A recipe
        hands the evaluator the finding it should have made.""",
        remedy="""Shorten the scope or negativeDomain of the direction to what is to be looked at, without an order of
        actions, or raise probeStepBound on purpose.""",
        bad=in_contract(
            {
                "/probeStepBound": "1",
                "/oracles/0/direction/scope": '"Create a booking, then list its day, and finally list the day before."',
            },
            note="Three such words: then, finally, before.",
        ),
        good=in_contract(
            {"/probeStepBound": "1", "/oracles/0/direction/scope": '"Every room of the house, on the booked day."'}
        ),
    ),
)
