"""A person's labels of runs while they are given: every one is in the file at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evalnb.files import FileProblem
from evalnb.trajectory.human_labels import HumanLabel, HumanLabels, read_labels, write_labels
from evalnb.view.cards.parts import small_table
from evalnb.view.html import Html, tag
from evalnb.view.json_view import text_html
from evalnb.view.style import styled

LONGEST_NOTE: Final = 4_000
MOST_STATIC_ROWS: Final = 100


class Labelling:
    """Labels kept at `path`; what the file holds already goes on. Raises `FileProblem` for a file of anything else."""

    def __init__(self, path: Path, choices: Sequence[str], by: str) -> None:
        if len(set(choices)) < 2 or not all(choices):
            raise ValueError("a person needs two different labels or more to choose from")
        self.path, self.by = path, by
        self.labels = HumanLabels(tuple(choices))
        if path.exists():
            self.labels = read_labels(path)
            if self.labels.choices != tuple(choices):
                held = ", ".join(self.labels.choices)
                raise FileProblem(path, f"holds labels chosen from {held}; choose those, or another out=")

    def say(self, run_id: str, label: object, note: object = None) -> None:
        """Label a run; None takes its label back. Raises ValueError for a label that there is none of."""
        found = dict(self.labels.of_runs)
        if label is None:
            found.pop(run_id, None)
        elif label in self.labels.choices:
            found[run_id] = HumanLabel(str(label), note[:LONGEST_NOTE] if isinstance(note, str) else "", self.by)
        else:
            raise ValueError(f"choose one of {', '.join(self.labels.choices)}")
        labels = HumanLabels(self.labels.choices, found)
        write_labels(labels, self.path)
        self.labels = labels

    def static(self, run_ids: Sequence[str]) -> Html:
        """The runs and what was said of them, without scripts."""
        said = self.labels.of_runs
        rows = [_row(run_id, said.get(run_id)) for run_id in run_ids[:MOST_STATIC_ROWS]]
        done = sum(run_id in said for run_id in run_ids)
        told = tag("p", f"{done} of {len(run_ids)} runs are labelled.")
        return styled(told, small_table(["run", "label", "note"], rows, empty="no runs"))


def _row(run_id: str, said: HumanLabel | None) -> list[Html | str]:
    if said is None:
        return [run_id, "–", ""]
    return [run_id, said.label, text_html(said.note)]
