"""What charts of rates on a line from 0 to 100 % share: axes, the figures beside the line, how a share is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import altair as alt

from evalnb.view.theme import Palette

BESIDE: Final = "clamp(0.3 * width, 165, 320)"
"""The pixels to the right of 100 % that the numbers take, as an expression of the chart."""
BESIDE_SHORT: Final = "clamp(0.3 * width, 128, 320)"
"""The same for numbers that are a count and a word, which leaves more of a narrow page."""
NUMBERS: Final = "numbers"
"""The field of the text beside a line."""
NONE: Final = "–"


def rate_axis(field: str, title: str, beside: str) -> alt.X:
    """The line, which leaves `beside`, an expression of pixels, at its right for figures."""
    axis = alt.Axis(title=title, titleAnchor="start", values=[0, 0.25, 0.5, 0.75, 1], format=".0%", grid=True)
    scale = alt.Scale(domainMin=0, domainMax=alt.expr(f"width / (width - {beside})"), nice=False)
    return alt.X(field, type="quantitative", scale=scale, axis=axis)


def row_axis(field: str, rows: Sequence[str]) -> alt.Y:
    """A row each, named in bold."""
    scale = alt.Scale(domain=list(rows), paddingInner=0.12)
    return alt.Y(field, type="nominal", scale=scale, axis=alt.Axis(title=None, labelPadding=8, labelFontWeight=600))


def figures(chart: alt.Chart, shared: Mapping[str, Any], beside: str, colors: Palette) -> alt.Chart:
    """The figures of each row at the right of its line."""
    encoding = {channel: value for channel, value in shared.items() if channel != "x"}
    layer: alt.Chart = chart.mark_text(
        align="left", color=colors.ink, x=alt.expr(f"width - {beside} + 14"), limit=alt.expr(f"{beside} - 14")
    ).encode(**encoding, text=alt.Text(NUMBERS, type="nominal"))
    return layer


def percent(share: float) -> str:
    """`75%`; never 0 % or 100 % for what is only nearly so."""
    rounded = round(share * 100)
    if (rounded == 0 and share > 0) or (rounded == 100 and share < 1):
        return f"{share * 100:.1f}%"
    return f"{rounded}%"
