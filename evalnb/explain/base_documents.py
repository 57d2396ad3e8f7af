"""The two documents the examples are cut from: a contract that compiles and a probe that qualifies against it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from evalnb.explain.explanation import Example

_FILES: Final = {"EvalContract": "base_contract.json", "Probe": "base_probe.json"}


def base_document(artifact: str) -> Any:
    """A fresh copy of the base document of that artifact name, or `None` where its examples stand alone."""
    return json.loads(_text(_FILES[artifact])) if artifact in _FILES else None


def document_of(example: Example) -> Any:
    """The whole document an example shows a part of: its base document with the fragments put in their places.

    Raises `ValueError` for a fragment that is not JSON.
    """
    return patched(base_document(example.artifact), example)


def patched(document: Any, example: Example) -> Any:
    """`document`, changed in place by the fragments; the place `-` in a list is its end."""
    for fragment in example.fragments:
        document = _put(document, steps_of(fragment.place), json.loads(fragment.text))
    return document


def steps_of(place: str) -> list[str]:
    """The decoded reference tokens of a JSON Pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in place.split("/")[1:]]


def _put(document: Any, steps: list[str], value: Any) -> Any:
    if not steps:
        return value
    inner = document
    for step in steps[:-1]:
        inner = inner[int(step)] if isinstance(inner, list) else inner[step]
    last = steps[-1]
    if not isinstance(inner, list):
        inner[last] = value
    elif last == "-":
        inner.append(value)
    else:
        inner[int(last)] = value
    return document


@cache
def _text(name: str) -> str:
    return (files("evalnb.explain") / name).read_text(encoding="utf-8")
