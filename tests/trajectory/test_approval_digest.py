"""An approval is bound to one call, whatever stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.trajectory.approval_digest import approval_digest


@pytest.mark.parametrize(
    ("one", "other"),
    [({"a": 1}, {"a": 2}), ({"a": "\ud800"}, {"a": "\ud801"}), ({"\ud800": 1}, {}), ({"a": 2**60}, {"a": 2**60 + 1})],
)
def test_another_call_has_another_digest(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert approval_digest("t", one, "acme", 1.0) == approval_digest("t", dict(one), "acme", 1.0)
    assert approval_digest("t", one, "acme", 1.0) != approval_digest("t", other, "acme", 1.0)
    assert approval_digest("t", one, "acme", 1.0) != approval_digest("t", one, "other", 1.0)
