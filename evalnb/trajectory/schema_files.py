"""JSON files of our own that name their schema: graded runs, labels, calibrations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evalnb.files import FileProblem, read_file, write_text_atomically


def read_schema_file(place: Path, schema: str, what: str) -> dict[str, Any]:
    """The document in a file of `what`. Raises `FileProblem` for text that is no JSON, or of another schema."""
    try:
        body: Any = json.loads(read_file(place, what))
    except (ValueError, RecursionError) as error:
        raise FileProblem(place, f"is no JSON: {error}") from None
    if not isinstance(body, dict) or body.get("schema") != schema:
        raise FileProblem(place, f"holds no {what} (schema {schema!r})")
    return body


@contextmanager
def fitting(place: Path, what: str) -> Iterator[None]:
    """While a document is taken apart: what does not fit is a `FileProblem` that says where it fails."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        raise FileProblem(place, f"holds {what} that do not fit: {type(error).__name__}: {error}") from None
    except ValueError as error:
        raise FileProblem(place, f"holds {what} that do not fit: {error}") from None


def write_schema_file(path: str | Path, schema: str, fields: Mapping[str, Any]) -> None:
    """Write one document of a schema, whole or not at all."""
    text = json.dumps({"schema": schema, **fields}, indent=1, ensure_ascii=False) + "\n"
    # Half a character, which only a trace brings, stands in JSON as its escape.
    write_text_atomically(Path(path), text.encode("utf-8", "backslashreplace").decode("utf-8"))
