"""Reading the three target policies: a checked copy of what was given, or one fault that lists every issue.

spec: 10 §11
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from pydantic import BaseModel

from evalnb.engine.artifacts.issue_text import unrecognized
from evalnb.engine.artifacts.issues import Issue, Path, ShapeError, issues_of
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy, McpTargetPolicy, ProbeTargetPolicy
from evalnb.engine.artifacts.text import FORBIDDEN_KEY
from evalnb.engine.faults import RuntimeFault

Policy = TypeVar("Policy", ProbeTargetPolicy, CommandTargetPolicy, McpTargetPolicy)

# The one map that an authorization of each family carries.
_MAP_OF_AUTHORIZATION: Final[dict[type[BaseModel], str | None]] = {
    ProbeTargetPolicy: None,
    CommandTargetPolicy: "artifacts",
    McpTargetPolicy: "serverEnvironment",
}


def parse_probe_target_policy(raw: object) -> ProbeTargetPolicy:
    """The HTTP target policy that `raw` is; RuntimeFault `schema-parse-failure` at `ProbeTargetPolicy` otherwise."""
    return _parse(ProbeTargetPolicy, raw)


def parse_command_target_policy(raw: object) -> CommandTargetPolicy:
    """The command target policy that `raw` is; RuntimeFault `schema-parse-failure` otherwise."""
    return _parse(CommandTargetPolicy, raw)


def parse_mcp_target_policy(raw: object) -> McpTargetPolicy:
    """The tool-server target policy that `raw` is; RuntimeFault `schema-parse-failure` otherwise."""
    return _parse(McpTargetPolicy, raw)


def _parse(shape: type[Policy], raw: object) -> Policy:
    path = shape.__name__
    issues: tuple[Issue, ...]
    try:
        plain: Any = plain_copy(raw)
        issues = (*_forbidden_keys(plain, _MAP_OF_AUTHORIZATION[shape]), *_one_a_place(issues_of(shape, plain)))
        if not issues:
            policy: Policy = validated(shape, plain)
            return policy
    except Exception as error:  # whatever reading the input raises is the input's fault
        raise RuntimeFault("schema-parse-failure", path, "the input could not be read", error) from error
    cause = ShapeError(issues)
    raise RuntimeFault(
        "schema-parse-failure", path, f"input does not conform to the {path} schema: {cause}", cause
    ) from cause


def plain_copy(value: Any) -> Any:
    """A deep copy in plain JSON containers; RecursionError for a value that contains itself."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, dict):
        return {key: plain_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_copy(item) for item in value]
    return value


def _one_a_place(issues: tuple[Issue, ...]) -> list[Issue]:
    """The issues without a refinement's where the value was already refused for something plainer."""
    kept: list[Issue] = []
    for issue in issues:
        if issue.code != "custom" or all(issue.path != other.path for other in kept):
            kept.append(issue)
    return kept


def _forbidden_keys(policy: Any, map_key: str | None) -> list[Issue]:
    """The issues of keys `__proto__`: the policy's, then of each authorization its own and its map's."""
    found: list[Issue] = []
    _note(found, policy, ())
    authorizations = policy.get("authorizations") if isinstance(policy, dict) else None
    for index, authorization in enumerate(authorizations if isinstance(authorizations, list) else ()):
        place: Path = ("authorizations", index)
        _note(found, authorization, place)
        if map_key is not None and isinstance(authorization, dict):
            _note(found, authorization.get(map_key), (*place, map_key))
    return found


def _note(found: list[Issue], value: Any, place: Path) -> None:
    if isinstance(value, dict) and FORBIDDEN_KEY in value:
        found.append(Issue(place, "unrecognized_keys", unrecognized([FORBIDDEN_KEY])))
