"""A pytest plugin: a function decorated with `port_conformance` becomes one test an assertion.

Enable it with `-p evalnb.conformance.pytest_plugin`, or in a conftest with `pytest_plugins`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evalnb.conformance.marks import MARK

if TYPE_CHECKING:
    from evalnb.conformance.report import ConformanceReport, Outcome
    from evalnb.conformance.subjects import Subject


class NonConformance(Exception):
    """An assertion of the suite did not hold; the message is the report's line about it."""


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> pytest.Collector | None:
    """Collect a decorated function as the assertions about its subjects, whatever its name."""
    if inspect.isfunction(obj) and getattr(obj, MARK, False):
        collected: PortConformance = PortConformance.from_parent(collector, name=name, factory=obj)
        return collected
    return None


class PortConformance(pytest.Collector):
    """The assertions about what one function returns."""

    def __init__(self, *, factory: Any, **rest: Any) -> None:
        super().__init__(**rest)
        self._factory = factory

    def collect(self) -> Iterator[pytest.Item]:
        """One item an assertion; where there are several subjects, their names come first."""
        # Loaded here: a test run without ports should not pay for the schemas.
        from evalnb.conformance.factories import FactoryProblem, subjects_in
        from evalnb.conformance.runners import claims_about

        try:
            subjects = subjects_in(self._factory(), self.name)
        except FactoryProblem as problem:
            raise self.CollectError(str(problem)) from problem
        for subject in subjects:
            shared = _SharedReport(subject)
            for claim in claims_about(subject):
                name = claim.id if len(subjects) == 1 else f"{subject.name}/{claim.id}"
                yield AssertionItem.from_parent(self, name=name, claim=claim.id, shared=shared)


class AssertionItem(pytest.Item):
    """One assertion about one subject."""

    def __init__(self, *, claim: str, shared: _SharedReport, **rest: Any) -> None:
        super().__init__(**rest)
        self._claim = claim
        self._shared = shared

    def runtest(self) -> None:
        """Fail with the assertion's detail where it did not hold."""
        outcome = self._shared.outcome(self._claim)
        if not outcome.passed:
            raise NonConformance(f"FAIL {outcome.id}: {outcome.title} - {outcome.detail}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report's line, without a traceback through the suite."""
        if isinstance(excinfo.value, NonConformance):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the assertion is listed."""
        return self.path, None, f"{self.parent.name if self.parent else ''}::{self.name}"


class _SharedReport:
    """The report about one subject, made when its first assertion is asked for."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._report: ConformanceReport | None = None

    def outcome(self, claim: str) -> Outcome:
        from evalnb.conformance.runners import check_conformance

        if self._report is None:
            self._report = check_conformance(self._subject)
        return next(outcome for outcome in self._report.outcomes if outcome.id == claim)
