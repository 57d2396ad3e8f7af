"""Whether a signature's selector binds only keys that its operation declares. spec: 09 §3.10"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evalnb.engine.artifacts import DefectSignature, MatcherBinding, RawRequestBody
from evalnb.engine.json_values import own_keys, quote
from evalnb.engine.operations import INPUT_CHANNELS_BY_KIND, AnyOperation, channel_shape, declares_key
from evalnb.engine.score.qualify.result import QualificationFailure

# The chapter's list stops at stdin, which is older than tool calls: a selector's `arguments` are judged like the rest.
SELECTOR_CHANNELS: Final = tuple(channel for kind in INPUT_CHANNELS_BY_KIND.values() for channel in kind)


def selector_failures(signature: DefectSignature, operation: AnyOperation, root: str) -> Iterator[QualificationFailure]:
    """Each bound key the operation does not declare, or types too loosely for `type-violating`.

    A raw body binds no key. `root` is the path of the signature.
    """
    for channel in SELECTOR_CHANNELS:
        bound = getattr(signature.condition.selector.input_binding, channel)
        if bound is None or isinstance(bound, RawRequestBody):
            continue
        for key in own_keys(bound):
            reason = _reason(operation, channel, key, bound[key])
            if reason is not None:
                path = f"{root}.condition.selector.inputBinding.{channel}[{quote(key)}]"
                yield QualificationFailure("condition-selector-key-undeclared", path, reason)


def _reason(operation: AnyOperation, channel: str, key: str, value: object) -> str | None:
    shape = channel_shape(operation, channel)
    subject = f'{channel} key {quote(key)}, which operation "{operation.operation_id}"'
    if shape is None or not declares_key(shape, key):
        return f"the selector binds {subject} declares in neither requiredKeys nor permittedKeys"
    if not isinstance(value, MatcherBinding) or value.matcher != "type-violating":
        return None
    if key not in shape.types:
        return f"the selector needs the type of {subject} does not declare"
    if shape.types[key] is None:
        return f"the selector needs the type of {subject} declares an indeterminate"
    return None
