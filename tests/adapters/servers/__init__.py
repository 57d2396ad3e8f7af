"""Small programs that the adapter tests start: targets that behave and targets that do not."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent


def program(name: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs one of the programs here in a bare interpreter."""
    return (sys.executable, "-I", "-S", str(HERE / f"{name}.py"), *arguments)
