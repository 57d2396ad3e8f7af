"""`evalnb replay`: a recording served in the place of the server; it proves planning, not the server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalnb.cli import exit_codes
from evalnb.cli.record_command import redactor_of
from evalnb.cli.stderr_lines import PROGRAM, printable
from evalnb.files import FileProblem

if TYPE_CHECKING:
    from evalnb.trajectory.events import Trajectory
    from evalnb.trajectory.redaction import Redactor

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("recording", type=FILE)
@click.option(
    "--match",
    type=click.Choice(["strict", "lenient"]),
    default="strict",
    show_default=True,
    help="strict: the same arguments, as often as recorded; lenient: their normal form, without operation ids, and "
    "the last answer again.",
)
@click.option("--run", "run_id", metavar="ID", help="The run to serve, where the recording holds several.")
@click.option("--redaction-key", "key_file", type=FILE, help="The key the recording was redacted with.")
def replay(recording: Path, match: str, run_id: str | None, key_file: Path | None) -> int:
    """Serve a RECORDING as an MCP server. This proves how an agent plans; it proves nothing of the server."""
    import asyncio

    from evalnb.recording.replay import Replay
    from evalnb.recording.replay_server import serve_replay

    redact = redactor_of(key_file)
    served = Replay(_run(recording, run_id, redact), "strict" if match == "strict" else "lenient", redact)
    asyncio.run(serve_replay(served))
    for line in served.report():
        click.echo(printable(f"{PROGRAM} replay: {line}"), err=True)
    return exit_codes.OK


def _run(recording: Path, run_id: str | None, redact: Redactor) -> Trajectory:
    from evalnb.trajectory.loading import load

    runs = load(recording, redact=redact)
    if run_id is not None:
        try:
            return runs.run(run_id)
        except KeyError:
            raise FileProblem(recording, f"has no run {run_id!r}") from None
    if len(runs) != 1:
        raise FileProblem(recording, f"holds {len(runs)} runs; choose one with --run")
    return runs[0]
