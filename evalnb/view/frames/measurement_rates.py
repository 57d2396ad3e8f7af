"""Catch rates of a measurement: in groups, and before and after its contract was changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd

from evalnb.corpora.intervals import check_confidence, wilson
from evalnb.harness.measurement import Measurement, Rate
from evalnb.harness.study import MeasurementStudy, StudiedMeasurement, study_of
from evalnb.view.frames.columns import COUNT, NUMBER, TEXT, Column, Row, Vocabulary, frame, tabulated
from evalnb.view.frames.measurement import MEASURED

GROUPINGS: Final = Vocabulary(("total", "operator", "operation", "behavior", "severity"))
EVERY_SYSTEM: Final = "all systems"
_SHARED: Final = frozenset({"operator", "severity"})

RATES = (
    *MEASURED,
    Column("grouping", GROUPINGS, "what the defects are grouped by"),
    Column("group", TEXT, "the group"),
    Column("caught", COUNT, "defects of the group that were caught"),
    Column("judged", COUNT, "defects of the group that were caught or missed"),
    Column("rate", NUMBER, "caught of judged, 0 to 1; missing where nothing was judged"),
    Column("low", NUMBER, "lower end of the Wilson interval of the rate"),
    Column("high", NUMBER, "upper end of the Wilson interval of the rate"),
    Column("confidence", NUMBER, "how sure the interval is, 0 to 1"),
)
CHANGES = (
    Column("system", TEXT, "what was measured"),
    Column("grouping", GROUPINGS, "what the defects are grouped by"),
    Column("group", TEXT, "the group"),
    Column("caught_before", COUNT, "defects caught before the contract was changed"),
    Column("judged_before", COUNT, "defects judged then"),
    Column("rate_before", NUMBER, "the catch rate then"),
    Column("caught_after", COUNT, "defects caught after it was changed"),
    Column("judged_after", COUNT, "defects judged then"),
    Column("rate_after", NUMBER, "the catch rate then"),
    Column("change", NUMBER, "the later rate less the earlier one, -1 to 1; missing where one of them is"),
)


@tabulated(RATES)
def mutant_rates(
    source: Measurement | MeasurementStudy, *, pooled: bool = False, confidence: float = 0.95
) -> pd.DataFrame:
    """One row a group: all defects, then by operator, operation, behavior and severity.

    `pooled` adds up what different systems have in common, operators and severities, and leaves the rest out.
    `confidence` is between 0 and 1; ValueError otherwise.
    """
    check_confidence(confidence)
    study = study_of(source)
    counted = [group for one in study.measurements for group in _groups_of(one)]
    return frame(RATES, (group.row(confidence) for group in (_pooled(counted) if pooled else counted)))


@tabulated(CHANGES)
def before_after(source: Measurement | MeasurementStudy) -> pd.DataFrame:
    """One row a group of a system that was measured before and after; none where there is one measurement."""
    study = study_of(source)
    earlier = {one.system: one for one in study.measurements if one.stage == "before"}
    pairs = [(earlier[one.system], one) for one in study.measurements if one.stage == "after" and one.system in earlier]
    return frame(CHANGES, (row for before, after in pairs for row in _changes(before, after)))


def _groups(measurement: Measurement) -> Mapping[str, tuple[Rate, ...]]:
    return {
        "total": (measurement.overall,),
        "operator": measurement.by_operator,
        "operation": measurement.by_operation,
        "behavior": measurement.by_behavior,
        "severity": measurement.by_severity,
    }


@dataclass(frozen=True, slots=True)
class _Group:
    """The defects of one group, counted."""

    system: str
    stage: str
    grouping: str
    name: str
    caught: int
    judged: int

    def row(self, confidence: float) -> Row:
        interval = wilson(self.caught, self.judged, confidence)
        return {
            "system": self.system,
            "stage": self.stage,
            "grouping": self.grouping,
            "group": self.name,
            "caught": self.caught,
            "judged": self.judged,
            "rate": self.caught / self.judged if self.judged else None,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "confidence": confidence,
        }


def _groups_of(one: StudiedMeasurement) -> Iterator[_Group]:
    for grouping, rates in _groups(one.measurement).items():
        for rate in rates:
            yield _Group(one.system, one.stage, grouping, rate.group, rate.caught, rate.scored)


def _pooled(groups: Iterable[_Group]) -> Iterator[_Group]:
    found: dict[tuple[str, str, str], list[_Group]] = {}
    for group in groups:
        if group.grouping in _SHARED:
            found.setdefault((group.stage, group.grouping, group.name), []).append(group)
    systems = len({one.system for members in found.values() for one in members})
    for (stage, grouping, name), members in found.items():
        system = members[0].system if systems == 1 else EVERY_SYSTEM
        caught, judged = sum(one.caught for one in members), sum(one.judged for one in members)
        yield _Group(system, stage, grouping, name, caught, judged)


def _changes(before: StudiedMeasurement, after: StudiedMeasurement) -> Iterator[Row]:
    then, now = _groups(before.measurement), _groups(after.measurement)
    for grouping in then:
        earlier = {rate.group: rate for rate in then[grouping]}
        later = {rate.group: rate for rate in now[grouping]}
        for group in dict.fromkeys([*earlier, *later]):
            first, second = earlier.get(group), later.get(group)
            rates = _rate(first), _rate(second)
            yield {
                "system": before.system,
                "grouping": grouping,
                "group": group,
                "caught_before": None if first is None else first.caught,
                "judged_before": None if first is None else first.scored,
                "rate_before": rates[0],
                "caught_after": None if second is None else second.caught,
                "judged_after": None if second is None else second.scored,
                "rate_after": rates[1],
                "change": None if rates[0] is None or rates[1] is None else rates[1] - rates[0],
            }


def _rate(rate: Rate | None) -> float | None:
    return None if rate is None else rate.rate
