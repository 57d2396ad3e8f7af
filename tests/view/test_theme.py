"""The theme: readable in light and dark, told apart without color, and without full color vision."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import combinations

import pytest

from evalnb.view import theme
from evalnb.view.frames import vocabularies
from evalnb.view.frames.columns import Vocabulary
from evalnb.view.theme import DARK, LIGHT, STATE_STYLES, Palette, style_of

TONES = ("good", "bad", "warn", "fault", "quiet")
MODES = pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
STYLED = {
    name: getattr(vocabularies, name)
    for name in (
        "STATES",
        "VERDICTS",
        "SEVERITIES",
        "CHECK_OUTCOMES",
        "RULE_STATUSES",
        "DEFECT_RESULTS",
        "COMPILE_STATUSES",
        "FLOOR_DECISIONS",
        "DISPOSITIONS",
        "CORROBORATIONS",
        "RESOLUTIONS",
        "FINDING_TYPES",
        "DOMINANCE",
    )
}

# How a color is seen without one kind of cone: matrices over linear RGB at full severity.
SIGHT = {
    "full color vision": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(color: str) -> list[float]:
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]


def contrast(one: str, other: str) -> float:
    """The contrast ratio of the accessibility guidelines, 1 to 21."""
    low, high = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(x), strict=True)) for x in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def lab(rgb: list[float]) -> list[float]:
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.95047, 1.0, 1.08883)
    scaled = [sum(a * b for a, b in zip(row, rgb, strict=True)) / w for row, w in zip(to_xyz, white, strict=True)]
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (max(0.0, s) for s in scaled))
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def distance(one: str, other: str, sight: str) -> float:
    """The CIE 1976 difference of two colors as somebody sees them; from about 10 on it is plain."""
    seen = []
    for color in (one, other):
        rgb = linear(color)
        seen.append(
            lab([min(1.0, max(0.0, sum(a * b for a, b in zip(row, rgb, strict=True)))) for row in SIGHT[sight]])
        )
    return math.dist(*seen)


@MODES
def test_text_is_readable_on_the_surface_and_on_every_tint(colors: Palette) -> None:
    grounds = [colors.surface, *(colors.tint(tone) for tone in TONES)]
    assert min(contrast(text, ground) for text in (colors.ink, colors.muted) for ground in grounds) >= 4.5


@MODES
def test_marks_stand_out_from_the_surface(colors: Palette) -> None:
    marks = [*(colors.mark(tone) for tone in TONES), *colors.series]
    assert min(contrast(mark, colors.surface) for mark in marks) >= 3


@MODES
def test_a_mark_stands_out_from_its_own_tint(colors: Palette) -> None:
    assert min(contrast(colors.mark(tone), colors.tint(tone)) for tone in TONES) >= 3


@MODES
@pytest.mark.parametrize("sight", SIGHT)
def test_tones_differ_for_every_kind_of_color_vision(colors: Palette, sight: str) -> None:
    closest = min(distance(colors.mark(a), colors.mark(b), sight) for a, b in combinations(TONES, 2))
    assert closest >= 20
    assert distance(colors.good, colors.bad, sight) >= 40


@pytest.mark.parametrize("vocabulary", STYLED.values(), ids=STYLED.keys())
def test_every_state_has_a_style_and_no_two_of_a_vocabulary_share_a_glyph_or_shape(vocabulary: Vocabulary) -> None:
    styles = [STATE_STYLES[term] for term in vocabulary.terms]
    assert len({style.glyph for style in styles}) == len(styles)
    assert len({style.shape for style in styles}) == len(styles)
    assert len({style.label for style in styles}) == len(styles)


def test_a_state_the_theme_does_not_know_is_shown_by_its_own_name() -> None:
    assert style_of("surprised").label == "surprised"


def test_a_color_tells_its_name() -> None:
    names: dict[str, str] = {}
    for colors in (LIGHT, DARK):
        assert len(set(asdict(colors).values())) == len(asdict(colors))
        for name, color in asdict(colors).items():
            assert names.setdefault(color, name) == name


def test_the_style_sheet_sets_every_variable_for_light_dark_and_paper() -> None:
    css = theme.css()
    for name in asdict(LIGHT):
        assert css.count(f"{theme.variable(name)}:") == 4
    assert 'data-theme="dark"' in css
    assert "prefers-color-scheme:dark" in css
    assert "@media print" in css


def test_auto_is_a_variable_with_light_to_fall_back_on() -> None:
    assert theme.palette("auto").good_tint == f"var(--evalnb-good-tint, {LIGHT.good_tint})"


def test_there_is_no_third_mode() -> None:
    with pytest.raises(ValueError, match="light, dark or auto"):
        theme.palette("sepia")  # type: ignore[arg-type]


def test_the_theme_can_be_registered_for_charts_of_ones_own() -> None:
    import altair as alt

    theme.register()
    assert theme.NAME in alt.theme.names()
    with alt.theme.enable(theme.NAME):
        spec = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point().to_dict()
    assert spec["config"]["background"] == LIGHT.surface
