"""Suites of cases as files: YAML or JSON in, YAML or JSON out, with problems that name the place."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from evalnb.files import FileProblem, read_file, write_text_atomically
from evalnb.trajectory.cases import Suite


def read_suite(path: str | Path) -> Suite:
    """The suite in `path`. Raises `FileProblem` naming each field that does not fit."""
    place = Path(path)
    text = read_file(place, "a suite of cases").decode("utf-8", "replace")
    try:
        return Suite.model_validate(parse_document(text, place))
    except ValidationError as error:
        raise FileProblem(place, problems_of(error)) from None


def parse_document(text: str, place: Path) -> object:
    """A JSON or YAML document; `FileProblem` with the line otherwise."""
    if place.suffix == ".json":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FileProblem(place, f"is no JSON: {error}") from None
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise FileProblem(place, f"is no YAML: {' '.join(str(error).split())}") from None


def problems_of(error: ValidationError) -> str:
    """What pydantic found, a clause a field."""
    rows = error.errors(include_url=False)
    clauses = [f"{'.'.join(map(str, row['loc'])) or 'the document'}: {row['msg']}" for row in rows[:8]]
    return "; ".join(clauses) + (f"; and {len(rows) - 8} more" if len(rows) > 8 else "")


def suite_text(suite: Suite, *, as_json: bool = True) -> str:
    """The suite as a document, fields at their defaults left out."""
    body = suite.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if as_json:
        return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
    import yaml

    text: str = yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=110)
    return text


def write_suite(suite: Suite, path: str | Path) -> None:
    """Write the suite; the ending chooses YAML (.yaml, .yml) or JSON."""
    place = Path(path)
    write_text_atomically(place, suite_text(suite, as_json=place.suffix not in (".yaml", ".yml")))
