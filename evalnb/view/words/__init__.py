"""A check in words, and how it came out over recorded evidence, node by node."""

from evalnb.view.words.expression import WordLine, WordTree, check_in_words
from evalnb.view.words.lines import OperandValue, ResolutionLine
from evalnb.view.words.resolution import ResolutionTree, resolution_in_words

__all__ = [
    "OperandValue",
    "ResolutionLine",
    "ResolutionTree",
    "WordLine",
    "WordTree",
    "check_in_words",
    "resolution_in_words",
]
