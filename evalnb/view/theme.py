"""One theme for everything that is shown: the colors of light and dark, and how every state looks and reads.

A state is told by its glyph and its label; the color repeats what they say. Colors were chosen so that the
tones stay apart under deuteranopia, protanopia and tritanopia, marks have a contrast of 3:1 and text 4.5:1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

Theme: TypeAlias = Literal["light", "dark", "auto"]
Mode: TypeAlias = Literal["light", "dark"]
Tone: TypeAlias = Literal["good", "bad", "warn", "fault", "quiet"]

NAME: Final = "evalnb"
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colors of one mode. No two are equal, so that a color in a chart tells which one it is."""

    surface: str
    ink: str
    muted: str
    line: str
    good: str
    good_tint: str
    bad: str
    bad_tint: str
    warn: str
    warn_tint: str
    fault: str
    fault_tint: str
    quiet: str
    quiet_tint: str
    series_1: str
    series_2: str
    series_3: str
    series_4: str
    series_5: str
    series_6: str

    @property
    def series(self) -> tuple[str, ...]:
        """The colors of things that have no state, such as corpora side by side."""
        return (self.series_1, self.series_2, self.series_3, self.series_4, self.series_5, self.series_6)

    def mark(self, tone: Tone) -> str:
        """The color of a mark or a glyph of this tone."""
        return str(getattr(self, tone))

    def tint(self, tone: Tone) -> str:
        """The pale ground under marks of this tone; `ink` and `muted` are readable on it."""
        return str(getattr(self, f"{tone}_tint"))


LIGHT: Final = Palette(
    surface="#ffffff",
    ink="#1b1f24",
    muted="#565f69",
    line="#dce0e5",
    good="#0b57b0",
    good_tint="#e3eefb",
    bad="#ab2c10",
    bad_tint="#fbe5df",
    warn="#b88300",
    warn_tint="#fdf6e4",
    fault="#3f1259",
    fault_tint="#efe4f6",
    quiet="#7d8691",
    quiet_tint="#f4f5f7",
    series_1="#0b58b1",
    series_2="#00866b",
    series_3="#ac2d11",
    series_4="#5d2470",
    series_5="#b98401",
    series_6="#4b5560",
)
DARK: Final = Palette(
    surface="#15181d",
    ink="#e8ebef",
    muted="#aab3be",
    line="#343b44",
    good="#74beff",
    good_tint="#17304a",
    bad="#ff6535",
    bad_tint="#42201a",
    warn="#f5df8a",
    warn_tint="#3a3318",
    fault="#c558ff",
    fault_tint="#341c44",
    quiet="#838e9a",
    quiet_tint="#1d2127",
    series_1="#75bfff",
    series_2="#3fd0a4",
    series_3="#ff6636",
    series_4="#c659ff",
    series_5="#f6e08b",
    series_6="#8c97a3",
)
PALETTES: Final[Mapping[Mode, Palette]] = MappingProxyType({"light": LIGHT, "dark": DARK})


@dataclass(frozen=True, slots=True)
class Style:
    """How a state looks: a glyph for text, a shape for charts, a label, a tone."""

    label: str
    glyph: str
    shape: str
    tone: Tone


# Shapes are names Vega knows, or paths in a box from -1 to 1.
CHECK: Final = "M-0.95,0.1L-0.68,-0.22L-0.3,0.2L0.68,-0.8L0.95,-0.5L-0.3,0.78Z"
CROSS: Final = (
    "M-0.8,-0.52L-0.52,-0.8L0,-0.28L0.52,-0.8L0.8,-0.52L0.28,0L0.8,0.52L0.52,0.8L0,0.28L-0.52,0.8L-0.8,0.52L-0.28,0Z"
)
BAR: Final = "M-0.75,-0.18L0.75,-0.18L0.75,0.18L-0.75,0.18Z"
SPECK: Final = "M-0.24,0A0.24,0.24,0,1,1,0.24,0A0.24,0.24,0,1,1,-0.24,0Z"
DOT: Final = "M-0.5,0A0.5,0.5,0,1,1,0.5,0A0.5,0.5,0,1,1,-0.5,0Z"
RING: Final = (
    "M-0.8,0A0.8,0.8,0,1,1,0.8,0A0.8,0.8,0,1,1,-0.8,0Z M-0.46,0A0.46,0.46,0,1,0,0.46,0A0.46,0.46,0,1,0,-0.46,0Z"
)
HALF: Final = "M-0.8,0A0.8,0.8,0,1,1,0.8,0A0.8,0.8,0,1,1,-0.8,0Z M0,-0.55A0.55,0.55,0,1,0,0,0.55Z"
FRAME: Final = "M-0.7,-0.7L0.7,-0.7L0.7,0.7L-0.7,0.7Z M-0.38,-0.38L-0.38,0.38L0.38,0.38L0.38,-0.38Z"
GEM: Final = "M0,-0.95L0.95,0L0,0.95L-0.95,0Z M0,-0.5L-0.5,0L0,0.5L0.5,0Z"
EQUAL: Final = "M-0.75,-0.5L0.75,-0.5L0.75,-0.16L-0.75,-0.16Z M-0.75,0.16L0.75,0.16L0.75,0.5L-0.75,0.5Z"
SKIP: Final = "M-0.8,-0.7L-0.1,0L-0.8,0.7Z M0,-0.7L0.7,0L0,0.7Z"
SLASH: Final = "M-0.62,0.8L0.3,-0.8L0.62,-0.8L-0.3,0.8Z"
BANG: Final = "M-0.24,-0.9L0.24,-0.9L0.14,0.25L-0.14,0.25Z M-0.2,0.5L0.2,0.5L0.2,0.9L-0.2,0.9Z"

UNKNOWN: Final = Style("unknown", "?", "circle", "quiet")

STATE_STYLES: Final[Mapping[str, Style]] = MappingProxyType(
    {
        # outcome states, and the results of defects
        "caught": Style("caught", "✓", CHECK, "good"),
        "confirmed": Style("confirmed", "●", DOT, "quiet"),
        "missed": Style("missed", "✗", CROSS, "bad"),
        "passed-clean-control": Style("passed control", "○", RING, "good"),
        "false-positive": Style("false positive", "!", BANG, "bad"),
        "abstained": Style("abstained", "–", BAR, "warn"),
        "bypassed": Style("bypassed", "»", SKIP, "warn"),
        "unreached": Style("unreached", "◇", GEM, "quiet"),
        "oracle-error": Style("oracle error", "■", "square", "fault"),
        "judge-error": Style("judge error", "◆", "diamond", "fault"),
        "infrastructure-error": Style("infrastructure error", "▼", "triangle-down", "fault"),
        "not-applicable": Style("not applicable", "·", SPECK, "quiet"),
        "sometimes caught": Style("sometimes caught", "◐", HALF, "good"),
        "mixed": Style("mixed", "◐", HALF, "warn"),
        "not exercised": Style("not exercised", "◇", GEM, "quiet"),
        "invalid": Style("invalid", "■", "square", "fault"),
        # what became of a planted defect, beside caught, missed, equivalent and unreached
        "unqualified": Style("unqualified", "»", SKIP, "warn"),
        "broken": Style("broken", "▼", "triangle-down", "fault"),
        # what an oracle was worth
        "alone": Style("only catcher", "✓", CHECK, "good"),
        "redundant": Style("redundant", "=", EQUAL, "quiet"),
        "silent": Style("caught nothing", "–", BAR, "warn"),
        # verdicts
        "PASS": Style("PASS", "✓", CHECK, "good"),
        "WAIVED": Style("WAIVED", "»", SKIP, "warn"),
        "CONCERNS": Style("CONCERNS", "!", BANG, "warn"),
        "FAIL": Style("FAIL", "✗", CROSS, "bad"),
        "INVALID": Style("INVALID", "■", "square", "fault"),
        # severities
        "low": Style("low", "○", RING, "quiet"),
        "material": Style("material", "◐", HALF, "warn"),
        "critical": Style("critical", "●", "circle", "bad"),
        # pre-flight outcomes
        "satisfied": Style("satisfied", "✓", CHECK, "good"),
        "failed": Style("failed", "✗", CROSS, "bad"),
        "exempt": Style("exempt", "–", BAR, "quiet"),
        # discipline rules
        "witnessed": Style("witnessed", "✓", CHECK, "good"),
        "gap": Style("gap", "□", FRAME, "bad"),
        "not relevant": Style("not relevant", "·", SPECK, "quiet"),
        # compilation
        "compiled": Style("compiled", "✓", CHECK, "good"),
        "refused": Style("refused", "✗", CROSS, "bad"),
        "unreadable": Style("unreadable", "■", "square", "fault"),
        # strength floors
        "meets": Style("meets the floor", "✓", CHECK, "good"),
        "does-not-meet": Style("below the floor", "✗", CROSS, "bad"),
        "undeclared": Style("no floor", "·", SPECK, "quiet"),
        # what an evaluator said, and whether the check agrees
        "held": Style("held", "✓", CHECK, "good"),
        "violated": Style("violated", "✗", CROSS, "bad"),
        "not-attempted": Style("not attempted", "–", BAR, "quiet"),
        "agrees": Style("agrees", "✓", CHECK, "good"),
        "disagrees": Style("disagrees", "✗", CROSS, "bad"),
        "not-evaluable": Style("not evaluable", "◇", GEM, "quiet"),
        "true": Style("true", "✓", CHECK, "good"),
        "false": Style("false", "✗", CROSS, "bad"),
        "insufficient-evidence": Style("insufficient evidence", "◇", GEM, "warn"),
        # findings
        "defect": Style("defect", "▲", "triangle-up", "bad"),
        "observation": Style("observation", "●", "circle", "quiet"),
        "confirmation": Style("confirmation", "✓", CHECK, "good"),
        # dominance, read from the row to the column
        "a-dominates-b": Style("stronger", "▲", "triangle-up", "good"),
        "b-dominates-a": Style("weaker", "▼", "triangle-down", "bad"),
        "equivalent": Style("equivalent", "=", EQUAL, "quiet"),
        "incomparable": Style("incomparable", "/", SLASH, "warn"),
        # what a rule of a release gate came to
        "pass": Style("pass", "✓", CHECK, "good"),
        "review": Style("needs review", "!", BANG, "warn"),
        "blocked": Style("blocked", "✗", CROSS, "bad"),
        "not-measurable": Style("not measurable", "◇", GEM, "fault"),
        # what a finding in a recorded run bears on, and what the run came to
        "safety": Style("safety", "▲", "triangle-up", "bad"),
        "resolution": Style("resolution", "◐", HALF, "warn"),
        "quality": Style("quality", "○", RING, "quiet"),
        "note": Style("note", "•", DOT, "quiet"),
        "safe": Style("safe", "✓", CHECK, "good"),
        "unsafe": Style("unsafe", "✗", CROSS, "bad"),
        "resolved": Style("resolved", "✓", CHECK, "good"),
        "unresolved": Style("not resolved", "–", BAR, "warn"),
        # how a tool call came back, what was decided ahead of it, and its arguments against their schema
        "ok": Style("ok", "✓", CHECK, "good"),
        "execution-error": Style("execution error", "✗", CROSS, "bad"),
        "protocol-error": Style("protocol error", "■", "square", "fault"),
        "timeout": Style("timeout", "▼", "triangle-down", "fault"),
        "rate-limit": Style("rate limit", "»", SKIP, "warn"),
        "malformed": Style("malformed", "◆", "diamond", "fault"),
        "denied": Style("denied", "–", BAR, "warn"),
        "unanswered": Style("unanswered", "◇", GEM, "warn"),
        "approved": Style("approved", "✓", CHECK, "good"),
        "undecided": Style("undecided", "◇", GEM, "warn"),
        "no request": Style("not asked for", "·", SPECK, "quiet"),
        "fits": Style("fits the schema", "✓", CHECK, "good"),
        "does not fit": Style("does not fit the schema", "✗", CROSS, "bad"),
        "no schema": Style("no schema", "·", SPECK, "quiet"),
    }
)


def style_of(term: str) -> Style:
    """The style of a state; a state the theme does not know is shown by its own name."""
    known = STATE_STYLES.get(term)
    return known if known is not None else Style(term, UNKNOWN.glyph, UNKNOWN.shape, UNKNOWN.tone)


def palette(theme: Theme) -> Palette:
    """The colors of a mode, or the CSS variables that a page sets (`css`) with light to fall back on."""
    if theme == "auto":
        return Palette(**{name: f"var({variable(name)}, {color})" for name, color in asdict(LIGHT).items()})
    if theme not in PALETTES:
        raise ValueError(f"a theme is light, dark or auto, not {theme!r}")
    return PALETTES[theme]


def variable(name: str) -> str:
    """The CSS variable of a color: `good_tint` is `--evalnb-good-tint`."""
    return f"--{NAME}-{name.replace('_', '-')}"


def css() -> str:
    """The CSS variables of both modes.

    Dark follows the reader's system unless the root element says `data-theme="light"` or `data-theme="dark"`;
    paper is always light.
    """
    light, dark = (_declarations(colors) for colors in (LIGHT, DARK))
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{color-scheme:dark;{dark}}}}}\n'
        f':root[data-theme="dark"]{{color-scheme:dark;{dark}}}\n'
        f"@media print{{:root,:root[data-theme],:root:not([data-theme]){{color-scheme:light;{light}}}}}\n"
    )


def chart_config(colors: Palette) -> dict[str, Any]:
    """The Vega-Lite configuration of a chart in these colors."""
    text = {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 600}
    ink = {"labelColor": colors.ink, "titleColor": colors.muted}
    return {
        "font": FONT,
        "background": colors.surface,
        "padding": {"left": 4, "right": 8, "top": 4, "bottom": 6},
        "view": {"stroke": None},
        "axis": {
            **text,
            **ink,
            "labelLimit": 180,
            "titlePadding": 8,
            "domain": False,
            "ticks": False,
            "grid": False,
            "gridColor": colors.line,
            "domainColor": colors.line,
            "tickColor": colors.line,
        },
        "legend": {
            **text,
            **ink,
            "orient": "top",
            "direction": "horizontal",
            "labelLimit": 140,
            "symbolSize": 90,
            "symbolStrokeWidth": 0,
            "columnPadding": 18,
            "rowPadding": 4,
            "offset": 12,
        },
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": colors.ink,
            "subtitleColor": colors.muted,
            "fontSize": 13,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "subtitleLineHeight": 16,
            "subtitlePadding": 4,
            "offset": 12,
        },
        "text": {"color": colors.ink, "fontSize": 11},
        "point": {"filled": True, "opacity": 1, "strokeWidth": 0},
        "rule": {"color": colors.muted},
    }


def register() -> None:
    """Make the theme known to altair under its name, for charts of one's own: `alt.theme.enable("evalnb")`."""
    import altair as alt

    def evalnb() -> alt.theme.ThemeConfig:
        return {"config": chart_config(LIGHT)}  # type: ignore[typeddict-item]

    make: Callable[[Any], Any] = alt.theme.register(NAME, enable=False)
    make(evalnb)


def _declarations(colors: Palette) -> str:
    return "".join(f"{variable(name)}:{color};" for name, color in asdict(colors).items())
