"""Lineage chains: does a set of revisions form one unbroken history (spec: 01 §8)?"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalnb.engine.canonical.digests import digest_artifact
from evalnb.engine.canonical.exact_scanner import MAX_SAFE_INTEGER
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, json_equal, utf16_key

LINEAGE_DEFECT_CODES = (
    "lineage-root-invalid",
    "lineage-duplicate-artifact",
    "lineage-no-root",
    "lineage-multiple-roots",
    "lineage-parent-absent",
    "lineage-revision-not-successor",
    "lineage-revision-conflict",
    "lineage-length-inconsistent",
    "lineage-remediation-cap-exceeded",
)

_CLEARS = {
    "lineage-duplicate-artifact": "no_repeated_digest",
    "lineage-length-inconsistent": "length_consistent",
    "lineage-remediation-cap-exceeded": None,
}


@dataclass(frozen=True, slots=True)
class LineageOptions:
    """What a chain is held against. `remediation_cap` is `None` when no cap was presented."""

    artifact_path: str
    accepted_schema_version: int
    declared_revision_count: int
    remediation_cap: int | None


@dataclass(frozen=True, slots=True)
class LineageFinding:
    """One defect of a chain; a report value, never raised."""

    code: str
    artifact_path: str
    detail: str


@dataclass(frozen=True, slots=True)
class LineageChecks:
    """The three flags that evidence artifacts carry."""

    length_consistent: bool
    no_repeated_digest: bool
    no_gap: bool


@dataclass(frozen=True, slots=True)
class LineageReport:
    """The result of a chain validation; `passed` is true exactly when there are no findings."""

    artifact_path: str
    findings: tuple[LineageFinding, ...]
    checks: LineageChecks

    @property
    def passed(self) -> bool:
        return not self.findings


@dataclass(frozen=True, slots=True)
class _Member:
    digest: str
    parent: str | None
    revision: int


def validate_lineage_chain(artifacts: Sequence[Mapping[str, Json]], options: LineageOptions) -> LineageReport:
    """Check whole artifacts for one consistent history; the report is the same for every order of them.

    Raises `TypeError` for unusable options and `RuntimeFault` (`schema-version-mismatch`,
    `non-canonicalizable-value`) for a member that cannot be read.
    """
    _check_count(options.declared_revision_count, "declared_revision_count")
    if options.remediation_cap is not None:
        _check_count(options.remediation_cap, "remediation_cap")
    members = [_member(artifact, options) for artifact in artifacts]
    findings = [
        *_member_findings(members, options.artifact_path),
        *_chain_findings(members, options),
    ]
    findings.sort(key=lambda f: (LINEAGE_DEFECT_CODES.index(f.code), utf16_key(f.artifact_path), f.detail))
    cleared = {_CLEARS.get(finding.code, "no_gap") for finding in findings}
    checks = LineageChecks(
        length_consistent="length_consistent" not in cleared,
        no_repeated_digest="no_repeated_digest" not in cleared,
        no_gap="no_gap" not in cleared,
    )
    return LineageReport(options.artifact_path, tuple(findings), checks)


def revise_artifact(parent: Mapping[str, Json], body: Mapping[str, Json], artifact_path: str) -> dict[str, Json]:
    """The next revision after `parent`: a deep copy of `body` with its two lineage fields written.

    Raises `TypeError` when the parent's lineage is unusable or the body already carries one (spec: 01 §8.3).
    """
    revision = parent.get("revisionCount")
    if (revision == 0) != (parent.get("parentDigest") is None):
        raise TypeError("the parent's parentDigest must be null exactly when its revisionCount is 0")
    count = _check_count(revision, "the parent's revisionCount")
    if count + 1 > MAX_SAFE_INTEGER:
        raise TypeError("the successor's revisionCount would leave the safe integers")
    if not json_equal(body.get("schemaVersion"), parent.get("schemaVersion")):
        raise TypeError("a revision keeps its parent's schemaVersion")
    for key in ("parentDigest", "revisionCount"):
        if key in body:
            raise TypeError(f"the body of a revision must not carry {key!r}")
    revised: dict[str, Json] = copy.deepcopy(dict(body))
    revised["parentDigest"] = digest_artifact(dict(parent), artifact_path)
    revised["revisionCount"] = count + 1
    return revised


def _check_count(value: object, name: str) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not 0 <= value <= MAX_SAFE_INTEGER:  # type: ignore[operator]
        raise TypeError(f"{name} must be a whole number from 0 to {MAX_SAFE_INTEGER}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _member(artifact: Mapping[str, Json], options: LineageOptions) -> _Member:
    stamped = artifact.get("schemaVersion")
    if not json_equal(stamped, options.accepted_schema_version):
        raise RuntimeFault(
            "schema-version-mismatch",
            options.artifact_path,
            f'carries "schemaVersion" {stamped} where this build reads {options.accepted_schema_version}; '
            "a chain holds one version throughout",
        )
    digest = digest_artifact(dict(artifact), options.artifact_path)
    parent = artifact.get("parentDigest")
    revision = artifact.get("revisionCount")
    return _Member(
        digest,
        parent if isinstance(parent, str) else None,
        int(revision) if isinstance(revision, (int, float)) else -1,
    )


def _member_findings(members: list[_Member], path: str) -> list[LineageFinding]:
    by_digest = {member.digest: member for member in members}
    findings = []
    for member in members:
        here = f"{path}[digest={member.digest}]"
        if (member.revision == 0) != (member.parent is None):
            findings.append(
                LineageFinding(
                    "lineage-root-invalid",
                    here,
                    f"revision {member.revision} with parent {member.parent}: revision 0, and only it, has none",
                )
            )
        if member.parent is None:
            continue
        parent = by_digest.get(member.parent)
        if parent is None:
            findings.append(
                LineageFinding("lineage-parent-absent", here, f"no presented artifact has the digest {member.parent}")
            )
        elif member.revision != parent.revision + 1:
            findings.append(
                LineageFinding(
                    "lineage-revision-not-successor",
                    here,
                    f"revision {member.revision} does not follow its parent's revision {parent.revision}",
                )
            )
    return findings


def _chain_findings(members: list[_Member], options: LineageOptions) -> list[LineageFinding]:
    path = options.artifact_path
    findings = [
        LineageFinding(
            "lineage-duplicate-artifact", f"{path}[digest={digest}]", f"{count} presented artifacts are identical"
        )
        for digest, count in Counter(member.digest for member in members).items()
        if count > 1
    ]
    roots = sum(member.revision == 0 for member in members)
    if roots == 0:
        findings.append(LineageFinding("lineage-no-root", path, "no presented artifact is revision 0"))
    elif roots > 1:
        findings.append(LineageFinding("lineage-multiple-roots", path, f"{roots} presented artifacts are revision 0"))
    findings.extend(_conflicts(members, path))
    declared, cap = options.declared_revision_count, options.remediation_cap
    if len(members) != declared + 1:
        findings.append(
            LineageFinding(
                "lineage-length-inconsistent",
                path,
                f"{len(members)} artifacts presented where {declared} revisions need {declared + 1}",
            )
        )
    if cap is not None and declared > cap:
        findings.append(
            LineageFinding(
                "lineage-remediation-cap-exceeded", path, f"{declared} revisions declared over a cap of {cap}"
            )
        )
    return findings


def _conflicts(members: list[_Member], path: str) -> list[LineageFinding]:
    siblings: dict[tuple[str, int], set[str]] = {}
    for member in members:
        if member.parent is not None:
            siblings.setdefault((member.parent, member.revision), set()).add(member.digest)
    return [
        LineageFinding(
            "lineage-revision-conflict",
            f"{path}[parent={parent},revision={revision}]",
            "several artifacts claim this place: " + ", ".join(sorted(digests)),
        )
        for (parent, revision), digests in siblings.items()
        if len(digests) > 1
    ]
