"""Aggregation refusals: evidence artifacts that cannot be read as one run."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Explanation, example, explanation

REGISTRY: Final = "aggregation refusal"

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "strength-inputs-disagree",
        REGISTRY,
        meaning="""Each evidence artifact is sound, but they do not belong together: two are about one probe, they
        were scored by different versions, inputs or evidence bases, or the policy handed over is not the one they
        were scored under.""",
        why="""A catch rate is a fraction of one corpus under one set of rules. Adding up over two sets of rules gives
        a number that describes neither.""",
        remedy="""Hand over each probe once, and the policy that was used for scoring. To use another policy, score
        the records again under it.""",
        bad=example(
            "ScoringPolicy", {"/minimumTrialCount": "5"}, note="The artifacts were scored with a minimum of 1."
        ),
        good=example("ScoringPolicy", {"/minimumTrialCount": "1"}),
    ),
    explanation(
        "strength-input-inconsistent",
        REGISTRY,
        meaning="""One evidence artifact contradicts itself: a reduction, a rate, a key or a version in it does not
        follow from the rest of what it holds.""",
        why="""Such an artifact was edited or written by something else. A single changed count would carry over into
        the strength of the whole contract.""",
        remedy="""Score the record again and use the artifact as it comes out. Never mend one by hand.""",
        bad=example(
            "EvidenceArtifact",
            {"/excludedProbeIds": '["P-102"]'},
            note="One artifact is about one probe and leaves none out.",
        ),
        good=example("EvidenceArtifact", {"/excludedProbeIds": "[]"}),
    ),
)
