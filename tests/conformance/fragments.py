"""Builds artifact models from the fragments that reference cases give: only the fields a case is about.

Nothing is validated; a field that the fragment leaves out is an attribute that is not there.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_snake

from evalnb.engine import artifacts as shapes

EXPRESSION_CLASSES: dict[str, type[BaseModel]] = {
    "equality": shapes.Equality,
    "deep-equality": shapes.DeepEquality,
    "containment": shapes.Containment,
    "existence": shapes.Existence,
    "absence": shapes.Absence,
    "regex": shapes.Regex,
    "set-membership": shapes.SetMembership,
    "ordering": shapes.Ordering,
    "count-tolerance": shapes.CountTolerance,
    "shape": shapes.Shape,
    "covers-by-key": shapes.CoversByKey,
    "not": shapes.Not,
    "all": shapes.All,
    "any": shapes.AnyOf,
    "for-all": shapes.ForAll,
    "for-any": shapes.ForAny,
}


def built(model: type[BaseModel], fragment: dict[str, Any], **nested: Any) -> Any:
    """A model holding the fragment's fields as they are, except those given built in `nested`."""
    fields = {to_snake(key): value for key, value in fragment.items()}
    return model.model_construct(**{**fields, **nested})


def operand(fragment: dict[str, Any]) -> Any:
    if "literal" in fragment:
        return built(shapes.LiteralOperand, fragment)
    if "referenceSet" in fragment:
        return built(shapes.ReferenceSetOperand, fragment)
    return built(shapes.PointerOperand, fragment)


def expression(fragment: dict[str, Any]) -> Any:
    op = fragment["op"]
    model = EXPRESSION_CLASSES.get(op, shapes.Not)
    if op in ("for-all", "for-any"):
        nested = {
            "collection": operand(fragment["collection"]),
            "predicate": expression(fragment["predicate"]),
        }
    elif op in ("not", "all", "any"):
        nested = {"operands": tuple(expression(child) for child in fragment["operands"])}
    else:
        nested = {"operands": tuple(operand(child) for child in fragment.get("operands", ()))}
    if "descriptor" in fragment:
        nested["descriptor"] = built(shapes.KeyedShapeDescriptor, fragment["descriptor"])
    return built(model, fragment, **nested)


def observed_body(fragment: dict[str, Any]) -> Any:
    kinds = {"json": shapes.JsonBody, "text": shapes.TextBody, "absent": shapes.AbsentBody}
    return built(kinds[fragment["kind"]], fragment)


def observation(fragment: dict[str, Any]) -> Any:
    nested: dict[str, Any] = {name: observed_body(fragment[name]) for name in ("stdout", "stderr") if name in fragment}
    nested["artifacts"] = {name: observed_body(body) for name, body in (fragment.get("artifacts") or {}).items()}
    nested["call_inputs"] = built(shapes.ObservedCallInputs, {"bodyEncoding": None, **fragment.get("callInputs", {})})
    return built(shapes.Observation, fragment, **nested)


def step(fragment: dict[str, Any]) -> Any:
    nested = {}
    if "inputBinding" in fragment:
        nested["input_binding"] = input_binding(fragment["inputBinding"])
    return built(shapes.InteractionStep, fragment, **nested)


def input_binding(fragment: dict[str, Any]) -> Any:
    if "arguments" in fragment:
        model: type[BaseModel] = shapes.McpInputBinding
    elif fragment.keys() & {"argument", "option", "environment", "stdin"}:
        model = shapes.CommandInputBinding
    else:
        model = shapes.ApiInputBinding
    return built(model, {channel: _bound_channel(bound) for channel, bound in fragment.items()})


def interface(fragment: dict[str, Any]) -> Any:
    models: dict[str, type[BaseModel]] = {
        "api": shapes.ApiInterface,
        "web": shapes.WebInterface,
        "cli": shapes.CliInterface,
        "mcp": shapes.McpInterface,
    }
    operations = tuple(operation(declared) for declared in fragment["operations"])
    return built(models[fragment["kind"]], fragment, operations=operations)


def operation(fragment: dict[str, Any]) -> Any:
    model: type[BaseModel] = shapes.Operation
    if "toolName" in fragment:
        model = shapes.McpOperation
    elif "invocation" in fragment:
        model = shapes.CommandOperation
    nested: dict[str, Any] = {}
    if "requestShape" in fragment:
        nested["request_shape"] = built(
            shapes.CommandRequestShape,
            {name: built(shapes.KeyedShapeDescriptor, keys) for name, keys in fragment["requestShape"].items()},
        )
    if "responseDescriptor" in fragment:
        nested["response_descriptor"] = _response_descriptor(fragment["responseDescriptor"])
    if "descriptorChannel" in fragment:
        nested["descriptor_channel"] = _descriptor_channel(fragment["descriptorChannel"])
    return built(model, fragment, **nested)


def contract(fragment: dict[str, Any]) -> Any:
    return built(
        shapes.EvalContract,
        fragment,
        interaction_plan=tuple(step(planned) for planned in fragment["interactionPlan"]),
        permitted_interfaces=tuple(interface(permitted) for permitted in fragment["permittedInterfaces"]),
    )


def reference_sets(members: dict[str, Any]) -> dict[str, Any]:
    return {
        name: shapes.ReferenceSetDeclaration.model_construct(keys=("id",), members=tuple(listed), commentary=None)
        for name, listed in members.items()
    }


def _bound_channel(bound: Any) -> Any:
    if not isinstance(bound, dict):
        return bound
    if bound.get("kind") == "raw":
        return built(shapes.RawRequestBody, bound)
    return {key: _binding_value(value) for key, value in bound.items()}


def _binding_value(fragment: dict[str, Any]) -> Any:
    models: dict[str, type[BaseModel]] = {
        "literal": shapes.LiteralBinding,
        "matcher": shapes.MatcherBinding,
        "captured": shapes.CapturedBinding,
        "principal": shapes.PrincipalBinding,
    }
    (form,) = fragment
    return built(models[form], fragment)


def _descriptor_channel(fragment: dict[str, Any]) -> Any:
    models: dict[str, type[BaseModel]] = {
        "stream": shapes.StreamChannel,
        "artifact": shapes.ArtifactChannel,
        "structured-result": shapes.StructuredResultChannel,
    }
    return built(models[fragment["kind"]], fragment)


def _response_descriptor(fragment: dict[str, Any]) -> Any:
    locations = fragment.get("collectionLocations")
    if locations is not None:
        locations = tuple(built(shapes.CollectionLocation, location) for location in locations)
    return built(shapes.ResponseDescriptor, fragment, collection_locations=locations)
