"""Where the pages of the commands are printed."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console

# A pipe has no width, and a table squeezed into a guessed one cannot be read or searched.
_PIPE_WIDTH: Final = 200


def standard_output() -> Console:
    """A console on standard output: as wide as the terminal, and wide enough for whole sentences in a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
