"""What a widget is about: everything it shows and answers, in plain Python that needs no browser.

The front end gets an outline once and asks for details by name; markup travels in answers only, never in an outline.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, TypeAlias

from evalnb.view.html import Html
from evalnb.view.json_view import shortened

Kind: TypeAlias = Literal["contract", "run", "comparison", "label", "trajectory"]
Answer: TypeAlias = dict[str, Any]
"""A JSON object. Its text is shown as text; under `html` it may hold markup, as a string made of `Html`."""

LONGEST_TEXT: Final = 200
NOTHING_SLOW: Final[frozenset[str]] = frozenset()


class UnknownQuestion(LookupError):
    """The front end asked for something that this widget does not know."""


class Topic(Protocol):
    """What `Surface` needs of its subject."""

    @property
    def kind(self) -> Kind:
        """Which front end shows it."""
        ...

    @property
    def key(self) -> str:
        """Names the subject among all of its kind: its state is kept under it."""
        ...

    @property
    def slow(self) -> frozenset[str]:
        """The questions that may take long; they are answered beside the others."""
        ...

    def outline(self) -> Answer:
        """All that the front end needs to paint itself, without markup."""
        ...

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        """What was asked for. Raises `LookupError` or `ValueError`, whose text is then shown."""
        ...

    def static(self) -> Html:
        """The subject as a page without scripts."""
        ...


def line_of(text: str | None, most: int = LONGEST_TEXT) -> str:
    """A text as one line of an outline: cut where it is long, unseen characters named."""
    return "" if text is None else shortened(text, most)
