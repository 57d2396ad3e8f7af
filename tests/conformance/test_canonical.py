"""Canonical bytes, digests, the value domain and lineage chains against the reference data (spec: 01)."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import math
import re
from typing import Any

import pytest

from evalnb.engine.canonical import (
    LineageOptions,
    assert_hashed_value,
    canonical_text,
    canonicalize,
    digest_artifact,
    digest_bytes,
    digest_composite,
    digest_directory,
    digest_json,
    scan_json,
    validate_lineage_chain,
)
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import json_equal
from tests.conformance.reference import REFERENCE, cases, params, rows

PATH = "Document"


def named(rows_: list[Any], source: str) -> list[Any]:
    return params([{"id": row["name"], **row} for row in rows_], source=source)


def section(file: str, key: str) -> list[Any]:
    import json

    path = REFERENCE / "vectors" / file
    found = json.loads(path.read_text(encoding="utf-8")).get(key, []) if path.exists() else []
    return named(found, f"vectors/{file}#{key}")


@pytest.mark.parametrize("case", named(rows("vectors", "positive-vectors.json"), "positive-vectors"))
def test_document_has_the_published_canonical_form(case: dict[str, Any]) -> None:
    for text in [case["rawText"], *case["rawTextPermutations"]]:
        value = scan_json(text, PATH)
        assert canonical_text(value, PATH) == case["expectedCanonicalText"]
        assert canonicalize(value, PATH).hex() == case["expectedCanonicalHex"]
        assert digest_json(text.encode("utf-8"), PATH) == case["expectedDigest"]


@pytest.mark.parametrize("case", named(rows("vectors", "negative-vectors.json"), "negative-vectors"))
def test_document_outside_the_domain_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(RuntimeFault) as caught:
        scan_json(case["rawText"], PATH)
    assert (caught.value.code, caught.value.artifact_path) == (case["expectedFault"], PATH)


@pytest.mark.parametrize("case", section("byte-vectors.json", "reject"))
def test_undecodable_bytes_are_refused(case: dict[str, Any]) -> None:
    with pytest.raises(RuntimeFault) as caught:
        scan_json(bytes.fromhex(case["inputHex"]), PATH)
    assert caught.value.code == case["expectedFault"]


@pytest.mark.parametrize("case", section("byte-vectors.json", "digest"))
def test_bytes_have_the_published_digest(case: dict[str, Any]) -> None:
    assert digest_bytes(bytes.fromhex(case["inputHex"])) == case["expectedDigest"]


@pytest.mark.parametrize("case", section("composite-vectors.json", "composite"))
def test_composite_digest(case: dict[str, Any]) -> None:
    assert digest_composite(case["fields"], PATH) == case["expectedDigest"]


@pytest.mark.parametrize("case", section("composite-vectors.json", "directory"))
def test_directory_digest(case: dict[str, Any]) -> None:
    assert digest_directory(case["members"], PATH) == case["expectedDigest"]


@pytest.mark.parametrize("case", section("composite-vectors.json", "compositeReject"))
def test_unusable_composite_is_a_type_error(case: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        digest_composite(case["fields"], PATH)


@pytest.mark.parametrize("case", section("composite-vectors.json", "directoryReject"))
def test_unusable_directory_is_a_type_error(case: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        digest_directory(case["members"], PATH)


def nested(containers: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(containers - 1):
        value = [value]
    return value


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["self"] = value
    return value


def cyclic_list() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


class Custom:
    pass


class CustomDict(dict[str, Any]):
    pass


class CustomList(list[Any]):
    pass


class CustomText(str):
    pass


class CustomInteger(enum.IntEnum):
    ONE = 1


IN_MEMORY: dict[str, Any] = {
    "reject-nan": math.nan,
    "reject-infinity": math.inf,
    "reject-negative-infinity": -math.inf,
    "reject-int-2-53": 2**53,
    "reject-int-2-53-plus-2": 2**53 + 2,
    "reject-int-minus-2-53": -(2**53),
    "reject-float-1e21": 1e21,
    "reject-lone-high-surrogate": "\ud800",
    "reject-lone-low-surrogate-inside": "a\udfffb",
    "reject-lone-surrogate-key": {"\ud800": 1},
    "reject-datetime": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "reject-set": {1},
    "reject-bytes": b"x",
    "reject-custom-instance": Custom(),
    "reject-dict-subclass": CustomDict(a=1),
    "reject-non-string-key": {1: "a"},
    "reject-cycle": cyclic(),
    "reject-sentinel-in-list": [...],
    "reject-function": nested,
    "reject-nested-nan": {"a": [{"b": math.nan}]},
    "accept-negative-zero": -0.0,
    "accept-shared-substructure": {"a": (shared := {"x": 1}), "b": shared},
    "accept-float-integral": 3.0,
    "accept-smallest-denormal": 5e-324,
}


# Values that a case only describes, for cases that have no entry above: the first pattern that is found decides.
DESCRIBED: tuple[tuple[str, Any], ...] = (
    (r"[Dd]ecimal", decimal.Decimal("1.5")),
    (r"[Ff]raction", fractions.Fraction(1, 2)),
    (r"[Cc]omplex", 1j),
    (r"bytearray", bytearray(b"x")),
    (r"frozenset", frozenset({1})),
    (r"OrderedDict|defaultdict", collections.OrderedDict(a=1)),
    (r"list subclass", CustomList([1])),
    (r"str(ing)? subclass", CustomText("a")),
    (r"int(eger)? subclass|[Ee]num", CustomInteger.ONE),
    (r"a date\b", datetime.date(2026, 1, 1)),
    (r"generator", iter([1])),
    (r"list containing itself", cyclic_list()),
    (r"2\*\*53 - 1", 2**53 - 1),
    (r"-\(2\*\*53 - 1\)", -(2**53 - 1)),
    (r"bytes key|tuple key", {b"a": 1}),
    (r"key is null|key None", {None: 1}),
)


def in_memory(case: dict[str, Any]) -> Any:
    """The value that a case describes; skips the test where nobody has built one."""
    if case["id"] in IN_MEMORY:
        return IN_MEMORY[case["id"]]
    for pattern, value in DESCRIBED:
        if re.search(pattern, case["describe"]):
            return value
    pytest.skip(f"no in-memory value is built here for: {case['describe']}")


@pytest.mark.parametrize("case", cases("cases", "value-domain.json"))
def test_value_domain(case: dict[str, Any]) -> None:
    kind = case["kind"]
    if kind == "scan-ok":
        value = scan_json(case["text"], PATH)
        assert json_equal(value, case["value"])
        if case.get("negativeZero"):
            assert math.copysign(1.0, value) == -1.0  # type: ignore[arg-type]
    elif kind == "scan-fault":
        with pytest.raises(RuntimeFault) as caught:
            scan_json(case["text"], PATH)
        assert (caught.value.code, caught.value.detail) == (case["code"], case["detail"])
    elif kind == "canonical":
        assert canonical_text(case["value"], PATH) == case["canonicalText"]
    elif kind == "canonical-hex":
        assert canonicalize(case["value"], PATH).hex() == case["canonicalHex"]
    elif kind == "nest":
        value = nested(case["containers"])
        text = "[" * case["containers"] + "]" * case["containers"]
        act = (lambda: scan_json(text, PATH)) if case["via"] == "scan" else (lambda: canonicalize(value, PATH))
        check_domain(act, case["accepted"])
    else:
        assert kind in ("python-accept", "python-reject")
        value = in_memory(case)
        check_domain(lambda: canonicalize(value, PATH), kind == "python-accept")
        check_domain(lambda: assert_hashed_value(value, PATH), kind == "python-accept")


def check_domain(act: Any, accepted: bool) -> None:
    if accepted:
        act()
        return
    with pytest.raises(RuntimeFault) as caught:
        act()
    assert (caught.value.code, caught.value.artifact_path) == ("non-canonicalizable-value", PATH)


@pytest.mark.parametrize("case", cases("cases", "lineage-chain.json"))
def test_lineage_chain(case: dict[str, Any]) -> None:
    given = {key: math.nan if value == "NaN" else value for key, value in case["options"].items()}
    options = LineageOptions(
        given["artifactPath"],
        given["acceptedSchemaVersion"],
        given["declaredRevisionCount"],
        given["remediationCap"],
    )
    expect = case["expect"]
    if "throws" in expect:
        expected = TypeError if expect["throws"] == "TypeError" else RuntimeFault
        with pytest.raises(expected) as caught:
            validate_lineage_chain(case["artifacts"], options)
        if isinstance(caught.value, RuntimeFault):
            assert caught.value.code == expect["throws"]
        return
    report = validate_lineage_chain(case["artifacts"], options)
    assert [{"code": f.code, "artifactPath": f.artifact_path} for f in report.findings] == expect["report"]["findings"]
    assert {
        "lengthConsistent": report.checks.length_consistent,
        "noRepeatedDigest": report.checks.no_repeated_digest,
        "noGap": report.checks.no_gap,
    } == expect["report"]["checks"]
    assert report.passed is expect["report"]["passed"]


def test_shipped_example_brief_is_its_own_canonical_form() -> None:
    from tests.conformance.reference import reference_path

    contract = scan_json(reference_path("corpus", "compile-seal-example", "contract.json").read_bytes(), PATH)
    raw = reference_path("corpus", "compile-seal-example", "brief.json").read_bytes()
    brief = scan_json(raw, PATH)
    assert isinstance(brief, dict)
    assert brief["contractDigest"] == digest_artifact(contract, PATH)
    assert canonicalize(brief, PATH) + b"\n" == raw
