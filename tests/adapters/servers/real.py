"""Tool servers that nobody here wrote, where they are installed.

A command on PATH, or a folder with `node_modules` that EVALNB_NODE_SERVERS names.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


def real_server(name: str) -> str:
    """The path of an installed server; the test is skipped where it is not installed."""
    folders = [str(Path(sys.executable).parent)]
    node = os.environ.get("EVALNB_NODE_SERVERS")
    if node:
        folders.append(str(Path(node, "node_modules", ".bin")))
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        pytest.skip(f"the server {name} is not installed")
    return found
