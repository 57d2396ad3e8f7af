"""From an operand to the value it stands for: pointers walk the bound observations, nothing is ever guessed.

A pointer that leads nowhere, for whatever reason, is ABSENT; resolution raises for a malformed pointer only.
spec: 03 §3
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from evalnb.engine.artifacts import LiteralOperand, ReferenceSetOperand
from evalnb.engine.evaluate.values import AnyOperand, ReferenceSetKeys, ResolveOperand, Value
from evalnb.engine.json_values import ABSENT, Absent
from evalnb.engine.pointers import (
    InteractionPointer,
    bound_element_tail,
    is_bound_element,
    parse_interaction_pointer,
)

if TYPE_CHECKING:
    from evalnb.engine.artifacts import EvalContract, Observation, ReferenceSetDeclaration

_INDEX: Final = re.compile(r"0|[1-9][0-9]*", re.ASCII)


def make_resolve_operand(
    step_observations: Mapping[str, Observation],
    reference_sets: Mapping[str, ReferenceSetDeclaration] | None,
) -> ResolveOperand:
    """A resolver over one trial: the observation bound to each step, and the contract's reference sets."""
    members = {name: list(declared.members) for name, declared in (reference_sets or {}).items()}

    def resolve(operand: AnyOperand, bound_element: Value, artifact_path: str) -> Value:
        if isinstance(operand, LiteralOperand):
            return operand.literal
        if isinstance(operand, ReferenceSetOperand):
            return members.get(operand.reference_set, ABSENT)
        if is_bound_element(operand.pointer):
            if isinstance(bound_element, Absent):
                return ABSENT
            return walk(bound_element, bound_element_tail(operand.pointer))
        target = parse_interaction_pointer(operand.pointer)
        observation = step_observations.get(target.step_id)
        return ABSENT if observation is None else resolve_target(observation, target)

    return resolve


def reference_set_keys_of(contract: EvalContract) -> ReferenceSetKeys:
    """The declared keys of every reference set of a contract."""
    return {name: declared.keys for name, declared in (contract.reference_sets or {}).items()}


def resolve_target(observation: Observation, target: InteractionPointer) -> Value:
    """The value that a parsed pointer addresses in one observation."""
    return walk(channel_root(observation, target), target.tail)


def channel_root(observation: Observation, target: InteractionPointer) -> Value:
    """The value at the root of the addressed channel; a channel recorded as null is null, which is present."""
    return _ROOTS[target.channel](observation, target)


def walk(root: Value, tail: Iterable[str]) -> Value:
    """The value below `root` along decoded tokens; ABSENT at the first token that leads nowhere."""
    current: Any = root
    for token in tail:
        if isinstance(current, dict):
            if token not in current:
                return ABSENT
            current = current[token]
        elif isinstance(current, list):
            if not _INDEX.fullmatch(token) or len(token) > len(str(len(current))):
                return ABSENT
            index = int(token)
            if index >= len(current):
                return ABSENT
            current = current[index]
        else:
            return ABSENT
    resolved: Value = current
    return resolved


def _unwrapped(body: Any) -> Value:
    value: Value = None if body.kind == "absent" else body.value
    return value


def _input_channel(observation: Observation, target: InteractionPointer) -> Value:
    value: Value = getattr(observation.call_inputs, target.input_channel or "", ABSENT)
    return value


def _artifact(observation: Observation, target: InteractionPointer) -> Value:
    # A file recorded as absent was not written, which is the same as no record of it (03, open question 1).
    body = observation.artifacts.get(target.artifact_id or "")
    return ABSENT if body is None or body.kind == "absent" else _unwrapped(body)


_ROOTS: Final[Mapping[str, Callable[[Observation, InteractionPointer], Value]]] = {
    "response-body": lambda observation, target: observation.response_body,
    "response-headers": lambda observation, target: observation.response_headers,
    "response-status": lambda observation, target: observation.response_status,
    # A stream that was not recorded is null, so it is present (03, open question 1).
    "stdout": lambda observation, target: _unwrapped(observation.stdout),
    "stderr": lambda observation, target: _unwrapped(observation.stderr),
    "exit-code": lambda observation, target: observation.exit_code,
    "call-inputs": _input_channel,
    "artifact": _artifact,
}
