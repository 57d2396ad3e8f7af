"""A resolution tree as text and as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evalnb.view.badges import badge
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import json_html
from evalnb.view.phrases import phrase_html
from evalnb.view.theme import style_of
from evalnb.view.words.expression import DEEPEST_INDENT

if TYPE_CHECKING:
    from evalnb.view.words.lines import OperandValue, ResolutionLine
    from evalnb.view.words.resolution import ResolutionTree

_EXPECTED: Final = {"expects-hold": "true", "expects-violation": "false"}


def conclusion(tree: ResolutionTree) -> str:
    """What the resolution means for the oracle, in a sentence."""
    if tree.fault is not None:
        return f"{tree.oracle_id}: the check could not be evaluated: {tree.fault.code}"
    if tree.resolution is None:
        return f"{tree.oracle_id} has no check: the evaluator alone decides it"
    if tree.resolution == "insufficient-evidence":
        return f"{tree.oracle_id}: the recorded evidence does not suffice to say whether the check is met"
    wanted = "hold" if tree.polarity == "expects-hold" else "be violated"
    as_expected = tree.resolution == _EXPECTED[tree.polarity]
    came = "is met" if tree.resolution == "true" else "is not met"
    return f"{tree.oracle_id}: the check {came}; it is expected to {wanted}, so this is {_verdict(as_expected)}"


def resolution_text(tree: ResolutionTree) -> str:
    """The conclusion, then a line a node with its values below it."""
    written = [conclusion(tree)]
    if tree.fault is not None:
        written.append(f"  {tree.fault.detail}")
    for line in tree.lines:
        margin = "  " * (1 + min(line.depth, DEEPEST_INDENT))
        if line.resolution is None:
            written.append(f"{margin}{line.text}")
            continue
        style = style_of(line.resolution)
        written.append(f"{margin}{style.glyph} {line.text} [{style.label}]")
        if line.introduced is not None:
            written.append(f"{margin}    insufficient evidence comes in here: {line.introduced}")
        written += [f"{margin}    {operand.text}" for operand in line.operands]
    return "\n".join(written)


def resolution_html(tree: ResolutionTree) -> Html:
    """The conclusion, then a list with an item a node."""
    head = tag("p", conclusion(tree), class_="enb-conclusion")
    if tree.fault is not None:
        return join([head, tag("p", tree.fault.detail, class_="enb-quiet")])
    return join([head, tag("ul", (_item(line) for line in tree.lines), class_="enb-words enb-resolved")])


def _item(line: ResolutionLine) -> Html:
    depth = f"--d:{min(line.depth, DEEPEST_INDENT)}"
    if line.resolution is None:
        return tag("li", phrase_html(line.phrase), style=depth, class_="enb-quiet")
    parts: list[Child] = [badge(line.resolution), tag("span", phrase_html(line.phrase), class_="enb-sentence")]
    if line.introduced is not None:
        why = ("insufficient evidence comes in here: ", line.introduced)
        parts.append(tag("div", *why, class_="enb-introduced"))
    if line.operands:
        parts.append(tag("dl", (_value(operand) for operand in line.operands), class_="enb-values"))
    return tag("li", *parts, style=depth, data_place=line.place)


def _value(operand: OperandValue) -> Html:
    if operand.missing is not None:
        shown: Child = tag("span", operand.missing, class_="enb-nothing")
    else:
        source = operand.observation_id
        shown = [json_html(operand.value), None if source is None else tag("span", source, class_="enb-source")]
    return tag("div", tag("dt", phrase_html(operand.phrase)), tag("dd", shown))


def _verdict(as_expected: bool) -> str:
    return "as it should be" if as_expected else "a violation"
