"""Probe qualification: where a defect shows, and which calls its signature selects."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_probe

REGISTRY: Final = "probe qualification"

_PREDICATE = "/defectSignature/condition/predicate"
_CHANNEL = "/defectSignature/observableChannel"
_DAYS_DIFFER = """
    {
      "op": "not",
      "operands": [
        {
          "op": "equality",
          "operands": [
            { "pointer": "/interactions/observed/call-inputs/query/day" },
            { "pointer": "/interactions/observed/response-body/day" }
          ]
        }
      ]
    }"""
_COMMAND = """
    {{
      "interfaceKind": "cli",
      "invocation": {{ "executable": "bookings", "subcommandPath": ["report"] }},
      "observableChannel": "exit-code",
      "condition": {{
        "selector": {{
          "inputBinding": {{
            "path": null, "query": null, "header": null, "body": null, "argument": null,
            "option": null, "environment": null, "stdin": null, "arguments": null
          }}
        }},
        "predicate": {{
          "op": "all",
          "operands": [
            {{
              "op": "equality",
              "operands": [{{ "pointer": "/interactions/observed/exit-code" }}, {{ "literal": 0 }}]
            }},
            {{ "op": "absence", "operands": [{{ "pointer": "/interactions/observed/{channel}" }}] }}
          ]
        }}
      }}
    }}"""

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "signature-interface-kind-unsupported",
        REGISTRY,
        meaning="""The signature is about an interface of a kind that is not measured. Supported are api, cli and mcp.
        """,
        why="""No call over such an interface is ever recorded, so the probe could only ever be missed.""",
        remedy="""State the defect on the HTTP interface behind the page as api, or on the command or tool.""",
        bad=in_probe({"/defectSignature/interfaceKind": '"web"'}),
        good=in_probe({"/defectSignature/interfaceKind": '"api"'}),
    ),
    explanation(
        "signature-observable-channel-not-response-side",
        REGISTRY,
        meaning="""The channel on which the defect is said to show is what the caller sent.""",
        why="""A defect shows in what comes back. A signature over the inputs alone would match the evaluator's own
        doing.""",
        remedy="""Name the channel of the answer that differs. The inputs may still be read beside it in the
        condition.""",
        bad=in_probe({_CHANNEL: '"call-inputs"', _PREDICATE: _DAYS_DIFFER}),
        good=in_probe({_CHANNEL: '"response-body"', _PREDICATE: _DAYS_DIFFER}),
    ),
    explanation(
        "condition-channels-underspecified",
        REGISTRY,
        meaning="""The condition does not look at the channel on which the signature says the defect shows, and it does
        not read two channels either.""",
        why="""Such a condition may hold for a healthy answer as well, and then every call counts as a witness of the
        defect.""",
        remedy="""Read the declared channel in the condition, or compare it with a second one.""",
        bad=in_probe(
            {
                _PREDICATE: """
                {
                  "op": "equality",
                  "operands": [{ "pointer": "/interactions/observed/response-status" }, { "literal": 200 }]
                }"""
            },
            note="The signature names response-body.",
        ),
        good=in_probe(
            {
                _PREDICATE: """
                {
                  "op": "absence",
                  "operands": [{ "pointer": "/interactions/observed/response-body/bookings" }]
                }"""
            }
        ),
    ),
    explanation(
        "condition-disjunct-without-response-channel",
        REGISTRY,
        meaning="""One branch of an any in the condition reads no part of the answer.""",
        why="""That branch holds or fails on what was sent. One request would be enough to fulfil the whole condition,
        whatever the system answered.""",
        remedy="""Let every branch look at the answer. Requests are chosen by the selector, not by the condition.""",
        bad=in_probe(
            {
                _PREDICATE: """
                {
                  "op": "any",
                  "operands": [
                    { "op": "existence", "operands": [{ "pointer": "/interactions/observed/call-inputs/query/day" }] },
                    { "op": "absence", "operands": [{ "pointer": "/interactions/observed/response-body/bookings" }] }
                  ]
                }"""
            }
        ),
        good=in_probe(
            {
                _PREDICATE: """
                {
                  "op": "any",
                  "operands": [
                    { "op": "absence", "operands": [{ "pointer": "/interactions/observed/response-body/day" }] },
                    { "op": "absence", "operands": [{ "pointer": "/interactions/observed/response-body/bookings" }] }
                  ]
                }"""
            }
        ),
    ),
    explanation(
        "condition-selector-key-undeclared",
        REGISTRY,
        meaning="""The selector picks calls by an input that the operation does not declare, or asks for a value of the
        wrong type where the operation declares no type.""",
        why="""No recorded call can carry that input, so the signature matches nothing and the probe counts as missed
        by everyone.""",
        remedy="""Select by a declared key of that channel, or declare the key and its type in the contract.""",
        bad=in_probe({"/defectSignature/condition/selector/inputBinding/query": '{ "date": { "matcher": "any" } }'}),
        good=in_probe({"/defectSignature/condition/selector/inputBinding/query": '{ "day": { "matcher": "any" } }'}),
    ),
    explanation(
        "condition-artifact-channel-contract-local",
        REGISTRY,
        meaning="""The condition reads a written file. File names are given by one contract, and a signature must hold
        for any contract over the same system.""",
        why="""A probe that only works with the contract it was written for cannot compare two contracts, which is what
        a probe is for.""",
        remedy="""Let the defect show on standard output, standard error or the exit code.""",
        bad=in_probe({"/defectSignature": _COMMAND.format(channel="artifact/summary")}),
        good=in_probe({"/defectSignature": _COMMAND.format(channel="stdout")}),
    ),
    explanation(
        "condition-text-channel-on-api",
        REGISTRY,
        meaning="""The signature uses a channel its kind of interface does not have: a stream, exit code or file with
        HTTP, a status, header or body with a command, and so on.""",
        why="""Nothing ever arrives on that channel, so the defect can never be seen to show.""",
        remedy="""HTTP shows in response-body, response-headers and response-status; a command in stdout, stderr and
        exit-code; a tool in response-body, response-status and exit-code.""",
        bad=in_probe({_CHANNEL: '"stdout"'}),
        good=in_probe({_CHANNEL: '"response-body"'}),
    ),
)
