"""The notebooks that ship: found by name, described, and made of calls alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalnb.reporting import UnknownNotebook, find_notebook, notebooks
from evalnb.reporting.registry import PARAMETER_TYPES, Notebook
from tests.reporting.notebook_files import write_notebook

SHIPPED = notebooks()


def test_the_pipeline_notebook_ships() -> None:
    assert "pipeline" in [notebook.name for notebook in SHIPPED]


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownNotebook, match=r"no notebook is called 'pipelines'; there is .*pipeline"):
        find_notebook("pipelines")


@pytest.mark.parametrize("name", ["../02-pipeline", "02-pipeline", "", "pipeline.ipynb", "/etc/passwd"])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(UnknownNotebook):
        find_notebook(name)


@pytest.mark.parametrize("notebook", SHIPPED, ids=lambda notebook: notebook.name)
def test_every_parameter_has_a_type_and_a_meaning(notebook: Notebook) -> None:
    assert notebook.title
    assert notebook.summary
    for parameter in notebook.parameters:
        assert parameter.type in PARAMETER_TYPES
        assert parameter.meaning


@pytest.mark.parametrize("notebook", SHIPPED, ids=lambda notebook: notebook.name)
def test_a_shipped_notebook_is_clean_and_holds_no_logic(notebook: Notebook) -> None:
    document = json.loads(notebook.path.read_text("utf-8"))
    identifiers = [cell["id"] for cell in document["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            assert not any(word in source for word in ("def ", "class ", "lambda", "while ", "try:", "for "))


def test_a_notebook_is_described_by_its_first_cell_and_its_parameters_cell(tmp_path: Path) -> None:
    notebook = write_notebook(
        tmp_path,
        parameters='name: "str" = "a"  # a name\nrate: "float" = 0.5  # a share, 0 to 1\nwide: "bool" = True  # width',
        name="09-tiny-one.ipynb",
    )
    assert (notebook.name, notebook.title, notebook.summary) == ("tiny-one", "A small notebook", "For a test.")
    assert [(p.name, p.type, p.default, p.meaning) for p in notebook.parameters] == [
        ("name", "str", "a", "a name"),
        ("rate", "float", 0.5, "a share, 0 to 1"),
        ("wide", "bool", True, "width"),
    ]


def test_a_parameter_of_an_unknown_type_is_the_authors_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="annotated number"):
        write_notebook(tmp_path, parameters='many: "number" = 3  # how many')
