"""The code and styles a report carries with it, each once: the chart library, the table library, our own."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from evalnb.view import theme
from evalnb.view.style import style
from evalnb.view.tables import table_code


@dataclass(frozen=True, slots=True)
class Script:
    """The text of one inline script; a module runs after the page is parsed."""

    text: str
    module: bool = False

    @property
    def permit(self) -> str:
        """What the page's content security policy names this script, and only this script, by."""
        digest = hashlib.sha256(self.text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@dataclass(frozen=True, slots=True)
class Assets:
    """`early` runs before anything is drawn; `scripts` stand at the end of the page, in this order.

    `blocks` is markup that belongs before them, `permitted` are the scripts that it and outputs bring with them.
    """

    early: Script
    scripts: tuple[Script, ...]
    styles: tuple[str, ...]
    blocks: str = ""
    permitted: tuple[Script, ...] = ()

    @property
    def policy(self) -> str:
        """Lets the page run its own scripts, use inline styles and show embedded images, and do nothing else.

        A script that data might smuggle in has no permit. The table library is started from a blob, which only a
        script that runs already can make.
        """
        permits = dict.fromkeys(script.permit for script in (self.early, *self.permitted, *self.scripts))
        return (
            f"default-src 'none'; script-src {' '.join(permits)} blob:; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        )


def load_assets() -> Assets:
    """Everything a report needs."""
    return Assets(
        early=Script(own_text("early.js")),
        scripts=(chart_script(), Script(own_text("report.js"), module=True)),
        styles=(theme.css(), _style_text(), own_text("report.css")),
        blocks=str(table_code()),
        permitted=output_scripts(),
    )


def gallery_assets() -> Assets:
    """What the page of links needs: the styles, and the choice of light or dark that the reports share."""
    return Assets(Script(own_text("early.js")), (), (theme.css(), own_text("report.css")))


def chart_script() -> Script:
    """Vega, Vega-Lite and Vega-Embed as `window.vegaEmbed`."""
    import vl_convert

    # The stubs say it needs a snippet; without one it makes what its documentation calls the default.
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return Script(_embeddable(bundle))


def output_scripts() -> tuple[Script, ...]:
    """The package's own scripts that tables and cards bring with them."""
    folder = files("evalnb.view").joinpath("assets")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".js"))
    return tuple(Script(folder.joinpath(name).read_text("utf-8")) for name in names)


def own_text(name: str) -> str:
    """A file beside the template."""
    return files("evalnb.reporting").joinpath("template", "report", name).read_text("utf-8")


def _style_text() -> str:
    return str(style()).removeprefix("<style>").removesuffix("</style>")


def _embeddable(text: str) -> str:
    """The script in a spelling that cannot end its element, and that a parser hands on byte for byte."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script").replace("<!--", "<\\!--")
