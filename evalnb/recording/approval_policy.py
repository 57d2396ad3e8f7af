"""Which calls are held for a decision before they reach the server: one mode for all, or a policy file."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from evalnb.files import FileProblem, read_file
from evalnb.trajectory.case_files import parse_document, problems_of

Mode: TypeAlias = Literal["ask", "allow", "deny", "policy"]
Ruling: TypeAlias = Literal["ask", "allow", "deny", "pass"]
"""Ask the user, approve, refuse, or let the call pass without an approval."""

VALID_SECONDS = 300.0


class ApprovalRule(BaseModel):
    """What is ruled for the tools that `tool` names; `*` stands for any letters. `consequence` is shown to the user."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str = Field(min_length=1)
    ruling: Ruling
    consequence: str | None = None


class ApprovalPolicy(BaseModel):
    """The first rule that names a tool holds; `default` is for the others. An approval is good for `valid_seconds`."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    rules: tuple[ApprovalRule, ...] = ()
    default: Ruling = "pass"
    valid_seconds: float = Field(default=VALID_SECONDS, ge=0)

    def rule_for(self, tool: str) -> ApprovalRule:
        """What is ruled for a tool."""
        found = next((rule for rule in self.rules if fnmatchcase(tool, rule.tool)), None)
        return found or ApprovalRule(tool=tool, ruling=self.default)


def read_approval_policy(path: Path) -> ApprovalPolicy:
    """The policy in a YAML or JSON file. Raises `FileProblem` naming each field that does not fit."""
    text = read_file(path, "an approval policy").decode("utf-8", "replace")
    try:
        return ApprovalPolicy.model_validate(parse_document(text, path))
    except ValidationError as error:
        raise FileProblem(path, problems_of(error)) from None


def rules_of_mode(mode: Ruling, only_reads: Callable[[str], bool]) -> Callable[[str], ApprovalRule]:
    """One ruling for every tool that does not only read."""

    def rule_for(tool: str) -> ApprovalRule:
        return ApprovalRule(tool=tool, ruling="pass" if only_reads(tool) else mode)

    return rule_for
