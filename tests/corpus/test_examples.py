"""The packaged examples can be found by name, and every contract among them is worth copying."""

from __future__ import annotations

import re

import pytest

from evalnb.corpus import UnknownExample, example, examples
from evalnb.engine.canonical import scan_json
from evalnb.engine.compile import compile_contract
from evalnb.engine.coverage import coverage_gaps
from evalnb.engine.seal import seal

NAMES = [info.name for info in examples()]
LEAN = ("triage-lean",)
ADDRESS = re.compile(r"https?:|localhost|\b\d{1,3}(?:\.\d{1,3}){3}\b|:\d{2,5}/|\.(?:com|org|net|io)\b")


def contract_text(name: str) -> str:
    path = example(name)
    place = {"evaluation": "contract.json", "evidence": "eval-contract.json", "contract": ""}
    return (path / place[next(info.kind for info in examples() if info.name == name)]).read_text("utf-8")


def test_there_is_an_evaluation_and_a_contract_for_each_kind_of_interface() -> None:
    assert {(info.kind, info.interface_kind) for info in examples()} == {
        ("evaluation", "api"),
        ("evidence", "api"),
        ("contract", "api"),
        ("contract", "cli"),
        ("contract", "mcp"),
    }
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("info", examples(), ids=NAMES)
def test_an_example_is_what_its_kind_says(info) -> None:
    path = example(info.name)
    assert path.is_file() if info.kind == "contract" else path.is_dir()
    assert info.summary.endswith(".")
    assert "\n" not in info.summary


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownExample) as caught:
        example("../triage")
    assert str(caught.value).startswith("no example named '../triage'; there are: ")
    assert all(name in str(caught.value) for name in NAMES)
    assert isinstance(caught.value, LookupError)


@pytest.mark.parametrize("name", NAMES)
def test_its_contract_compiles_strictly_and_leaves_no_coverage_gap_unawares(name: str) -> None:
    info = next(info for info in examples() if info.name == name)
    contract = compile_contract(scan_json(contract_text(name), "EvalContract"), strict_inputs=True)
    assert contract.schema_version == 7
    assert [interface.kind for interface in contract.permitted_interfaces] == [info.interface_kind]
    assert bool(coverage_gaps(contract)) == (name in LEAN), "a contract has gaps where that is what it shows"


@pytest.mark.parametrize("name", NAMES)
def test_its_brief_can_be_sealed_and_enumerates_no_steps(name: str) -> None:
    contract = compile_contract(scan_json(contract_text(name), "EvalContract"), strict_inputs=True)
    assert contract.probe_step_bound == 0
    assert len(seal(contract).directions) == len(contract.oracles)


@pytest.mark.parametrize("name", NAMES)
def test_its_contract_holds_no_address(name: str) -> None:
    assert ADDRESS.search(contract_text(name)) is None


@pytest.mark.parametrize("name", NAMES)
def test_every_oracle_is_listed_by_a_behavior(name: str) -> None:
    contract = compile_contract(scan_json(contract_text(name), "EvalContract"), strict_inputs=True)
    listed = [oracle for behavior in contract.behaviors for oracle in behavior.oracles]
    assert sorted(listed) == [oracle.id for oracle in contract.oracles]
