"""One form for all spellings of a value, and different forms for different values."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.trajectory.normal_form import (
    call_key,
    normal_currency,
    normal_date,
    normal_number,
    normal_text,
    normal_value,
)

SAME = [
    (normal_date, "2026-01-01T10:00:00+02:00", "2026-01-01T08:00:00Z"),
    (normal_date, "2026-01-01", " 2026-01-01 "),
    (normal_number, "1,250.50", 1250.5),
    (normal_number, 3, 3.0),
    (normal_currency, "$12.50", "12.5 USD"),
    (normal_currency, "EUR 1,000", "€1000.00"),
    (normal_text, "  Straße ", "STRASSE"),
    (normal_text, "ﬁne  day", "fine day"),
    (normal_value, {"a": [1.0, "e\u0301"]}, {"a": [1, "é "]}),
]
OTHER = [
    (normal_date, "2026-01-01T10:00:00+02:00", "2026-01-01T10:00:00Z"),
    (normal_date, "2026-01-01", "2026-01-02"),
    (normal_number, "1.5", "1.50001"),
    (normal_number, True, 1),
    (normal_currency, "$12.50", "€12.50"),
    (normal_text, "ab", "a b"),
    (normal_value, "HAT136", "hat136"),
    (normal_value, [1, 2], [2, 1]),
]


@pytest.mark.parametrize("form, a, b", SAME)
def test_spellings_of_one_value(form: Any, a: Any, b: Any) -> None:
    assert form(a) == form(b)


@pytest.mark.parametrize("form, a, b", OTHER)
def test_different_values(form: Any, a: Any, b: Any) -> None:
    left, right = form(a), form(b)
    assert (left, type(left)) != (right, type(right))


def test_keys_a_schema_leaves_undeclared_do_not_count_unless_it_takes_them() -> None:
    shape = {"properties": {"flights": {"type": "array", "items": {"properties": {"number": {}}}}}}
    given = {"flights": [{"number": "H1", "origin": "JFK"}], "note": "x"}
    assert call_key("t", given, shape) == call_key("t", {"flights": [{"number": "H1"}]}, shape)
    assert call_key("t", given) != call_key("t", {"flights": [{"number": "H1"}]})
    open_shape = {**shape, "additionalProperties": True}
    assert call_key("t", given, open_shape) != call_key("t", {"flights": given["flights"]}, open_shape)
