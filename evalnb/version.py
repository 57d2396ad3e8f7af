"""The one place that holds the package version: the engine stamps it into what it aggregates."""

from evalnb.engine.version import ENGINE_VERSION

__version__ = ENGINE_VERSION
