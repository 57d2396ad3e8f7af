"""The decorator that turns a function returning a subject into tests, without loading pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

SubjectFactory = TypeVar("SubjectFactory", bound=Callable[[], object])

MARK = "__evalnb_port_conformance__"


def port_conformance(factory: SubjectFactory) -> SubjectFactory:
    """Mark `factory`, which takes nothing and returns a subject or several, for the pytest plugin.

    Every assertion about a subject becomes a test; the suite runs once a subject.
    """
    setattr(factory, MARK, True)
    return factory
