"""Lays the engine's resolution tree beside the expression it resolves, with the values each node saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalnb.engine.artifacts import LiteralOperand, PointerOperand
from evalnb.engine.evaluate.values import Value
from evalnb.engine.json_values import ABSENT
from evalnb.view.phrases import Phrase, phrase
from evalnb.view.words.absence import Missing
from evalnb.view.words.lines import OperandValue, ResolutionLine
from evalnb.view.words.pointers import Naming
from evalnb.view.words.sentences import sentence_of

if TYPE_CHECKING:
    from evalnb.engine.artifacts import CheckResolution, EvalContract

MOST_ELEMENTS: Final = 12
MOST_LINES: Final = 1_000
"""How many lines a tree may have; quantifiers inside quantifiers multiply."""

_QUANTIFIERS: Final = frozenset({"for-all", "for-any"})
_CONNECTIVES: Final = frozenset({"not", "all", "any"})


@dataclass(frozen=True, slots=True)
class _Visit:
    """One node with its resolution and the element bound to `@`; `counted` stands for elements left out instead.

    `element` is the place of the bound element in its collection, where the node is a quantifier's predicate.
    """

    node: Any
    resolution: Any
    bound_element: Value
    depth: int
    place: str
    element: int | None = None
    counted: str | None = None


class Pairing:
    """One trial's values beside one contract's expressions."""

    def __init__(
        self,
        contract: EvalContract,
        values: Callable[[Any, Value], Value],
        missing: Missing,
        most_elements: int,
    ) -> None:
        self._naming = Naming(contract)
        self._values = values
        self._missing = missing
        self._most_elements = max(1, most_elements)

    def lines(self, expression: Any, resolution: CheckResolution) -> tuple[ResolutionLine, ...]:
        """A line a node, parents before children; elements that decide nothing may be counted in one line."""
        lines: list[ResolutionLine] = []
        pending = [_Visit(expression, resolution, ABSENT, 0, "")]
        while pending:
            if len(lines) >= MOST_LINES:
                lines.append(ResolutionLine(0, "", "", phrase("the rest of the check is not listed"), None))
                break
            visit = pending.pop()
            if visit.counted is not None:
                lines.append(ResolutionLine(visit.depth, "", visit.place, phrase(visit.counted), None))
                continue
            lines.append(self._line(visit))
            pending.extend(reversed(list(self._below(visit))))
        return tuple(lines)

    def _line(self, visit: _Visit) -> ResolutionLine:
        node, resolution = visit.node, visit.resolution
        operands = [] if node.op in _CONNECTIVES else self._operands(node)
        values = [self._values(operand, visit.bound_element) for operand in operands]
        introduced = None
        if resolution.introduction_condition is not None:
            introduced = self._missing.why_insufficient(node, values)
        return ResolutionLine(
            depth=visit.depth,
            op=node.op,
            place=visit.place,
            phrase=(*_numbered(visit.element), *sentence_of(node, self._naming)),
            resolution=resolution.resolution,
            operands=tuple(
                self._operand(*pair) for pair in zip(operands, values, strict=True) if _worth_showing(*pair)
            ),
            introduced=introduced,
        )

    def _operands(self, node: Any) -> list[Any]:
        return [node.collection] if node.op in _QUANTIFIERS else list(node.operands)

    def _operand(self, operand: Any, value: Value) -> OperandValue:
        return OperandValue(
            phrase=phrase(self._naming.operand(operand)),
            value=value,
            observation_id=self._missing.source(operand),
            missing=self._missing.why_absent(operand) if value is ABSENT else None,
        )

    def _below(self, visit: _Visit) -> Iterator[_Visit]:
        node, children, depth = visit.node, visit.resolution.children, visit.depth + 1
        if node.op in _CONNECTIVES:
            for position, (operand, child) in enumerate(zip(node.operands, children, strict=True)):
                place = _place(visit.place, f".operands[{position}]")
                yield _Visit(operand, child, visit.bound_element, depth, place)
        elif node.op in _QUANTIFIERS and children:
            yield from self._elements(visit, depth)

    def _elements(self, visit: _Visit, depth: int) -> Iterator[_Visit]:
        elements = self._values(visit.node.collection, visit.bound_element)
        children = visit.resolution.children
        if not isinstance(elements, list):
            return
        listed = self._listed([child.resolution for child in children], visit.resolution.resolution)
        for position in listed:
            place = f"{visit.place}[{position}]"
            yield _Visit(visit.node.predicate, children[position], elements[position], depth, place, position)
        left_out = [children[i].resolution for i in range(len(children)) if i not in set(listed)]
        if left_out:
            yield _Visit(None, None, ABSENT, depth, visit.place, counted=_counted(left_out))

    def _listed(self, resolutions: list[str], decided: str) -> list[int]:
        if len(resolutions) <= self._most_elements:
            return list(range(len(resolutions)))
        deciding = [i for i, resolution in enumerate(resolutions) if resolution == decided]
        others = [i for i, resolution in enumerate(resolutions) if resolution != decided]
        return sorted([*deciding, *others][: self._most_elements])


def _worth_showing(operand: Any, value: Value) -> bool:
    """A short literal stands in the sentence already."""
    if not isinstance(operand, LiteralOperand):
        return isinstance(operand, PointerOperand) or value is not ABSENT
    return isinstance(value, list | dict) and len(value) > 4


def _numbered(element: int | None) -> Phrase:
    return () if element is None else phrase(f"element {element + 1}: ")


def _counted(resolutions: list[str]) -> str:
    parts = []
    for resolution, text in (
        ("true", "true"),
        ("false", "false"),
        ("insufficient-evidence", "without enough evidence"),
    ):
        count = resolutions.count(resolution)
        if count:
            parts.append(f"{count} {text}")
    noun = "element" if len(resolutions) == 1 else "elements"
    return f"and {len(resolutions)} more {noun}: {', '.join(parts)}"


def _place(around: str, part: str) -> str:
    return around + part if len(around) < 600 else around
