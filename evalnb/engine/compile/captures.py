"""Captured bindings: what is captured must be one typed scalar, of the type it is bound to, and never depend on itself.

spec: 04 §4 C7, C22, C23
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalnb.engine.artifacts import InteractionStep
from evalnb.engine.compile.reachability import is_array_index, unreachable_on
from evalnb.engine.compile.subject import CaptureEdge, Subject
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation, channel_shape, declares_key, targets_described_channel
from evalnb.engine.plan_index import PlanIndex
from evalnb.engine.pointers import InteractionPointer


def check_captured_reachability(subject: Subject) -> None:
    """C7. Refuses a capture that resolves to no single scalar of the bound type (`unreachable-check-evidence`)."""
    for capture in subject.captures:
        reason = _uncapturable(capture, subject.index)
        if reason is not None:
            raise StructuralFailure(
                "unreachable-check-evidence", capture.path, f'captured pointer "{capture.pointer}" {reason}'
            )


def check_captured_channels(subject: Subject) -> None:
    """C23. Refuses a capture from a channel its operation does not describe (`captured-channel-undeclared`)."""
    for capture in subject.captures:
        operation = subject.operation_of_step(capture.target.step_id)
        if operation is None:
            described = capture.target.channel == "response-body"
        else:
            described = targets_described_channel(capture.target, operation)
        if not described:
            raise StructuralFailure(
                "captured-channel-undeclared",
                capture.path,
                f'captured pointer "{capture.pointer}" names the {capture.target.channel} channel, and only the'
                " channel that"
                " the operation's response descriptor describes can be captured from",
            )


def check_binding_cycles(subject: Subject) -> None:
    """C22. Refuses a capture that lies on a cycle of capture and temporal edges (`binding-cycle`)."""
    if not subject.captures:
        return
    edges = _edges(subject.contract.interaction_plan, subject.captures)
    for capture in subject.captures:
        source = capture.target.step_id
        if source in edges and _leads_to(source, capture.step.step_id, edges):
            raise StructuralFailure(
                "binding-cycle",
                capture.path,
                f'captured pointer "{capture.pointer}" closes a cycle of capture and temporal-clause edges, so no'
                " step of it"
                " can run first",
            )


def _uncapturable(capture: CaptureEdge, index: PlanIndex) -> str | None:
    target = capture.target
    step = index.step(target.step_id)
    if step is None:
        return "names a step the interaction plan does not declare"
    declared = index.operation_of(step)
    if declared is None:
        return (
            f'names step "{target.step_id}", which names operation "{step.operation_id}"'
            f" {index.undeclared_clause(step)}"
        )
    operation = declared.operation
    if not targets_described_channel(target, operation):
        return None
    reason = unreachable_on(target, operation) or _no_scalar(target, operation)
    if reason is not None:
        return reason
    captured_type = operation.response_descriptor.types[target.tail[0]]
    capturing = index.operation_of(capture.step)
    return _type_mismatch(capture, captured_type, None if capturing is None else capturing.operation)


def _no_scalar(target: InteractionPointer, operation: AnyOperation) -> str | None:
    """Why a reachable location of the described channel has no one declared scalar type."""
    channel, tail, named = target.channel, target.tail, operation.operation_id
    if not tail:
        return f"addresses the whole {channel}, which declares no scalar to capture"
    if len(tail) > 1:
        return f"addresses a {channel} path {len(tail)} segments deep, which declares no scalar to capture"
    token = tail[0]
    if is_array_index(token):
        return f"addresses {channel} element {token}, which no declaration gives a type"
    types = operation.response_descriptor.types
    field = f'addresses {channel} field "{token}", '
    if types.get(token) is None:
        return field + _untyped(types, token, named)
    if types[token] in ("object", "array"):
        return f'{field}which operation "{named}" declares "{types[token]}" rather than a scalar'
    return None


def _type_mismatch(capture: CaptureEdge, captured_type: str | None, operation: AnyOperation | None) -> str | None:
    """Why the captured type is not the bound one; None also where nothing declares the bound parameter."""
    shape = None if operation is None else channel_shape(operation, capture.channel)
    if operation is None or shape is None or not declares_key(shape, capture.key):
        return None
    parameter = f'{capture.channel} parameter "{capture.key}"'
    bound_type = shape.types.get(capture.key)
    if bound_type is None:
        untyped = _untyped(shape.types, capture.key, operation.operation_id)
        return (
            f'resolves to a declared "{captured_type}", but the step binds {parameter}, {untyped}, so no type'
            " equality is"
            " decidable"
        )
    if bound_type != captured_type:
        return (
            f'resolves to a declared "{captured_type}", which is not the "{bound_type}" the bound {parameter} is'
            " declared as"
        )
    return None


def _untyped(types: Mapping[str, str | None], key: str, operation_id: str) -> str:
    """The clause for a key without a type: left out of `types`, or listed there as null."""
    answer = "declares indeterminate" if key in types else "does not declare"
    return f'whose type operation "{operation_id}" {answer}'


def _edges(plan: Iterable[InteractionStep], captures: Iterable[CaptureEdge]) -> dict[str, set[str]]:
    """Step id to the declared step ids it waits for."""
    edges: dict[str, set[str]] = {step.step_id: set() for step in plan}
    for step in plan:
        if step.after is not None:
            edges[step.step_id].add(step.after)
    for capture in captures:
        edges[capture.step.step_id].add(capture.target.step_id)
    for targets in edges.values():
        targets.intersection_update(edges)
    return edges


def _leads_to(start: str, goal: str, edges: Mapping[str, set[str]]) -> bool:
    seen, pending = {start}, [start]
    while pending:
        step_id = pending.pop()
        if step_id == goal:
            return True
        for target in edges[step_id] - seen:
            seen.add(target)
            pending.append(target)
    return False
