"""Every branch of an `any` must look at what came back, or sending the request alone would satisfy it.

spec: 09 §3.9
"""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.engine.artifacts import All, AnyOf, Expression, ForAll, ForAny, Not, PointerOperand
from evalnb.engine.compile.walks import walk
from evalnb.engine.score.qualify.channels import RESPONSE_SIDE, pointer_channel
from evalnb.engine.score.qualify.result import QualificationFailure


def disjunct_failures(predicate: Expression, path: str) -> Iterator[QualificationFailure]:
    """All operands of an `any` in order, then the nodes below it; `@` reads the collection around the `any`."""
    pending: list[tuple[Expression, str, str | None]] = [(predicate, "", None)]
    while pending:
        node, suffix, collection = pending.pop()
        if isinstance(node, AnyOf):
            for position, operand in enumerate(node.operands):
                failure = _judge(operand, f"{path}{suffix}.operands[{position}]", collection)
                if failure is not None:
                    yield failure
        if isinstance(node, (Not, All, AnyOf)):
            below = [(child, f"{suffix}.operands[{i}]", collection) for i, child in enumerate(node.operands)]
            pending.extend(reversed(below))
        elif isinstance(node, (ForAll, ForAny)):
            pending.append((node.predicate, f"{suffix}.predicate", pointer_channel(node.collection)))


def _judge(operand: Expression, path: str, collection: str | None) -> QualificationFailure | None:
    channels = _channels_read(operand, collection)
    if not RESPONSE_SIDE.isdisjoint(channels):
        return None
    named = "only " + ", ".join(f'"{channel}"' for channel in channels) if channels else "no channel at all"
    return QualificationFailure(
        "condition-disjunct-without-response-channel",
        path,
        f"this branch of the any names {named}, and none that comes back",
    )


def _channels_read(operand: Expression, collection: str | None) -> tuple[str, ...]:
    channels: dict[str, None] = {}
    for visit in walk(operand):
        for slot in visit.slots:
            if not isinstance(slot.operand, PointerOperand):
                continue
            bound = slot.operand.pointer.startswith("@")
            channel = collection if bound else pointer_channel(slot.operand)
            if channel is not None:
                channels[channel] = None
    return tuple(channels)
