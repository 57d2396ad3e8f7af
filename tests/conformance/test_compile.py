"""Compile against the reference tables, the corpus and the published chains. spec: 04 §9"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from evalnb.engine.artifacts import EVAL_CONTRACT, Regex, read
from evalnb.engine.compile import CHECKS, check_contract, compile_contract
from evalnb.engine.compile.regex_constructs import check_regex_constructs
from evalnb.engine.compile.subject import Subject
from evalnb.engine.compile.walks import expression_site
from evalnb.engine.faults import EvaluationFailure, RuntimeFault
from tests.conformance.contradictions import CONTRADICTIONS, is_read_by_the_index
from tests.conformance.json_patch import patched
from tests.conformance.reference import REFERENCE, cases, load, params, rows, supporting

TABLE = "compile-failures.json"
BASES = {row["id"]: row["contract"] for row in supporting("cases", "compile-bases.json")}
CHECK = {check.id: check for check in CHECKS}

# The table was written for a build that reads one version; this one reads a range and says so.
ONE_VERSION, RANGE = "where this build reads 7", "where this build reads 5 to 7"


def mutated(case: dict[str, Any]) -> dict[str, Any]:
    if case["base"] not in BASES:
        pytest.skip(f"base contract not here: {case['base']}")
    mutant: dict[str, Any] = patched(BASES[case["base"]], case["mutations"])
    return mutant


def assert_failure(failure: EvaluationFailure, expected: dict[str, Any]) -> None:
    assert (failure.code, failure.artifact_path) == (expected["code"], expected["artifactPath"])
    assert type(failure).__name__ == expected["errorClass"]
    for part in expected.get("messageContains") or ():
        assert part.replace(ONE_VERSION, RANGE) in str(failure)
    if "message" in expected:
        assert str(failure) == expected["message"]


@pytest.mark.parametrize("base", sorted(BASES) or ["absent"])
def test_a_base_contract_compiles_to_itself(base: str) -> None:
    if base == "absent":
        pytest.skip("no base contracts here")
    assert compile_contract(BASES[base]).document == BASES[base]


@pytest.mark.parametrize("case", cases("cases", TABLE))
def test_the_stage_answers_as_the_table_says(case: dict[str, Any]) -> None:
    document, expected = mutated(case), case["expected"]
    before = copy.deepcopy(document)
    compiled, failure = None, None
    try:
        compiled = compile_contract(document, strict_inputs=case["strict"]).document
    except EvaluationFailure as raised:
        failure = raised
    assert document == before
    if is_contradicted(case, document):
        answered = (None, None) if failure is None else (failure.code, failure.artifact_path)
        assert answered != (expected.get("code"), expected.get("artifactPath"))
    elif expected["outcome"] == "ok":
        assert failure is None
        assert compiled == before
    else:
        assert failure is not None
        assert_failure(failure, expected)


def is_contradicted(case: dict[str, Any], document: dict[str, Any]) -> bool:
    stamp, code = document.get("schemaVersion"), case["expected"].get("code")
    return (TABLE, case["id"]) in CONTRADICTIONS or is_read_by_the_index("EvalContract", stamp, code)


@pytest.mark.parametrize("case", params([row for row in rows("cases", TABLE) if "checkExpected" in row], source=TABLE))
def test_one_check_alone_answers_as_the_table_says(case: dict[str, Any]) -> None:
    document, expected = mutated(case), case["checkExpected"]
    try:
        subject = Subject(read(EVAL_CONTRACT, document))
    except RuntimeFault:
        run_unparsed_check(case, document)
        return
    run_expecting(lambda: CHECK[case["check"]].run(subject), expected)


def run_unparsed_check(case: dict[str, Any], document: dict[str, Any]) -> None:
    """A pattern that the shape refuses, handed to the check itself; other shapes cannot reach a check."""
    if case["check"] != "regex-constructs":
        pytest.skip("the schema refuses the document before the check could see it")
    written = document["oracles"][0]["check"]
    assert written["op"] == "regex"
    parsed = read(EVAL_CONTRACT, document | {"oracles": [with_pattern(document["oracles"][0], "^x$")]})
    node = parsed.oracles[0].check
    assert isinstance(node, Regex)
    site = expression_site(
        node.model_copy(update={"pattern": written["pattern"]}),
        f"EvalContract.oracles[id={parsed.oracles[0].id}].check",
    )
    run_expecting(lambda: check_regex_constructs(site), case["checkExpected"])


def with_pattern(oracle: dict[str, Any], pattern: str) -> dict[str, Any]:
    return oracle | {"check": oracle["check"] | {"pattern": pattern}}


def run_expecting(run: Any, expected: dict[str, Any]) -> None:
    if expected["outcome"] == "ok":
        run()
        return
    with pytest.raises(EvaluationFailure) as caught:
        run()
    assert_failure(caught.value, expected)


def corpus_contracts() -> list[Any]:
    folder = REFERENCE / "corpus" / "contracts"
    names = sorted(path.name for path in folder.glob("*.json")) if folder.exists() else []
    return names or [pytest.param("", marks=pytest.mark.skip(reason="no corpus contracts here"))]


def corpus_failures() -> dict[str, str]:
    path = REFERENCE / "corpus" / "index.json"
    if not path.exists():
        return {}
    entries = load("corpus", "index.json")["entries"]
    return {
        entry["path"].rsplit("/", 1)[-1]: entry["structuralFailure"]
        for entry in entries
        if entry.get("structuralFailure")
    }


@pytest.mark.parametrize("name", corpus_contracts())
def test_a_corpus_contract_compiles_unless_the_index_names_a_failure(name: str) -> None:
    document, code = load("corpus", "contracts", name), corpus_failures().get(name)
    if code is None:
        assert compile_contract(document).document == document
        return
    with pytest.raises(EvaluationFailure) as caught:
        compile_contract(document)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "parts",
    [
        ("chains", "walkthrough", "contract.json"),
        ("chains", "agent", "contract.json"),
        ("chains", "seed", "mcp-contract.json"),
        ("corpus", "compile-seal-example", "contract.json"),
    ],
    ids="/".join,
)
def test_a_published_contract_compiles_unchanged(parts: tuple[str, ...]) -> None:
    document = load(*parts)
    assert compile_contract(document).document == document
    check_contract(read(EVAL_CONTRACT, document), strict_inputs=False)
