"""One chart as an HTML page of its own: nothing is loaded, and nothing in the data can leave its block."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from evalnb.view import theme
from evalnb.view.html import json_script, style_sheet, tag

EMBED_OPTIONS: Final[Mapping[str, Any]] = {"renderer": "svg", "ast": True, "actions": False}
"""How to embed a chart: as SVG, which takes CSS variables, and with expressions interpreted, which needs no `eval`."""

_DRAW: Final = """
const specification = JSON.parse(document.getElementById("specification").textContent);
vegaEmbed("#chart", specification, %s).catch((problem) => {
  document.getElementById("chart").textContent = `This chart could not be drawn: ${problem.message}`;
});
"""
_STYLE: Final = """
body { margin: 1rem; background: var(--evalnb-surface); }
#chart { width: 100%; }
#vg-tooltip-element.vg-tooltip {
  background: var(--evalnb-surface); color: var(--evalnb-ink); border-color: var(--evalnb-line); opacity: 1;
}
#vg-tooltip-element.vg-tooltip td.key { color: var(--evalnb-muted); }
"""


def chart_page(specification: Mapping[str, Any], mode: theme.Theme) -> str:
    """The page. In "auto" it follows the reader's system from light to dark, else it stays in its mode."""
    import vl_convert

    # What would end the script element is written so that a string and a pattern of the library still read it.
    script = vl_convert.javascript_bundle(_DRAW % json.dumps(dict(EMBED_OPTIONS))).replace("</script", "<\\/script")
    permit = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; script-src 'sha256-{permit}'; style-src 'unsafe-inline'; img-src data:"
    head = (
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("title", str(specification["description"])),
        style_sheet(theme.css() + _STYLE),
    )
    chosen = None if mode == "auto" else mode
    opened = str(tag("html", lang="en", data_theme=chosen)).removesuffix("</html>")
    body = (tag("main", tag("div", id="chart")), json_script(specification, id="specification"))
    return (
        f"<!doctype html>\n{opened}<head>{''.join(map(str, head))}</head>\n<body>{''.join(map(str, body))}\n"
        f'<script type="module">{script}</script></body></html>\n'
    )
