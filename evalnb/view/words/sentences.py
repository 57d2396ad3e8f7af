"""The sentence of every operator: what one node of a check claims, without what stands below it.

spec: 03 §6 to §12
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from evalnb.engine.artifacts import KeyedShapeDescriptor, LiteralOperand, ReferenceSetOperand
from evalnb.engine.json_values import number_text
from evalnb.view.json_view import json_line, shortened
from evalnb.view.phrases import LONGEST_QUOTE, Phrase, Segment, phrase
from evalnb.view.words.pointers import Naming

Sentence: TypeAlias = Callable[[Any, Naming], Phrase]


def sentence_of(node: Any, naming: Naming) -> Phrase:
    """What the node claims. A connective or a quantifier ends in a colon; what it is about stands below."""
    return SENTENCES[node.op](node, naming)


def _binary(verb: str) -> Sentence:
    def say(node: Any, naming: Naming) -> Phrase:
        left, right = node.operands
        return phrase(naming.operand(left), f" {verb} ", naming.operand(right))

    return say


def _unary(verb: str) -> Sentence:
    return lambda node, naming: phrase(naming.operand(node.operands[0]), f" {verb}")


def _connective(text: str) -> Sentence:
    return lambda node, naming: phrase(text)


def _quantifier(quantity: str) -> Sentence:
    return lambda node, naming: phrase(f"for {quantity} element of ", naming.operand(node.collection), ":")


def _containment(node: Any, naming: Naming) -> Phrase:
    container, candidate = node.operands
    if isinstance(candidate, ReferenceSetOperand):
        members = (*phrase("every one of "), *naming.members(candidate))
    elif isinstance(candidate, LiteralOperand) and isinstance(candidate.literal, list):
        members = phrase("every one of ", naming.operand(candidate))
    else:
        members = phrase(naming.operand(candidate))
    return (naming.operand(container), *phrase(" contains "), *members)


def _regex(node: Any, naming: Naming) -> Phrase:
    pattern = Segment("pattern", f"/{shortened(node.pattern, LONGEST_QUOTE)}/")
    return phrase(naming.operand(node.operands[0]), " matches ", pattern)


def _set_membership(node: Any, naming: Naming) -> Phrase:
    value, members = node.operands
    return (naming.operand(value), *phrase(" is one of "), *naming.members(members))


def _ordering(node: Any, naming: Naming) -> Phrase:
    return phrase(naming.operand(node.operands[0]), " is sorted by ", _key(node.key), f", {node.order}")


def _count_tolerance(node: Any, naming: Naming) -> Phrase:
    expected = number_text(node.expected)
    noun = "element" if node.expected == 1 else "elements"
    if not node.tolerance:
        amount = f" has exactly {expected} {noun}"
    else:
        unit = " per cent of that" if node.relative else ""
        amount = f" has {expected} {noun}, give or take {number_text(node.tolerance)}{unit}"
    return phrase(naming.operand(node.operands[0]), amount)


def _shape(node: Any, naming: Naming) -> Phrase:
    descriptor: KeyedShapeDescriptor = node.descriptor
    required = list(dict.fromkeys(descriptor.required_keys))
    optional = [key for key in dict.fromkeys(descriptor.permitted_keys) if key not in required]
    parts: list[Segment | str] = [naming.operand(node.operands[0]), " is an object"]
    if required:
        parts += [" that has ", *_typed(required, descriptor)]
    if optional:
        parts += [" and may have " if required else " that may have ", *_typed(optional, descriptor)]
    parts.append(", and no other key" if required or optional else " without keys")
    return phrase(*parts)


def _covers_by_key(node: Any, naming: Naming) -> Phrase:
    expected, actual = node.operands
    return phrase(
        naming.operand(actual),
        " has, by ",
        _key(node.actual_key),
        ", exactly one element for the ",
        _key(node.expected_key),
        " of each element of ",
        naming.operand(expected),
        ", and none besides",
    )


def _key(name: str) -> Segment:
    return Segment("pointer", shortened(name, LONGEST_QUOTE))


def _typed(keys: Iterable[str], descriptor: KeyedShapeDescriptor) -> list[Segment | str]:
    parts: list[Segment | str] = []
    for key in keys:
        kind = descriptor.types.get(key)
        parts += [", "] if parts else []
        parts.append(_key(key))
        if kind is not None:
            parts.append(f" ({kind})")
    return parts


SENTENCES: Final[Mapping[str, Sentence]] = {
    "equality": _binary("equals"),
    "deep-equality": _binary("has the same content as"),
    "containment": _containment,
    "existence": _unary("exists"),
    "absence": _unary("is absent"),
    "regex": _regex,
    "set-membership": _set_membership,
    "ordering": _ordering,
    "count-tolerance": _count_tolerance,
    "shape": _shape,
    "covers-by-key": _covers_by_key,
    "not": _connective("not:"),
    "all": _connective("all of these:"),
    "any": _connective("at least one of these:"),
    "for-all": _quantifier("every"),
    "for-any": _quantifier("at least one"),
}
"""Every operator of the contract language."""


def value_words(value: Any, most: int = LONGEST_QUOTE) -> str:
    """A resolved value in one line."""
    return json_line(value, most)
