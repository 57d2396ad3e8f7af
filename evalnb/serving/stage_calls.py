"""The stages as served tools: each takes documents or files below the root, and answers with a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from evalnb import api
from evalnb.serving.answers import Answer
from evalnb.serving.file_root import FileRoot

if TYPE_CHECKING:
    from evalnb.explain import Explanation


class Given:
    """The arguments of one call; a text where a document may stand is a file below the root."""

    def __init__(self, arguments: Mapping[str, Any], files: FileRoot) -> None:
        self._arguments = arguments
        self._files = files

    def value(self, name: str, default: Any = None) -> Any:
        """An argument as it was given."""
        return self._arguments.get(name, default)

    def document(self, name: str, artifact_path: str) -> Any:
        """A document, or the one in the file that is named; None where the argument is left out."""
        value = self._arguments.get(name)
        return self._files.read_json(value, artifact_path) if isinstance(value, str) else value

    def documents(self, name: str, artifact_path: str) -> Any:
        """A list of documents, each of which may be a file, or a file that holds the list."""
        value = self.document(name, artifact_path)
        if not isinstance(value, list):
            return value
        return [self._files.read_json(one, artifact_path) if isinstance(one, str) else one for one in value]


def compile_contract(given: Given) -> Answer:
    compiled = api.compile(given.document("contract", "EvalContract"), strict_inputs=given.value("strictInputs", True))
    return {"contract": compiled.document}


def coverage(given: Given) -> Answer:
    report = api.coverage(given.document("contract", "EvalContract"), strict_inputs=given.value("strictInputs", True))
    return {
        "rules": [
            {
                "rule": rule.rule,
                "relevant": rule.relevant,
                "relevanceReason": rule.relevance.reason,
                "satisfied": rule.satisfied,
                "satisfactionReason": rule.satisfaction.reason,
            }
            for rule in report.rules
        ],
        "gaps": [gap.model_dump(mode="json", by_alias=True) for gap in report.gaps],
    }


def seal(given: Given) -> Answer:
    brief = api.seal(given.document("contract", "EvalContract"), strict_inputs=given.value("strictInputs", True))
    return {"brief": brief.document}


def preflight(given: Given) -> Answer:
    verdict = api.preflight(
        given.document("contract", "EvalContract"),
        given.documents("probes", "Probe"),
        given.documents("observations", "ProbeObservation"),
        run_id=given.value("runId"),
    )
    return {"verdict": verdict.document}


_SCORE_OPTIONS: Final = (
    ("isolation_manifest", "isolationManifest", "IsolationManifest"),
    ("evaluator_configuration", "evaluatorConfiguration", "EvaluatorConfiguration"),
    ("private_manifest", "privateManifest", "PrivateArtifactManifest"),
)


def score(given: Given) -> Answer:
    options = {name: given.document(key, path) for name, key, path in _SCORE_OPTIONS}
    result = api.score(
        given.documents("record", "SealedRunRecord"),
        contract=given.document("contract", "EvalContract"),
        probe=given.document("probe", "Probe"),
        preflight_verdict=given.document("preflightVerdict", "PreflightVerdict"),
        policy=given.document("policy", "ScoringPolicy"),
        corpus_digest=given.value("corpusDigest"),
        designated_oracle=given.value("designatedOracle"),
        **options,
    )
    ladder = result.ladder
    return {
        "verdict": ladder.verdict,
        "basis": list(ladder.basis),
        "exitCode": ladder.exit_code,
        "strictPromotable": ladder.strict_promotable,
        "qualificationFailures": [
            {"code": failure.code, "artifactPath": failure.artifact_path, "detail": failure.detail}
            for failure in result.qualification.failures
        ],
        "evidence": None if result.artifact is None else result.artifact.document,
    }


def explain(given: Given) -> Answer:
    from evalnb.explain import codes, explain as explanation_of

    code = given.value("code")
    if code is None:
        return {"explanations": [_in_short(explanation_of(one)) for one in codes()]}
    one = explanation_of(code)
    examples = {"bad": asdict(one.bad), "good": asdict(one.good)}
    return {"explanations": [{**_in_short(one), "why": one.why, "remedy": one.remedy, **examples}]}


def _in_short(one: Explanation) -> dict[str, Any]:
    return {"code": one.code, "registry": one.registry, "exitCode": one.exit_code, "meaning": one.meaning}


def list_examples(given: Given) -> Answer:
    from evalnb.corpus import example, examples

    name = given.value("name")
    listed = [info for info in examples() if name in (None, info.name)]
    contract = None
    if name is not None:
        path = example(name)
        contract = FileRoot(path if path.is_dir() else path.parent).read_json(
            "contract.json" if path.is_dir() else path.name, "EvalContract"
        )
    return {
        "examples": [
            {"name": info.name, "kind": info.kind, "interfaceKind": info.interface_kind, "summary": info.summary}
            for info in listed
        ],
        "contract": contract,
    }


def read_schema(given: Given) -> Answer:
    from evalnb.engine.artifacts.json_schema import json_schemas

    return {"schema": json_schemas()[given.value("kind")]}
