"""axe-core finds nothing serious in any report, in light or dark, wide or narrow."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import HOSTILE
from tests.e2e.test_reports import NAMES
from tests.e2e.watching import Watched

FOUND = """async () => {
    const {violations} = await axe.run(document, {resultTypes: ['violations']});
    return violations.filter((one) => ['serious', 'critical'].includes(one.impact))
        .map((one) => `${one.id}: ${one.nodes.length} x ${one.nodes[0].html.slice(0, 200)} ${one.nodes[0].failureSummary}`);
}"""


@pytest.fixture(scope="session")
def axe() -> str:
    modules = os.environ.get("EVALNB_NODE_MODULES")
    if modules is None:
        pytest.skip("EVALNB_NODE_MODULES does not name a folder of node modules")
    script = Path(modules) / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip("axe-core is not among the node modules")
    return script.read_text("utf-8")


@pytest.mark.parametrize("name", [*NAMES, HOSTILE])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (600, "dark")])
def test_nothing_serious_stands_in_a_readers_way(
    watch: Callable[..., Watched], report_of: Callable[[str], Path], axe: str, name: str, width: int, scheme: str
) -> None:
    page = watch(report_of(name), width=width, scheme=scheme).page
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    page.evaluate(axe)
    assert page.evaluate(FOUND) == []
