"""Reading the inputs of a stage command, each exactly once and in the published order (spec: 08 §2)."""

from __future__ import annotations

from dataclasses import dataclass

from evalnb.cli.arguments import GRAMMARS, Run
from evalnb.cli.environment import Environment
from evalnb.cli.lenient_json import NotJson, parse_lenient_json
from evalnb.engine.canonical import scan_json
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.json_values import Json, quote

ARTIFACT_PATHS = {
    "in": "EvalContract",
    "contract": "EvalContract",
    "probes": "Probe",
    "probe": "Probe",
    "observations": "ProbeObservation",
    "record": "SealedRunRecord",
    "isolation-manifest": "IsolationManifest",
    "evaluator-configuration": "EvaluatorConfiguration",
    "preflight-verdict": "PreflightVerdict",
    "policy": "ScoringPolicy",
    "private-manifest": "PrivateArtifactManifest",
    "evidence": "EvidenceArtifact",
    "floors": "StrengthFloors",
}
STRICTLY_SCANNED = ("evidence", "floors", "policy")
FROM_STDIN_BY_DEFAULT = "in"


@dataclass(frozen=True, slots=True)
class StageInputs:
    """The parsed inputs: one value a single flag (`None` where an optional one was not given), a list a repeatable."""

    single: dict[str, Json]
    repeated: dict[str, list[Json]]

    def __getitem__(self, name: str) -> Json:
        return self.single[name]


def read_inputs(run: Run, environment: Environment) -> StageInputs:
    """Read every input of `run` in declared order, then parse them in that order.

    Raises `OSError` for an unreadable file and `RuntimeFault` for text that is not JSON.
    """
    single: dict[str, Json] = {}
    repeated: dict[str, list[Json]] = {}
    for flag in GRAMMARS[run.command].inputs:
        given = run.inputs.get(flag.name)
        if flag.repeatable:
            # Every file is read before any is parsed: an unreadable file is reported ahead of a malformed one,
            # except among evidence files, which are read and parsed one after another.
            values = given if isinstance(given, tuple) else ()
            if flag.name == "record":
                texts = [_text(value, environment) for value in values]
                repeated[flag.name] = [
                    _parse(flag.name, text, value) for text, value in zip(texts, values, strict=True)
                ]
            else:
                repeated[flag.name] = [_parse(flag.name, _text(value, environment), value) for value in values]
        elif isinstance(given, str):
            single[flag.name] = _parse(flag.name, _text(given, environment), None)
        elif flag.name == FROM_STDIN_BY_DEFAULT:
            single[flag.name] = _parse(flag.name, environment.read_stdin(), None)
        else:
            single[flag.name] = None
    return StageInputs(single, repeated)


def _text(value: str, environment: Environment) -> str:
    return environment.read_stdin() if value == "-" else environment.read_text(value)


def _parse(name: str, text: str, source: str | None) -> Json:
    if name not in STRICTLY_SCANNED:
        return _lenient(name, text, source)
    try:
        return scan_json(text, ARTIFACT_PATHS[name])
    except RuntimeFault:
        # Text that is not JSON at all is reported as such, whatever the strict scan met first.
        _lenient(name, text, source)
        raise


def _lenient(name: str, text: str, source: str | None) -> Json:
    try:
        return parse_lenient_json(text)
    except NotJson as error:
        shown = f" {quote(source)}" if source is not None else ""
        raise RuntimeFault(
            "schema-parse-failure", ARTIFACT_PATHS[name], f"--{name}{shown} is not JSON: {error}", error
        ) from error
