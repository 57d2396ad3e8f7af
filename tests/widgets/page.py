"""A widget on a page of its own: the front end as a notebook loads it, its questions answered in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evalnb.widgets.front_end import module, style_sheet
from evalnb.widgets.surface import Surface

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>widget</title><style>{css}</style>
<style>body{{margin:12px;background:Canvas;color-scheme:light dark}}</style></head><body><div id="host"></div>
<script type="module">
import {{default as front}} from "./front.js";
const heard = [];
const state = {state};
const model = {{
  get: (name) => state[name], set: (name, value) => {{ state[name] = value; }}, save_changes() {{}},
  on: (event, call) => {{ if (event === "msg:custom") heard.push(call); }}, off() {{}},
  send: (message) => window.answer(message).then((told) => heard.forEach((call) => call(told))),
}};
window.state = state;
front.render({{ model, el: document.getElementById("host") }});
window.ready = true;
</script></body></html>"""


def open_widget(browser: Any, surface: Surface, folder: Path, **options: Any) -> Any:
    """The page of a widget in `browser`; it is served from `folder` and may reach nothing else."""
    state = {name: getattr(surface, name) for name in ("kind", "styles", "outline", "place")}
    text = json.dumps(state).replace("<", "\\u003c")
    (folder / "front.js").write_text(module(), "utf-8")
    (folder / "page.html").write_text(_PAGE.format(css=style_sheet(), state=text), "utf-8")
    page = browser.new_page(**options)
    page.expose_function(
        "answer", lambda asked: {"answer": asked["ask"], **surface.ask(asked["question"], asked["given"])}
    )

    def serve(route: Any) -> None:
        name = route.request.url.rsplit("/", 1)[-1]
        if name in ("front.js", "page.html"):
            route.fulfill(path=folder / name)
        else:
            route.abort()

    page.route("**/*", serve)
    page.goto("http://widget.test/page.html")
    page.wait_for_function("window.ready === true")
    return page
