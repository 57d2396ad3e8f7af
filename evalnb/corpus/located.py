"""Where a packaged file lies on disk."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache
from importlib import resources
from pathlib import Path


@cache
def located(name: str) -> Path:
    """The path of a file or folder of `evalnb.corpus`, by its name with slashes."""
    resource = resources.files("evalnb.corpus").joinpath(*name.split("/"))
    if isinstance(resource, Path):
        return resource
    # A package that is not on disk is unpacked for as long as the process lives.
    unpacked = ExitStack()
    atexit.register(unpacked.close)
    return unpacked.enter_context(resources.as_file(resource))
