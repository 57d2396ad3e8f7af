"""A comparison as the topic of a widget: the corpora are compared again as the reader picks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from evalnb.corpora import Comparison
from evalnb.corpora.class_counts import ClassCounts
from evalnb.corpora.dominance import relations
from evalnb.corpora.intervals import wilson
from evalnb.corpora.paired import paired_tests
from evalnb.engine.canonical import digest_artifact
from evalnb.engine.coverage.report import SEVERITY_ORDER
from evalnb.view import frames
from evalnb.view.cards import card
from evalnb.view.html import Html, join, visible
from evalnb.view.tables import static_table
from evalnb.widgets.comparison.options import ALL_CLASSES, CONFIDENCES, Options
from evalnb.widgets.comparison.pages import cell_page, overview_page, pair_page
from evalnb.widgets.topic import Answer, Kind, UnknownQuestion, line_of

MOST_KEPT: Final = 16
CHART_WIDTH: Final = 620


class ComparisonTopic:
    """Answers `compare`, `chart`, `cell` and `pair`. Corpora and pairs go by their places in the outline."""

    kind: Kind = "comparison"
    slow = frozenset({"chart"})

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.key = _key(comparison)
        self._kept: OrderedDict[tuple[tuple[str, ...], bool], Comparison] = OrderedDict()

    def outline(self) -> Answer:
        options = Options.read(self.comparison, {})
        return {
            "names": [line_of(name, 80) for name in self.comparison.names],
            "sizes": [len(self.comparison.corpora[name].scored) for name in self.comparison.names],
            "classes": [ALL_CLASSES, *options.classes],
            "floors": list(SEVERITY_ORDER),
            "confidences": sorted({*CONFIDENCES, self.comparison.confidence}),
            "chosen": {
                "class": options.probe_class,
                "floor": options.severity_floor,
                "confidence": options.confidence,
                "shared": options.only_shared,
            },
        }

    def answer(self, question: str, given: Mapping[str, Any]) -> Answer:
        options = self._options(given)
        compared = self._compared(options)
        match question:
            case "compare":
                return {**_numbers(compared, options, self.comparison.names), "html": overview_page(compared)}
            case "chart":
                return _chart(compared, options, "dark" if given.get("dark") is True else "light")
            case "cell":
                corpus, probe_class = self._name(given.get("corpus"), compared), str(given.get("cell"))
                return {"html": cell_page(compared, options, corpus, probe_class)}
            case "pair":
                a, b = self._name(given.get("a"), compared), self._name(given.get("b"), compared)
                return {"html": pair_page(compared, options, a, b)}
        raise UnknownQuestion(f"a comparison does not answer {question}")

    def static(self) -> Html:
        table = static_table(frames.corpus_strength(self.comparison), caption="Strength by class and corpus")
        return join([card(self.comparison), table.html])

    def _options(self, given: Mapping[str, Any]) -> Options:
        places = given.get("corpora")
        names = None
        if isinstance(places, list):
            names = [name for place, name in enumerate(self.comparison.names) if place in places]
        return Options.read(self.comparison, {**given, "names": names})

    def _compared(self, options: Options) -> Comparison:
        """The comparison under these options. Which corpora are compared is judged anew; the rest follows from it."""
        base = self._base(options)
        if base.refusals:
            return base
        if options.severity_floor != base.severity_floor:
            base = replace(
                base,
                severity_floor=options.severity_floor,
                dominance=relations(base.results, options.severity_floor),
            )
        if options.confidence != base.confidence:
            paired = paired_tests(base.results, options.confidence)
            base = replace(base, confidence=options.confidence, paired=paired)
        self._kept[options.names, options.only_shared] = base
        return base

    def _base(self, options: Options) -> Comparison:
        given = self.comparison
        if (options.names, options.only_shared) == (given.names, given.only_shared):
            return self._kept.get((options.names, options.only_shared), given)
        key = (options.names, options.only_shared)
        if key not in self._kept:
            self._kept[key] = given.again(names=options.names, only_shared=options.only_shared)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def _name(self, place: Any, compared: Comparison) -> str:
        names = self.comparison.names
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(names):
            raise LookupError("there is no such corpus")
        if names[place] not in compared.results:
            raise LookupError("this corpus is not compared")
        return names[place]


def _key(comparison: Comparison) -> str:
    """Names a comparison by its corpora and what they were scored under."""
    found = {name: comparison.corpora[name].scored for name in comparison.names}
    told = {name: [len(scored), *sorted({one.scoring_version for one in scored})] for name, scored in found.items()}
    return digest_artifact(told, "comparison")


def _numbers(compared: Comparison, options: Options, names: tuple[str, ...]) -> Answer:
    places = {name: place for place, name in enumerate(names)}
    counts: dict[tuple[str, str], ClassCounts] = {
        (one.corpus, one.counts.probe_class): one.counts for one in compared.strength
    }
    return {
        "state": compared.state,
        "classes": list(options.classes),
        "strength": [
            [places[name], [_cell(counts.get((name, one)), options.confidence) for one in options.classes]]
            for name in options.names
            if not compared.refusals
        ],
        "relations": [[places[one.corpus_a], places[one.corpus_b], one.relation] for one in compared.dominance],
    }


def _cell(counts: ClassCounts | None, confidence: float) -> list[float | int | bool | None]:
    """Caught, exercised, rate, low, high."""
    if counts is None or not counts.exercised:
        return [0, 0, None, None, None]
    interval = wilson(counts.caught, counts.exercised, confidence)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return [counts.caught, counts.exercised, counts.rate, low, high]


def _chart(compared: Comparison, options: Options, theme: Any) -> Answer:
    """The strength chart as a picture: a picture holds no scripts and needs none."""
    import vl_convert

    from evalnb.view.charts import strength_comparison

    frame = frames.corpus_strength(compared)
    shown = frame[frame["probe_class"].isin(options.classes)]
    specification = strength_comparison(shown, theme=theme, width=CHART_WIDTH).to_dict()
    # A picture has no room beyond its edges for the labels that its fonts make wider.
    specification["padding"] = {"left": 26, "right": 12, "top": 4, "bottom": 6}
    return {
        "svg": vl_convert.vegalite_to_svg(specification),
        "description": visible(specification["description"]),
    }
