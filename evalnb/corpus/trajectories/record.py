"""Records the example: `python -m evalnb.corpus.trajectories.record [FOLDER]` plays both releases and writes the runs.

The same sources give the same bytes: the clock only ticks, and nothing is chosen at random.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from evalnb.corpus.trajectories.agent import FLAWS, PLAYS
from evalnb.corpus.trajectories.desk import Desk
from evalnb.corpus.trajectories.recorder import MODEL, Session
from evalnb.files import write_text_atomically

TENANT: Final = "acme"
_START: Final = 1_772_438_400.0
_BETWEEN_RUNS: Final = 600.0
FILES: Final = {"1.0": "baseline/release-1.0.jsonl", "1.1": "runs/release-1.1.jsonl"}
"""The file of each release: the newer one is looked at, the older one is what it is compared with."""


def record(folder: Path) -> list[Path]:
    """Write the runs of both releases below `folder`."""
    written = []
    for place, (release, name) in enumerate(FILES.items()):
        path = folder / name
        write_text_atomically(path, "\n".join(_release(release, _START + place * 86_400)) + "\n")
        written.append(path)
    return written


def _release(release: str, clock: float) -> list[str]:
    lines: list[str] = []
    for case_id, flaws in FLAWS[release].items():
        for trial, flaw in enumerate(flaws):
            clock += _BETWEEN_RUNS
            lines += _run(release, case_id, trial, flaw, clock)
    return lines


def _run(release: str, case_id: str, trial: int, flaw: str, clock: float) -> list[str]:
    play = PLAYS[case_id]
    session = Session(f"{release}/{case_id}/{trial}", Desk(TENANT, play.lost_replies), clock)
    session.begin(play.request)
    play.run(session, flaw)
    return session.lines(
        {
            "caseId": case_id,
            "trial": trial,
            "tenant": TENANT,
            "model": MODEL,
            "promptVersion": f"prompt-{release}",
            "release": release,
            "ended": True,
            "slices": {"language": play.language, "tenant tier": play.tier},
        }
    )


if __name__ == "__main__":
    for made in record(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent):
        sys.stdout.write(f"{made}\n")
