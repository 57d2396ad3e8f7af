"""The engine's own version, written into every strength aggregate."""

from __future__ import annotations

from typing import Final

ENGINE_VERSION: Final = "0.1.0"
