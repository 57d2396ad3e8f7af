"""JSON as people read it: highlighted, indented, cut where it is long, folded where there is more to see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evalnb.engine.json_values import ABSENT, number_text, own_keys, quote
from evalnb.view.html import Child, Html, escape, join, tag, visible

LONG_TEXT: Final = 160
"""Text of more characters than this is folded behind its beginning."""

SHOWN_TOKENS: Final = 4_000
"""How many tokens of one value are highlighted; the rest follows as plain text."""

_CUT: Final = "…"
_DEEPEST_INDENT: Final = 24

TokenKind: TypeAlias = Literal["key", "string", "number", "word", "mark", "space"]


class Token(NamedTuple):
    """A piece of JSON text."""

    kind: TokenKind
    text: str


def json_line(value: Any, most: int = 80) -> str:
    """`value` as one line of at most about `most` characters; an absent value is `nothing`."""
    if value is ABSENT:
        return "nothing"
    written = 0
    parts: list[str] = []
    for token in _tokens(value, indent=False):
        parts.append(token.text)
        written += len(token.text)
        if written > most:
            return shortened("".join(parts), most)
    return visible("".join(parts))


def json_html(value: Any, most: int = 80) -> Html:
    """`value` highlighted on one line; a longer one unfolds to its indented form."""
    if value is ABSENT:
        return tag("span", "nothing", class_="enb-nothing")
    line = json_line(value, most)
    if not line.endswith(_CUT):
        return tag("code", _highlighted(_tokens(value, indent=False)), class_="enb-json")
    whole = tag("pre", tag("code", _highlighted(_tokens(value, indent=True)), class_="enb-json enb-full"), tabindex=0)
    return tag("details", tag("summary", tag("code", line, class_="enb-json")), whole, class_="enb-fold")


def text_html(text: str, most: int = LONG_TEXT) -> Html:
    """`text` as text; a longer one unfolds from its beginning."""
    if len(text) <= most and text.count("\n") < 4:
        return escape(text)
    return tag(
        "details",
        tag("summary", shortened(" ".join(text[: 2 * most].split(" ")), most)),
        tag("div", text, class_="enb-full", tabindex=0),
        class_="enb-fold",
    )


def shortened(text: str, most: int) -> str:
    """`text` in one line, cut to `most` characters and shown as cut."""
    line = visible(text[: most + 1].replace("\n", " ↵ "))
    return line if len(text) <= most else line[:most].rstrip() + _CUT


def parsed_json(text: str) -> Any:
    """The array or object that `text` holds, else ABSENT: JSON that is worth showing as such."""
    if not text.startswith(("{", "[")) or len(text) < 3 or len(text) > 1_000_000:
        return ABSENT
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return ABSENT


def _highlighted(tokens: Iterator[Token]) -> Html:
    parts: list[Child] = []
    plain: list[str] = []
    for token in tokens:
        if len(parts) > SHOWN_TOKENS or token.kind in ("mark", "space"):
            plain.append(token.text)
            continue
        if plain:
            parts.append("".join(plain))
            plain.clear()
        parts.append(tag("span", token.text, class_=f"enb-j-{token.kind}"))
    parts.append("".join(plain))
    return join(parts)


class _Open(NamedTuple):
    """A piece still to be written: a value, or text that is written as it is."""

    value: Any
    depth: int
    token: Token | None = None


def _tokens(root: Any, *, indent: bool) -> Iterator[Token]:
    # An own stack, because a value may be nested deeper than the interpreter's.
    pending: list[_Open] = [_Open(root, 0)]
    while pending:
        piece = pending.pop()
        value, depth = piece.value, piece.depth
        if piece.token is not None:
            yield piece.token
        elif isinstance(value, dict | list | tuple) and value:
            pending += reversed(_inside(value, depth, indent))
        else:
            yield scalar_token(value)


def _inside(value: dict[str, Any] | list[Any] | tuple[Any, ...], depth: int, indent: bool) -> list[_Open]:
    brackets = ("{", "}") if isinstance(value, dict) else ("[", "]")
    pieces = [_mark(brackets[0])]
    if isinstance(value, dict):
        for number, key in enumerate(own_keys(value)):
            pieces += [_gap(depth + 1, indent, number), _Open(None, depth, Token("key", quote(key))), _mark(": ")]
            pieces.append(_Open(value[key], depth + 1))
    else:
        for number, item in enumerate(value):
            pieces += [_gap(depth + 1, indent, number), _Open(item, depth + 1)]
    return [*pieces, _gap(depth, indent, 0), _mark(brackets[1])]


def _gap(depth: int, indent: bool, number: int) -> _Open:
    comma = "," if number else ""
    if indent:
        return _Open(None, 0, Token("space", f"{comma}\n{'  ' * min(depth, _DEEPEST_INDENT)}"))
    return _Open(None, 0, Token("space", f"{comma} " if comma else ""))


def _mark(text: str) -> _Open:
    return _Open(None, 0, Token("mark", text))


def scalar_token(value: Any) -> Token:
    """A value without anything inside it, as JSON writes it."""
    if isinstance(value, str):
        return Token("string", quote(value))
    if isinstance(value, bool) or value is None:
        return Token("word", "null" if value is None else "true" if value else "false")
    if isinstance(value, int | float):
        return Token("number", number_text(value))
    if isinstance(value, dict):
        return Token("mark", "{}")
    if isinstance(value, list | tuple):
        return Token("mark", "[]")
    return Token("word", str(value))
