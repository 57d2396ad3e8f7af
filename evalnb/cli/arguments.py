"""The argument grammar of the five stage commands: a pure function of the argument list (spec: 08 §1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from evalnb.engine.json_values import quote
from evalnb.engine.white_space import WHITE_SPACE_CHARACTERS

InputValue: TypeAlias = "str | tuple[str, ...]"

_ORACLE_ID = re.compile(r"O-[0-9]{3,}")


@dataclass(frozen=True, slots=True)
class InputFlag:
    """A flag naming a file to read, or `-` for standard input."""

    name: str
    required: bool = True
    repeatable: bool = False
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ValueFlag:
    """Any other flag that takes a value."""

    name: str
    required: bool = False
    repeat_refused: bool = False
    placeholder: str = "<value>"
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class CommandGrammar:
    """The flags one command takes, and the artifact it writes."""

    inputs: tuple[InputFlag, ...]
    values: tuple[ValueFlag, ...]
    strict_inputs: bool
    artifact_kind: str
    artifact_name: str
    summary: str

    @property
    def flags(self) -> tuple[InputFlag | ValueFlag, ...]:
        """All flags that take a value, inputs first."""
        return (*self.inputs, *self.values)


_OUT = ValueFlag(
    "out", placeholder="<path>", meaning="where the artifact goes: a .json file, or a folder; default: standard output"
)
_RUN_ID = ValueFlag("run-id", required=True, placeholder="<id>", meaning="the name of this run, kept as given")
_CORPUS_DIGEST = ValueFlag(
    "corpus-digest", required=True, placeholder="<digest>", meaning="digest of the corpus; attested by you, not checked"
)
_CORPUS_ROOT = ValueFlag(
    "corpus-root",
    placeholder="<folder>",
    meaning="folder that private references resolve in; needed when a private manifest has entries"
    " or a record's isolation manifest is private",
)
_DESIGNATED_ORACLE = ValueFlag(
    "designated-oracle",
    repeat_refused=True,
    placeholder="<O-001>",
    meaning="the oracle that decides whether the probe was caught; default: the behavior's only oracle",
)
_CONTRACT = InputFlag("contract", meaning="the evaluation contract")
_POLICY = InputFlag("policy", meaning="the scoring policy")
_SOURCE = InputFlag("in", required=False, meaning="the evaluation contract; default: standard input")

GRAMMARS: dict[str, CommandGrammar] = {
    "compile": CommandGrammar(
        (_SOURCE,),
        (_OUT,),
        strict_inputs=True,
        artifact_kind="eval-contract",
        artifact_name="EvalContract",
        summary="check a contract and write it in canonical form",
    ),
    "seal": CommandGrammar(
        (_SOURCE,),
        (_OUT,),
        strict_inputs=True,
        artifact_kind="sealed-evaluator-brief",
        artifact_name="SealedEvaluatorBrief",
        summary="write the brief an evaluator may see",
    ),
    "preflight": CommandGrammar(
        (
            _CONTRACT,
            InputFlag("probes", meaning="a list of probes to plan"),
            InputFlag("observations", meaning="a list of what each planned leg answered"),
        ),
        (_OUT, _RUN_ID),
        strict_inputs=False,
        artifact_kind="preflight-verdict",
        artifact_name="PreflightVerdict",
        summary="decide from recorded answers whether the environment can be measured",
    ),
    "score": CommandGrammar(
        (
            InputFlag("record", repeatable=True, meaning="a sealed run record; once for each trial"),
            InputFlag("isolation-manifest", required=False, meaning="what the evaluator could reach"),
            InputFlag("evaluator-configuration", required=False, meaning="how the evaluator was set up"),
            _CONTRACT,
            InputFlag("probe", meaning="the probe that was run"),
            InputFlag("preflight-verdict", meaning="the verdict of the pre-flight"),
            _POLICY,
            InputFlag("private-manifest", required=False, meaning="digests of private artifacts to verify"),
        ),
        (_OUT, _CORPUS_DIGEST, _CORPUS_ROOT, _DESIGNATED_ORACLE),
        strict_inputs=False,
        artifact_kind="evidence-artifact",
        artifact_name="EvidenceArtifact",
        summary="score what the evaluator reported against recorded evidence",
    ),
    "aggregate-strength": CommandGrammar(
        (
            InputFlag("evidence", repeatable=True, meaning="an evidence artifact; once for each probe"),
            InputFlag("floors", meaning="the catch rate each probe class must reach"),
            _POLICY,
        ),
        (_OUT,),
        strict_inputs=False,
        artifact_kind="strength-aggregate",
        artifact_name="StrengthAggregate",
        summary="join evidence artifacts into the strength of the contract",
    ),
}
STAGE_COMMANDS = tuple(GRAMMARS)


@dataclass(frozen=True, slots=True)
class Help:
    """Help was asked for; `command` is `None` for the general page."""

    command: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """The version was asked for."""


@dataclass(frozen=True, slots=True)
class UsageError:
    """The argument list is wrong; nothing may run."""

    message: str


@dataclass(frozen=True, slots=True)
class Run:
    """A complete command. `inputs` holds the given input flags only, single ones before the repeatable one."""

    command: str
    inputs: dict[str, InputValue]
    out: str | None = None
    run_id: str | None = None
    corpus_digest: str | None = None
    corpus_root: str | None = None
    designated_oracle: str | None = None
    strict_inputs: bool = True
    strict: bool = False


Arguments: TypeAlias = Help | Version | UsageError | Run


def parse_arguments(argv: list[str]) -> Arguments:
    """Read the argument list after the program name. Never touches a file, the environment or a terminal."""
    known = ", ".join(STAGE_COMMANDS)
    if not argv:
        return UsageError(f"no command given; expected one of {known}")
    first, rest = argv[0], argv[1:]
    if first in ("--help", "-h", "help"):
        if not rest:
            return Help(None)
        return Help(rest[0]) if rest[0] in GRAMMARS else UsageError(_unknown(rest[0], known))
    if first in ("--version", "-V"):
        return Version()
    if first not in GRAMMARS:
        return UsageError(_unknown(first, known))
    try:
        return _Reading(first).read(rest)
    except _Refusal as refusal:
        return UsageError(str(refusal))


def _unknown(token: str, known: str) -> str:
    return f'unknown command "{token}"; expected one of {known}'


class _Refusal(Exception):
    """The first usage error of an argument list."""


@dataclass(slots=True)
class _Reading:
    command: str
    single: dict[str, str] = field(default_factory=dict)
    repeated: dict[str, list[str]] = field(default_factory=dict)
    strict_inputs: bool = True
    strict: bool = False

    def read(self, tokens: list[str]) -> Help | Run:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token == "--":
                if at + 1 < len(tokens):
                    raise _Refusal(f'{self.command} takes no positional argument, but got "{tokens[at + 1]}"')
                break
            if token in ("--help", "-h"):
                return Help(self.command)
            at += self.take(token, tokens[at + 1] if at + 1 < len(tokens) else None)
        return self.checked()

    def take(self, token: str, following: str | None) -> int:
        """Read one flag and return how many tokens it used."""
        flag, equals, inline = token.partition("=")
        if self.takes_value(flag):
            self.keep(flag, self.inline_value(flag, inline) if equals else self.spaced_value(flag, following))
            return 1 if equals else 2
        if equals:
            raise _Refusal(f'unknown flag "{flag}" in "{token}"')
        if token == "--strict":
            self.strict = True
        elif token in ("--strict-inputs", "--no-strict-inputs") and GRAMMARS[self.command].strict_inputs:
            self.strict_inputs = token == "--strict-inputs"
        else:
            raise _Refusal(f'unknown flag "{token}" for {self.command}')
        return 1

    def takes_value(self, flag: str) -> bool:
        return flag.startswith("--") and any(flag[2:] == known.name for known in GRAMMARS[self.command].flags)

    def inline_value(self, flag: str, value: str) -> str:
        if value == "":
            raise _Refusal(f"{flag} was given an empty value")
        return value

    def spaced_value(self, flag: str, following: str | None) -> str:
        if following is None:
            raise _Refusal(f"{flag} requires a value")
        if len(following) > 1 and following.startswith("-"):
            raise _Refusal(
                f'{flag} requires a value, but the next token is "{following}"; '
                f'use {flag}={following} for a value that begins with "-"'
            )
        return self.inline_value(flag, following)

    def keep(self, flag: str, value: str) -> None:
        name = flag[2:]
        grammar = GRAMMARS[self.command]
        if any(known.name == name and known.repeatable for known in grammar.inputs):
            self.repeated.setdefault(name, []).append(value)
            return
        # The documentation refuses a second designated oracle whatever its value, so an equal repeat is refused too.
        if name in self.single and any(known.name == name and known.repeat_refused for known in grammar.values):
            raise _Refusal(f"{flag} given twice")
        if self.single.setdefault(name, value) != value:
            raise _Refusal(f'{flag} given twice with different values, "{self.single[name]}" and "{value}"')

    def checked(self) -> Run:
        grammar = GRAMMARS[self.command]
        run_id = self.single.get("run-id")
        if run_id is not None and not run_id.strip(WHITE_SPACE_CHARACTERS):
            raise _Refusal("--run-id must contain a non-whitespace character")
        oracle = self.single.get("designated-oracle")
        if oracle is not None and _ORACLE_ID.fullmatch(oracle) is None:
            raise _Refusal(f"--designated-oracle takes an oracle id such as O-001, but got {quote(oracle)}")
        given = {**self.single, **self.repeated}
        missing = [f"--{flag.name}" for flag in grammar.flags if flag.required and flag.name not in given]
        if missing:
            raise _Refusal(f"{self.command} requires {', '.join(missing)}")
        self.check_stdin(grammar)
        return self.run(grammar)

    def check_stdin(self, grammar: CommandGrammar) -> None:
        readers = [
            f"--{flag.name}"
            for flag in grammar.inputs
            for value in self.repeated.get(flag.name, [self.single.get(flag.name, "")])
            if value == "-"
        ]
        if len(readers) == 2:
            raise _Refusal(f'only one input may read stdin, but {readers[0]} and {readers[1]} both name "-"')
        if len(readers) > 2:
            raise _Refusal(f'only one input may read stdin, but {", ".join(readers)} all name "-"')

    def run(self, grammar: CommandGrammar) -> Run:
        names = {flag.name for flag in grammar.inputs}
        inputs: dict[str, InputValue] = {name: value for name, value in self.single.items() if name in names}
        inputs.update({name: tuple(values) for name, values in self.repeated.items()})
        return Run(
            command=self.command,
            inputs=inputs,
            out=self.single.get("out"),
            run_id=self.single.get("run-id"),
            corpus_digest=self.single.get("corpus-digest"),
            corpus_root=self.single.get("corpus-root"),
            designated_oracle=self.single.get("designated-oracle"),
            strict_inputs=self.strict_inputs,
            strict=self.strict,
        )
