"""A page that is watched: what it complained about, what it asked for, what it opened."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import Any

CHROMIUM = os.environ.get("EVALNB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
INLINE = ("data:", "blob:")


@dataclass
class Watched:
    """An open page and everything it did that a page of ours must not do.

    `complaints` are console messages, errors, dialogs and popups; `requests` the addresses that it asked for, but for
    the file itself and what it holds inside.
    """

    page: Any
    url: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append("dialog"))
        self.page.on("popup", lambda popup: self.complaints.append("popup"))
        self.page.on("request", lambda request: self._asked(request.url))
        self.page.goto(self.url)

    def _asked(self, url: str) -> None:
        if not url.startswith(INLINE) and url.partition("#")[0] != self.url:
            self.requests.append(url)

    def assert_quiet(self) -> None:
        """It neither complained nor asked for anything."""
        assert self.complaints == []
        assert self.requests == []
