"""evalnb measures evaluations: what a contract claims, what it can see, and which planted defects it catches."""

from evalnb.version import __version__

__all__ = ["__version__"]
