"""The gallery: every notebook's report at its defaults, and a page that leads to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evalnb.files import write_text_atomically
from evalnb.reporting.registry import Notebook, notebooks
from evalnb.reporting.report import make_report
from evalnb.version import __version__

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A report in the gallery: the notebook, its file beside the gallery, the file's size and digest."""

    notebook: Notebook
    file_name: str
    size: int
    digest: str


def make_all_reports(
    folder: Path, *, console: Console | None = None, on_report: Callable[[Path], None] = lambda path: None
) -> Path:
    """Write `NAME.html` for every notebook, and `index.html` with links to them, into `folder`.

    Returns the path of the gallery; raises as `make_report` does, and the gallery is written only when all reports
    were.
    """
    entries = []
    for notebook in notebooks():
        parameters: Mapping[str, str] = {}
        path = make_report(notebook.name, parameters, folder / f"{notebook.name}.html", console=console)
        on_report(path)
        data = path.read_bytes()
        entries.append(GalleryEntry(notebook, path.name, len(data), f"sha256:{hashlib.sha256(data).hexdigest()}"))
    gallery = folder / "index.html"
    write_text_atomically(gallery, gallery_html(tuple(entries)))
    return gallery


def gallery_html(entries: tuple[GalleryEntry, ...]) -> str:
    """The page of the gallery."""
    from evalnb.reporting.assets import gallery_assets
    from evalnb.reporting.exporter import ReportExporter

    template = ReportExporter(template_file="gallery.html.j2").environment.get_template("gallery.html.j2")
    return str(template.render(entries=entries, assets=gallery_assets(), version=__version__))
