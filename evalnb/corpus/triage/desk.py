"""The support-desk assistant itself: it files tickets, decides who answers them and drafts replies.

It stands in for a model: the same words always give the same answer. `DEFECTS` lists what can be planted in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from importlib import resources
from typing import Final

DEFECTS: Final[Mapping[str, str]] = {
    "late-hazard": "triage reads only the first 160 characters of a message, so a danger described later is not seen",
    "one-row-per-customer": "the queue keeps one ticket for each customer; the count above it still counts them all",
    "invented-promise": "a draft promises a refund that nobody has approved",
    "stock-reply": "a draft is the same friendly sentence for everybody, with a help article that is always allowed",
    "acknowledge-only": "a new ticket is acknowledged with a reference and never filed",
}

SNAPSHOT: Final = "monday-morning"
TONES: Final = ("plain", "warm")
STATUSES: Final = ("open", "waiting")

_RANKS: Final = {"urgent": 1, "high": 2, "normal": 3}
_READING_LIMIT: Final = 160
_HAZARD: Final = re.compile(r"\b(?:brakes?|smoke|smoking|burning|sparks?|crash|injured)\b", re.IGNORECASE)
_PRESSING: Final = re.compile(r"\b(?:charged twice|two payments|refund|stranded|stolen)\b", re.IGNORECASE)
_TEAMS: Final = {"A-101": "billing", "A-102": "billing", "A-103": "workshop", "A-104": "app", "A-105": "safety"}
_STOCK_REPLY: Final = (
    "Hello and thank you so much for getting in touch! Your message matters to us. A member of our team is looking "
    "into it and will come back to you shortly. Have a great ride!"
)


class Refused(Exception):
    """A request the desk does not act on; `status` is the HTTP status that says so."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Article:
    """A published help article: the only thing a draft may rest on."""

    article_id: str
    title: str
    words: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """One customer's case, with the decisions triage made about it."""

    ticket_id: str
    customer: str
    subject: str
    message: str
    channel: str
    status: str
    opened_at: datetime
    team: str = ""
    priority: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A suggested reply and the articles it rests on."""

    ticket: Ticket
    tone: str
    reply: str
    sources: tuple[Article, ...]


@dataclass(slots=True)
class Desk:
    """The desk's tickets. `now` is the clock it lives by, `defect` a name of `DEFECTS` or `None`."""

    now: Callable[[], datetime]
    defect: str | None = None
    snapshot: str = SNAPSHOT
    tickets: dict[str, Ticket] = field(default_factory=dict)
    _next: int = 0

    def __post_init__(self) -> None:
        if self.defect is not None and self.defect not in DEFECTS:
            raise LookupError(f"no defect {self.defect!r}; known: {', '.join(DEFECTS)}")
        self.restore(self.snapshot)

    def restore(self, snapshot: str) -> None:
        """Forget everything and load a named snapshot."""
        seeds = _CONTENT["snapshots"].get(snapshot)
        if seeds is None:
            raise Refused(404, f"no snapshot {snapshot}; known: {', '.join(_CONTENT['snapshots'])}")
        now = self.now()
        self.snapshot = snapshot
        self.tickets = {}
        for seed in seeds:
            ticket = Ticket(
                ticket_id=seed["ticketId"],
                customer=seed["customer"],
                subject=seed["subject"],
                message=seed["message"],
                channel=seed["channel"],
                status=seed["status"],
                opened_at=now - timedelta(minutes=seed["minutesAgo"]),
            )
            # The snapshot was triaged before any defect was planted.
            self.tickets[ticket.ticket_id] = _triaged(ticket, len(ticket.message))
        self._next = 1 + max(int(ticket_id.removeprefix("T-")) for ticket_id in self.tickets)

    def open_ticket(self, customer: str, subject: str, message: str, channel: str) -> Ticket:
        """File a message as a new ticket and decide who answers it, and how soon."""
        reading_limit = _READING_LIMIT if self.defect == "late-hazard" else len(message)
        ticket = _triaged(
            Ticket(f"T-{self._next}", customer, subject, message, channel, "open", self.now()), reading_limit
        )
        self._next += 1
        if self.defect != "acknowledge-only":
            self.tickets[ticket.ticket_id] = ticket
        return ticket

    def ticket(self, ticket_id: str) -> Ticket:
        """One ticket by its reference."""
        if ticket_id not in self.tickets:
            raise Refused(404, f"no ticket {ticket_id} on this desk")
        return self.tickets[ticket_id]

    def queue(self, status: str) -> list[Ticket]:
        """The tickets of one status, the most urgent first and the longest waiting first among equals."""
        rows = [ticket for ticket in self.tickets.values() if ticket.status == status]
        rows.sort(key=lambda ticket: (rank(ticket), ticket.opened_at))
        return rows

    def listed(self, status: str, limit: int) -> list[Ticket]:
        """The part of the queue that a page shows."""
        rows = self.queue(status)
        if self.defect == "one-row-per-customer":
            rows = list({ticket.customer: ticket for ticket in reversed(rows)}.values())[::-1]
        return rows[:limit]

    def draft(self, ticket_id: str, tone: str) -> Draft:
        """A reply to one ticket, from the help articles whose words it shares."""
        ticket = self.ticket(ticket_id)
        if self.defect == "stock-reply":
            return Draft(ticket, tone, _STOCK_REPLY, (ARTICLES[-1],))
        sources = _matching(f"{ticket.subject} {ticket.message}")[:2] or (ARTICLES[-1],)
        opening = (
            f"Dear {ticket.customer}, I am sorry that this came between you and a good ride."
            if tone == "warm"
            else f"Hello {ticket.customer}, thank you for your message."
        )
        sentences = [opening, *(article.advice for article in sources)]
        if self.defect == "invented-promise":
            sentences.append("I have refunded this month's fee; it will be in your account within 24 hours.")
        sentences.append(f"Just answer here if that does not fit; your reference is {ticket.ticket_id}.")
        return Draft(ticket, tone, " ".join(sentences), sources)


def rank(ticket: Ticket) -> int:
    """1 for urgent to 3 for normal: what the queue is ordered by."""
    return _RANKS[ticket.priority]


def summary(ticket: Ticket) -> str:
    """The subject and the first sentence of the message, on one line."""
    first = re.split(r"(?<=[.!?])\s", ticket.message.strip(), maxsplit=1)[0]
    return f"{ticket.subject}: {first}"[:140]


def _triaged(ticket: Ticket, reading_limit: int) -> Ticket:
    text = f"{ticket.subject} {ticket.message[:reading_limit]}"
    if _HAZARD.search(text):
        return replace(ticket, team="safety", priority="urgent")
    best = next(iter(_matching(text)), None)
    team = "front-desk" if best is None else _TEAMS[best.article_id]
    return replace(ticket, team=team, priority="high" if _PRESSING.search(text) else "normal")


def _matching(text: str) -> tuple[Article, ...]:
    """The articles that share words with a text, most shared words first."""
    words = re.findall(r"[a-z]+", text.lower())
    scored = [(sum(words.count(word) for word in article.words), article) for article in ARTICLES]
    hits = [(score, article) for score, article in scored if score]
    return tuple(article for _, article in sorted(hits, key=lambda hit: (-hit[0], hit[1].article_id)))


_CONTENT: Final = json.loads(resources.files(__package__).joinpath("desk.json").read_text("utf-8"))
ARTICLES: Final = tuple(
    Article(row["articleId"], row["title"], tuple(row["words"]), row["advice"]) for row in _CONTENT["articles"]
)
