"""nbconvert's HTML exporter with this package's own template, in which nothing is markup unless it says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment
from markupsafe import Markup
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbformat import NotebookNode

from evalnb.view.html import escape, visible

TEMPLATES: Final = Path(__file__).parent / "template"


class ReportExporter(HTMLExporter):
    """Renders `template/report/index.html.j2`; what it needs beside the notebook arrives in `resources["page"]`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            template_name="report", extra_template_basedirs=[str(TEMPLATES)], exclude_anchor_links=True, **options
        )

    def from_notebook_node(  # type: ignore[override]  # the supertypes differ in this themselves
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """The page as the template gives it; the usual exporter would parse it and write it anew."""
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)

    def _create_environment(self) -> Environment:
        environment: Environment = super()._create_environment()  # type: ignore[no-untyped-call]
        environment.autoescape = True
        environment.trim_blocks = True
        environment.lstrip_blocks = True
        environment.filters["shown"] = lambda text: Markup(str(escape(str(text))))
        environment.filters["raw"] = Markup
        environment.filters["markdown"] = self._markdown
        environment.filters["code"] = self._code
        return environment

    def _markdown(self, text: str) -> Markup:
        """The notebook's own words. Data never comes this way."""
        return Markup(self.markdown2html({"cell": {}, "resources": {}}, text))

    def _code(self, text: str) -> Markup:
        from nbconvert.filters.highlight import Highlight2HTML

        highlight = Highlight2HTML(pygments_lexer="python3")  # type: ignore[no-untyped-call]
        return Markup(highlight(visible(text)))
