"""Revision chains and digests of composites and folders."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from evalnb.engine.canonical import (
    LineageOptions,
    digest_artifact,
    digest_composite,
    digest_directory,
    revise_artifact,
    validate_lineage_chain,
)
from evalnb.engine.faults import RuntimeFault

ROOT: dict[str, Any] = {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0, "label": "first"}


def chain(length: int) -> list[dict[str, Any]]:
    members = [ROOT]
    for number in range(1, length):
        members.append(revise_artifact(members[-1], {"schemaVersion": 1, "label": str(number)}, "Rubric"))
    return members


def options(revisions: int, cap: int | None = None) -> LineageOptions:
    return LineageOptions("Rubric", 1, revisions, cap)


def test_a_chain_of_revisions_passes_in_every_order() -> None:
    reports = {validate_lineage_chain(list(order), options(2)).passed for order in itertools.permutations(chain(3))}
    assert reports == {True}


def test_a_missing_middle_is_a_gap() -> None:
    first, _, third = chain(3)
    report = validate_lineage_chain([first, third], options(1))
    assert [f.code for f in report.findings] == ["lineage-parent-absent"]
    assert not report.checks.no_gap
    assert report.checks.length_consistent


def test_a_cap_only_fails_the_report() -> None:
    report = validate_lineage_chain(chain(3), options(2, cap=1))
    assert [f.code for f in report.findings] == ["lineage-remediation-cap-exceeded"]
    assert report.checks.no_gap
    assert report.checks.length_consistent
    assert not report.passed


def test_a_conflict_names_both_digests() -> None:
    root, second = chain(2)
    rival = {**second, "label": "rival"}
    report = validate_lineage_chain([root, second, rival], options(2))
    (finding,) = report.findings
    assert finding.code == "lineage-revision-conflict"
    for member in (second, rival):
        assert digest_artifact(member, "Rubric") in finding.detail


def test_another_version_in_the_chain_is_a_fault() -> None:
    with pytest.raises(RuntimeFault) as caught:
        validate_lineage_chain([ROOT, {**ROOT, "schemaVersion": 2}], options(0))
    assert caught.value.code == "schema-version-mismatch"


@pytest.mark.parametrize("body", [{"schemaVersion": 2}, {"schemaVersion": 1, "revisionCount": 1}])
def test_a_revision_keeps_version_and_owns_its_lineage(body: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        revise_artifact(ROOT, body, "Rubric")


def test_revising_leaves_the_body_alone() -> None:
    body = {"schemaVersion": 1, "items": [1]}
    revised = revise_artifact(ROOT, body, "Rubric")
    assert body == {"schemaVersion": 1, "items": [1]}
    assert revised["revisionCount"] == 1
    assert revised["items"] is not body["items"]


@pytest.mark.parametrize("count", [-1, 1.5, float("nan"), True])
def test_revision_counts_must_be_whole(count: Any) -> None:
    with pytest.raises(TypeError):
        validate_lineage_chain([ROOT], LineageOptions("Rubric", 1, count, None))


@pytest.mark.parametrize("path", ["", "/a", "a//b", "a/", "./a", "a/../b", "a\\b"])
def test_directory_members_are_plain_relative_paths(path: str) -> None:
    with pytest.raises(TypeError):
        digest_directory({path: "sha256:" + "0" * 64}, "X")


def test_composite_reserves_its_protocol_member() -> None:
    with pytest.raises(TypeError, match="protocol"):
        digest_composite({"protocol": "mine"}, "X")
    with pytest.raises(TypeError, match="at least one"):
        digest_composite({}, "X")
