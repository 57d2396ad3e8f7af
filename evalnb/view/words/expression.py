"""A check as a tree of sentences, for people who do not read the expression language.

spec: 03, 02a §4
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from evalnb.engine.artifacts import Oracle
from evalnb.view.html import Html, join, tag
from evalnb.view.phrases import Phrase, phrase, phrase_html, phrase_text
from evalnb.view.style import styled
from evalnb.view.words.pointers import Naming
from evalnb.view.words.sentences import sentence_of

if TYPE_CHECKING:
    from evalnb.engine.artifacts import EvalContract, Expression

CheckSource: TypeAlias = "Oracle | Expression"

DEEPEST_INDENT: Final = 16
MOST_LINES: Final = 500

_QUANTIFIERS: Final = frozenset({"for-all", "for-any"})
_CONNECTIVES: Final = frozenset({"not", "all", "any"})


@dataclass(frozen=True, slots=True)
class WordLine:
    """One node: how deep it stands, its operator, where it stands below the check, and its sentence."""

    depth: int
    op: str
    place: str
    phrase: Phrase

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return phrase_text(self.phrase)


@dataclass(frozen=True, slots=True)
class WordTree:
    """A check in words, a line a node, parents before children; empty where there is no check."""

    lines: tuple[WordLine, ...]

    @property
    def text(self) -> str:
        """The tree as indented text; an only child continues its parent's line."""
        return "\n".join(f"{'  ' * min(line.depth, DEEPEST_INDENT)}{line.text}" for line in _flowing(self.lines))

    @property
    def html(self) -> Html:
        """The tree as a nested-looking list, without a style sheet."""
        if not self.lines:
            return tag("p", "no check: this oracle is decided by the evaluator alone", class_="enb-quiet")
        shown = list(_flowing(self.lines))
        items = [
            tag("li", phrase_html(line.phrase), style=f"--d:{min(line.depth, DEEPEST_INDENT)}", data_place=line.place)
            for line in shown[:MOST_LINES]
        ]
        if len(shown) > MOST_LINES:
            items.append(tag("li", f"and {len(shown) - MOST_LINES} more lines", style="--d:0", class_="enb-quiet"))
        return tag("ul", join(items), class_="enb-words")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        first = self.lines[0].text if self.lines else "no check"
        return f"<check in words: {first}{' …' if len(self.lines) > 1 else ''}>"

    def _repr_html_(self) -> str:
        return str(styled(self.html))


def check_in_words(check: CheckSource | None, contract: EvalContract | None = None) -> WordTree:
    """The check of an oracle, or an expression, in words.

    With the contract, pointers say which operation they read, and reference sets how many members they have.
    """
    expression = check.check if isinstance(check, Oracle) else check
    if expression is None:
        return WordTree(())
    naming = Naming(contract)
    return WordTree(
        tuple(
            WordLine(visit.depth, visit.node.op, visit.place, sentence_of(visit.node, naming))
            for visit in nodes(expression)
        )
    )


@dataclass(frozen=True, slots=True)
class Node:
    """One node of an expression as a walk meets it."""

    node: Any
    depth: int
    place: str


def nodes(root: Any) -> Iterator[Node]:
    """Every node of an expression, parents before children, whatever the depth."""
    pending = [Node(root, 0, "")]
    while pending:
        visit = pending.pop()
        yield visit
        pending.extend(reversed(_below(visit)))


def _below(visit: Node) -> list[Node]:
    node, depth = visit.node, visit.depth + 1
    if node.op in _QUANTIFIERS:
        return [Node(node.predicate, depth, _place(visit.place, ".predicate"))]
    if node.op in _CONNECTIVES:
        return [Node(child, depth, _place(visit.place, f".operands[{i}]")) for i, child in enumerate(node.operands)]
    return []


def _place(around: str, part: str) -> str:
    # A place that nobody could read is not kept: in a chain of thousands its length would grow with the square.
    return around + part if len(around) < 600 else around


def _flowing(lines: tuple[WordLine, ...]) -> Iterator[WordLine]:
    """The lines with every only child joined to its parent, and what stands below moved up as far."""
    joined: WordLine | None = None
    lifted: list[int] = []
    for line, following in zip(lines, (*lines[1:], None), strict=True):
        while lifted and line.depth < lifted[-1]:
            lifted.pop()
        depth = line.depth - len(lifted)
        continued = line.phrase if joined is None else (*joined.phrase, *phrase(" "), *line.phrase)
        joined = WordLine(depth if joined is None else joined.depth, line.op, line.place, continued)
        if line.op in ("not", *_QUANTIFIERS) and following is not None and len(continued) < 12:
            lifted.append(following.depth)
            continue
        yield joined
        joined = None
