"""A report is made whole or not at all, and tells nothing it was not given."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path

import pytest

from evalnb.files import FileProblem
from evalnb.reporting.failures import CellFailure
from evalnb.reporting.report import failed_notebook_path, write_report
from tests.reporting.notebook_files import write_notebook

CODE = '__import__("os").system("touch ran") # """ \'\'\' \\ {x} %s\n"); open("ran", "w") #'


def shown_text(page: str) -> str:
    """The text of the page's outputs."""
    return html.unescape("\n".join(re.findall(r'<pre class="output text">(.*?)</pre>', page, re.DOTALL)))


@pytest.mark.parametrize("value", [CODE, "", "\\", '"', "a\r\nb", "\u2028", "é ✓ 𝄞", "{folder}", "$HOME", "a" * 10_000])
def test_a_parameter_stays_the_string_it_is(value: str, tmp_path: Path) -> None:
    notebook = write_notebook(
        tmp_path,
        "import os, json\nprint(json.dumps(text))\nprint(os.listdir())",
        parameters='text: "str" = "default"  # any text',
    )
    page = write_report(notebook, {"text": value}, tmp_path / "out.html").read_text("utf-8")
    written, listing = shown_text(page).strip().splitlines()
    assert json.loads(written) == value
    assert listing == "[]"
    assert not (tmp_path / "ran").exists()


def test_a_failing_cell_is_named_and_the_older_report_stays(tmp_path: Path) -> None:
    notebook = write_notebook(
        tmp_path, "## Before", "print('so far')", "# a comment\nopen('no\\x1b[31mwhere')", "print('never')"
    )
    out = tmp_path / "report.html"
    out.write_text("an older report")
    with pytest.raises(
        CellFailure, match=r"cell 4 failed \(open\('no.*'\)\): FileNotFoundError: .*report\.failed\.ipynb"
    ) as caught:
        write_report(notebook, {}, out)
    assert caught.value.cell == 4
    assert out.read_text() == "an older report"
    kept = json.loads(failed_notebook_path(out).read_text("utf-8"))
    outputs = [cell.get("outputs") for cell in kept["cells"]]
    assert outputs[2][0]["text"] == "so far\n"
    assert outputs[3][0]["ename"] == "FileNotFoundError"
    assert outputs[4] == []


def test_an_output_that_cannot_be_shown_is_a_failing_cell(tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path, "class Shy:\n    def _repr_html_(self): raise ValueError('not now')\nShy()")
    with pytest.raises(CellFailure, match="ValueError: not now"):
        write_report(notebook, {}, tmp_path / "report.html")


def test_a_kernel_that_dies_is_a_failing_cell(tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path, "import os; os._exit(9)")
    with pytest.raises(CellFailure, match=r"cell 2 failed .*the kernel died"):
        write_report(notebook, {}, tmp_path / "report.html")
    assert failed_notebook_path(tmp_path / "report.html").exists()


def test_a_folder_in_place_of_the_report_is_refused_before_anything_runs(tmp_path: Path) -> None:
    notebook = write_notebook(tmp_path, "1/0")
    with pytest.raises(FileProblem, match="is a folder where the report's file should be"):
        write_report(notebook, {}, tmp_path)


def test_the_same_inputs_give_the_same_bytes_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = []
    for place in ("here", "elsewhere/deeper"):
        folder = tmp_path / place / "data"
        folder.mkdir(parents=True)
        (folder / "value.txt").write_text("7")
        monkeypatch.chdir(folder.parent)
        notebook = write_notebook(
            tmp_path,
            "from pathlib import Path\nimport altair as alt, pandas as pd\nprint(folder, Path(folder, 'value.txt').read_text())",
            "print(sorted({'a', 'b', 'c'}, key=hash))",
            "pd.DataFrame({'a': [1, 2], 'b': ['x', '<y>']})",
            "alt.Chart(pd.DataFrame({'a': [1]}), description='one').mark_point().encode(x='a').interactive()",
            parameters='folder: "folder" = ""  # a folder',
        )
        out = tmp_path / place / "out.html"
        pages.append(write_report(notebook, {"folder": "data"}, out).read_bytes())
    assert pages[0] == pages[1]
    assert os.fsencode(tmp_path) not in pages[0]


def test_a_notebook_runs_in_this_interpreter_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "no-kernels"))
    notebook = write_notebook(tmp_path, "import sys; print(sys.executable)", "open('left', 'w').close()")
    page = write_report(notebook, {}, tmp_path / "out.html").read_text("utf-8")
    assert shown_text(page).strip() == sys.executable
    assert not list(home.rglob("*.json"))
    assert not list(tmp_path.rglob("left"))


def test_progress_shows_on_a_terminal_only(tmp_path: Path) -> None:
    import io

    from rich.console import Console

    notebook = write_notebook(tmp_path, "x = '[bold]markup'")
    silent, terminal = io.StringIO(), io.StringIO()
    write_report(notebook, {}, tmp_path / "out.html", console=Console(file=silent))
    write_report(notebook, {}, tmp_path / "out.html", console=Console(file=terminal, force_terminal=True, width=120))
    assert silent.getvalue() == ""
    assert "report small" in terminal.getvalue()
    assert "[bold]markup" in terminal.getvalue()
