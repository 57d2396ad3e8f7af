"""The help pages, made from the same tables that parse the arguments (spec: 08 §7)."""

from __future__ import annotations

from evalnb.cli.arguments import GRAMMARS, CommandGrammar, InputFlag, ValueFlag
from evalnb.cli.exit_codes import EXIT_CODE_MEANINGS
from evalnb.cli.stderr_lines import PROGRAM

OWN_COMMANDS: tuple[tuple[str, str], ...] = (
    ("demo", "run the packaged example from contract to report"),
    ("run DIR", "run a whole evaluation folder and summarize it"),
    ("report NAME", "run a notebook into one self-contained HTML file"),
    ("init", "write a first contract from a tool server, an OpenAPI document or a command's help"),
    ("probe", "ask a live system every leg of the pre-flight plan, through the target policies"),
    ("serve-mcp", "offer the stages to an agent, as tools of an MCP server"),
    ("evaluate -- COMMAND", "let a command evaluate a live system from its sealed brief; seal what it found"),
    ("measure", "plant defects in a live system, and count which of them a contract catches"),
    ("coverage FILE", "what a contract claims and cannot see, by discipline rule"),
    ("explain CODE", "what a failure code means, with a bad and a good example"),
    ("conformance MODULE:FACTORY", "check whether a port implementation conforms"),
    ("record SERVER", "record an agent's run with its tool server, and inject faults"),
    ("replay FILE", "serve a recording in the place of the server"),
    ("trajectory", "import, grade and gate whole runs of tool-using agents"),
    ("schemas", "write the JSON Schemas of every artifact"),
)

_STRICT = (
    "--strict",
    "exit 1 instead of 0 when the verdict is CONCERNS and more than missing evidence stands behind it",
)
_STRICT_UNUSED = ("--strict", "accepted everywhere; changes nothing here, since no verdict is produced")
_STRICT_INPUTS = (
    "--[no-]strict-inputs",
    "refuse inputs and witnesses the contract leaves undeclared (default), or let them pass",
)


def help_page(command: str | None) -> str:
    """The page of one stage command, or the general page; ends without a line feed."""
    blocks = [_usage_block(), _input_rules()] if command is None else [_command_block(command)]
    return "\n\n".join([*blocks, _exit_codes()])


def _usage_block() -> str:
    lines = ["Usage:"]
    lines += [f"  {_synopsis(command, grammar)}" for command, grammar in GRAMMARS.items()]
    lines += [f"  {PROGRAM} --help | -h | help [<command>]", f"  {PROGRAM} --version | -V", "", "Beside the stages:"]
    width = max(len(name) for name, _ in OWN_COMMANDS)
    lines += [f"  {PROGRAM} {name:<{width}}  {meaning}" for name, meaning in OWN_COMMANDS]
    lines += [f"  {PROGRAM} <one of these> --help shows its flags"]
    return "\n".join(lines)


def _synopsis(command: str, grammar: CommandGrammar) -> str:
    parts = [f"{PROGRAM} {command}"]
    parts += [
        _bracketed(f"--{flag.name} <path>", flag.required) + ("..." if flag.repeatable else "")
        for flag in grammar.inputs
    ]
    parts += [_bracketed(f"--{value.name} {value.placeholder}", value.required) for value in grammar.values]
    parts += ["[--strict-inputs | --no-strict-inputs]"] if grammar.strict_inputs else []
    return " ".join([*parts, "[--strict]"])


def _bracketed(text: str, required: bool) -> str:
    return text if required else f"[{text}]"


def _command_block(command: str) -> str:
    grammar = GRAMMARS[command]
    rows = [_flag_row(flag) for flag in grammar.flags]
    rows += [_STRICT_INPUTS] if grammar.strict_inputs else []
    rows += [_STRICT if command == "score" else _STRICT_UNUSED]
    width = max(len(flag) for flag, _ in rows)
    lines = ["Usage:", f"  {_synopsis(command, grammar)}", "", f"  To {grammar.summary}.", ""]
    lines += [f"  {flag:<{width}}  {meaning}" for flag, meaning in rows]
    lines += ["", f"  A folder given to --out receives {grammar.artifact_kind}.json."]
    return "\n".join(lines)


def _flag_row(flag: InputFlag | ValueFlag) -> tuple[str, str]:
    if isinstance(flag, ValueFlag):
        return f"--{flag.name} {flag.placeholder}", flag.meaning
    notes = [note for note, holds in (("repeatable", flag.repeatable), ("optional", not flag.required)) if holds]
    return f"--{flag.name} <path>", flag.meaning + (f" ({', '.join(notes)})" if notes else "")


def _input_rules() -> str:
    inputs = "; ".join(f"{command}: {_input_count(grammar)}" for command, grammar in GRAMMARS.items())
    return "\n".join(
        [
            "Input and output:",
            "  Only --in falls back to standard input; - names standard input on any input flag, once at most.",
            f"  Inputs by command: {inputs}.",
            "  Without --out the artifact goes to standard output. A name ending in .json is a file; any other",
            "  name is a folder that receives <target>/<kind>.json. Everything else goes to standard error.",
        ]
    )


def _input_count(grammar: CommandGrammar) -> str:
    required = sum(flag.required for flag in grammar.inputs)
    optional = len(grammar.inputs) - required
    repeatable = [f"--{flag.name}" for flag in grammar.inputs if flag.repeatable]
    text = f"{required} required" + (f" and {optional} optional" if optional else "")
    return text + (f", {repeatable[0]} repeatable" if repeatable else "")


def _exit_codes() -> str:
    rows = [f"  {code:<3} {meaning}" for code, meaning in EXIT_CODE_MEANINGS]
    note = [
        "  --strict never promotes a CONCERNS that rests on missing evidence alone.",
        "  1 and 2 come only from a scored verdict, 3 only from a pre-flight or an invalid scored run.",
    ]
    return "\n".join(["Exit codes:", *rows, *note])
