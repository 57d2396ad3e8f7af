"""Small notebooks for the tests, written to a folder."""

from __future__ import annotations

from pathlib import Path

import nbformat

from evalnb.reporting.registry import Notebook, read_notebook


def write_notebook(folder: Path, *cells: str, parameters: str = "", name: str = "07-small.ipynb") -> Notebook:
    """A notebook of Markdown cells (those that begin with a second-level heading) and code cells."""
    made = [nbformat.v4.new_markdown_cell("# A small notebook\n\nFor a test.")]
    if parameters:
        made.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    for text in cells:
        prose = text.startswith("## ")
        made.append(nbformat.v4.new_markdown_cell(text) if prose else nbformat.v4.new_code_cell(text))
    notebook = nbformat.v4.new_notebook(
        cells=made,
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
    path = folder / name
    nbformat.write(notebook, path)
    return read_notebook(path)
