"""How the address grammar reads and classifies each spelling of the reference table."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.artifacts.addresses import classify_address, parse_address, stays_on_host
from tests.conformance.reference import cases


@pytest.mark.parametrize("case", cases("cases", "address-classification.json"))
def test_an_address_has_the_expected_reading(case: dict[str, Any]) -> None:
    text = case["address"]
    address = parse_address(text)
    assert case["expected"] == {
        "class": classify_address(text),
        "ok": address is not None,
        "family": address.family if address else None,
        "canonical": address.canonical if address else None,
        "staysOnHost": stays_on_host(text),
    }
