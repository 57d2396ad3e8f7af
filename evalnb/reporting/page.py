"""A notebook that has run, taken apart into what a page is built from: sections of prose, code and outputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, Literal, TypeAlias

from nbformat import NotebookNode

from evalnb.reporting.facts import HEADLINE_MIME
from evalnb.reporting.kernel_start import CHART_MIME, EMPTY_OUTPUT, REPORT_MIME
from evalnb.reporting.origin import PROVENANCE_MIME
from evalnb.view.style import style

BlockKind: TypeAlias = Literal["prose", "code", "html", "text", "chart", "image", "gap"]
_IF_ANY_TAG: Final = "if-any"
"""A cell with this tag is left out where all it shows is empty, and the words before it with it."""
_HIDDEN_TAGS: Final = frozenset({"parameters", "injected-parameters", "hidden"})


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a section: Markdown, code, HTML or text; a chart holds its specification, an image a data URL.

    A gap stands for a cell that is left out; no page has one.

    `title` and `caption` are a chart's, which the page sets in its own type.
    """

    kind: BlockKind
    content: Any
    place: int = 0
    title: str = ""
    caption: str = ""


@dataclass(slots=True)
class Section:
    """A second-level heading and everything below it; the opening section has no title."""

    title: str
    slug: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """A whole notebook; `headline` and `provenance` are what the cells that show them left, or empty.

    `left_out` are the titles of the sections that had nothing to show.
    """

    title: str
    sections: tuple[Section, ...]
    left_out: tuple[str, ...]
    headline: Mapping[str, Any]
    provenance: Mapping[str, Any]

    @property
    def contents(self) -> tuple[Section, ...]:
        """The sections that the table of contents links to."""
        return tuple(section for section in self.sections if section.title)


def page_of(notebook: NotebookNode) -> Page:
    """The page of a notebook that has run."""
    builder = _Builder()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            builder.add_markdown(cell.source)
        elif cell.cell_type == "code":
            builder.add_code(cell)
    sections = tuple(section for section in builder.sections if section.blocks or section.title)
    left_out = []
    for section in sections:
        had = bool(section.blocks)
        section.blocks = list(_without_gaps(section.blocks))
        if had and not section.blocks:
            left_out.append(section)
    shown = tuple(section for section in sections if section not in left_out)
    titles = tuple(section.title for section in left_out)
    return Page(builder.title, shown, titles, builder.headline, builder.provenance)


def _without_gaps(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks without the gaps, and without words that only gaps follow."""
    words: list[Block] = []
    for is_prose, run in groupby(blocks, key=lambda block: block.kind == "prose"):
        if is_prose:
            words = list(run)
            continue
        kept = [block for block in run if block.kind != "gap"]
        if kept:
            yield from (*words, *kept)
        words = []
    yield from words


class _Builder:
    def __init__(self) -> None:
        self.title = ""
        self.sections = [Section("", "top")]
        self.headline: Mapping[str, Any] = {}
        self.provenance: Mapping[str, Any] = {}
        self._charts = 0

    def add_markdown(self, source: str) -> None:
        prose: list[str] = []
        for line in source.splitlines():
            heading = re.match(r"(#{1,2})\s+(.*)", line)
            if heading is None:
                prose.append(line)
                continue
            self._add_prose(prose)
            if len(heading[1]) == 1 and not self.title:
                self.title = heading[2].strip()
            else:
                self._open(heading[2].strip())
        self._add_prose(prose)

    def add_code(self, cell: NotebookNode) -> None:
        tags = cell.metadata.get("tags", ())
        if _IF_ANY_TAG in tags and all(output.get("metadata", {}).get(EMPTY_OUTPUT) for output in cell.outputs):
            self._add("gap", None)
            return
        if not _HIDDEN_TAGS.intersection(tags) and cell.source.strip():
            self._add("code", cell.source.strip())
        for output in cell.outputs:
            self.sections[-1].blocks.extend(self._output(output))

    def _add_prose(self, lines: list[str]) -> None:
        text = "\n".join(lines).strip()
        lines.clear()
        if text:
            self._add("prose", text)

    def _add(self, kind: BlockKind, content: Any) -> None:
        self.sections[-1].blocks.append(Block(kind, content))

    def _open(self, title: str) -> None:
        taken = {section.slug for section in self.sections}
        base = slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
        count = 1
        while slug in taken:
            count += 1
            slug = f"{base}-{count}"
        self.sections.append(Section(title, slug))

    def _output(self, output: NotebookNode) -> Iterator[Block]:
        if output.output_type == "stream":
            if output.name == "stdout":
                yield Block("text", output.text)
            return
        if output.output_type not in ("display_data", "execute_result"):
            return
        data = output.data
        if HEADLINE_MIME in data:
            self.headline = data[HEADLINE_MIME]
        elif PROVENANCE_MIME in data:
            self.provenance = data[PROVENANCE_MIME]
        elif (specification := _chart(data)) is not None:
            self._charts += 1
            yield _chart_block(specification, self._charts)
        elif (block := _still(data)) is not None:
            yield block


def _chart(data: Mapping[str, Any]) -> Any:
    return next((data[mime] for mime in data if mime == CHART_MIME or mime.startswith(_VEGA_LITE)), None)


_VEGA_LITE: Final = "application/vnd.vegalite.v"


def _chart_block(specification: Mapping[str, Any], place: int) -> Block:
    """A title drawn by the chart cannot wrap to the width of a page; the page's own can."""
    drawn = specification.get("title")
    title = drawn.get("text", "") if isinstance(drawn, Mapping) else drawn or ""
    untitled = {key: value for key, value in specification.items() if key != "title"}
    return Block("chart", untitled, place, str(title), str(specification.get("description", "")))


def _still(data: Mapping[str, Any]) -> Block | None:
    """What is shown as it is. Markdown and LaTeX of an output are data, so its plain text is taken instead."""
    if REPORT_MIME in data:
        return Block("html", data[REPORT_MIME])
    if "text/html" in data:
        # The page holds the style sheet of cards once.
        return Block("html", data["text/html"].replace(str(style()), ""))
    for mime in ("image/png", "image/jpeg"):
        if mime in data:
            return Block("image", f"data:{mime};base64,{''.join(data[mime].split())}")
    if "text/plain" in data:
        return Block("text", data["text/plain"])
    return None
