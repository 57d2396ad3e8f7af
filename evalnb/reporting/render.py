"""Renders a notebook that has run as one HTML page that needs nothing from outside itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from nbformat import NotebookNode

from evalnb.reporting.assets import Assets
from evalnb.reporting.exporter import ReportExporter
from evalnb.reporting.page import page_of
from evalnb.reporting.parameters import Argument, shown_value
from evalnb.reporting.registry import Notebook
from evalnb.version import __version__


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """A parameter in the footer."""

    name: str
    value: str
    meaning: str
    given: bool


def render(executed: NotebookNode, notebook: Notebook, arguments: tuple[Argument, ...], assets: Assets) -> str:
    """The page. The same notebook with the same outputs, parameters and versions gives the same text."""
    page = page_of(executed)
    text, _ = ReportExporter().from_notebook_node(
        executed,
        resources={
            "page": page,
            "assets": assets,
            "notebook": notebook,
            "parameters": [
                ShownParameter(
                    argument.parameter.name, shown_value(argument), argument.parameter.meaning, argument.given
                )
                for argument in arguments
            ],
            "version": __version__,
            "script_json": script_json,
        },
    )
    return str(text)


def script_json(value: Any) -> Markup:
    """JSON for a script element of data: no character of it can end the element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
