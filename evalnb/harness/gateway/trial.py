"""One trial: a system of its own, a gateway before it, and the evaluator's command between start and time limit."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evalnb.adapters.budget import first_of
from evalnb.adapters.process_group import Launch, ProcessGroup
from evalnb.engine.artifacts import EvalContract, McpOperation, SealedEvaluatorBrief
from evalnb.engine.canonical import serialize_artifact
from evalnb.engine.json_values import Json
from evalnb.harness.acting_port import AdapterPort
from evalnb.harness.gateway.faces import give_access
from evalnb.harness.gateway.findings import EvaluatorFindings, UnusableFindings, problems_of, read_findings
from evalnb.harness.gateway.ledger import FailedCall, Ledger
from evalnb.harness.gateway.server import gateway
from evalnb.harness.instances import instance
from evalnb.harness.measured_targets import MeasuredTargets
from evalnb.harness.plan_run import PlanRunner
from evalnb.harness.stimuli import Stimuli

_LAST_WORDS: Final = 200
MOST_OUTPUT: Final = 1024 * 1024
"""How many bytes of each of the command's outputs are kept."""


@dataclass(frozen=True, slots=True)
class Command:
    """The evaluator: an argument vector, the variables of this process it may see, and its time in seconds."""

    argv: tuple[str, ...]
    variables: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EvaluatorTrial:
    """What one trial came to. `problems` say why nothing can be sealed of it; then `findings` is None.

    `refused` are calls that the gateway did not pass on, `failed` those that the system or its policy ended.
    """

    number: int
    observations: tuple[Mapping[str, Any], ...]
    findings: EvaluatorFindings | None
    problems: tuple[str, ...]
    refused: tuple[str, ...]
    failed: tuple[FailedCall, ...]
    seconds: float
    stdout: bytes
    stderr: bytes


def trial_without_system(number: int, why: str) -> EvaluatorTrial:
    """A trial whose evaluator was not started, because there was no system for it."""
    return EvaluatorTrial(number, (), None, (f"the system: {why}",), (), (), 0.0, b"", b"")


async def run_trial(
    contract: EvalContract, brief: SealedEvaluatorBrief, targets: MeasuredTargets, command: Command, number: int
) -> EvaluatorTrial:
    """Run one trial. Raises RuntimeFault where the system cannot be started or its fixture not be put back."""
    with _folder() as folder:
        async with instance(targets) as port:
            await PlanRunner.of(contract, Stimuli()).reset(port)
            tools = await _tools(contract, port)
            ledger = Ledger(contract, port, folder / "observations.jsonl")
            with closing(ledger):
                async with gateway(ledger) as address:
                    access = give_access(folder, contract, address, tools)
                    return await _evaluated(ledger, brief, command, number, folder, access.programs)


async def _evaluated(
    ledger: Ledger, brief: SealedEvaluatorBrief, command: Command, number: int, folder: Path, programs: Sequence[Path]
) -> EvaluatorTrial:
    workspace = folder / "workspace"
    workspace.mkdir()
    sealed, findings_file = folder / "brief.json", folder / "findings.json"
    sealed.write_text(serialize_artifact(brief.document, "SealedEvaluatorBrief"))
    environment = {
        **{name: os.environ[name] for name in ("LANG", *command.variables) if name in os.environ},
        "PATH": os.pathsep.join([*map(str, programs), os.environ.get("PATH", "")]),
        "EVALNB_BRIEF": str(sealed),
        "EVALNB_ACCESS": str(folder / "access.json"),
        "EVALNB_FINDINGS": str(findings_file),
        "EVALNB_TRIAL": str(number),
    }
    environment.setdefault("HOME", str(workspace))
    stdout, stderr = bytearray(), bytearray()
    clock = asyncio.get_running_loop().time
    started = clock()
    launch = Launch(command.argv, environment, str(workspace))
    ended = await _ran(launch, command.seconds, stdout, stderr)
    ledger.closed = "the trial is over"
    seconds = clock() - started
    findings, problems = _read(findings_file, ledger, brief) if ended is None else (None, (ended,))
    return EvaluatorTrial(
        number,
        tuple(ledger.observations),
        findings,
        problems,
        tuple(ledger.refused),
        tuple(ledger.failed),
        seconds,
        bytes(stdout),
        bytes(stderr),
    )


async def _ran(launch: Launch, seconds: float, stdout: bytearray, stderr: bytearray) -> str | None:
    """Run the command to its end; what was wrong with that, None where it ended by itself with exit code 0."""
    try:
        group = await ProcessGroup.launch(launch, _into(stdout), _into(stderr))
    except OSError as error:
        return f"the evaluator: {error}"
    try:
        group.close_stdin()
        await first_of(group.ended, timeout=seconds)
        if not group.ended.done():
            return f"the evaluator, or something it started, was not done in {seconds:g} s and was ended"
        code = group.ended.result()
        said = stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:_LAST_WORDS]
        why = f"the evaluator ended with exit code {code}{': ' if said else ''}{said}"
        return None if code == 0 else why
    except OSError as error:
        return f"the evaluator: {error}"
    finally:
        # All of it: what an evaluator leaves running must not reach the next trial's system.
        await group.kill()


def _into(kept: bytearray) -> Callable[[bytes], None]:
    def keep(chunk: bytes) -> None:
        kept.extend(chunk[: MOST_OUTPUT - len(kept)])

    return keep


def _read(path: Path, ledger: Ledger, brief: SealedEvaluatorBrief) -> tuple[EvaluatorFindings | None, tuple[str, ...]]:
    try:
        given = read_findings(path)
    except UnusableFindings as unusable:
        return None, unusable.problems
    problems = tuple(problems_of(given, brief, {one["observationId"] for one in ledger.observations}))
    return (None, problems) if problems else (given, ())


async def _tools(contract: EvalContract, port: AdapterPort) -> dict[str, list[dict[str, Json]]]:
    """What the servers of all tool interfaces say of their tools."""
    found: dict[str, list[dict[str, Json]]] = {}
    for interface in contract.permitted_interfaces:
        operations = [one for one in interface.operations if isinstance(one, McpOperation)]
        if interface.kind != "mcp" or not operations:
            continue
        listing = await port.describe(interface.logical_id, operations[0].tool_name)
        found[interface.logical_id] = [
            {
                "name": tool.name,
                "inputSchema": tool.input_schema or {"type": "object"},
                **({} if tool.title is None else {"title": tool.title}),
                **({} if tool.description is None else {"description": tool.description}),
                **({} if tool.output_schema is None else {"outputSchema": tool.output_schema}),
            }
            for tool in listing.tools
        ]
    return found


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="evalnb-evaluate-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
