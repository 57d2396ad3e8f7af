"""Malformed files on every input of every stage command: the right code and exit, one plain line, nothing written."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evalnb.cli.main import main
from tests.engine.compile.contracts import api_contract, at
from tests.engine.score import thermostat

EVALNB = [sys.executable, "-c", "from evalnb.cli.main import main; raise SystemExit(main())"]
BAD = "bad.json"
OUT = "kept.json"
LEFT_ALONE = '{"from": "the run before"}\n'
SECONDS = 20
"""Far more than any of these needs, so that only a reading that runs away fails."""


@dataclass(frozen=True)
class Input:
    """One input flag of a command: the file it normally names, and where its faults are reported."""

    command: str
    flag: str
    file: str
    artifact: str
    parse_path: str
    stamp_path: str | None
    quoted: bool = False

    @property
    def id(self) -> str:
        return f"{self.command}-{self.flag}"

    def argv(self, value: str) -> list[str]:
        """The whole command line with this input naming `value`."""
        words = ARGV[self.command]
        at_flag = words.index(f"--{self.flag}")
        return [*words[: at_flag + 1], value, *words[at_flag + 2 :]]

    def not_json(self) -> str:
        """How the line begins for text that is not JSON."""
        source = f' "{BAD}"' if self.quoted else ""
        return f"evalnb: schema-parse-failure: {self.artifact}: --{self.flag}{source} is not JSON: "

    def misshapen(self) -> str:
        return f"evalnb: schema-parse-failure: {self.parse_path}: "


def single(command: str, flag: str, file: str, name: str) -> Input:
    return Input(command, flag, file, name, name, f"{name}.schemaVersion")


INPUTS = (
    single("compile", "in", "contract.json", "EvalContract"),
    single("seal", "in", "contract.json", "EvalContract"),
    single("preflight", "contract", "contract.json", "EvalContract"),
    Input("preflight", "probes", "probes.json", "Probe", "Probe", None),
    Input("preflight", "observations", "observations.json", "ProbeObservation", "ProbeObservation", None),
    Input("score", "record", "record.json", "SealedRunRecord", "SealedRunRecord[]",
          "SealedRunRecord[index=0].schemaVersion", quoted=True),
    single("score", "isolation-manifest", "manifest.json", "IsolationManifest"),
    single("score", "evaluator-configuration", "configuration.json", "EvaluatorConfiguration"),
    single("score", "contract", "scored-contract.json", "EvalContract"),
    single("score", "probe", "probe.json", "Probe"),
    single("score", "preflight-verdict", "verdict.json", "PreflightVerdict"),
    single("score", "policy", "policy.json", "ScoringPolicy"),
    single("score", "private-manifest", "private.json", "PrivateArtifactManifest"),
    Input("aggregate-strength", "evidence", "evidence.json", "EvidenceArtifact", "EvidenceArtifact[]",
          "EvidenceArtifact[0].schemaVersion", quoted=True),
    Input("aggregate-strength", "floors", "floors.json", "StrengthFloors", "StrengthFloors", None),
    single("aggregate-strength", "policy", "policy.json", "ScoringPolicy"),
)  # fmt: skip
BY_ID = {given.id: given for given in INPUTS}
STRICT = ("score-policy", "aggregate-strength-evidence", "aggregate-strength-floors", "aggregate-strength-policy")
MAY_BE_NULL = ("score-isolation-manifest", "score-evaluator-configuration", "score-private-manifest")
LISTS = ("preflight-probes", "preflight-observations")


def argv_of(command: str, *more: str) -> list[str]:
    words = [command]
    for given in INPUTS:
        if given.command == command:
            words += [f"--{given.flag}", given.file]
    return [*words, *more]


ARGV = {
    "compile": argv_of("compile"),
    "seal": argv_of("seal"),
    "preflight": argv_of("preflight", "--run-id", "run-1"),
    "score": argv_of("score", "--corpus-digest", thermostat.CORPUS_DIGEST),
    "aggregate-strength": argv_of("aggregate-strength"),
}


def good_documents() -> dict[str, Any]:
    return {
        "contract.json": api_contract(),
        "probes.json": [],
        "observations.json": [],
        "record.json": thermostat.record_document(),
        "manifest.json": thermostat.manifest_document(),
        "configuration.json": thermostat.configuration_document(),
        "scored-contract.json": thermostat.contract_document(),
        "probe.json": thermostat.probe_document(),
        "verdict.json": thermostat.verdict_document(),
        "policy.json": thermostat.policy_document(),
        "private.json": {"schemaVersion": 1, "parentDigest": None, "revisionCount": 0, "entries": []},
        "floors.json": {"defect": 0.5},
    }


@pytest.fixture(scope="module")
def good_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every input as bytes that its command accepts; the evidence is what `score` makes of the others."""
    folder = tmp_path_factory.mktemp("good")
    for name, document in good_documents().items():
        (folder / name).write_text(json.dumps(document), encoding="utf-8")
    words = [str(folder / word) if word.endswith(".json") else word for word in ARGV["score"]]
    assert main([*words, "--out", str(folder / "evidence.json")]) == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def workbench(good_files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that holds every good file and the artifact of an earlier run."""
    for name, data in good_files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / OUT).write_text(LEFT_ALONE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    code: int
    out: str
    err: str


Refuse = Callable[..., Ended]


@pytest.fixture
def refuse(workbench: Path, capfd: pytest.CaptureFixture[str]) -> Refuse:
    """Run a command line that must fail, and hold it to what is true of every failure."""

    def run(argv: list[str], out: str = OUT) -> Ended:
        before = sorted(os.listdir())
        started = time.monotonic()
        code = main([*argv, "--out", out])
        took = time.monotonic() - started
        ended = Ended(code, *capfd.readouterr())
        assert_plain(ended)
        assert took < SECONDS
        assert sorted(os.listdir()) == before
        assert Path(OUT).read_text(encoding="utf-8") == LEFT_ALONE
        return ended

    return run


def assert_plain(ended: Ended) -> None:
    """No artifact, no traceback, nothing a terminal would act on."""
    assert ended.code != 0
    assert ended.out == ""
    assert ended.err.startswith("evalnb: ")
    assert "Traceback" not in ended.err
    assert all(line.startswith(("evalnb: ", "  ")) for line in ended.err.splitlines())
    assert all(character.isprintable() or character in "\n\ufffd" for character in ended.err)


def test_the_good_files_are_accepted(workbench: Path) -> None:
    for command in ("compile", "seal", "score", "aggregate-strength"):
        assert main([*ARGV[command], "--out", "fresh.json"]) == 0
    # Nothing was planted and nothing answered, so the pre-flight has read all its inputs when it gives up.
    assert main([*ARGV["preflight"], "--out", "fresh.json"]) == 5


# --- text that is not JSON -------------------------------------------------------------------------------------------

NOT_JSON: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "blank": lambda good: b" \r\n\t ",
    "truncated": lambda good: good[: len(good) // 2] if len(good) > 2 else good[:1],
    "utf-16": lambda good: good.decode().encode("utf-16"),
    "utf-16-without-mark": lambda good: good.decode().encode("utf-16-be"),
    "byte-order-mark": lambda good: b"\xef\xbb\xbf" + good,
    "latin-1-outside-strings": lambda good: b"\xe9" + good,
    "nan": lambda good: b'{"schemaVersion": NaN}',
    "infinity": lambda good: b"[Infinity]",
    "minus-infinity": lambda good: b'{"x": -Infinity}',
    "raw-control-character": lambda good: b'{"a": "\x1b[31mred"}',
    "zero-bytes": lambda good: b"\0" * 64,
    "two-documents": lambda good: good + good,
    "trailing-comma": lambda good: good[:-1] + b",}",
    "single-quotes": lambda good: b"{'schemaVersion': 7}",
    "comment": lambda good: b"// a contract\n" + good,
    "bad-escape": lambda good: b'{"a": "\\x41"}',
    "leading-zero": lambda good: b'{"schemaVersion": 07}',
    "hexadecimal": lambda good: b'{"schemaVersion": 0x7}',
    "yaml": lambda good: b"schemaVersion: 7\nbehaviors: []\n",
    "picture": lambda good: b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "never-closes": lambda good: b"[" * 5000,
    "never-opens": lambda good: b"]" * 5000,
}


@pytest.mark.parametrize("kind", NOT_JSON)
@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_text_that_is_not_json(given: Input, kind: str, workbench: Path, refuse: Refuse) -> None:
    (workbench / BAD).write_bytes(NOT_JSON[kind]((workbench / given.file).read_bytes()))
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(given.not_json())
    assert ended.err.count("\n") == 1


# --- JSON of the wrong shape -----------------------------------------------------------------------------------------

TOP_LEVELS: dict[str, bytes] = {
    "null": b"null",
    "true": b"true",
    "number": b"17",
    "string": b'"contract.json"',
    "list-in-list": b"[[]]",
    "object-that-says-nothing": b'{"unknown": true}',
    "2000-levels-of-objects": b'{"a":' * 2000 + b"1" + b"}" * 2000,
}


@pytest.mark.parametrize("kind", TOP_LEVELS)
@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_json_of_the_wrong_shape(given: Input, kind: str, workbench: Path, refuse: Refuse) -> None:
    if kind == "null" and given.id in MAY_BE_NULL:
        pytest.skip("a file that holds null is an input left out")
    (workbench / BAD).write_bytes(TOP_LEVELS[kind])
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    if kind.startswith("2000") and given.id in STRICT:
        assert ended.err.startswith(
            f"evalnb: non-canonicalizable-value: {given.artifact}: nesting depth exceeds 1024 at offset "
        )
    else:
        assert ended.err.startswith(given.misshapen())


@pytest.mark.parametrize("given_id", MAY_BE_NULL)
def test_a_file_that_holds_null_is_an_input_left_out(
    given_id: str, workbench: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (workbench / BAD).write_bytes(b"null")
    code = main(BY_ID[given_id].argv(BAD))
    ended = Ended(code, *capfd.readouterr())
    assert ended.code == (0 if given_id == "score-private-manifest" else 3), ended.err


STAMPED = [given for given in INPUTS if given.stamp_path is not None]


@pytest.mark.parametrize("stamp", ["99", "-1", "6.5"])
@pytest.mark.parametrize("given", STAMPED, ids=lambda given: given.id)
def test_a_version_nobody_reads(given: Input, stamp: str, workbench: Path, refuse: Refuse) -> None:
    (workbench / BAD).write_text(f'{{"schemaVersion": {stamp}}}', encoding="utf-8")
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(
        f'evalnb: schema-version-mismatch: {given.stamp_path}: carries "schemaVersion" {stamp} where this build reads '
    )


HUGE = {"1e999": "Infinity", "9" * 400: "Infinity", "9" * 30: "1e+30", "9" * 100_000: "Infinity"}


@pytest.mark.parametrize("literal", HUGE, ids=lambda literal: f"{literal[:5]}-{len(literal)}")
@pytest.mark.parametrize("given", STAMPED, ids=lambda given: given.id)
def test_a_number_beyond_all_bounds(given: Input, literal: str, workbench: Path, refuse: Refuse) -> None:
    (workbench / BAD).write_text(f'{{"schemaVersion": {literal}}}', encoding="utf-8")
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    if given.id in STRICT:
        assert ended.err.startswith(f"evalnb: non-canonicalizable-value: {given.artifact}: ")
    else:
        mismatch = f"evalnb: schema-version-mismatch: {given.stamp_path}: "
        assert ended.err.startswith(f'{mismatch}carries "schemaVersion" {HUGE[literal]} ')


# What one stage writes handed to the flag of another: by its stamp where the versions part, by its shape elsewhere.
WRONG_KINDS = [
    ("compile-in", "record.json", "schema-version-mismatch", "EvalContract.schemaVersion"),
    ("compile-in", "policy.json", "schema-version-mismatch", "EvalContract.schemaVersion"),
    ("compile-in", "probe.json", "schema-parse-failure", "EvalContract"),
    ("seal-in", "evidence.json", "schema-version-mismatch", "EvalContract.schemaVersion"),
    ("preflight-probes", "probe.json", "schema-parse-failure", "Probe"),
    ("preflight-observations", "contract.json", "schema-parse-failure", "ProbeObservation"),
    ("score-record", "contract.json", "schema-parse-failure", "SealedRunRecord[]"),
    ("score-record", "policy.json", "schema-version-mismatch", "SealedRunRecord[index=0].schemaVersion"),
    ("score-probe", "contract.json", "schema-version-mismatch", "Probe.schemaVersion"),
    ("score-policy", "verdict.json", "schema-parse-failure", "ScoringPolicy"),
    ("score-preflight-verdict", "policy.json", "schema-parse-failure", "PreflightVerdict"),
    ("score-isolation-manifest", "configuration.json", "schema-parse-failure", "IsolationManifest"),
    ("aggregate-strength-evidence", "record.json", "schema-version-mismatch", "EvidenceArtifact[0].schemaVersion"),
    ("aggregate-strength-evidence", "floors.json", "schema-parse-failure", "EvidenceArtifact[]"),
    ("aggregate-strength-floors", "policy.json", "schema-parse-failure", "StrengthFloors"),
    ("aggregate-strength-policy", "evidence.json", "schema-version-mismatch", "ScoringPolicy.schemaVersion"),
]


@pytest.mark.parametrize(("given_id", "file", "code", "path"), WRONG_KINDS)
def test_an_artifact_of_another_kind(given_id: str, file: str, code: str, path: str, refuse: Refuse) -> None:
    ended = refuse(BY_ID[given_id].argv(file))
    assert ended.code == 5
    assert ended.err.startswith(f"evalnb: {code}: {path}: ")


@pytest.mark.parametrize("given", [given for given in INPUTS if given.id not in LISTS], ids=lambda given: given.id)
def test_bytes_that_are_not_utf_8_become_replacement_characters(given: Input, workbench: Path, refuse: Refuse) -> None:
    good = (workbench / given.file).read_bytes().rstrip()
    (workbench / BAD).write_bytes(good[:-1] + b', "caf\xe9": "\xe9"}')
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(given.misshapen())
    assert 'Unrecognized key: "caf\ufffd"' in ended.err


@pytest.mark.parametrize("given", [given for given in INPUTS if given.id not in LISTS], ids=lambda given: given.id)
def test_a_key_that_would_steer_a_terminal_is_shown_escaped(given: Input, workbench: Path, refuse: Refuse) -> None:
    good = (workbench / given.file).read_bytes().rstrip()
    (workbench / BAD).write_bytes(good[:-1] + rb', "\u001b[2J\u202e\nevalnb: usage: fine": 1}')
    ended = refuse(given.argv(BAD))
    assert ended.code == 5
    assert "\\x1b[2J\\u202e\\nevalnb: usage: fine" in ended.err


@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_a_repeated_key(given: Input, workbench: Path, refuse: Refuse, capfd: pytest.CaptureFixture[str]) -> None:
    if given.id in LISTS:
        pytest.skip("a list has no keys of its own")
    good = (workbench / given.file).read_bytes()
    key = next(iter(json.loads(good)))
    (workbench / BAD).write_bytes(good[:1] + f'"{key}": 0.25, '.encode() + good[1:])
    if given.id in STRICT:
        ended = refuse(given.argv(BAD))
        assert ended.code == 5
        start = f'evalnb: non-canonicalizable-value: {given.artifact}: duplicate object key "{key}" at offset '
        assert ended.err.startswith(start)
    else:
        # The last value counts, and it is the good one.
        expected = 5 if given.command == "preflight" else 0
        assert main(given.argv(BAD)) == expected
        assert '"schemaVersion"' in capfd.readouterr().out or expected == 5


# --- values outside the hashed domain, where any JSON value may stand ------------------------------------------------

UNHASHABLE = {
    "lone-surrogate": ('"\\ud800"', "lone surrogate in string"),
    "2000-levels": ('{"a":' * 2000 + "1" + "}" * 2000, "nesting depth exceeds 1024"),
    "unsafe-integer": ("9007199254740993", "integer outside the safe range"),
    "forty-digits": ("9" * 40, "integer outside the safe range"),
}
ANYWHERE: dict[str, tuple[str, tuple[str | int, ...], str]] = {
    "compile-in": ("contract.json", ("interactionPlan", 1, "inputBinding", "query", "owner", "literal"), "EvalContract"),
    "seal-in": ("contract.json", ("interactionPlan", 1, "inputBinding", "query", "owner", "literal"), "EvalContract"),
    "score-contract": ("scored-contract.json", ("oracles", 1, "check", "operands", 1, "literal"), "EvalContract"),
    "score-record": ("record.json", ("observations", 1, "responseBody", "celsius"),
                     "SealedRunRecord.findings[findingId=F-101]"),
    "score-evaluator-configuration": ("configuration.json", ("decodingParameters", "x"), "EvaluatorConfiguration"),
}  # fmt: skip


def with_literal(document: Any, path: tuple[str | int, ...], literal: str) -> str:
    """The document as text, with a piece of JSON text at one place."""
    at(document, *path[:-1])[path[-1]] = "@here@"
    return json.dumps(document).replace('"@here@"', literal)


@pytest.mark.parametrize("kind", UNHASHABLE)
@pytest.mark.parametrize("given_id", ANYWHERE)
def test_a_value_that_cannot_be_hashed(given_id: str, kind: str, workbench: Path, refuse: Refuse) -> None:
    file, path, artifact_path = ANYWHERE[given_id]
    literal, detail = UNHASHABLE[kind]
    text = with_literal(json.loads((workbench / file).read_bytes()), path, literal)
    (workbench / BAD).write_text(text, encoding="utf-8")
    ended = refuse(BY_ID[given_id].argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(f"evalnb: non-canonicalizable-value: {artifact_path}: {detail}")


@pytest.mark.parametrize("given_id", ANYWHERE)
def test_an_infinite_number_has_no_shape(given_id: str, workbench: Path, refuse: Refuse) -> None:
    file, path, _ = ANYWHERE[given_id]
    text = with_literal(json.loads((workbench / file).read_bytes()), path, "-1e999")
    (workbench / BAD).write_text(text, encoding="utf-8")
    ended = refuse(BY_ID[given_id].argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(BY_ID[given_id].misshapen())


def test_an_expression_of_two_thousand_levels(workbench: Path, refuse: Refuse) -> None:
    inner = '{"op":"existence","operands":[{"pointer":"/interactions/list/response-body/items"}]}'
    nested = '{"op":"not","operands":[' * 2000 + inner + "]}" * 2000
    text = with_literal(json.loads((workbench / "contract.json").read_bytes()), ("oracles", 0, "check"), nested)
    (workbench / BAD).write_text(text, encoding="utf-8")
    for given_id in ("compile-in", "seal-in"):
        ended = refuse(BY_ID[given_id].argv(BAD))
        assert ended.code == 4
        assert ended.err.startswith("evalnb: direction-check-misaligned: EvalContract.oracles[id=O-001].direction")


# --- ten megabytes ---------------------------------------------------------------------------------------------------

MEGABYTES = 10 * 2**20
BIG_NOT_JSON: dict[str, Callable[[], bytes]] = {
    "binary": lambda: bytes(range(256)) * (MEGABYTES // 256),
    "one-open-string": lambda: b'"' + b"a" * MEGABYTES,
    "escaped-quotes": lambda: b'["' + b'\\"' * (MEGABYTES // 2),
    "open-brackets": lambda: b"[" * MEGABYTES,
    "open-objects": lambda: b'{"a":[' * (MEGABYTES // 6),
    "open-brackets-and-quotes": lambda: b"[" * 5000 + b'"' + b'\\"' * (MEGABYTES // 2),
    "blanks": lambda: b" " * MEGABYTES,
}


@pytest.mark.parametrize("kind", BIG_NOT_JSON)
@pytest.mark.parametrize("given_id", ["compile-in", "score-record", "aggregate-strength-evidence"])
def test_ten_megabytes_that_are_not_json(given_id: str, kind: str, workbench: Path, refuse: Refuse) -> None:
    (workbench / BAD).write_bytes(BIG_NOT_JSON[kind]())
    ended = refuse(BY_ID[given_id].argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(BY_ID[given_id].not_json())
    assert len(ended.err) < 500


BIG_JSON: dict[str, Callable[[], bytes]] = {
    "string": lambda: json.dumps("a" * MEGABYTES).encode(),
    "string-in-object": lambda: json.dumps({"schemaVersion": "7" * MEGABYTES}).encode(),
    "long-numbers": lambda: json.dumps({"schemaVersion": None, "x": [10**15] * (MEGABYTES // 18)}).encode(),
    "levels-of-lists": lambda: b"[" * 100_000 + b"]" * 100_000 + b" " * (MEGABYTES - 200_000),
}


@pytest.mark.parametrize("kind", BIG_JSON)
@pytest.mark.parametrize("given_id", ["compile-in", "score-record", "score-policy", "aggregate-strength-evidence"])
def test_ten_megabytes_of_the_wrong_shape(given_id: str, kind: str, workbench: Path, refuse: Refuse) -> None:
    (workbench / BAD).write_bytes(BIG_JSON[kind]())
    ended = refuse(BY_ID[given_id].argv(BAD))
    assert ended.code == 5
    if kind == "levels-of-lists" and given_id in STRICT:
        assert ended.err.startswith(f"evalnb: non-canonicalizable-value: {BY_ID[given_id].artifact}: ")
    else:
        assert ended.err.startswith(BY_ID[given_id].misshapen())


def test_a_record_of_ten_megabytes_cut_short(workbench: Path, refuse: Refuse) -> None:
    observations = [thermostat.observation(f"obs-{n}", n, "set-target", 21) for n in range(1, 20_001)]
    whole = json.dumps(thermostat.record_document(observations=observations)).encode()
    assert len(whole) > MEGABYTES
    (workbench / BAD).write_bytes(whole[:-20])
    ended = refuse(BY_ID["score-record"].argv(BAD))
    assert ended.code == 5
    assert ended.err.startswith(BY_ID["score-record"].not_json())


# --- paths -----------------------------------------------------------------------------------------------------------


def missing(folder: Path) -> str:
    return "nowhere.json"


def folder_instead(folder: Path) -> str:
    (folder / "folder.json").mkdir()
    return "folder.json"


def below_a_file(folder: Path) -> str:
    return "policy.json/contract.json"


def circle_of_links(folder: Path) -> str:
    (folder / "circle.json").symlink_to("circle.json")
    return "circle.json"


def overlong_name(folder: Path) -> str:
    return "n" * 300 + ".json"


def link_to_nothing(folder: Path) -> str:
    (folder / "dangling.json").symlink_to("gone.json")
    return "dangling.json"


PATHS: list[tuple[Callable[[Path], str], str]] = [
    (missing, 'open "{}": ENOENT'),
    (folder_instead, 'read "(unknown path)": EISDIR'),
    (below_a_file, 'open "{}": ENOTDIR'),
    (circle_of_links, 'open "{}": ELOOP'),
    (overlong_name, 'open "{}": ENAMETOOLONG'),
    (link_to_nothing, 'open "{}": ENOENT'),
]


@pytest.mark.parametrize(("place", "line"), PATHS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_a_path_that_cannot_be_read(
    given: Input, place: Callable[[Path], str], line: str, workbench: Path, refuse: Refuse
) -> None:
    path = place(workbench)
    ended = refuse(given.argv(path))
    assert ended.code == 64
    assert ended.err == f"evalnb: usage: {line.format(path)}\n"


@pytest.fixture
def without_rights(workbench: Path) -> Iterator[None]:
    """A user to whom a file without permissions is closed: `root` steps down for the length of the test."""
    if os.geteuid() != 0:
        yield
        return
    workbench.chmod(0o777)
    # Whatever a command loads on its way is loaded while everything can still be read.
    for command in ARGV:
        main(ARGV[command])
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_a_file_nobody_may_read(given: Input, workbench: Path, refuse: Refuse, without_rights: None,
                                capfd: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    closed = Path(BAD)
    closed.write_bytes(Path(given.file).read_bytes())
    capfd.readouterr()
    opened = main(given.argv(BAD))
    assert opened == (5 if given.command == "preflight" else 0)
    capfd.readouterr()
    closed.chmod(0)
    ended = refuse(given.argv(BAD))
    assert ended.code == 64
    assert ended.err == f'evalnb: usage: open "{BAD}": EACCES\n'


UNWRITABLE = [
    ("policy.json/out", 'evalnb: usage: mkdir "policy.json/out": ENOTDIR\n'),
    ("folder.json", 'evalnb: usage: open "folder.json": EISDIR\n'),
    ("n" * 300 + ".json", 'evalnb: usage: open "{}": ENAMETOOLONG\n'),
]


@pytest.mark.parametrize(("out", "line"), UNWRITABLE, ids=["below-a-file", "folder", "overlong-name"])
@pytest.mark.parametrize("command", ["compile", "seal", "score", "aggregate-strength"])
def test_an_artifact_that_cannot_be_put_anywhere(
    command: str, out: str, line: str, workbench: Path, refuse: Refuse
) -> None:
    (workbench / "folder.json").mkdir()
    ended = refuse(ARGV[command], out)
    assert ended.code == 64
    assert ended.err == line.format(out)
    assert list((workbench / "folder.json").iterdir()) == []


# --- standard input, whole processes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["empty", "truncated", "utf-16", "byte-order-mark", "nan"])
@pytest.mark.parametrize("given", INPUTS, ids=lambda given: given.id)
def test_malformed_standard_input(
    given: Input, kind: str, workbench: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = NOT_JSON[kind]((workbench / given.file).read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    ended = refuse(given.argv("-"))
    assert ended.code == 5
    assert ended.err.startswith(given.not_json().replace(f'"{BAD}"', '"-"'))


PROCESSES: list[tuple[str, bytes, int, str]] = [
    ("compile-in", b"", 5, "is not JSON: Unexpected end of JSON input"),
    ("seal-in", b"[" * MEGABYTES, 5, "is not JSON: "),
    ("preflight-probes", b'{"a":' * 2000 + b"1" + b"}" * 2000, 5, "schema-parse-failure: Probe: "),
    ("score-policy", b'{"a": 1, "a": 2}', 5, 'duplicate object key "a" at offset '),
    ("score-record", b'{"schemaVersion": 99}', 5, "schema-version-mismatch: SealedRunRecord[index=0].schemaVersion: "),
    ("aggregate-strength-floors", b"\xff\xfe{\0}\0", 5, "--floors is not JSON: "),
]


@pytest.mark.parametrize(("given_id", "data", "code", "shown"), PROCESSES)
def test_a_whole_process_ends_plainly(given_id: str, data: bytes, code: int, shown: str, workbench: Path) -> None:
    (workbench / BAD).write_bytes(data)
    result = subprocess.run(
        [*EVALNB, *BY_ID[given_id].argv(BAD), "--out", "out"], capture_output=True, check=False, timeout=60
    )
    assert result.returncode == code
    assert_plain(Ended(result.returncode, result.stdout.decode(), result.stderr.decode()))
    assert shown in result.stderr.decode()
    assert not (workbench / "out").exists()


def test_a_whole_process_refuses_a_missing_file(workbench: Path) -> None:
    result = subprocess.run([*EVALNB, "compile", "--in", "nowhere.json"], capture_output=True, check=False, timeout=60)
    assert (result.returncode, result.stdout) == (64, b"")
    assert result.stderr.decode() == 'evalnb: usage: open "nowhere.json": ENOENT\n'


@pytest.mark.parametrize("flag", ["contract", "run-id"])
def test_an_argument_cannot_write_lines_of_its_own(flag: str, refuse: Refuse) -> None:
    forged = "run\nevalnb: preflight: run: all is well"
    words = ARGV["preflight"]
    at_flag = words.index(f"--{flag}")
    ended = refuse([*words[: at_flag + 1], forged, *words[at_flag + 2 :]])
    assert ended.code == (64 if flag == "contract" else 5)
    assert "run\\nevalnb: preflight: run: all is well" in ended.err
    assert "\nevalnb: preflight: run: all is well" not in ended.err
