"""What every chart has in common: one theme, a sentence that says what it shows, and saving without a network."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import altair as alt

from evalnb.files import write_text_atomically
from evalnb.view.charts.page import EMBED_OPTIONS, chart_page
from evalnb.view.charts.text import shown
from evalnb.view.theme import PALETTES, Theme, chart_config, palette

Width: TypeAlias = int | Literal["container"]
Record: TypeAlias = dict[str, str | int | float | None]
"""One datum. The field names are ours; only the values come from artifacts, and those went through `shown`."""

WIDTH: Final = 720
"""The width of a chart where nobody says one, in pixels."""
NOTHING: Final = "nothing to show"
EMPTY: Final = "isEmpty"
"""What the `usermeta` of a specification holds where the chart has nothing to show."""
LEAST_WIDTH: Final = "leastWidth"
"""What the `usermeta` holds where a chart below a width, in pixels, could not be read: a page scrolls it then."""
# Parts of a specification that hold text of artifacts: a text that looks like one of our colors is no color.
_DATA: Final = frozenset({"data", "datasets"})
_TEXTS: Final = frozenset({"values", "domain", "text", "subtitle", "description", "sort"})
_SPECIFICATION: Final = f"application/vnd.vegalite.v{alt.SCHEMA_VERSION.lstrip('v').split('.')[0]}+json"


class EvalChart(alt.LayerChart):
    """A chart of an evaluation. It is saved, and shown in a notebook, without a network."""

    def save(self, fp: Any, format: Any = None, **options: Any) -> None:  # type: ignore[override]
        """Write the chart to `fp`, a name or an open file; the format follows from the name.

        A picture sets no CSS variables and has no container: a chart in the theme "auto" is drawn in light, one of
        the width "container" 720 pixels wide. An HTML page keeps both; of altair's further options it takes none.
        """
        if (format or str(fp).rpartition(".")[2]) == "html":
            specification = self.to_dict()
            page = chart_page(specification, _mode(specification))
            if hasattr(fp, "write"):
                fp.write(page)
            else:
                write_text_atomically(Path(fp), page)
        else:
            alt.LayerChart.from_dict(self._pictured()).save(fp, format=format, **options)

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        # By default altair loads its code from the network; a renderer that somebody chose is left to them.
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **options)
        import vl_convert

        specification = self._pictured()
        return {
            _SPECIFICATION: specification,
            "image/svg+xml": vl_convert.vegalite_to_svg(specification),
            "text/plain": f"<{type(self).__name__}: {specification['description']}>",
        }

    def _pictured(self) -> dict[str, Any]:
        """The specification for a place that has neither CSS variables nor a width."""
        specification = self.to_dict()
        mode = _mode(specification)
        width = WIDTH if specification.get("width") == "container" else None
        return themed(specification, "light" if mode == "auto" else mode, width=width)


def _mode(specification: Mapping[str, Any]) -> Theme:
    """The theme a chart was made in: its background tells."""
    surface = specification.get("config", {}).get("background")
    return next((mode for mode, colors in PALETTES.items() if colors.surface == surface), "auto")


def compose(
    layers: Sequence[alt.Chart],
    *,
    title: str,
    sentence: str,
    height: float,
    theme: Theme,
    width: Width,
    subtitle: bool = True,
    least_width: int | None = None,
    **options: Any,
) -> EvalChart:
    """The layers as one chart, `sentence` being its description and, unless told otherwise, its subtitle.

    `width` is the width of the whole chart, labels included; "container" fills the element it is embedded in.
    """
    sentence = shown(sentence, 400)
    return EvalChart(
        layer=list(layers),
        title=alt.TitleParams(text=title, subtitle=textwrap.wrap(sentence, 92) if subtitle else []),
        description=sentence,
        width=width,
        height=height,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        config=chart_config(palette(theme)),
        usermeta={
            "embedOptions": dict(EMBED_OPTIONS),
            **({} if least_width is None else {LEAST_WIDTH: least_width}),
        },
        **options,
    )


def nothing_to_show(*, title: str, theme: Theme, width: Width) -> EvalChart:
    """What an empty frame gives: a small chart that says so."""
    text = (
        alt.Chart(inline([{"note": NOTHING}]))
        .mark_text(color=palette(theme).muted, fontSize=13)
        .encode(
            text=alt.Text("note", type="nominal"),
            x=alt.value(alt.expr("width / 2")),
            tooltip=[alt.Tooltip("note", type="nominal", title=title)],
        )
    )
    sentence = f"{title}: {NOTHING}."
    chart = compose([text], title=title, sentence=sentence, subtitle=False, height=40, theme=theme, width=width)
    chart.usermeta = {**chart.usermeta, EMPTY: True}
    return chart


def themed(chart: alt.TopLevelMixin | Mapping[str, Any], theme: Theme, *, width: Width | None = None) -> dict[str, Any]:
    """The specification of a chart, whichever theme it was made in, in `theme` and, if given, at `width`.

    In "auto" the colors are the CSS variables of `theme.css()`, so that one embedded chart follows the page from
    light to dark and onto paper. It must then be drawn as SVG (`EMBED_OPTIONS`).
    """
    # `to_dict` of an EvalChart is the specification alone: its data was inlined when it was made.
    spec = dict(chart) if isinstance(chart, Mapping) else chart.to_dict()
    to = asdict(palette(theme))
    colors = {
        color: to[name] for known in (*PALETTES.values(), palette("auto")) for name, color in asdict(known).items()
    }
    recolored: dict[str, Any] = _recolored(spec, colors)
    return recolored if width is None else {**recolored, "width": width}


def _recolored(part: Any, colors: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        return colors.get(part, part)
    if isinstance(part, Mapping):
        return {key: value if _is_text(key, value) else _recolored(value, colors) for key, value in part.items()}
    if isinstance(part, list):
        return [_recolored(member, colors) for member in part]
    return part


def _is_text(key: str, value: object) -> bool:
    return key in _DATA or (key in _TEXTS and not isinstance(value, Mapping))


def inline(records: Sequence[Record]) -> alt.InlineData:
    """The records as data within the chart; altair's limit on rows does not apply to it."""
    data = alt.InlineData(values=[])
    # Set afterwards: given at once, every value is checked, which takes longer than everything else about a chart.
    data["values"] = list(records)
    return data
