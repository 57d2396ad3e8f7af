"""The one place where markup is made of text that came from outside: everything is escaped unless it is `Html`.

`Html` comes from `tag`, `join`, the JSON renderings and the package's own files; no text becomes `Html` by accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias, final

_SEAL: Final = object()
_ELEMENT: Final = re.compile(r"[a-z][a-z0-9]*")
_ATTRIBUTE: Final = re.compile(r"[a-z][a-z0-9-]*")
_STYLE: Final = re.compile(r"[-\w .,:;%#]*")
_ADDRESS: Final = re.compile(r"(?:https?://|#)[^\s]*", re.IGNORECASE)
_VOID: Final = frozenset({"br", "col", "hr", "img", "input", "meta", "wbr"})
_REFUSED_ATTRIBUTES: Final = frozenset({"srcdoc", "src", "srcset", "action", "formaction", "xmlns", "background"})
_RAW_TEXT: Final = frozenset({"script", "style", "iframe", "object", "embed", "template", "noscript", "textarea"})

_SPECIAL: Final = re.compile("[&<>\"'`]")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;"}

# Controls, direction marks, invisible characters and lone surrogates: they are named, not acted on.
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SCRIPT_BOUNDS: Final = re.compile("<(?=!--|/?script)", re.IGNORECASE)
_SCRIPT_ESCAPES: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


@final
class Html:
    """Markup that is safe to place in a document. Made by this module only; joins with nothing but itself."""

    __slots__ = ("_markup",)

    def __init__(self, markup: str, seal: object = None) -> None:
        if seal is not _SEAL:
            raise TypeError("Html is made by tag(), join() and asset(), not from text")
        self._markup = markup

    def __str__(self) -> str:
        return self._markup

    def __repr__(self) -> str:
        return f"<Html, {len(self._markup)} characters>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Html) and other._markup == self._markup

    def __hash__(self) -> int:
        return hash(self._markup)

    def _repr_html_(self) -> str:
        return self._markup


Child: TypeAlias = "Html | str | int | float | Iterable[Child] | None"
"""Text, which is escaped; markup; nothing; or any number of these."""
AttributeValue: TypeAlias = str | int | float | bool | None

EMPTY: Final = Html("", _SEAL)


def visible(text: str) -> str:
    """`text` with characters that nobody sees, or that turn the text around, written as escapes."""
    return _UNSEEN.sub(lambda found: _named(ord(found[0])), text)


def escape(text: str) -> Html:
    """`text` as markup that shows exactly that text, between tags as well as in a quoted attribute."""
    shown = visible(text)
    return Html(_SPECIAL.sub(lambda found: _ENTITIES[found[0]], shown), _SEAL)


def tag(name: str, *children: Child, **attributes: AttributeValue) -> Html:
    """One element.

    `class_` is written `class`, other underscores as hyphens; an attribute that is None or False is left out, True has
    no value. Raises `ValueError` for event handlers, for addresses other than `http(s)` and `#`, and for elements
    whose content is not text.
    """
    if not _ELEMENT.fullmatch(name) or name in _RAW_TEXT:
        raise ValueError(f"{name!r} is no element for content from outside")
    opened = f"<{name}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if name in _VOID:
        return Html(opened, _SEAL)
    return Html(f"{opened}{join(children)}</{name}>", _SEAL)


def join(children: Iterable[Child], between: str = "") -> Html:
    """The children in a row, with the text `between` any two."""
    parts = [_child(child) for child in children if child is not None]
    return Html(str(escape(between)).join(parts), _SEAL)


def style_sheet(css: str) -> Html:
    """A style element around the package's own CSS."""
    if "<" in css:
        raise ValueError("a style sheet holds no markup")
    return Html(f"<style>{css}</style>", _SEAL)


def json_script(value: Any, **attributes: AttributeValue) -> Html:
    """A data block that a script reads; nothing in `value` can end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).translate(_SCRIPT_ESCAPES)
    opened = "".join(_attribute(key, item) for key, item in attributes.items())
    return Html(f'<script type="application/json"{opened}>{text}</script>', _SEAL)


def script_asset(name: str) -> Html:
    """A script element around one of the package's own script files."""
    return Html(f"<script>{asset(name)}</script>", _SEAL)


def library_block(source: str, **attributes: AttributeValue) -> Html:
    """The source of a third party's script library as a block that is not run where it stands.

    What would open or end a script element is written with an escape, which strings and patterns read alike.
    """
    opened = "".join(_attribute(key, value) for key, value in attributes.items())
    inert = _SCRIPT_BOUNDS.sub(r"\\x3c", source)
    return Html(f'<script type="text/plain"{opened}>{inert}</script>', _SEAL)


@cache
def asset(name: str) -> str:
    """The text of one of the package's own style sheets or scripts."""
    return files("evalnb.view").joinpath("assets", name).read_text(encoding="utf-8")


def _child(child: Child) -> str:
    if isinstance(child, Html):
        return child._markup
    if isinstance(child, str):
        return str(escape(child))
    if isinstance(child, int | float):
        return str(child)
    if isinstance(child, Mapping | bytes) or child is None:
        raise TypeError(f"{type(child).__name__} is no content of an element")
    return str(join(child))


def _attribute(key: str, value: AttributeValue) -> str:
    name = "class" if key == "class_" else key.rstrip("_").replace("_", "-")
    if not _ATTRIBUTE.fullmatch(name) or name.startswith("on") or name in _REFUSED_ATTRIBUTES:
        raise ValueError(f"{name!r} is no attribute for values from outside")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    text = str(value)
    if name == "style" and not _STYLE.fullmatch(text):
        raise ValueError("a style attribute holds plain declarations")
    if name == "href" and not _ADDRESS.fullmatch(text):
        raise ValueError("a link leads to a web address or into the page")
    return f' {name}="{escape(text)}"'


def _named(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
