"""Entry point of the `evalnb` command."""

from __future__ import annotations


def main() -> int:
    """Run the command line over `sys.argv` and return its exit code."""
    return 0
