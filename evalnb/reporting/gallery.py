"""The gallery: every notebook's report at its defaults, and a page that leads to them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evalnb.files import write_text_atomically
from evalnb.reporting.registry import Notebook, notebooks
from evalnb.reporting.report import make_report
from evalnb.version import __version__

if TYPE_CHECKING:
    from rich.console import Console


_HEAD: Final = 4096
_GENERATOR: Final = '<meta name="generator" content="evalnb '
_TITLE: Final = re.compile(r"<title>([^<]*)</title>")


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A report in the gallery: the notebook, its file beside the gallery, the file's size and digest."""

    notebook: Notebook
    file_name: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class FoundReport:
    """A further report of evalnb that lies in the gallery's folder."""

    title: str
    file_name: str
    size: int
    digest: str


def make_all_reports(
    folder: Path, *, console: Console | None = None, on_report: Callable[[Path], None] = lambda path: None
) -> Path:
    """Write `NAME.html` for every notebook, and `index.html` with links to them, into `folder`.

    Other reports of evalnb that lie in the folder are linked, too. Returns the path of the gallery; raises as
    `make_report` does, and the gallery is written only when all reports were.
    """
    entries = []
    for notebook in notebooks():
        parameters: Mapping[str, str] = {}
        path = make_report(notebook.name, parameters, folder / f"{notebook.name}.html", console=console)
        on_report(path)
        data = path.read_bytes()
        entries.append(GalleryEntry(notebook, path.name, len(data), f"sha256:{hashlib.sha256(data).hexdigest()}"))
    gallery = folder / "index.html"
    further = tuple(found_reports(folder, {gallery.name, *(entry.file_name for entry in entries)}))
    write_text_atomically(gallery, gallery_html(tuple(entries), further))
    return gallery


def found_reports(folder: Path, known: Collection[str]) -> Iterator[FoundReport]:
    """The reports in `folder` that evalnb wrote and that are none of the `known` files, by name."""
    for path in sorted(folder.glob("*.html")):
        if path.name in known or not path.is_file():
            continue
        data = path.read_bytes()
        head = data[:_HEAD].decode("utf-8", "replace")
        title = _TITLE.search(head)
        if _GENERATOR in head and title is not None:
            yield FoundReport(unescape(title[1]), path.name, len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")


def gallery_html(entries: tuple[GalleryEntry, ...], further: tuple[FoundReport, ...] = ()) -> str:
    """The page of the gallery."""
    from evalnb.reporting.assets import gallery_assets
    from evalnb.reporting.exporter import ReportExporter

    template = ReportExporter(template_file="gallery.html.j2").environment.get_template("gallery.html.j2")
    return str(template.render(entries=entries, further=further, assets=gallery_assets(), version=__version__))
