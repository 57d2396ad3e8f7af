"""The process a notebook runs in: an IPython kernel whose outputs leave to the page what a page holds only once.

Started as `python -m evalnb.reporting.kernel_start -f CONNECTION_FILE`. Charts come as specifications and tables as
markup; the code that draws and sorts them is added when the page is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from evalnb.view.tables import Table

CHART_MIME: Final = "application/vnd.vegalite+json"
REPORT_MIME: Final = "application/vnd.evalnb.report+html"
"""HTML for a report, from an object that shows something else in a live notebook."""
EMPTY_OUTPUT: Final = "evalnb-empty"
"""Metadata of an output: whether it is a table without rows or a chart of nothing."""

_CHART_HOMES: Final = ("altair.vegalite.v5.api", "altair.vegalite.v6.api")


def main() -> None:
    """Serve the kernel until it is told to shut down."""
    from ipykernel.kernelapp import IPKernelApp

    from evalnb.display import register

    app = IPKernelApp.instance()
    app.initialize()  # type: ignore[no-untyped-call]
    assert app.shell is not None
    register()
    formatter = app.shell.display_formatter.mimebundle_formatter
    formatter.for_type_by_name("evalnb.view.tables", "Table", table_bundle)
    for home in _CHART_HOMES:
        formatter.for_type_by_name(home, "TopLevelMixin", chart_bundle)
    app.start()  # type: ignore[no-untyped-call]


Bundle: TypeAlias = tuple[dict[str, object], dict[str, object]]
"""An output by MIME type, and what is known of it."""


def table_bundle(table: Table, include: object = None, exclude: object = None) -> Bundle:
    """A table without the code and the styles that all tables share."""
    return {REPORT_MIME: str(table.html), "text/plain": repr(table)}, {EMPTY_OUTPUT: table.rows == 0}


def chart_bundle(chart: Any, include: object = None, exclude: object = None) -> Bundle:
    """A chart's specification, whatever its size: ours in the colors and the width of the page it stands in."""
    import altair

    from evalnb.view.charts.chart import EMPTY, EvalChart, themed

    with altair.data_transformers.enable("default", max_rows=None):
        if isinstance(chart, EvalChart):
            specification = themed(chart, "auto", width="container")
        else:
            specification = chart.to_dict()
    bundle: dict[str, object] = {
        CHART_MIME: specification,
        "text/plain": str(specification.get("description", "chart")),
    }
    return bundle, {EMPTY_OUTPUT: EMPTY in specification.get("usermeta", {})}


if __name__ == "__main__":
    main()
