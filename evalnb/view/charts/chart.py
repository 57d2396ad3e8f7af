"""What every chart has in common: one theme, a sentence that says what it shows, and saving without a network."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Literal, TypeAlias

import altair as alt

from evalnb.view.charts.text import shown
from evalnb.view.theme import PALETTES, Theme, chart_config, palette

Width: TypeAlias = int | Literal["container"]
Record: TypeAlias = dict[str, str | int | float | None]
"""One datum. The field names are ours; only the values come from artifacts, and those went through `shown`."""

WIDTH: Final = 720
NOTHING: Final = "nothing to show"
EMBED_OPTIONS: Final[Mapping[str, Any]] = {"renderer": "svg", "ast": True, "actions": False}
"""How to embed a chart: as SVG, which takes CSS variables, and with expressions interpreted, which needs no `eval`."""

# Parts of a specification that hold text of artifacts: a text that looks like one of our colours is no colour.
_TEXTS: Final = frozenset({"data", "datasets", "values", "domain", "text", "subtitle", "description", "sort"})


class EvalChart(alt.LayerChart):
    """A chart of an evaluation. `save` writes PNG, SVG and HTML that need no network."""

    def save(self, fp: Any, format: Any = None, **options: Any) -> None:  # type: ignore[override]
        """Write the chart to `fp`; the format follows from its name.

        A file is no page and sets no CSS variables: a chart in the theme "auto" is saved in light.
        """
        if (format or str(fp).rpartition(".")[2]) == "html":
            options = {"inline": True, "embed_options": dict(EMBED_OPTIONS), **options}
        alt.LayerChart.from_dict(themed(self, self._mode)).save(fp, format=format, **options)

    @property
    def _mode(self) -> Theme:
        surface = self.config["background"] if isinstance(self.config, dict) else self.config.background
        return next((mode for mode, colors in PALETTES.items() if colors.surface == surface), "light")


def compose(
    layers: Sequence[alt.Chart],
    *,
    title: str,
    sentence: str,
    height: float,
    theme: Theme,
    width: Width,
    subtitle: bool = True,
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
        usermeta={"embedOptions": dict(EMBED_OPTIONS)},
        **options,
    )


def nothing_to_show(*, title: str, theme: Theme, width: Width) -> EvalChart:
    """What an empty frame gives: a small chart that says so."""
    text = (
        alt.Chart(alt.InlineData(values=[{"note": NOTHING}]))
        .mark_text(color=palette(theme).muted, fontSize=13)
        .encode(
            text=alt.Text("note", type="nominal"),
            x=alt.value(alt.expr("width / 2")),
            tooltip=[alt.Tooltip("note", type="nominal", title=title)],
        )
    )
    sentence = f"{title}: {NOTHING}."
    return compose([text], title=title, sentence=sentence, subtitle=False, height=40, theme=theme, width=width)


def themed(chart: alt.TopLevelMixin | Mapping[str, Any], theme: Theme, *, width: Width | None = None) -> dict[str, Any]:
    """The specification of a chart, whichever theme it was made in, in `theme` and, if given, at `width`.

    In "auto" the colours are the CSS variables of `theme.css()`, so that one embedded chart follows the page from
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
        return {key: value if key in _TEXTS else _recolored(value, colors) for key, value in part.items()}
    if isinstance(part, list):
        return [_recolored(member, colors) for member in part]
    return part


def inline(records: Sequence[Record]) -> alt.InlineData:
    """The records as data within the chart; altair's limit on rows does not apply to it."""
    return alt.InlineData(values=list(records))
