"""The gallery links every report beside it."""

from __future__ import annotations

import re
from pathlib import Path

from evalnb.reporting.gallery import GalleryEntry, gallery_html
from evalnb.reporting.registry import notebooks


def test_every_notebook_has_a_card_that_leads_to_its_report() -> None:
    entries = tuple(GalleryEntry(one, f"{one.name}.html", 1_600_000, "sha256:" + "0" * 64) for one in notebooks())
    page = gallery_html(entries)
    assert re.findall(r'<h2><a href="([^"]+)">', page) == [f"{one.name}.html" for one in notebooks()]
    assert "1.6 MB" in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_title_is_text() -> None:
    notebook = notebooks()[0]
    hostile = type(notebook)(notebook.name, Path("x.ipynb"), "<b>title</b>", "</p><script>", notebook.parameters)
    page = gallery_html((GalleryEntry(hostile, "x.html", 1, "sha256:0"),))
    assert "&lt;b&gt;title" in page
    assert "<script>alert" not in page
    assert "</p><script>" not in page
