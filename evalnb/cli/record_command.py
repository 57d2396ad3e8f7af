"""`evalnb record`: an MCP server that passes through to the real one and records the run of the agent before it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalnb.cli import exit_codes
from evalnb.cli.stderr_lines import PROGRAM, printable
from evalnb.files import FileProblem, read_file

if TYPE_CHECKING:
    from evalnb.recording.session import Recording
    from evalnb.trajectory.cases import Case, Suite
    from evalnb.trajectory.redaction import Redactor

FILE = click.Path(path_type=Path)


@click.command(context_settings={"ignore_unknown_options": False})
@click.option("--out", required=True, type=FILE, help="File for the recorded run (.jsonl); runs are added to it.")
@click.option("--faults", type=FILE, help="Faults to inject (.yaml, .json).  [default: those of the case]")
@click.option(
    "--approvals",
    type=click.Choice(["ask", "allow", "deny", "policy"]),
    help="Hold calls that do more than read for a decision.  [default: calls are not held]",
)
@click.option("--approval-policy", type=FILE, help="What is asked, allowed and denied by tool (.yaml, .json).")
@click.option("--hide", multiple=True, metavar="TOOL", help="A tool that the agent does not see.")
@click.option("--rename", multiple=True, metavar="A=B", help="Offer the server's tool A to the agent as B.")
@click.option(
    "--state-tool", metavar="TOOL", help="A tool that tells the authoritative state; the agent cannot see it."
)
@click.option("--cases", "suite_file", type=FILE, help="The suite of the case that is run.")
@click.option("--case", "case_id", metavar="ID", help="The case that is run: its request, identity and faults.")
@click.option("--run-id", help="The run's id.  [default: made of the case and the time]")
@click.option("--trial", type=int, help="Which trial of the case this is.")
@click.option("--tenant", help="The tenant of the run.  [default: the case's]")
@click.option("--user", help="The user of the run.  [default: the case's]")
@click.option("--model", help="The model behind the agent.")
@click.option("--prompt-version", help="The version of the agent's prompt.")
@click.option("--release", help="The release the run belongs to.")
@click.option("--redaction-key", "key_file", type=FILE, help="File whose bytes key the stand-ins of redacted values.")
@click.argument("server", nargs=-1, required=True, type=click.UNPROCESSED)
def record(server: tuple[str, ...], **options: Any) -> int:
    """Record a session of an unchanged agent with the SERVER command, which it connects to through this one."""
    import asyncio

    from evalnb.recording.session import record as record_session

    recorded = asyncio.run(record_session(_recording(server, options), _warn))
    if recorded.failure is not None:
        _warn(recorded.failure)
    for line in recorded.faults:
        _warn(line)
    if recorded.events:
        _warn(f"{recorded.events} events of run {recorded.run_id} in {options['out']}")
    else:
        _warn("nothing happened that could be recorded")
    return exit_codes.OK if recorded.failure is None else exit_codes.FAULT


def _recording(server: tuple[str, ...], options: dict[str, Any]) -> Recording:
    from evalnb.recording.approval_policy import ApprovalPolicy, read_approval_policy
    from evalnb.recording.fault_plan import plan_of_case, read_fault_plan
    from evalnb.recording.session import Recording, identity_of_run
    from evalnb.recording.tool_surface import SurfaceProblem, tool_surface

    suite, case = _case(options["suite_file"], options["case_id"])
    policy_file = options["approval_policy"]
    if (options["approvals"] == "policy") != (policy_file is not None):
        raise click.UsageError("--approvals policy and --approval-policy FILE go together")
    try:
        surface = tool_surface(options["hide"], options["rename"])
    except SurfaceProblem as problem:
        raise click.UsageError(str(problem)) from None
    given = {name: options[name] for name in ("trial", "tenant", "user", "model", "prompt_version", "release")}
    run_id = options["run_id"] or f"{case.id if case else options['out'].stem}/{_moment()}"
    faults = options["faults"]
    return Recording(
        server=server,
        out=options["out"],
        identity=identity_of_run(case, given, run_id, case.slices if case else {}),
        redact=redactor_of(options["key_file"]),
        faults=read_fault_plan(faults) if faults is not None else plan_of_case(case.faults if case else ()),
        surface=surface,
        approvals=options["approvals"],
        approval_policy=read_approval_policy(policy_file) if policy_file is not None else ApprovalPolicy(),
        state_tool=options["state_tool"],
        case=case,
        suite=suite,
    )


def _moment() -> str:
    """The time to the millisecond; its letters keep it from looking like a number that redaction would replace."""
    now = time.time()
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}Z{int(now % 1 * 1000):03d}"


def _case(suite_file: Path | None, case_id: str | None) -> tuple[Suite | None, Case | None]:
    from evalnb.trajectory.case_files import read_suite

    if suite_file is None:
        if case_id is not None:
            raise click.UsageError("--case names a case of --cases FILE")
        return None, None
    suite = read_suite(suite_file)
    case = suite.case(case_id) if case_id is not None else None
    if case_id is not None and case is None:
        raise FileProblem(suite_file, f"has no case {case_id!r}")
    return suite, case


def redactor_of(key_file: Path | None) -> Redactor:
    """The redactor of a key file; without one its key is this process's own."""
    from evalnb.trajectory.redaction import redactor

    if key_file is None:
        return redactor()
    try:
        return redactor(read_file(key_file, "the key of redaction").strip())
    except ValueError as error:
        raise FileProblem(key_file, str(error)) from None


def _warn(text: str) -> None:
    click.echo(printable(f"{PROGRAM} record: {text}"), err=True)
