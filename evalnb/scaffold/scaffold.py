"""From a live system or its description to a folder with a first contract that compiles, and what is left to decide."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.compile import compile_contract
from evalnb.engine.json_values import Json
from evalnb.files import write_text_atomically
from evalnb.scaffold.contract_document import CONTRACT_FILE, ContractWriter
from evalnb.scaffold.decisions import Decision
from evalnb.scaffold.draft import Draft
from evalnb.scaffold.json_shapes import keys_of
from evalnb.scaffold.trials import Trial, json_in_text, try_reads
from evalnb.written_files import read_written

TARGETS_FILE: Final = "targets.json"
PROBES_FILE: Final = "probes.json"
DECISIONS_FILE: Final = "decisions.json"


@dataclass(frozen=True, slots=True)
class ScaffoldOptions:
    """`given` are sample values by key, used wherever that key is an input; `calls` whether reads may be called."""

    given: Mapping[str, Json] = field(default_factory=dict)
    calls: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "."
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A first contract that compiles, the targets beside it, what a person decides, and what was left out and why."""

    contract: EvalContract
    targets: dict[str, Any]
    decisions: tuple[Decision, ...]
    left_out: tuple[str, ...]

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write the four files; raises OSError."""
        documents: dict[str, Any] = {
            CONTRACT_FILE: self.contract.document,
            TARGETS_FILE: self.targets,
            PROBES_FILE: [],
            DECISIONS_FILE: {
                "decisions": [decision.document for decision in self.decisions],
                "leftOut": list(self.left_out),
            },
        }
        paths = tuple(folder / name for name in documents)
        for path, document in zip(paths, documents.values(), strict=True):
            write_text_atomically(path, _text(document))
        return paths


def scaffold_mcp(command: str, options: ScaffoldOptions | None = None) -> Scaffold:
    """From the tools of the server that `command` starts. Raises RuntimeFault when it cannot be asked."""
    from evalnb.scaffold.from_mcp import draft_from_server

    chosen = options or ScaffoldOptions()

    async def found() -> Draft:
        return await draft_from_server(command, chosen.environment, chosen.cwd)

    return asyncio.run(_scaffold(found, chosen))


def scaffold_openapi(path: Path, options: ScaffoldOptions | None = None) -> Scaffold:
    """From an OpenAPI 3 document; its reads are called only where `base_url` says where. Raises ValueError."""
    from evalnb.scaffold.from_openapi import draft_from_openapi

    chosen = options or ScaffoldOptions()
    document = read_written(path, "the OpenAPI document", "OpenAPI", aliases=True)

    async def found() -> Draft:
        return draft_from_openapi(document, chosen.base_url)

    return asyncio.run(_scaffold(found, replace(chosen, calls=chosen.calls and chosen.base_url is not None)))


def scaffold_cli(command: str, options: ScaffoldOptions | None = None) -> Scaffold:
    """From a command's help. Raises RuntimeFault when it does not start."""
    from evalnb.scaffold.from_cli_help import draft_from_help

    chosen = options or ScaffoldOptions()

    async def found() -> Draft:
        return await draft_from_help(command, chosen.cwd)

    return asyncio.run(_scaffold(found, chosen))


async def _scaffold(found: Any, options: ScaffoldOptions) -> Scaffold:
    draft: Draft = await found()
    if not draft.operations:
        raise ValueError(f"nothing to write a contract about: {draft.source} name no operation that one can hold")
    tried = await try_reads(draft, options.given) if options.calls else {}
    draft, trials = _read_as_json(draft, tried)
    writer = ContractWriter(draft, trials, options.given)
    contract = compile_contract(writer.write(), strict_inputs=True)
    reach = Decision(TARGETS_FILE, "", "Is this what may be reached, and are the bounds right?", needed=False)
    return Scaffold(contract, draft.targets, (*writer.decisions, reach), tuple(draft.left_out))


def _read_as_json(draft: Draft, trials: Mapping[str, Trial]) -> tuple[Draft, Mapping[str, Trial]]:
    """Tools whose text is a JSON object are read as that: the targets say so, the answer has the object's keys."""
    operations, seen = list(draft.operations), dict(trials)
    for place, operation in enumerate(operations):
        trial = seen.get(operation.operation_id)
        parsed = json_in_text(trial.first.body) if draft.kind == "mcp" and trial and trial.first.good else None
        if trial is None or parsed is None:
            continue
        kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
        properties = {key: {"type": kinds.get(type(value))} for key, value in parsed.items() if key}
        answer = keys_of({"properties": properties, "required": list(properties)}, {})
        operations[place] = replace(operation, answer=answer)
        bodies = [replace(one, body=json_in_text(one.body) or one.body) for one in (trial.first, trial.again)]
        second = trial.second and replace(trial.second, body=json_in_text(trial.second.body) or trial.second.body)
        seen[operation.operation_id] = Trial(bodies[0], bodies[1], second)
        draft.targets["mcp"]["connections"][draft.interface_id]["results"][operation.name] = "text-json"
    return replace(draft, operations=operations), seen


def _text(document: Any) -> str:
    import json

    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
