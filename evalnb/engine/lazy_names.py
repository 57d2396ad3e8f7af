"""Public names of a package that are loaded from their modules on first use, so that a command loads what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, tuple[str, ...]], modules: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """A module `__getattr__` for `package`.

    `homes` maps a module to the names that live in it, `modules` a name to the module it stands for. A loaded name is
    kept on the package, so that only its first use costs anything.
    """
    home_of = {name: home for home, names in homes.items() for name in names}
    module_of = modules or {}

    def load(name: str) -> Any:
        if name in module_of:
            value: Any = import_module(module_of[name])
        elif name in home_of:
            value = getattr(import_module(home_of[name]), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return load
