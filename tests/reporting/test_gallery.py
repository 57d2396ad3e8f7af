"""The gallery links every report beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from evalnb.reporting.gallery import GalleryEntry, found_reports, gallery_html
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


def test_further_reports_in_the_folder_are_found_and_strangers_are_not(tmp_path: Path) -> None:
    mark = '<meta name="generator" content="evalnb 0.1">'
    (tmp_path / "mine.html").write_text(f"<head>{mark}<title>Runs &amp; more</title></head>")
    (tmp_path / "known.html").write_text(f"<head>{mark}<title>Known</title></head>")
    (tmp_path / "strange.html").write_text("<title>Not ours</title>")
    [found] = found_reports(tmp_path, {"known.html"})
    assert (found.title, found.file_name) == ("Runs & more", "mine.html")
    page = gallery_html((), (replace(found, title="<script>alert(1)</script>"),))
    assert 'href="mine.html"' in page
    assert "<script>alert(1)" not in page
