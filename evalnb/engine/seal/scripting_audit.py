"""Whether a brief's directions dictate more probe steps than the contract allows.

Counts words of sequence and list markers in the generated text. spec: 05 §9
"""

from __future__ import annotations

import re
from typing import Final

from evalnb.engine.artifacts import SealedEvaluatorBrief
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.seal.wording import SENTENCE_ENDS, WHITESPACE

_MARKER: Final = re.compile(
    r"(?P<word>\b(?:then|before|after|subsequent|subsequently|next|finally|afterward|afterwards)\b)"
    r"|(?:[0-9]+|[a-z])[.)](?![0-9])",
    re.IGNORECASE | re.ASCII,
)


def audit_brief_scripting(brief: SealedEvaluatorBrief) -> None:
    """Pass silently, or raise StructuralFailure `brief-exceeds-scripting-bound` for the first direction over the bound.

    A null `probeStepBound` bounds nothing. `seal` does not call this (spec: 05 §12.1 leaves open who does).
    """
    bound = brief.probe_step_bound
    if bound is None:
        return
    for direction in brief.directions:
        count = count_step_markers(direction.text)
        if count > bound:
            raise StructuralFailure(
                "brief-exceeds-scripting-bound",
                f"SealedEvaluatorBrief.directions[oracleId={direction.oracle_id}].text",
                f"{count} enumerated-probe-step marker(s) exceed the declared bound of {bound}",
            )


def count_step_markers(text: str) -> int:
    """The number of words of sequence and anchored list markers in `text`."""
    count = 0
    position = 0
    while (match := _MARKER.search(text, position)) is not None:
        if match["word"] is not None or _is_anchored(text, match.start()):
            count += 1
            position = match.end()
        else:
            # An unanchored marker is no match, so the scan goes on inside it.
            position = match.start() + 1
    return count


def _is_anchored(text: str, position: int) -> bool:
    """Whether a list marker at `position` opens the text, a line or a sentence."""
    while position > 0 and text[position - 1] in WHITESPACE:
        position -= 1
        if text[position] == "\n":
            return True
    return position == 0 or text[position - 1] in SENTENCE_ENDS
