"""Entry point of the `evalnb` command: the five stages by their own grammar, everything else through click."""

from __future__ import annotations

import gc
import os
import sys

OWN_COMMANDS = (
    "conformance",
    "coverage",
    "demo",
    "evaluate",
    "explain",
    "init",
    "measure",
    "probe",
    "record",
    "replay",
    "report",
    "run",
    "schemas",
    "serve-mcp",
    "trajectory",
)

# Looking for pydantic plugins reads the metadata of every installed package; a command has no use for them.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def main(argv: list[str] | None = None) -> int:
    """Run the command line over `argv` (default: `sys.argv`) and return its exit code.

    The stage commands and the pages about them load nothing of the others, so that a stage starts fast.
    """
    arguments = sys.argv[1:] if argv is None else argv
    if arguments and arguments[0] in OWN_COMMANDS:
        from evalnb.cli.own_commands import run_own_command

        return run_own_command(arguments)
    if not arguments or _names_nothing(arguments[0]):
        return _no_such_command(arguments)
    if argv is None:
        # The process answers one stage command and ends: collecting cycles on the way only costs time.
        gc.disable()
    from evalnb.cli.environment import SystemEnvironment
    from evalnb.cli.stage_runner import run_stage_command

    return run_stage_command(arguments, SystemEnvironment())


def _names_nothing(token: str) -> bool:
    from evalnb.cli.arguments import STAGE_COMMANDS

    return token not in (*STAGE_COMMANDS, "--help", "-h", "help", "--version", "-V")


def _no_such_command(arguments: list[str]) -> int:
    """The stage grammar names the stages only; a person is told of every command."""
    from difflib import get_close_matches

    from evalnb.cli.arguments import STAGE_COMMANDS
    from evalnb.cli.exit_codes import USAGE
    from evalnb.cli.stderr_lines import printable, usage_line

    known = (*STAGE_COMMANDS, *OWN_COMMANDS)
    said = f'unknown command "{arguments[0]}"' if arguments else "no command given"
    close = get_close_matches(arguments[0], known, n=1) if arguments else []
    hint = f'; did you mean "{close[0]}"?' if close else ""
    sys.stderr.write(usage_line(printable(f"{said}; expected one of {', '.join(known)}{hint}")) + "\n")
    return USAGE
