"""Programs that nobody here wrote, where they are installed: tool servers, and scripts of the npm registry.

`EVALNB_NODE_MODULES` names a `node_modules` folder, `EVALNB_PYTHON_SERVERS` a folder of executables; PATH is searched
as well.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def search_path() -> str:
    """PATH with the folders of the installed programs before it."""
    modules, scripts = os.environ.get("EVALNB_NODE_MODULES"), os.environ.get("EVALNB_PYTHON_SERVERS")
    folders = [str(Path(modules, ".bin"))] if modules else []
    folders += [scripts] if scripts else []
    return os.pathsep.join([*folders, os.environ.get("PATH", "")])


def require(command: str) -> str:
    """The path of an installed command; skips the test where there is none."""
    found = shutil.which(command, path=search_path())
    if found is None:
        pytest.skip(f"{command} is not installed")
    return found
