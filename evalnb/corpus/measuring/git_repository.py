"""The scratch repository of the git example, made in the working directory; then a server is started over it.

    python -m evalnb.corpus.measuring.git_repository mcp-server-git

Names and dates are fixed, so that equal repositories have equal commit hashes. One that is there already is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

AUTHOR: Final = "Robin Vale"
ADDRESS: Final = "robin@example.invalid"
# 5 January 2026, nine in the morning, in the one spelling that git and its libraries share.
DATE: Final = "1767603600 +0000"
FILES: Final = {"note.txt": "A note.\n", "agenda.txt": "Nine o'clock: coffee.\n"}
"""What lies in the repository and is not tracked."""


def make_repository(folder: Path) -> None:
    """One commit and two files that are not tracked. Raises OSError, or CalledProcessError where git fails."""
    commands = (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", AUTHOR],
        ["config", "user.email", ADDRESS],
        ["commit", "-q", "--allow-empty", "-m", "Begin"],
    )
    for command in commands:
        subprocess.run(["git", *command], cwd=folder, env={**os.environ, **fixed_dates()}, check=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def fixed_dates() -> dict[str, str]:
    """The environment under which every commit has the same date, and no configuration but the repository's own."""
    return {
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def main(server: list[str]) -> None:
    """Make the repository and become the server."""
    here = Path.cwd()
    if not (here / ".git").exists():
        make_repository(here)
    os.environ.update(fixed_dates())
    os.execvp(server[0], server)


if __name__ == "__main__":
    main(sys.argv[1:] or ["mcp-server-git"])
