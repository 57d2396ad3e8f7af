"""The parts that the pages of all panes are made of: titles, parts under a name, recorded calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from evalnb.engine.artifacts import JsonBody, Observation, TextBody
from evalnb.view.badges import badge
from evalnb.view.cards.parts import code
from evalnb.view.html import Child, Html, join, tag
from evalnb.view.json_view import json_html, text_html


def page(*parts: Child) -> str:
    """The markup of an answer."""
    return str(tag("div", *parts, class_="enbw-page"))


def title(name: str, kind: str, *badges: Child) -> Html:
    """What the page is about."""
    return tag("div", tag("span", kind, class_="enb-kind"), tag("strong", name), *badges, class_="enbw-title")


def part(name: str, *content: Child) -> Html:
    """A part of a page under a name."""
    return tag("div", tag("h4", name), *content, class_="enbw-part")


def columns(*parts: Child) -> Html:
    """Parts side by side where there is room."""
    return tag("div", *parts, class_="enbw-columns")


def lead(text: str) -> Html:
    """The sentence a page is read for."""
    return tag("p", text_html(text, 800), class_="enbw-lead")


def quiet(text: str) -> Html:
    """A sentence that says that there is nothing."""
    return tag("p", text, class_="enb-quiet")


def named(pairs: Iterable[tuple[str, Child]]) -> Html:
    """Names and what they stand for."""
    return tag("dl", (tag("div", tag("dt", name), tag("dd", shown)) for name, shown in pairs))


def call(observation: Observation, *, cited: bool = False) -> Html:
    """One recorded call: what was sent and what came back."""
    return tag(
        "div",
        tag(
            "div",
            code(observation.observation_id),
            tag("strong", observation.operation_id),
            tag("span", answer_word(observation), class_="enb-quiet"),
            badge("confirmed", label="cited") if cited else None,
            class_="enbw-callhead",
        ),
        named(_channels(observation)),
        class_="enbw-call enbw-cited" if cited else "enbw-call",
    )


def answer_word(observation: Observation) -> str:
    """What a call came back with, in a word or two."""
    if observation.response_status is not None:
        return f"status {observation.response_status}"
    if observation.exit_code is not None:
        return f"exit code {observation.exit_code}"
    return "a response" if observation.response_body is not None else "no response"


def _channels(observation: Observation) -> Iterator[tuple[str, Child]]:
    sent = {
        name: value for name, value in observation.call_inputs.model_dump(by_alias=True).items() if value is not None
    }
    yield "sent", json_html(sent) if sent else tag("span", "nothing", class_="enb-nothing")
    if observation.response_body is not None:
        yield "body", json_html(observation.response_body)
    if observation.response_headers is not None:
        yield "headers", json_html(observation.response_headers)
    for name, body in (("stdout", observation.stdout), ("stderr", observation.stderr)):
        if body.kind != "absent":
            yield name, body_html(body)
    for name, body in observation.artifacts.items():
        yield "file", join([code(name), " ", body_html(body)])


def body_html(body: Any) -> Child:
    """An observed body: JSON as JSON, text as text."""
    if isinstance(body, JsonBody):
        return json_html(body.value)
    return text_html(body.value) if isinstance(body, TextBody) else tag("span", "nothing", class_="enb-nothing")
