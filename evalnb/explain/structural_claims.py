"""Structural failures about what a contract claims and how it backs the claim: behaviors, oracles, rubrics, waivers."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, explanation, in_contract

REGISTRY: Final = "structural failure"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "missing-requirement-linkage",
        REGISTRY,
        meaning="""A behavior names neither a requirement it comes from nor a risk it guards against.""",
        why="""Nobody can then say what a caught or missed defect in this behavior is worth. A green result stands for
        nothing that anyone asked for, and a red one has no owner.""",
        remedy="""Add at least one entry to requirementLinks or to riskLinks. An issue key or the heading of a risk
        register will do; what counts is that a reader can follow it.""",
        bad=in_contract({"/behaviors/0/requirementLinks": "[]", "/behaviors/0/riskLinks": "[]"}),
        good=in_contract({"/behaviors/0/requirementLinks": '[{ "scheme": "tracker", "id": "BOOK-12" }]'}),
    ),
    explanation(
        "no-observable-success-criterion",
        REGISTRY,
        meaning="""A behavior does not say what an outsider would see if it worked: its observableSuccessCriterion is
        null.""",
        why="""Without something to see, an evaluator can only form an impression, and two evaluators form two. A
        criterion that can be observed is what makes a missed defect a fact and not an opinion.""",
        remedy="""Write one sentence about something that a call, a file or an exit code can show. If nobody can, the
        behavior is not ready to be evaluated.""",
        bad=in_contract({"/behaviors/0/observableSuccessCriterion": "null"}),
        good=in_contract({"/behaviors/0/observableSuccessCriterion": '"The list of the day holds the booking."'}),
    ),
    explanation(
        "oracle-missing-channel",
        REGISTRY,
        meaning="""An oracle lacks one of its two halves: the direction that an evaluator reads, or the check that
        decides.""",
        why="""With a direction alone nothing decides whether the evaluator was right. With a check alone the evaluator
        is graded on something it was never told to look at.""",
        remedy="""Give the oracle both. The direction names the evidence, the relation and the polarity in the same
        terms as the check.""",
        bad=in_contract({"/oracles/1/direction": "null"}),
        good=in_contract(
            {
                "/oracles/1/direction": """
                {
                  "evidenceTargets": ["/interactions/create/response-body/status"],
                  "relation": "regex",
                  "polarity": "expects-hold",
                  "scope": null,
                  "negativeDomain": null
                }"""
            }
        ),
    ),
    explanation(
        "direction-check-misaligned",
        REGISTRY,
        meaning="""The direction of an oracle promises something its check does not do: it names evidence the check
        never reads, a relation that occurs nowhere in it, or the opposite polarity.""",
        why="""The evaluator follows the direction and is judged by the check. Where the two part, a good evaluator is
        marked wrong and a poor one may be marked right, and the measured strength means nothing.""",
        remedy="""Copy the evidence targets out of the check as they are spelled there; the check may read more than the
        direction names, never less. Use an operator of the check as the relation, and the oracle's own polarity.""",
        bad=in_contract({"/oracles/0/direction/evidenceTargets": '["/interactions/create/response-body/id"]'}),
        good=in_contract({"/oracles/0/direction/evidenceTargets": '["/interactions/list/response-body/bookings"]'}),
    ),
    explanation(
        "rubric-scores-reasoning-prose",
        REGISTRY,
        meaning="""The text of a rubric asks a judge to score how something was reasoned or justified, in a criterion,
        a scale anchor or a penalty.""",
        why="""Fluent reasoning is easy to produce and tells little about the outcome. A rubric that pays for it
        rewards the story about the work and not the work.""",
        remedy="""Say what must be true of the evidence. If only the wording trips the check, describe the result in
        other words than rationale, reasoning, chain of thought and their kin.""",
        bad=in_contract({"/rubrics/0/criteria/0/text": '"The rationale behind the total is convincing."'}),
        good=in_contract({"/rubrics/0/criteria/0/text": '"The total equals the number of bookings of the week."'}),
    ),
    explanation(
        "rubric-unanchored",
        REGISTRY,
        meaning="""A rubric leaves its judge room to drift: it has no scale levels or an empty anchor, a level, a
        rubric or a criterion that occurs twice, no bound on length, or no named penalties.""",
        why="""Two judges give the same number for different reasons when the numbers have no description. Scores
        that drift between trials look like an unstable system and are an unstable ruler.""",
        remedy="""Describe every level, bound the length that is judged, name at least one way to fail, and keep ids
        and levels unique.""",
        bad=in_contract({"/rubrics/0/scaleLevels": "[]"}),
        good=in_contract(
            {
                "/rubrics/0/scaleLevels": """
                [
                  { "level": 0, "anchor": "The total is missing or wrong." },
                  { "level": 1, "anchor": "The total is right." }
                ]"""
            }
        ),
    ),
    explanation(
        "rubric-evidence-unreachable",
        REGISTRY,
        meaning="""A rubric criterion points at evidence that no declared interface can produce: an unknown step, a
        field the answer does not declare, or a channel the operation does not have.""",
        why="""The judge would score a blank. A score for evidence that cannot exist is noise that later counts as a
        measurement.""",
        remedy="""Point at a field the response descriptor of that step's operation declares, or declare the field if
        the system really answers it.""",
        bad=in_contract({"/rubrics/0/criteria/0/evidence": '"/interactions/report/artifact/summary/average"'}),
        good=in_contract({"/rubrics/0/criteria/0/evidence": '"/interactions/report/artifact/summary/total"'}),
    ),
    explanation(
        "waiver-incomplete",
        REGISTRY,
        meaning="""A waiver lacks the rule it sets aside, its reason, the person who approved it, or the date it ends.
        """,
        why="""A waiver turns a known gap into an accepted one. One without an owner and an end is a gap nobody
        accepted and nobody will close.""",
        remedy="""Fill in rule, rationale, approval and expiresAt. Only condition may stay null.""",
        bad=in_contract({"/waivers/0/expiresAt": "null"}),
        good=in_contract({"/waivers/0/expiresAt": '"2031-01-01T00:00:00Z"'}),
    ),
)
