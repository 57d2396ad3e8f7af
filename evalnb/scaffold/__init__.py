"""Scaffolding: a first contract for a system, from its own description and from what its reads answer."""

from __future__ import annotations

from evalnb.scaffold.decisions import MARK, Decision
from evalnb.scaffold.scaffold import Scaffold, ScaffoldOptions, scaffold_cli, scaffold_mcp, scaffold_openapi

__all__ = ["MARK", "Decision", "Scaffold", "ScaffoldOptions", "scaffold_cli", "scaffold_mcp", "scaffold_openapi"]
