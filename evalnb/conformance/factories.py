"""Finding the subjects that a `MODULE:FACTORY` names (spec: 10 §9.1)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from evalnb.conformance.runners import claims_about
from evalnb.conformance.subjects import Subject


class FactoryProblem(Exception):
    """What was named gives no subject; the message says why."""


def load_subjects(named: str) -> tuple[Subject, ...]:
    """The subjects that `MODULE:FACTORY` returns, in order. FactoryProblem when it cannot be found or gives none."""
    module_name, colon, factory_name = named.partition(":")
    if not (module_name and colon and factory_name):
        raise FactoryProblem(f"{named!r} is not of the form MODULE:FACTORY")
    if "" not in sys.path:  # a console script does not look in the current folder by itself
        sys.path.insert(0, "")
    try:
        module = import_module(module_name)
    except Exception as error:
        text = f"the module {module_name!r} cannot be imported: {type(error).__name__}: {error}"
        raise FactoryProblem(text) from error
    factory = getattr(module, factory_name, None)
    if not callable(factory):
        raise FactoryProblem(f"the module {module_name!r} has no function {factory_name!r}")
    try:
        made = factory()
    except Exception as error:
        raise FactoryProblem(f"{named} raised {type(error).__name__}: {error}") from error
    return subjects_in(made, named)


def subjects_in(made: object, source: str) -> tuple[Subject, ...]:
    """A factory's answer as subjects: one, or a sequence of them. FactoryProblem for anything else."""
    subjects = tuple(made) if isinstance(made, Sequence) and not isinstance(made, str) else (made,)
    try:
        for subject in subjects:
            claims_about(subject)
    except TypeError as error:
        raise FactoryProblem(f"{source} returned something else than conformance subjects: {error}") from error
    if not subjects:
        raise FactoryProblem(f"{source} returned no conformance subject")
    return subjects
