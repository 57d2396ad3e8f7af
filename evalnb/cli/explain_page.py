"""The pages of `evalnb explain`: one code explained for a terminal, and the list of all codes."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Final

import click

from evalnb.explain import REGISTRIES, Example, Explanation, UnknownCode, base_document, codes, explain
from evalnb.explain.base_documents import steps_of

_WIDTH: Final = 79
_JSON_INDENT: Final = " " * 4
_DIGEST: Final = re.compile(r"(sha256:[0-9a-f]{8})[0-9a-f]{56}")
_ID_KEYS: Final = ("id", "stepId", "operationId", "logicalId", "legId", "defectId")
# What each registry is about and how a command ends that meets one of its codes.
_HEADINGS: Final = {
    "structural failure": "Structural failures: the contract, or the brief made from it, is wrong (exit 4)",
    "aggregation refusal": "Aggregation refusals: evidence that is not one run (exit 4)",
    "runtime fault": "Runtime faults: this run could not be done (exit 5)",
    "probe qualification": "Probe qualification: the probe cannot be scored (exit 3, no verdict)",
    "lineage defect": "Lineage defects: revisions without one history (reported, no exit code)",
}


def code_list() -> str:
    """Every code with the first sentence of its meaning, registry by registry."""
    blocks = []
    for registry, listed in REGISTRIES.items():
        lines = [_HEADINGS[registry], ""]
        for code in listed:
            lines += [f"  {code}", *_wrapped(_first_sentence(explain(code).meaning), "      ")]
        blocks.append("\n".join(lines))
    blocks.append("evalnb explain CODE shows one of them in full, with a bad and a good example.")
    return "\n\n".join(blocks)


def explanation_page(code: str) -> str:
    """One explanation as text for 80 columns. Raises `click.ClickException` with suggestions for an unknown code."""
    try:
        explained = explain(code)
    except UnknownCode as unknown:
        hint = "" if unknown.close else f"; evalnb explain lists all {len(codes())}"
        raise click.ClickException(f"{unknown}{hint}") from None
    return "\n\n".join(
        [
            f"{explained.code}\n{_kind(explained)}",
            _section("What it means", explained.meaning),
            _section("Why it matters", explained.why),
            _section("What to do", explained.remedy),
            _example("Bad", explained.bad),
            _example("Good", explained.good),
        ]
    )


def _kind(explained: Explanation) -> str:
    ending = "a finding, no exit code" if explained.exit_code is None else f"exit {explained.exit_code}"
    if explained.registry == "probe qualification":
        ending += ", no verdict"
    return f"{explained.registry}, {ending}"


def _section(title: str, text: str) -> str:
    return "\n".join([title, *_wrapped(text, "  ")])


def _example(title: str, shown: Example) -> str:
    lines = [title]
    for fragment in shown.fragments:
        lines += _wrapped_path(_context(shown.artifact, fragment.place))
        lines += [_JSON_INDENT + line for line in _fitting(fragment.text).split("\n")]
    return "\n".join([*lines, *_wrapped(shown.note, "  ")])


def _context(artifact: str, place: str) -> str:
    """Where a fragment stands, spelled as the messages spell an artifact path: list members by their ids."""
    inner = base_document(artifact)
    path = artifact
    for step in steps_of(place):
        if step.isdigit() or step == "-":
            inner = inner[int(step)] if isinstance(inner, list) and step != "-" else None
            path += "[one more]" if step == "-" else f"[{_identity(inner, step)}]"
        else:
            inner = inner.get(step) if isinstance(inner, dict) else None
            path += f".{step}"
    return path


def _identity(member: object, position: str) -> str:
    if isinstance(member, dict):
        for key in _ID_KEYS:
            if key in member:
                return f"{key}={member[key]}"
    return position


def _fitting(text: str) -> str:
    """JSON text as it was written where it fits the lines, else one member a line; digests by their first digits."""
    short = _DIGEST.sub(r"\1...", text)
    if all(len(_JSON_INDENT + line) <= _WIDTH for line in short.split("\n")):
        return short
    return json.dumps(json.loads(short), indent=2, ensure_ascii=False)


def _wrapped_path(path: str) -> list[str]:
    """A path on as many lines as it needs, broken before a name."""
    lines = ["  "]
    for part in re.split(r"(?=\.)", path):
        if len(lines[-1] + part) > _WIDTH:
            lines.append("    ")
        lines[-1] += part
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _first_sentence(text: str) -> str:
    return text.split(". ", 1)[0].rstrip(".").split(": ", 1)[0] + "."
