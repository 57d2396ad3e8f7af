"""Sensitivity witnesses and the fixture reset: their ids, what the legs vary, and what the relation may read.

spec: 04 §6.2, §6.3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evalnb.engine.artifacts import FixtureReset
from evalnb.engine.artifacts.model import StrictObject
from evalnb.engine.compile.evidence import check_reachable_on
from evalnb.engine.compile.inputs import check_inputs_fit
from evalnb.engine.compile.subject import Subject, WitnessedOperation
from evalnb.engine.compile.volatile import covering_pointer
from evalnb.engine.compile.walks import ExpressionSite, PointerVisit, pointers_of
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import as_double, json_kind, own_keys
from evalnb.engine.operations import (
    INPUT_CHANNELS_BY_KIND,
    AnyOperation,
    OperationKind,
    described_artifact,
    described_channel,
    operation_kind,
    targets_described_channel,
)
from evalnb.engine.pointers import InteractionPointer, is_bound_element, parse_interaction_pointer

_RESET: Final = "EvalContract.fixtureReset"

# What a witness may vary, by kind and by whether the operation changes state.
_WITNESS_CHANNELS: Final[Mapping[tuple[OperationKind, bool], tuple[str, ...]]] = {
    ("api", True): ("body",),
    ("api", False): ("path", "query"),
    ("cli", True): INPUT_CHANNELS_BY_KIND["cli"],
    ("cli", False): INPUT_CHANNELS_BY_KIND["cli"],
    ("mcp", True): INPUT_CHANNELS_BY_KIND["mcp"],
    ("mcp", False): INPUT_CHANNELS_BY_KIND["mcp"],
}

# What a leg carries back beside the described channel, by kind.
_CARRIED_CHANNELS: Final[Mapping[OperationKind, tuple[str, ...]]] = {
    "api": ("response-headers", "response-status", "call-inputs"),
    "cli": ("exit-code", "call-inputs"),
    "mcp": ("response-status", "exit-code", "call-inputs"),
}


def witness_channels(operation: AnyOperation) -> tuple[str, ...]:
    """The input channels a sensitivity witness of `operation` may vary."""
    return _WITNESS_CHANNELS[operation_kind(operation), operation.state_change_marker]


def carried_channels(operation: AnyOperation) -> tuple[str, ...]:
    """The evidence channels a witness leg of `operation` carries back, the described one first."""
    return (described_channel(operation), *_CARRIED_CHANNELS[operation_kind(operation)])


def check_leg_identifiers(subject: Subject) -> None:
    """C33. Refuses a leg id that a step or another leg has already (`malformed-operator-expression`)."""
    step_ids = {step.step_id for step in subject.contract.interaction_plan}
    claimed: set[str] = set()
    for witnessed in subject.witnessed:
        legs = witnessed.witness.legs
        if legs[0].leg_id == legs[1].leg_id:
            raise _malformed(f"{witnessed.path}.legs", f'both legs are called "{legs[0].leg_id}"')
        for n, leg in enumerate(legs):
            _claim(leg.leg_id, f"{witnessed.path}.legs[{n}].legId", step_ids, claimed)
    if subject.contract.fixture_reset is not None:
        _claim(subject.contract.fixture_reset.leg_id, f"{_RESET}.legId", step_ids, claimed)


def _claim(leg_id: str, path: str, step_ids: set[str], claimed: set[str]) -> None:
    if leg_id in step_ids or leg_id in claimed:
        holder = "a step of the interaction plan" if leg_id in step_ids else "another leg"
        raise _malformed(path, f'leg id "{leg_id}" is taken by {holder}; steps and legs share one namespace')
    claimed.add(leg_id)


def check_witnesses(subject: Subject) -> None:
    """C34. Refuses a witness that could show nothing, then a fixture reset that could not run.

    Raises `malformed-operator-expression`, `unreachable-check-evidence`, and for the reset's inputs
    `undeclared-mandatory-input`.
    """
    for witnessed, site in zip(subject.witnessed, subject.witness_sites, strict=True):
        _check_legs(witnessed)
        _check_relation(witnessed, site)
    if subject.contract.fixture_reset is not None:
        _check_reset(subject.contract.fixture_reset, subject)


def _check_legs(witnessed: WitnessedOperation) -> None:
    operation, witness, path = witnessed
    channel, legal = witness.channel, witness_channels(operation)
    if channel not in legal:
        marker = "true" if operation.state_change_marker else "false"
        selected = " or ".join(f'"{one}"' for one in legal)
        raise _malformed(
            path,
            f'varies "{channel}", and for operation "{operation.operation_id}" with stateChangeMarker {marker} AD-10'
            " selects"
            f" {selected}",
        )
    for leg in witness.legs:
        if not hasattr(leg.inputs, channel):
            raise _malformed(
                f"{path}.legs", f'leg "{leg.leg_id}" supplies inputs whose shape carries no "{channel}" channel'
            )
    first, second = (getattr(leg.inputs, channel) for leg in witness.legs)
    if same_json_text(first, second):
        raise _malformed(f"{path}.legs", f'both legs send one value on "{channel}", so nothing varies between them')


def _check_relation(witnessed: WitnessedOperation, site: ExpressionSite) -> None:
    operation, witness, _ = witnessed
    leg_ids = [leg.leg_id for leg in witness.legs]
    addressed = {target.step_id: visit for visit, target in _rooted(site)}
    stranger = next((step_id for step_id in addressed if step_id not in leg_ids), None)
    if stranger is not None:
        raise _unreachable(site.path, f'the relation addresses "{stranger}", which is neither of the two legs')
    if len(addressed) < 2:
        raise _malformed(site.path, f"the relation addresses {len(addressed)} of the two legs; it compares both")
    for visit, target in _rooted(site):
        _check_carried(visit, target, operation, site)
    check_reachable_on(site, operation)
    for visit, target in _rooted(site):
        if not targets_described_channel(target, operation):
            continue
        volatile = covering_pointer(operation.volatile_pointers, target.tail)
        if volatile is not None:
            raise _unreachable(
                site.path + visit.suffix,
                f'"{visit.pointer}" lies under "{volatile}", which operation "{operation.operation_id}" declares'
                " volatile, so"
                " a difference there shows nothing",
            )


def _rooted(site: ExpressionSite) -> Iterator[tuple[PointerVisit, InteractionPointer]]:
    """The relation's pointers that name a step, each with its parts."""
    for visit in pointers_of(site):
        if not is_bound_element(visit.pointer):
            yield visit, parse_interaction_pointer(visit.pointer)


def _check_carried(
    visit: PointerVisit, target: InteractionPointer, operation: AnyOperation, site: ExpressionSite
) -> None:
    carried = carried_channels(operation)
    if target.channel not in carried:
        raise _unreachable(
            site.path + visit.suffix,
            f'"{visit.pointer}" addresses {target.channel}, which a witness leg of operation'
            f' "{operation.operation_id}" does'
            f" not carry; pre-flight builds each leg from {', '.join(carried)} alone",
        )
    if target.channel == "artifact" and target.artifact_id != described_artifact(operation):
        raise _unreachable(
            site.path + visit.suffix,
            f'"{visit.pointer}" addresses the "{target.artifact_id}" artifact, which operation'
            f' "{operation.operation_id}" does'
            " not describe, and a witness leg carries nothing for it",
        )


def _check_reset(reset: FixtureReset, subject: Subject) -> None:
    operation = _first_operation(reset, subject)
    if operation is None:
        raise _unreachable(
            _RESET,
            f'names operation "{reset.operation_id}" on interface "{reset.interface_id}", which no permitted'
            " interface declares",
        )
    if not operation.state_change_marker:
        raise _malformed(
            _RESET, f'operation "{reset.operation_id}" declares that it changes no state, so it resets nothing'
        )
    check_inputs_fit(reset.inputs, operation, "the fixture reset", f"{_RESET}.inputs")


def _first_operation(reset: FixtureReset, subject: Subject) -> AnyOperation | None:
    for interface in subject.interfaces:
        if interface.logical_id == reset.interface_id:
            named = (one for one in interface.operations if one.operation_id == reset.operation_id)
            return next(named, None)
    return None


def same_json_text(a: Any, b: Any) -> bool:
    """Whether two values, models included, have one compact JSON text with the keys in property order."""
    pending = [(a, b)]
    while pending:
        left, right = (_as_json(value) for value in pending.pop())
        kind = json_kind(left)
        if kind != json_kind(right):
            return False
        if kind == "object":
            keys = own_keys(left)
            if keys != own_keys(right):
                return False
            pending.extend((left[key], right[key]) for key in keys)
        elif kind == "array":
            if len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif kind == "number":
            if as_double(left) != as_double(right):
                return False
        elif left != right:
            return False
    return True


def _as_json(value: Any) -> Any:
    return dict(value) if isinstance(value, StrictObject) else value


def _malformed(path: str, detail: str) -> StructuralFailure:
    return StructuralFailure("malformed-operator-expression", path, detail)


def _unreachable(path: str, detail: str) -> StructuralFailure:
    return StructuralFailure("unreachable-check-evidence", path, detail)
