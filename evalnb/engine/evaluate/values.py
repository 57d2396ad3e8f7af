"""What an evaluation passes around: resolved values and the three questions it asks of its surroundings.

spec: 03 §1.1, §2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from evalnb.engine.artifacts import LiteralOperand, PointerOperand, ReferenceSetOperand
from evalnb.engine.json_values import Absent, Json

Value: TypeAlias = Json | Absent
"""A JSON value, or ABSENT where an operand leads nowhere."""

AnyOperand: TypeAlias = PointerOperand | LiteralOperand | ReferenceSetOperand

ResolveOperand: TypeAlias = Callable[[AnyOperand, Value, str], Value]
"""(operand, bound element, artifact path) -> the value the operand stands for."""

DenotesCollection: TypeAlias = Callable[[str], bool]
"""Whether a pointer addresses a declared collection."""

ReferenceSetKeys: TypeAlias = Mapping[str, Sequence[str]]
"""Each reference set's declared keys."""
