"""A rubric must have its own names, score results and never stated reasoning, and anchor every level.

spec: 04 §7 C24, C25, C26
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from evalnb.engine.artifacts import RubricBody
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.white_space import WHITE_SPACE, WHITE_SPACE_CHARACTERS

_JOINT = rf"[-\u2010\u2011{WHITE_SPACE}]+"
_REASONING_PROSE = (
    r"\b(?:chains?SofSthoughts?|trains?SofSthoughts?|thoughtSprocess(?:es|ing)?|thinkingSprocess(?:es)?"
    r"|(?:internal|inner)Smonologues?|selfSexplanations?|reasonings?|rationales?)\b"
).replace("S", _JOINT)
_ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\ufeff"))


class RubricText(NamedTuple):
    """A text of a rubric and its artifact path."""

    text: str
    path: str


def check_rubric_identifiers(rubrics: Iterable[RubricBody]) -> None:
    """C24. Refuses a repeated rubric id, then a criterion id repeated inside a rubric (`rubric-unanchored`)."""
    rubrics = tuple(rubrics)
    _check_distinct((rubric.id for rubric in rubrics), "EvalContract.rubrics")
    for rubric in rubrics:
        _check_distinct((criterion.id for criterion in rubric.criteria), f"{_path(rubric)}.criteria")


def check_reasoning_prose(rubrics: Iterable[RubricBody]) -> None:
    """C25. Refuses a text that scores stated reasoning (`rubric-scores-reasoning-prose`)."""
    for rubric in rubrics:
        for scored in _scored_texts(rubric):
            # Compiled on first use, by `re` itself: most contracts have no rubric.
            match = re.search(_REASONING_PROSE, scored.text, re.IGNORECASE | re.ASCII)
            if match is not None:
                raise StructuralFailure(
                    "rubric-scores-reasoning-prose",
                    scored.path,
                    f'scores stated-reasoning prose: matched "{match[0]}"; score what was produced or observed',
                )


def check_rubric_anchoring(rubrics: Iterable[RubricBody]) -> None:
    """C26. Refuses a missing or blank level anchor, length bound, penalty or criterion (`rubric-unanchored`)."""
    for rubric in rubrics:
        defect = next(_anchoring_defects(rubric), None)
        if defect is not None:
            raise StructuralFailure("rubric-unanchored", defect.path, defect.text)


def is_blank(text: str) -> bool:
    """Whether nothing is left of `text` without zero-width characters and surrounding white space."""
    return not text.translate(_ZERO_WIDTH).strip(WHITE_SPACE_CHARACTERS)


def _check_distinct(ids: Iterable[str], path: str) -> None:
    seen: set[str] = set()
    for i, one in enumerate(ids):
        if one in seen:
            raise StructuralFailure("rubric-unanchored", f"{path}[{i}].id", f'repeats the id "{one}"; give it its own')
        seen.add(one)


def _scored_texts(rubric: RubricBody) -> Iterator[RubricText]:
    root = _path(rubric)
    for criterion in rubric.criteria:
        yield RubricText(criterion.text, f"{root}.criteria[id={criterion.id}].text")
    for i, level in enumerate(rubric.scale_levels or ()):
        yield RubricText(level.anchor, f"{root}.scaleLevels[{i}].anchor")
    for i, penalty in enumerate(rubric.failure_mode_penalties or ()):
        yield RubricText(penalty.name, f"{root}.failureModePenalties[{i}].name")
        yield RubricText(penalty.description, f"{root}.failureModePenalties[{i}].description")


def _anchoring_defects(rubric: RubricBody) -> Iterator[RubricText]:
    """What is missing, each with its path, in the order the rules rank."""
    root = _path(rubric)
    levels, penalties = rubric.scale_levels or (), rubric.failure_mode_penalties or ()
    if not levels:
        yield RubricText("declares no scale level; a score needs at least one", f"{root}.scaleLevels")
    seen: set[int] = set()
    for i, level in enumerate(levels):
        if level.level in seen:
            yield RubricText(f"repeats the level {level.level}", f"{root}.scaleLevels[{i}].level")
        seen.add(level.level)
    for i, level in enumerate(levels):
        if is_blank(level.anchor):
            yield RubricText("has a blank anchor; say what earns this level", f"{root}.scaleLevels[{i}].anchor")
    if rubric.max_length is None:
        yield RubricText("sets no bound on the length of an answer", f"{root}.maxLength")
    if not penalties:
        yield RubricText("declares no failure-mode penalty", f"{root}.failureModePenalties")
    for i, penalty in enumerate(penalties):
        if is_blank(penalty.name):
            yield RubricText("has a blank penalty name", f"{root}.failureModePenalties[{i}].name")
    for criterion in rubric.criteria:
        if is_blank(criterion.text):
            yield RubricText("has a blank criterion text", f"{root}.criteria[id={criterion.id}].text")


def _path(rubric: RubricBody) -> str:
    return f"EvalContract.rubrics[id={rubric.id}]"
