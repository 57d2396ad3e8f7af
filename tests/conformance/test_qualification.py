"""The qualification gate against the published cases, fed typed probes that no schema has judged. spec: 09 §3"""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine import artifacts as shapes
from evalnb.engine.codes import QUALIFICATION_FAILURE_CODES
from evalnb.engine.score.qualify.channels import CHANNELS_OF_KIND, RESPONSE_SIDE
from evalnb.engine.score.qualify.gate import qualify_probe, seal_probe_set
from evalnb.engine.score.qualify.home import resolve_home_operation
from evalnb.engine.score.qualify.routes import admissible_routes
from evalnb.engine.score.qualify.selector import SELECTOR_CHANNELS
from tests.conformance import fragments
from tests.conformance.reference import params, rows, supporting

FILE = "qualification.json"

ROUTES: dict[str, Any] = {
    "historical": shapes.HistoricalQualification,
    "controlled-mutation": shapes.ControlledMutationQualification,
    "gameability": shapes.GameabilityQualification,
    "canary": shapes.CanaryQualification,
    "clean-control": shapes.CleanControlQualification,
}


def of_kind(kind: str) -> list[Any]:
    return params([row for row in rows("cases", FILE) if row["kind"] == kind], source=f"{FILE} ({kind})")


def operation_named(name: str | None) -> Any:
    """An operation by its name in the table; one that the table does not hold skips the test."""
    if name is None:
        return None
    found = [row["operation"] for row in supporting("cases", FILE) if row["id"] == f"operation:{name}"]
    if not found:
        pytest.skip(f"operation {name} is not in the table")
    model: Any = shapes.Operation
    if "toolName" in found[0]:
        model = shapes.McpOperation
    elif "invocation" in found[0]:
        model = shapes.CommandOperation
    return model.model_validate(found[0])


def typed_signature(fragment: dict[str, Any]) -> Any:
    models = {"cli": shapes.CommandSignature, "mcp": shapes.ToolCallSignature}
    condition = fragment["condition"]
    nested: dict[str, Any] = {
        "condition": shapes.SignatureCondition.model_construct(
            selector=shapes.SignatureSelector.model_construct(
                input_binding=_typed_binding(condition["selector"]["inputBinding"])
            ),
            predicate=fragments.expression(condition["predicate"]),
        )
    }
    if "invocation" in fragment:
        nested["invocation"] = fragments.built(shapes.CommandInvocation, fragment["invocation"])
    return fragments.built(models.get(fragment["interfaceKind"], shapes.ApiSignature), fragment, **nested)


def typed_probe(fragment: dict[str, Any]) -> Any:
    route = fragment["qualification"]["route"]
    nested: dict[str, Any] = {
        "qualification": fragments.built(ROUTES[route], fragment["qualification"]),
        "defects": tuple(fragments.built(shapes.Defect, defect) for defect in fragment["defects"]),
    }
    if fragment["expectedClean"]:
        return fragments.built(shapes.CleanProbe, fragment, **nested)
    signature = fragment["defectSignature"]
    nested["defect_signature"] = None if signature is None else typed_signature(signature)
    return fragments.built(shapes.SeededProbe, fragment, **nested)


def _typed_binding(fragment: dict[str, Any]) -> Any:
    """All nine channels: the older spellings in the table leave the last one out."""
    channels: dict[str, Any] = dict.fromkeys(SELECTOR_CHANNELS)
    for channel, bound in fragment.items():
        if bound is not None and bound.get("kind") == "raw":
            channels[channel] = fragments.built(shapes.RawRequestBody, bound)
        elif bound is not None:
            channels[channel] = {key: _typed_value(value) for key, value in bound.items()}
    return shapes.ProbeInputBinding.model_construct(**channels)


def _typed_value(fragment: dict[str, Any]) -> Any:
    model = shapes.LiteralBinding if "literal" in fragment else shapes.MatcherBinding
    return fragments.built(model, fragment)


@pytest.mark.parametrize("case", of_kind("qualify"))
def test_gate_answers_as_published(case: dict[str, Any]) -> None:
    expected = case["expected"]
    result = qualify_probe(typed_probe(case["probe"]), operation_named(case["homeOperation"]))
    assert [failure.code for failure in result.failures] == expected["codes"]
    assert result.qualified is expected["qualified"]
    assert result.declaration_checks_ran is expected["declarationChecksRan"]
    if "artifactPaths" in expected:
        assert [failure.artifact_path for failure in result.failures] == expected["artifactPaths"]
    for failure, wanted in zip(result.failures, expected.get("detailContains", ()), strict=False):
        for token in [wanted] if isinstance(wanted, str) else wanted or []:
            assert token in failure.detail


@pytest.mark.parametrize("case", of_kind("resolve-home"))
def test_signature_finds_its_operation(case: dict[str, Any]) -> None:
    models = {"api": shapes.ApiInterface, "web": shapes.WebInterface}
    models |= {"cli": shapes.CliInterface, "mcp": shapes.McpInterface}
    interfaces = [
        models[declared["kind"]].model_construct(
            logical_id=declared["logicalId"],
            kind=declared["kind"],
            operations=tuple(operation_named(name) for name in declared["operations"]),
        )
        for declared in case["interfaces"]
    ]
    home = resolve_home_operation(typed_signature(case["signature"]), interfaces)
    found = home and {"interfaceId": home.interface_id, "operationId": home.operation.operation_id}
    assert found == case["expected"]


@pytest.mark.parametrize("case", of_kind("seal"))
def test_set_is_parted_as_published(case: dict[str, Any]) -> None:
    home = operation_named(case["homeOperation"])
    sealed = seal_probe_set(map(typed_probe, case["probes"]), lambda _: home)
    assert [
        {"probeId": one.probe.probe_id, "declarationChecksRan": one.qualification.declaration_checks_ran}
        for one in sealed.admitted
    ] == case["expected"]["admitted"]
    assert [
        {"probeId": one.probe.probe_id, "codes": [failure.code for failure in one.qualification.failures]}
        for one in sealed.rejected
    ] == case["expected"]["rejected"]


@pytest.mark.parametrize("case", of_kind("foreign-channel"))
def test_channels_belong_to_kinds_as_published(case: dict[str, Any]) -> None:
    kind = CHANNELS_OF_KIND[case["interfaceKind"]]
    assert kind.phrase == case["phrase"]
    assert (case["channel"] in kind.foreign) is case["foreign"]
    assert (case["channel"] in RESPONSE_SIDE) is case["responseSide"]


@pytest.mark.parametrize("case", of_kind("admissible-routes"))
def test_routes_fit_classes_as_published(case: dict[str, Any]) -> None:
    routes = admissible_routes(case["probeClass"], case["expectedClean"], frozenset(case["defectSources"]))
    assert list(routes) == case["expected"]


@pytest.mark.parametrize("case", of_kind("codes"))
def test_codes_are_the_published_list(case: dict[str, Any]) -> None:
    assert list(QUALIFICATION_FAILURE_CODES) == case["codes"]
