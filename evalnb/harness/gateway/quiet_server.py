"""A web server that leaves signals to whoever runs it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import uvicorn


class QuietServer(uvicorn.Server):
    """Serves until it is told to stop; an interrupt is the business of the process, not of its server."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Take no signal over."""
        yield
