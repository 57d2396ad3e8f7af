"""The arms of the example: what is planted in each, and what the three trials of every arm say to the desk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Arm:
    """One probe and the build it runs against; `defect` is a switch of the desk, None for the clean build."""

    probe_id: str
    name: str
    defect: str | None


@dataclass(frozen=True, slots=True)
class Trial:
    """What one trial files, and the ticket it asks a reply for."""

    index: int
    customer: str
    subject: str
    message: str
    drafted_ticket: str


ARMS: Final = (
    Arm("P-001", "late-hazard", "late-hazard"),
    Arm("P-002", "one-row-per-customer", "one-row-per-customer"),
    Arm("P-003", "invented-promise", "invented-promise"),
    Arm("P-004", "stock-reply", "stock-reply"),
    Arm("P-005", "clean", None),
    Arm("P-006", "acknowledge-only", "acknowledge-only"),
)

TRIALS: Final = (
    Trial(
        1,
        "Aylin Demir",
        "Question about my bike",
        "Hello! I have been with you since April and tell everybody how good the service is. My daughter rides in the "
        "child seat most mornings, we take the canal path to her school. Today on the ramp the front brake did nothing "
        "and I had to steer into the hedge. We are fine, but what should I do with the bike?",
        "T-1042",
    ),
    Trial(
        2,
        "Ben Carvalho",
        "Odd smell since Saturday",
        "Since Saturday there is an odd smell in the hallway where the bike stands at night. I first thought it was "
        "the bins, then the paint, and my neighbour said the same about her cellar. This morning I saw thin smoke "
        "above the charger, so I pulled the plug and opened the window.",
        "T-1046",
    ),
    # The danger is in the first words here, so that a reader who stops early still sees it.
    Trial(
        3,
        "Noor Haddad",
        "Rear brake cable snapped",
        "The rear brake cable snapped on the hill this morning. Nobody was hurt, I walked the bike home.",
        "T-1044",
    ),
)
