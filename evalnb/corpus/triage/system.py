"""The support desk over HTTP: `python -m evalnb.corpus.triage.system --port 0 [--defect NAME]`.

It listens on loopback only and prints the port it bound on standard output.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from evalnb.corpus.triage.desk import DEFECTS, STATUSES, TONES, Desk, Draft, Refused, Ticket, rank, summary

LOOPBACK: Final = "127.0.0.1"
_BODY_LIMIT: Final = 64 * 1024

Clock = Callable[[], datetime]


@dataclass(slots=True)
class TickingClock:
    """A clock for recordings: it starts at `time` and moves on by `step` each time it is read."""

    time: datetime
    step: timedelta = timedelta(seconds=20)

    def __call__(self) -> datetime:
        now = self.time
        self.time += self.step
        return now


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a route reads it."""

    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Any

    def text(self, key: str) -> str:
        """A string of the JSON body that must be there."""
        value = self.body.get(key) if isinstance(self.body, dict) else None
        if not isinstance(value, str) or not value.strip():
            raise Refused(400, f"{key} must be a text that is not empty")
        return value

    def reference(self) -> str:
        """The ticket reference of the path."""
        if re.fullmatch(r"T-[0-9]{4,6}", self.path["ticketId"]) is None:
            raise Refused(400, "a ticket reference looks like T-1042")
        return self.path["ticketId"]

    def choice(self, key: str, choices: Sequence[str]) -> str:
        """A query parameter with a closed vocabulary; the first choice when it is not given."""
        value = self.query.get(key, choices[0])
        if value not in choices:
            raise Refused(400, f"{key} must be one of: {', '.join(choices)}")
        return value

    def limit(self) -> int:
        """How many rows to list."""
        value = self.query.get("limit", "20")
        if re.fullmatch(r"[0-9]{1,3}", value) is None:
            raise Refused(400, "limit must be a whole number between 0 and 999")
        return int(value)


Answer = dict[str, Any]


def list_tickets(desk: Desk, call: Call) -> Answer:
    status, limit = call.choice("status", STATUSES), call.limit()
    now = desk.now()
    return {
        "snapshot": desk.snapshot,
        "count": len(desk.queue(status)),
        "tickets": [
            {
                "ticketId": ticket.ticket_id,
                "customer": ticket.customer,
                "subject": ticket.subject,
                "team": ticket.team,
                "priority": ticket.priority,
                "rank": rank(ticket),
                "waitingMinutes": int((now - ticket.opened_at).total_seconds() // 60),
            }
            for ticket in desk.listed(status, limit)
        ],
    }


def get_ticket(desk: Desk, call: Call) -> Answer:
    return {"ticket": _shown(desk.ticket(call.reference()))}


def draft_reply(desk: Desk, call: Call) -> Answer:
    draft: Draft = desk.draft(call.reference(), call.choice("tone", TONES))
    return {
        "ticketId": draft.ticket.ticket_id,
        "tone": draft.tone,
        "reply": draft.reply,
        "sources": [{"articleId": article.article_id, "title": article.title} for article in draft.sources],
    }


def open_ticket(desk: Desk, call: Call) -> Answer:
    ticket = desk.open_ticket(call.text("customer"), call.text("subject"), call.text("message"), call.text("channel"))
    return {
        "ticketId": ticket.ticket_id,
        "team": ticket.team,
        "priority": ticket.priority,
        "summary": summary(ticket),
        "openTickets": len(desk.queue("open")),
    }


def restore_desk(desk: Desk, call: Call) -> Answer:
    desk.restore(call.text("snapshot"))
    return {"snapshot": desk.snapshot, "openTickets": len(desk.queue("open"))}


ROUTES: Final[tuple[tuple[str, str, Callable[[Desk, Call], Answer]], ...]] = (
    ("GET", r"/tickets", list_tickets),
    ("GET", r"/tickets/(?P<ticketId>[^/]+)", get_ticket),
    ("GET", r"/tickets/(?P<ticketId>[^/]+)/draft", draft_reply),
    ("POST", r"/tickets", open_ticket),
    ("POST", r"/desk/restore", restore_desk),
)


def _shown(ticket: Ticket) -> Answer:
    return {
        "ticketId": ticket.ticket_id,
        "customer": ticket.customer,
        "subject": ticket.subject,
        "message": ticket.message,
        "channel": ticket.channel,
        "status": ticket.status,
        "team": ticket.team,
        "priority": ticket.priority,
        "openedAt": _written(ticket.opened_at),
    }


def _written(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class DeskServer(ThreadingHTTPServer):
    """One desk on one loopback port; requests are answered one at a time."""

    daemon_threads = True

    def __init__(self, desk: Desk, port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.desk = desk
        self.turn = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave together: apart, a client that keeps its connection waits 40 ms for every answer.
    wbufsize = -1
    timeout = 30
    server: DeskServer

    def do_GET(self) -> None:
        self._answer("GET", None)

    def do_POST(self) -> None:
        try:
            self._answer("POST", self._json_body())
        except Refused as refused:
            self._send(refused.status, {"ok": False, "error": refused.reason})

    def _json_body(self) -> Any:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > _BODY_LIMIT:
            self.close_connection = True
            raise Refused(413, f"a body must state its length, at most {_BODY_LIMIT} bytes")
        try:
            return json.loads(self.rfile.read(int(length)) or b"null")
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON") from None

    def _answer(self, method: str, body: Any) -> None:
        target = urlsplit(self.path)
        with self.server.turn:
            desk = self.server.desk
            try:
                route, path = _route(method, target.path)
                answer = route(desk, Call(path, dict(parse_qsl(target.query, keep_blank_values=True)), body))
                status, content = 200, {"ok": True, "error": None, **answer}
            except Refused as refused:
                status, content = refused.status, {"ok": False, "error": refused.reason}
            content["servedAt"] = _written(desk.now())
        self._send(status, content)

    def _send(self, status: int, content: Answer) -> None:
        data = json.dumps(content, ensure_ascii=False).encode("utf-8")
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are recorded by whoever sends them, not by the desk."""


def _route(method: str, path: str) -> tuple[Callable[[Desk, Call], Answer], dict[str, str]]:
    known = False
    for route_method, pattern, route in ROUTES:
        match = re.fullmatch(pattern, path)
        if match is None:
            continue
        known = True
        if route_method == method:
            return route, {key: unquote(value) for key, value in match.groupdict().items()}
    raise Refused(405 if known else 404, f"{method} is not offered here" if known else "nothing is served here")


@contextmanager
def serving(defect: str | None = None, *, port: int = 0, clock: Clock | None = None) -> Iterator[DeskServer]:
    """A desk that answers on loopback while the context lasts. Raises LookupError for an unknown defect."""
    server = DeskServer(Desk(clock or (lambda: datetime.now(UTC)), defect), port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m evalnb.corpus.triage.system", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port (default)")
    parser.add_argument("--defect", choices=sorted(DEFECTS), help="plant one defect")
    parser.add_argument("--clock", metavar="TIME", type=_clock, help="start a ticking clock, e.g. 2026-03-02T08:00:00Z")
    given = parser.parse_args(arguments)
    with serving(given.defect, port=given.port, clock=given.clock) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


def _clock(text: str) -> Clock:
    return TickingClock(datetime.fromisoformat(text).astimezone(UTC))


if __name__ == "__main__":
    raise SystemExit(main())
