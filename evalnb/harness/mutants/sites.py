"""Where in an operation's answers a defect can be planted: found in what the clean system answered, chosen by seed.

What the contract declares volatile, and what differed between clean trials, is no site: nobody could tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from evalnb.engine.artifacts import EvalContract, Ordering, PointerOperand
from evalnb.engine.compile.walks import expression_site
from evalnb.engine.json_values import Json
from evalnb.engine.operations import (
    AnyOperation,
    OperationKind,
    declared_artifacts,
    described_artifact,
    described_channel,
    operation_kind,
)
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import decode_tail, is_bound_element, parse_interaction_pointer

ValuePath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """One clean answer of an operation: what was sent, whether it failed, and the described value."""

    inputs: Mapping[str, Any]
    failed: bool
    value: Json
    is_json: bool


@dataclass(frozen=True, slots=True)
class Site:
    """One place in the described value, with what the clean system had there."""

    path: ValuePath
    value: Json


@dataclass(frozen=True, slots=True)
class OperationView:
    """An operation as an operator looks at it. `ordered` are collections whose order some oracle checks."""

    interface_id: str
    operation: AnyOperation
    answers: tuple[SeenAnswer, ...]
    hidden: tuple[ValuePath, ...]
    ordered: frozenset[ValuePath]
    has_shadow: bool

    @property
    def kind(self) -> OperationKind:
        return operation_kind(self.operation)

    @property
    def writes(self) -> bool:
        return self.operation.state_change_marker

    @property
    def artifacts(self) -> tuple[str, ...]:
        return declared_artifacts(self.operation)

    def sites(self) -> list[Site]:
        """Every place in the successful JSON answers, each path once, in document order."""
        found: dict[ValuePath, Site] = {}
        for answer in self.answers:
            if answer.is_json and not answer.failed:
                for site in _walk((), answer.value):
                    if not any(_covers(hidden, site.path) for hidden in self.hidden):
                        found.setdefault(site.path, site)
        return list(found.values())

    def random(self, seed: int, operator: str) -> Random:
        """The randomness of one operator on this operation."""
        return Random(f"{seed}/{operator}/{self.interface_id}/{self.operation.operation_id}")


def operation_views(
    contract: EvalContract,
    index: PlanIndex,
    observations: Sequence[Mapping[str, Any]],
    noise: Mapping[tuple[str, str], Sequence[ValuePath]],
    *,
    has_shadow: bool,
) -> list[OperationView]:
    """Every operation the plan asked, in declared order. `noise` is keyed by interface and operation."""
    ordered = _ordered(contract, index)
    views = []
    for interface in contract.permitted_interfaces:
        for operation in interface.operations:
            key = (interface.logical_id, operation.operation_id)
            seen = tuple(
                _seen(document, operation)
                for document in observations
                if (document["interfaceId"], document["operationId"]) == key
            )
            if not seen:
                continue
            volatile = [tuple(decode_tail(pointer)) for pointer in operation.volatile_pointers]
            hidden = (*volatile, *noise.get(key, ()))
            views.append(OperationView(key[0], operation, seen, hidden, ordered.get(key, frozenset()), has_shadow))
    return views


def described_body(document: Mapping[str, Any], operation: AnyOperation) -> Mapping[str, Any]:
    """The tagged described body of a recorded observation."""
    if operation_kind(operation) != "cli":
        value = document["responseBody"]
        return {"kind": "json", "value": value}
    artifact_id = described_artifact(operation)
    if artifact_id is not None:
        body: Mapping[str, Any] = document["artifacts"].get(artifact_id, {"kind": "absent"})
        return body
    stream: Mapping[str, Any] = document[described_channel(operation)]
    return stream


def has_failed(document: Mapping[str, Any], operation: AnyOperation) -> bool:
    """Whether a recorded call failed, by its transport."""
    kind = operation_kind(operation)
    if kind == "api":
        return bool((document["responseStatus"] or 0) >= 400)
    return bool(document["exitCode"] != 0) if kind == "cli" else bool(document["responseStatus"])


def _seen(document: Mapping[str, Any], operation: AnyOperation) -> SeenAnswer:
    body = described_body(document, operation)
    is_json = body["kind"] == "json"
    return SeenAnswer(
        {channel: keys for channel, keys in document["callInputs"].items() if isinstance(keys, dict)},
        has_failed(document, operation),
        body.get("value"),
        is_json,
    )


def _walk(path: ValuePath, value: Json) -> Iterator[Site]:
    yield Site(path, value)
    if isinstance(value, dict):
        for key, member in value.items():
            # A token of exactly `*` cannot be written in a pointer of a check.
            if key != "*":
                yield from _walk((*path, key), member)
    elif isinstance(value, list):
        for position, member in enumerate(value):
            yield from _walk((*path, str(position)), member)


def _covers(hidden: ValuePath, path: ValuePath) -> bool:
    """Whether a hidden path, wildcards included, is the path or lies above it."""
    return len(hidden) <= len(path) and all(
        one in ("*", other) for one, other in zip(hidden, path[: len(hidden)], strict=True)
    )


def _ordered(contract: EvalContract, index: PlanIndex) -> dict[tuple[str, str], frozenset[ValuePath]]:
    found: dict[tuple[str, str], set[ValuePath]] = {}
    for oracle in contract.oracles:
        if oracle.check is None:
            continue
        for visit in expression_site(oracle.check, "").visits:
            operand = visit.node.operands[0] if isinstance(visit.node, Ordering) else None
            if not isinstance(operand, PointerOperand) or is_bound_element(operand.pointer):
                continue
            target = parse_interaction_pointer(operand.pointer)
            step = index.step(target.step_id)
            if step is not None:
                found.setdefault((step.interface_id, step.operation_id), set()).add(target.tail)
    return {key: frozenset(paths) for key, paths in found.items()}
