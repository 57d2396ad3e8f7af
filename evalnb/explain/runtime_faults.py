"""Runtime faults: this run could not be done, whatever the contract is worth."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, example, explanation, in_contract

REGISTRY: Final = "runtime fault"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "schema-parse-failure",
        REGISTRY,
        meaning="""A file is not JSON, or not of the shape its artifact has: a key is missing or unknown, or a value
        is of another type or not one of the allowed words.""",
        why="""An input that is only half understood would be scored by guesswork. Nothing was decided, so this is no
        verdict about the system or the evaluator.""",
        remedy="""The lines below the message give each place as a JSON Pointer with what was expected there. For
        text that is not JSON look for comments, trailing commas, a byte-order mark, or an encoding other than
        UTF-8. evalnb schemas writes the full shapes.""",
        bad=in_contract({"/behaviors/0/severity": '"severe"'}),
        good=in_contract({"/behaviors/0/severity": '"material"'}),
    ),
    explanation(
        "schema-version-mismatch",
        REGISTRY,
        meaning="""The schemaVersion of an artifact lies outside the range this build reads. It is looked at before
        anything else in the file.""",
        why="""A number can keep its name and change its meaning between versions. Comparing strengths across such a
        change compares two different rulers.""",
        remedy="""Make the artifact again with the stage that produces it, or use the release that wrote it. Changing
        the number by hand hides the difference and does not mend it.""",
        bad=in_contract({"/schemaVersion": "4"}),
        good=in_contract({"/schemaVersion": "7"}),
    ),
    explanation(
        "non-canonicalizable-value",
        REGISTRY,
        meaning="""A value has no canonical bytes, so no digest can be computed over it: a key that occurs twice, an
        integer beyond 2^53 - 1, an infinite number, half of a surrogate pair, or more than 1024 levels.""",
        why="""Artifacts name each other by digest. If two programs could read one file in two ways, the evidence
        would no longer be tied to the run it came from.""",
        remedy="""The message gives the place or the offset. Write large integers as strings, keep one of two equal
        keys, and cut deep values down before recording them.""",
        bad=example(
            "ScoringPolicy", {"": '{ "catchThreshold": 0.5, "catchThreshold": 0.9 }'}, note="Which one counts?"
        ),
        good=example("ScoringPolicy", {"": '{ "catchThreshold": 0.9 }'}),
    ),
    explanation(
        "digest-mismatch",
        REGISTRY,
        meaning="""The bytes found for a private reference are not those whose digest the manifest or the record
        states.""",
        why="""The evidence was changed, mixed up or saved again after the run. A score over it would be about
        something else than what was recorded.""",
        remedy="""Look for the original bytes; a changed line ending is enough to break a digest. If the new bytes are
        the right ones, record the run again.""",
        bad=example(
            "PrivateArtifactManifest",
            {
                "/entries/0": """
                {
                  "privateRef": "case-7",
                  "digest": "sha256:2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df"
                }"""
            },
            note="The stored file holds ok and a line feed; this is the digest of ok alone.",
        ),
        good=example(
            "PrivateArtifactManifest",
            {
                "/entries/0": """
                {
                  "privateRef": "case-7",
                  "digest": "sha256:dc51b8c96c2d745df3bd5590d990230a482fd247123599548e0632fdbf97fc22"
                }"""
            },
        ),
    ),
    explanation(
        "budget-exhausted",
        REGISTRY,
        meaning="""A limit that keeps a run finite was reached: the step budget of a regular expression, or the time
        or size limit of a call.""",
        why="""A pattern that can take forever on hostile text, or an answer without end, would otherwise stop the
        whole measurement. The limit ends it before it proves anything.""",
        remedy="""For a pattern, do not repeat a group that itself repeats, and avoid several open repetitions in a
        row; or raise regexMatchStepBudget in the scoring policy. For a call, raise the limit in the target policy.
        """,
        bad=in_contract({"/oracles/1/check/pattern": '"^([a-z]+-?)+$"'}, note="A repeated group inside a repetition."),
        good=in_contract({"/oracles/1/check/pattern": '"^[a-z-]+$"'}),
    ),
    explanation(
        "port-failure",
        REGISTRY,
        meaning="""The way to the system broke: a command could not be started, a server did not answer, a file of
        the corpus could not be read.""",
        why="""What cannot be reached cannot be measured. Counting such a run as a miss would blame the evaluator for
        the wiring.""",
        remedy="""Try the same command or address by hand, with the same user and working directory, then compare it
        with the target policy. Nothing is retried for you.""",
        bad=example(
            "CommandTargetPolicy",
            {"/authorizations/0/target": '"/opt/bookings/bin/bookigns"'},
            note="There is no such file.",
        ),
        good=example("CommandTargetPolicy", {"/authorizations/0/target": '"/opt/bookings/bin/bookings"'}),
    ),
    explanation(
        "port-contract-violation",
        REGISTRY,
        meaning="""Something answered, but not to the question: the answer has another shape, is of another kind than
        the request, comes twice, or echoes no planned probe id.""",
        why="""Evidence is tied to the plan by those ids. An answer that cannot be matched might belong to any call.""",
        remedy="""Return probeId, interfaceId and operationId exactly as they were asked, once each, with the body
        wrapped as json, text or absent. evalnb shows the planned ids on standard error.""",
        bad=example(
            "ProbeObservation",
            {
                "": """
                {
                  "kind": "api",
                  "probeId": "monday",
                  "interfaceId": "bookings",
                  "operationId": "list-bookings",
                  "status": 200,
                  "headers": {},
                  "body": { "kind": "json", "value": { "day": "2030-05-06", "bookings": [] } }
                }"""
            },
            note='The plan asked for "list-monday".',
        ),
        good=example(
            "ProbeObservation",
            {
                "": """
                {
                  "kind": "api",
                  "probeId": "list-monday",
                  "interfaceId": "bookings",
                  "operationId": "list-bookings",
                  "status": 200,
                  "headers": {},
                  "body": { "kind": "json", "value": { "day": "2030-05-06", "bookings": [] } }
                }"""
            },
        ),
    ),
    explanation(
        "forbidden-target",
        REGISTRY,
        meaning="""The target policy does not allow this call. It was refused before anything was sent or started, and
        the message carries the reason: an interface, host, port, address, method, command, tool or environment key.
        """,
        why="""Probing sends odd inputs on purpose. A policy that names every target keeps them away from systems
        nobody meant to touch.""",
        remedy="""If the target is meant, add it to the policy, as narrowly as the message puts it. If it is not,
        correct the contract or look for a redirect.""",
        bad=example("CommandTargetPolicy", {"/authorizations/0/permittedSubcommandPaths": '[["list"]]'}),
        good=example("CommandTargetPolicy", {"/authorizations/0/permittedSubcommandPaths": '[["list"], ["report"]]'}),
    ),
    explanation(
        "aborted",
        REGISTRY,
        meaning="""The caller called the run off, by a signal or an interrupt, and the work in flight stopped.""",
        why="""Half a run is not evidence. It is reported as stopped, so that nobody mistakes it for a failed
        pre-flight or a miss.""",
        remedy="""Run it again. If nobody stopped it, look for a time limit of the surrounding program that is shorter
        than the run.""",
        bad=example(
            "a Python caller",
            {
                "": """
                controller = AbortController()
                controller.abort()
                await run_preflight(contract, probes, "run-1", port, controller.signal)"""
            },
        ),
        good=example(
            "a Python caller",
            {
                "": """
                controller = AbortController()
                await run_preflight(contract, probes, "run-1", port, controller.signal)"""
            },
        ),
    ),
    explanation(
        "operator-cannot-accept-operand",
        REGISTRY,
        meaning="""While scoring, an operator met a parameter it cannot work with: a regular expression that is not
        one. Compiling the contract finds this earlier, as malformed-operator-expression.""",
        why="""A check that cannot be evaluated has no outcome. Treating it as held or violated would invent one.""",
        remedy="""Compile the contract before using it. Patterns follow ECMAScript and not Python or PCRE: no inline
        flags, no named groups with a P, no possessive repetition.""",
        bad=in_contract({"/oracles/1/check/pattern": '"^(?P<state>booked|held)$"'}, note="A Python spelling."),
        good=in_contract({"/oracles/1/check/pattern": '"^(?<state>booked|held)$"'}),
    ),
)
