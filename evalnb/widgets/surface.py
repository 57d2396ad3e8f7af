"""The widget itself: carries an outline to the front end, answers its questions, and remembers where the reader is."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from evalnb.engine.faults import EvaluationFailure
from evalnb.files import FileProblem
from evalnb.view.html import visible
from evalnb.widgets import memory
from evalnb.widgets.front_end import module, state_styles, style_sheet
from evalnb.widgets.topic import Answer, Topic


class Surface(anywidget.AnyWidget):
    """Shows one topic.

    `place` is the reader's place: selections and filters, written by the front end and kept for the next widget that
    shows the same subject. Where no widgets run, the static page of the topic is shown.
    """

    _esm = module()
    _css = style_sheet()

    kind = traitlets.Unicode().tag(sync=True)
    styles = traitlets.Dict().tag(sync=True)
    outline = traitlets.Dict().tag(sync=True)
    place = traitlets.Dict().tag(sync=True)

    def __init__(self, topic: Topic) -> None:
        super().__init__(
            kind=topic.kind,
            styles=state_styles(),
            outline=topic.outline(),
            place=memory.recall(topic.kind, topic.key),
        )
        self._topic = topic
        self.on_msg(self._received)
        self.observe(self._moved, names="place")

    @property
    def topic(self) -> Topic:
        """What is shown."""
        return self._topic

    def refresh(self) -> None:
        """Paint again what the topic has come to."""
        self.outline = self._topic.outline()

    def ask(self, question: str, given: Mapping[str, Any]) -> Answer:
        """The answer to a question of the front end, or under `failure` why there is none."""
        try:
            return self._topic.answer(question, given)
        except (LookupError, ValueError, TypeError, OSError, FileProblem, EvaluationFailure) as failure:
            told = failure.args[0] if isinstance(failure, KeyError) and failure.args else failure
            return {"failure": visible(str(told))[:500] or type(failure).__name__}

    def __repr__(self) -> str:
        return f"<{self.kind} widget of {visible(self._topic.key)[:80]}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        data, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
        page = {"text/html": str(self._topic.static())}
        return ({**(data or {}), **page}, *rest) if rest else {**(data or {}), **page}

    def _received(self, _: Any, content: Any, buffers: Any) -> None:
        if not isinstance(content, dict) or not isinstance(content.get("ask"), int):
            return
        question, given = content.get("question"), content.get("given")
        if not isinstance(question, str) or not isinstance(given, dict):
            return
        number = content["ask"]
        if question in self._topic.slow:
            # The kernel goes on answering meanwhile.
            threading.Thread(target=self._answer, args=(number, question, given), daemon=True).start()
        else:
            self._answer(number, question, given)

    def _answer(self, number: int, question: str, given: Mapping[str, Any]) -> None:
        self.send({"answer": number, **self.ask(question, given)})

    def _moved(self, change: Any) -> None:
        memory.remember(self._topic.kind, self._topic.key, change["new"])
