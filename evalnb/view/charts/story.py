"""What a timeline tells: which calls, in which order, and which findings cite them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evalnb.view.charts.order import by_severity
from evalnb.view.charts.rows import Row
from evalnb.view.charts.text import counted, labels, listed, shown

MAX_CALLS: Final = 1200
MAX_FINDINGS: Final = 80
NUMBERED: Final = 60
"""Up to how many calls carry their number."""
TRIALS: Final = "trial"
CALLS: Final = "call"
FINDING_TYPES: Final = ("defect", "observation", "confirmation")


@dataclass(frozen=True, slots=True)
class Citation:
    """A finding and a call it cites, by their keys."""

    finding: str
    call: str


@dataclass(frozen=True, slots=True)
class Story:
    """The calls and findings that are drawn, by keys that are unique across trials.

    `places` counts the calls from 1; `trials` holds the call each trial begins with; `call_lanes` and
    `finding_lanes` give operations and findings the label of their lane.
    """

    calls: Mapping[str, Row]
    places: Mapping[str, int]
    trials: Sequence[str]
    findings: Mapping[str, Row]
    citations: Sequence[Citation]
    call_lanes: Mapping[str, str]
    finding_lanes: Mapping[str, str]
    sentence: str

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Story:
        """The story of the rows of the frame `timeline`."""
        every = {_call(row): row for row in rows}
        calls = dict(list(every.items())[:MAX_CALLS])
        found = {_finding(row): row for row in rows if row.optional("finding_id") is not None}
        drawn = {_finding(row) for row in rows if row.optional("finding_id") is not None and _call(row) in calls}
        order = by_severity({key: row.optional("severity") for key, row in found.items() if key in drawn})
        findings = {key: found[key] for key in order[:MAX_FINDINGS]}
        starts: dict[str, str] = {}
        for call, row in calls.items():
            starts.setdefault(_trial(row), call)
        call_lanes, finding_lanes = _lanes(calls, findings, several=len(starts) > 1)
        return cls(
            calls=calls,
            places={call: place for place, call in enumerate(calls, start=1)},
            trials=list(starts.values()),
            findings=findings,
            citations=[
                Citation(_finding(row), _call(row))
                for row in rows
                if row.optional("finding_id") is not None and _call(row) in calls and _finding(row) in findings
            ],
            call_lanes=call_lanes,
            finding_lanes=finding_lanes,
            sentence=_sentence(rows, every, found, dropped=(len(every) - len(calls), len(order) - len(findings))),
        )

    @property
    def several(self) -> bool:
        """Whether there is more than one trial."""
        return len(self.trials) > 1

    @property
    def numbered(self) -> bool:
        """Whether the calls carry their numbers."""
        return len(self.calls) <= NUMBERED

    @property
    def lanes(self) -> list[str]:
        """From above: what heads the calls, the operations, the findings."""
        heads = [*([TRIALS] if self.several else []), *([CALLS] if self.numbered else [])]
        return [*heads, *self.call_lanes.values(), *self.finding_lanes.values()]

    @property
    def cited_by(self) -> dict[str, str]:
        """The findings that cite each cited call."""
        citing: dict[str, list[str]] = {}
        for citation in self.citations:
            citing.setdefault(citation.call, []).append(shown(self.findings[citation.finding].text("finding_id"), 40))
        return {call: listed(names, 8) for call, names in citing.items()}

    @property
    def lowest_lane(self) -> dict[str, str]:
        """The lane of the last finding that cites each cited call."""
        order = list(self.finding_lanes)
        lowest: dict[str, str] = {}
        for citation in sorted(self.citations, key=lambda one: order.index(one.finding)):
            lowest[citation.call] = self.finding_lanes[citation.finding]
        return lowest

    def lane_of(self, call: Row) -> str:
        """The lane of the operation called."""
        return self.call_lanes[_operation(call)]

    def trial_name(self, row: Row) -> str:
        """The trial of a call or finding, as it is called."""
        return shown(f"{row.text('probe_id') or row.text('run_id')} #{row.text('trial_index')}", 60)


def _lanes(
    calls: Mapping[str, Row], findings: Mapping[str, Row], *, several: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """The labels of both kinds of lane, none of which says what another does."""
    interfaces = {row.text("interface_id") for row in calls.values()}
    operations = {
        _operation(row): " ".join((row.text("interface_id"), row.text("operation_id"))).strip()
        if len(interfaces) > 1
        else row.text("operation_id")
        for row in calls.values()
    }
    named = {TRIALS: TRIALS, CALLS: CALLS}
    named |= {f"operation {key}": name for key, name in operations.items()}
    for key, row in findings.items():
        trial = f" {row.text('probe_id')} #{row.text('trial_index')}" if several else ""
        named[f"finding {key}"] = f"{row.text('finding_id')} {row.text('severity')}{trial}"
    told = labels(named, 40)
    return (
        {key: told[f"operation {key}"] for key in operations},
        {key: told[f"finding {key}"] for key in findings},
    )


def _sentence(
    rows: Sequence[Row], calls: Mapping[str, Row], findings: Mapping[str, Row], dropped: tuple[int, int]
) -> str:
    trials = {_trial(row) for row in calls.values()}
    cited = {_call(row) for row in rows if row.optional("finding_id") is not None}
    kinds = [
        counted(number, f"{name} finding")
        for name in FINDING_TYPES
        if (number := sum(row.text("finding_type") == name for row in findings.values()))
    ]
    over = f" over {counted(len(trials), 'trial')}" if len(trials) > 1 else ""
    by = f"{len(cited):,} of them cited by {listed(kinds)}" if findings else "none cited by a finding"
    left_out = [counted(number, name) for number, name in zip(dropped, ("call", "finding"), strict=True) if number]
    rest = f"; {listed(left_out)} left out of the drawing" if left_out else ""
    return f"{counted(len(calls), 'call')}{over}, {by}{rest}."


def _trial(row: Row) -> str:
    return "\n".join((row.text("run_id"), row.text("probe_id"), row.text("trial_index")))


def _call(row: Row) -> str:
    return f"{_trial(row)}\n{row.text('observation_id')}"


def _finding(row: Row) -> str:
    """Begins with the finding, so that findings sort by their own number first."""
    return f"{row.text('finding_id')}\n{_trial(row)}"


def _operation(row: Row) -> str:
    return f"{row.text('interface_id')}/{row.text('operation_id')}"
