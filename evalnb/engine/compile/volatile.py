"""Which response locations an operation declares volatile, and that a state-reset pointer must compare something.

spec: 04 §4 C7b
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalnb.engine.artifacts import PermittedInterface
from evalnb.engine.compile.operation_signatures import operation_path
from evalnb.engine.compile.reachability import undeclared_location
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import described_channel
from evalnb.engine.pointers import WILDCARD, decode_tail


def covers(volatile_tail: Sequence[str], tail: Sequence[str]) -> bool:
    """Whether a volatile location contains the one at `tail`: each of its tokens is met, `*` by any token."""
    return len(volatile_tail) <= len(tail) and all(
        token in (WILDCARD, other) for token, other in zip(volatile_tail, tail, strict=False)
    )


def covering_pointer(volatile_pointers: Iterable[str], tail: Sequence[str]) -> str | None:
    """The first declared volatile pointer that contains `tail`, as written."""
    for pointer in volatile_pointers:
        if covers(decode_tail(pointer), tail):
            return pointer
    return None


def check_state_reset_pointers(interfaces: Iterable[PermittedInterface]) -> None:
    """C7b. Refuses a state-reset pointer that is volatile or absent on both legs (`unreachable-check-evidence`)."""
    for interface in interfaces:
        for operation in interface.operations:
            for position, pointer in enumerate(operation.state_reset_pointers or ()):
                tail = decode_tail(pointer)
                named = operation.operation_id
                volatile = covering_pointer(operation.volatile_pointers, tail)
                if volatile is not None:
                    detail = (
                        f'"{pointer}" lies under "{volatile}", which operation "{named}" declares volatile, so it is'
                        " left out of every comparison and compares nothing; name a location that stays the same"
                    )
                else:
                    descriptor, label = operation.response_descriptor, described_channel(operation)
                    reason = undeclared_location(tail, descriptor, label, named)
                    if reason is None:
                        continue
                    detail = f'"{pointer}" {reason}, so the pointer reads absent on both legs and compares nothing'
                path = f"{operation_path(interface, operation)}.stateResetPointers[{position}]"
                raise StructuralFailure("unreachable-check-evidence", path, detail)
