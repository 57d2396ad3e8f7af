"""Sealed run records, each with the probe it was made against where that is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from evalnb.engine.artifacts import SealedRunRecord, resolve_observation_interfaces
from evalnb.evaluation import Evaluation, EvaluationRun
from evalnb.view.frames.columns import COUNT, TEXT, Column

Records: TypeAlias = SealedRunRecord | Evaluation | EvaluationRun | Iterable[SealedRunRecord]
"""One sealed run record, several, or all those of an evaluation or of its run."""

TRIAL = (
    Column("run_id", TEXT, "the run"),
    Column("probe_id", TEXT, "the probe of the trial, missing where a record on its own does not name it"),
    Column("trial_index", COUNT, "the trial, from 1"),
)


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One record and its probe."""

    record: SealedRunRecord
    probe_id: str | None

    @property
    def cells(self) -> dict[str, object]:
        """The cells that every frame of records begins with."""
        return {
            "run_id": self.record.run_id,
            "probe_id": self.probe_id,
            "trial_index": self.record.trial_index,
        }


def trials_of(source: Records) -> Iterator[RecordedTrial]:
    """The trials of `source`, probe by probe."""
    if isinstance(source, EvaluationRun):
        for trial in trials_of(source.evaluation):
            yield RecordedTrial(resolve_observation_interfaces(trial.record, source.contract), trial.probe_id)
        return
    if isinstance(source, Evaluation):
        for arm in source.arms:
            for record in arm.records:
                yield RecordedTrial(record, arm.probe.probe_id)
        return
    for record in (source,) if isinstance(source, SealedRunRecord) else source:
        named = {finding.probe_id for finding in record.findings}
        yield RecordedTrial(record, named.pop() if len(named) == 1 else None)
