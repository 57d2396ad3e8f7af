"""Lineage defects: revisions of an artifact that do not form one unbroken history. Reported, never raised."""

from __future__ import annotations

from typing import Final

from evalnb.explain.explanation import Example, Explanation, example, explanation

REGISTRY: Final = "lineage defect"


def _chain(text: str, note: str = "") -> Example:
    """Revisions by a letter each; "digest of A" stands for the digest of the artifact A."""
    return example("revision history", {"": text}, note)


_TWO = """
    {
      "declaredRevisionCount": 1,
      "revisions": [
        { "name": "A", "revisionCount": 0, "parentDigest": null },
        { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" }
      ]
    }"""
_THREE = """
    {
      "declaredRevisionCount": 2,
      "revisions": [
        { "name": "A", "revisionCount": 0, "parentDigest": null },
        { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" },
        { "name": "C", "revisionCount": 2, "parentDigest": "digest of B" }
      ]
    }"""

EXPLANATIONS: Final[tuple[Explanation, ...]] = (
    explanation(
        "lineage-root-invalid",
        REGISTRY,
        meaning="""An artifact claims to be a first version and names a parent, or claims to be a later one and names
        none.""",
        why="""The first version is what was fixed before anyone saw a result. If that is in doubt, so is every
        comparison with it.""",
        remedy="""Make revisions with revise_artifact, which writes both fields. A first version has revisionCount 0
        and parentDigest null.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 1,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 1, "parentDigest": null }
              ]
            }"""
        ),
        good=_chain(_TWO),
    ),
    explanation(
        "lineage-duplicate-artifact",
        REGISTRY,
        meaning="""The same artifact, byte for byte, was handed over more than once.""",
        why="""A history that counts a revision twice looks longer and more careful than it was.""",
        remedy="""Hand over each revision once. If two files are the same by accident, find the revision that one of
        them should have been.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 2,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" },
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(_THREE),
    ),
    explanation(
        "lineage-no-root",
        REGISTRY,
        meaning="""No artifact of the history is a first version.""",
        why="""Without the beginning nobody can tell how far the contract has moved since before the first result.""",
        remedy="""Add the version with revisionCount 0 and everything between it and the rest.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 0,
              "revisions": [
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(_TWO),
    ),
    explanation(
        "lineage-multiple-roots",
        REGISTRY,
        meaning="""More than one artifact claims to be the first version.""",
        why="""Two beginnings are two histories. Whoever chooses between them afterwards chooses the result.""",
        remedy="""Split the set into its histories, or make the later one a revision of the earlier one.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 1,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 0, "parentDigest": null }
              ]
            }"""
        ),
        good=_chain(_TWO),
    ),
    explanation(
        "lineage-parent-absent",
        REGISTRY,
        meaning="""A revision names a parent that was not handed over.""",
        why="""What happened in the missing version stays unseen; an oracle may have been weakened there and restored
        later.""",
        remedy="""Add the artifact with that digest. If it is there but was changed, its digest is another one now; use
        the original.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 1,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "C", "revisionCount": 2, "parentDigest": "digest of B" }
              ]
            }"""
        ),
        good=_chain(_THREE),
    ),
    explanation(
        "lineage-revision-not-successor",
        REGISTRY,
        meaning="""The count of a revision is not one more than that of its parent.""",
        why="""A jump hides revisions, and each revision made after a result is a second chance that has to be counted.
        """,
        remedy="""Make revisions with revise_artifact, which counts for you, one step at a time.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 1,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 2, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(_TWO),
    ),
    explanation(
        "lineage-revision-conflict",
        REGISTRY,
        meaning="""Two different artifacts both claim to be the same next revision of one parent.""",
        why="""The history forks. Reporting the branch that did better is picking the winner after the race.""",
        remedy="""Decide which one was used and present that branch, or put one after the other.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 2,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" },
                { "name": "C", "revisionCount": 1, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(_THREE),
    ),
    explanation(
        "lineage-length-inconsistent",
        REGISTRY,
        meaning="""The number of artifacts handed over does not fit the declared number of revisions, which is one
        less.""",
        why="""Either a revision is left out or the declaration is wrong, and the reader cannot know which.""",
        remedy="""Hand over the first version and every revision after it, or correct the declared count.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 2,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(_TWO),
    ),
    explanation(
        "lineage-remediation-cap-exceeded",
        REGISTRY,
        meaning="""More revisions were made than the scoring policy allows with its remediationCap.""",
        why="""A contract that may be changed as often as it takes will pass in the end. The cap is what keeps a pass
        from being worn down out of it.""",
        remedy="""Start a new contract with a new first version, or decide on a higher cap before the next run and
        say so.""",
        bad=_chain(
            """
            {
              "declaredRevisionCount": 1,
              "remediationCap": 0,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null },
                { "name": "B", "revisionCount": 1, "parentDigest": "digest of A" }
              ]
            }"""
        ),
        good=_chain(
            """
            {
              "declaredRevisionCount": 0,
              "remediationCap": 0,
              "revisions": [
                { "name": "A", "revisionCount": 0, "parentDigest": null }
              ]
            }"""
        ),
    ),
)
