"""What a piece of markup really holds, as a parser of HTML sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Seen:
    """The elements, the attribute names, the links, and the text outside scripts and styles."""

    elements: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen = Seen()
        self._raw = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.elements.add(tag)
        self.seen.attributes.update(name for name, _ in attrs)
        self.seen.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self._raw += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._raw -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.seen.texts.append(data)


def seen_in(markup: object) -> Seen:
    """What is in the markup."""
    parser = _Parser()
    parser.feed(str(markup))
    parser.close()
    return parser.seen


HARMLESS = frozenset(
    [
        "div",
        "span",
        "p",
        "strong",
        "code",
        "pre",
        "dl",
        "dt",
        "dd",
        "ul",
        "li",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "style",
        "script",
    ]
)


def assert_harmless(markup: object) -> Seen:
    """Nothing in the markup can do anything but show text."""
    seen = seen_in(markup)
    assert seen.elements <= HARMLESS, seen.elements - HARMLESS
    assert not [name for name in seen.attributes if name.startswith("on") or name in ("src", "href", "srcdoc")]
    str(markup).encode("utf-8")
    return seen
