"""The seven discipline rules over the reference contracts and the published corpus. spec: 06"""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, read
from evalnb.engine.canonical import digest_bytes, serialize_artifact
from evalnb.engine.compile import compile_contract
from evalnb.engine.coverage import RULES, coverage, coverage_gaps, coverage_severity
from evalnb.engine.coverage.predicate_table import STATE_VERDICTS, Cell, StateVerdict, coverage_predicate_table
from evalnb.engine.coverage.verdicts import RuleCoverage
from evalnb.engine.faults import StructuralFailure
from tests.conformance.contradictions import CONTRADICTIONS
from tests.conformance.json_patch import patched
from tests.conformance.reference import cases, load, member, reference_path

CELLS = {
    "success-indicator-separation": (
        "absent-success-indicator",
        "empty-channel-roles",
        "satisfied-declarations",
        "split-indicator-oracle",
    ),
    "whole-body": (
        "no-operation-inventory",
        "single-required-response-key",
        "satisfied-declarations",
        "per-key-split-oracles",
    ),
    "malformed-input": (
        "no-operation-inventory",
        "empty-request-shapes",
        "satisfied-declarations",
        "no-type-violating-step",
    ),
    "per-record": (
        "absent-collection-locations",
        "empty-collection-locations",
        "satisfied-declarations",
        "no-collection-quantifier",
    ),
    "sibling-cross-check": (
        "absent-sibling-groups",
        "empty-sibling-groups",
        "satisfied-declarations",
        "unaddressed-parameter-sibling",
    ),
    "omission-and-completeness": (
        "absent-collection-locations",
        "unnamed-reference-set",
        "satisfied-declarations",
        "wrong-cardinality-form",
    ),
    "state-change-read-back": (
        "no-operation-inventory",
        "no-state-change-marker",
        "satisfied-declarations",
        "no-read-back-relation",
    ),
}

GAPS = {
    "absent-success-indicator": (1,),
    "empty-channel-roles": (),
    "satisfied-declarations": (),
    "split-indicator-oracle": (1, 2),
    "no-operation-inventory": (1, 2, 3, 4, 6, 7),
    "single-required-response-key": (),
    "per-key-split-oracles": (2,),
    "empty-request-shapes": (),
    "no-type-violating-step": (3,),
    "absent-collection-locations": (4, 6),
    "empty-collection-locations": (),
    "no-collection-quantifier": (4,),
    "absent-sibling-groups": (5,),
    "empty-sibling-groups": (),
    "unaddressed-parameter-sibling": (5,),
    "unnamed-reference-set": (),
    "wrong-cardinality-form": (6,),
    "no-state-change-marker": (),
    "no-read-back-relation": (7,),
}


def contract_of(case: dict[str, Any]) -> EvalContract:
    if case["id"].startswith("corpus-"):
        base = load("corpus", "contracts", f"{case['base']}.json")
    else:
        base = member(case["base"], "cases", "coverage-contracts.json")
    return read(EVAL_CONTRACT, patched(base, case["patch"]))


def corpus_contract(name: str) -> EvalContract:
    return read(EVAL_CONTRACT, load("corpus", "contracts", f"{name}.json"))


def row_of(entry: RuleCoverage) -> dict[str, Any]:
    return {
        "rule": entry.rule,
        "relevant": entry.relevant,
        "relevanceReason": entry.relevance.reason,
        "satisfied": entry.satisfied,
        "satisfactionReason": entry.satisfaction.reason,
    }


def gap_documents(contract: EvalContract) -> list[dict[str, Any]]:
    return [gap.model_dump(by_alias=True) for gap in coverage_gaps(contract)]


def answer(case: dict[str, Any], contract: EvalContract) -> dict[str, Any]:
    report = coverage(contract)
    match case["kind"]:
        case "relevance":
            entry = report.of(case["rule"])
            return {"relevant": entry.relevant, "reason": entry.relevance.reason}
        case "satisfaction":
            entry = report.of(case["rule"])
            return {"satisfied": entry.satisfied, "reason": entry.satisfaction.reason}
        case "severity":
            return {"severity": coverage_severity(contract), "coverageGaps": gap_documents(contract)}
        case _:
            rows = [row_of(entry) for entry in report.rules]
            return {"verdicts": rows, "coverageGaps": gap_documents(contract)}


@pytest.mark.parametrize("case", cases("cases", "coverage.json"))
def test_coverage_case(case: dict[str, Any]) -> None:
    actual = answer(case, contract_of(case))
    if ("coverage.json", case["id"]) in CONTRADICTIONS:
        assert actual != case["expected"]
    else:
        assert actual == case["expected"]


@pytest.mark.parametrize("case", cases("cases", "coverage.json"))
def test_a_rule_that_is_not_relevant_is_satisfied(case: dict[str, Any]) -> None:
    assert all(entry.relevant or entry.satisfied for entry in coverage(contract_of(case)).rules)


@pytest.mark.parametrize("name", sorted(GAPS))
def test_a_corpus_contract_has_the_published_gaps(name: str) -> None:
    numbers = {rule.id: number for number, rule in enumerate(RULES, start=1)}
    gaps = coverage_gaps(corpus_contract(name))
    assert tuple(numbers[gap.rule] for gap in gaps) == GAPS[name]
    assert {gap.severity for gap in gaps} <= {"critical"}


@pytest.mark.parametrize("rule", sorted(CELLS))
@pytest.mark.parametrize("state", list(STATE_VERDICTS))
def test_a_corpus_cell_shows_its_declaration_state(rule: Any, state: Any) -> None:
    name = CELLS[rule][list(STATE_VERDICTS).index(state)]
    shown = coverage(corpus_contract(name)).of(rule)
    assert StateVerdict(shown.relevant, shown.satisfied) == STATE_VERDICTS[state]


@pytest.mark.parametrize("name", sorted(GAPS))
def test_a_corpus_contract_compiles_as_the_index_says(name: str) -> None:
    entry = index_entry(f"contracts/{name}.json")
    raw = load("corpus", "contracts", f"{name}.json")
    if "structuralFailure" not in entry:
        assert compile_contract(raw).contract_id == name
        return
    with pytest.raises(StructuralFailure) as failure:
        compile_contract(raw)
    assert failure.value.code == entry["structuralFailure"]


@pytest.mark.parametrize("name", sorted(GAPS))
def test_a_corpus_contract_has_the_bytes_the_index_digests(name: str) -> None:
    # The index describes the corpus as it was stamped 6.
    document = load("corpus", "contracts", f"{name}.json") | {"schemaVersion": 6}
    text = serialize_artifact(document, "EvalContract")
    assert digest_bytes(text.encode()) == index_entry(f"contracts/{name}.json")["digest"]


def test_the_predicate_table_accepts_the_corpus() -> None:
    folder = reference_path("corpus", "contracts")
    names = [name for name in GAPS if (folder / f"{name}.json").exists()]
    cells = [
        Cell(rule, state, name)  # type: ignore[arg-type]
        for rule, row in CELLS.items()
        for state, name in zip(STATE_VERDICTS, row, strict=True)
    ]
    if not {cell.contract_id for cell in cells} <= set(names):
        pytest.skip("a cell's contract is not here")
    table = coverage_predicate_table([corpus_contract(name) for name in names], cells)
    assert table.count("\n| `satisfied-declarations` |") == len(RULES)


def index_entry(path: str) -> dict[str, Any]:
    for entry in load("corpus", "index.json")["entries"]:
        if entry["path"].endswith(f"/{path}"):
            return dict(entry)
    pytest.skip(f"not in the index: {path}")
