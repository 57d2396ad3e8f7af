"""Discovery: was every tool the case needs offered, was none that must stay hidden, was the list read to its end."""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.grading import grader
from evalnb.trajectory.run_view import RunView


@grader("discovery")
def discovery(view: RunView) -> list[Finding] | None:
    """None for a trace that shows no discovery."""
    if not view.offers:
        return None
    return [*_surface(view), *_pages(view), *_stale(view)]


def _surface(view: RunView) -> Iterator[Finding]:
    if view.case is None:
        return
    offered: dict[str, int] = {}
    for offer in view.offers:
        for tool in offer.tools:
            offered.setdefault(tool.name, offer.number)
    for name in view.case.tools.hidden:
        if name in offered:
            yield finding("hidden-tool-visible", f"{name} was offered", (offered[name],), name)
    for name in view.case.tools.visible or ():
        if name not in offered:
            numbers = tuple(offer.number for offer in view.offers)
            yield finding("visible-tool-missing", f"{name} was not offered", numbers, name)


def _pages(view: RunView) -> Iterator[Finding]:
    for offer, following in zip(view.offers, [*view.offers[1:], None], strict=True):
        if offer.more and (following is None or following.page != offer.page + 1):
            yield finding("discovery-incomplete", f"page {offer.page + 1} was announced and not read", (offer.number,))


def _stale(view: RunView) -> Iterator[Finding]:
    for change in view.list_changes:
        read_again = min((o.number for o in view.offers if o.number > change.number), default=None)
        for call in view.calls:
            if call.number > change.number and (read_again is None or call.number < read_again):
                detail = f"{call.name} was called with the list of before event {change.number}"
                yield finding("stale-discovery", detail, (change.number, call.number), call.name)
                break
