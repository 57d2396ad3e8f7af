"""A check as a tree: operands, the sixteen operator forms, and their union.

Which operand form is legal in which position is a compile rule; here every position takes any of them.
spec: 02a §4
"""

from typing import Annotated, Literal

from pydantic import Field, Strict
from typing_extensions import TypeAliasType

from evalnb.engine.artifacts.model import Items, StrictObject, Tagged
from evalnb.engine.artifacts.primitives import (
    AnchoredPattern,
    BoundElementPointer,
    Identifier,
    InteractionPointer,
    JsonValue,
    KeyedShapeDescriptor,
    KeyName,
    NonNegativeInt,
    SortOrder,
)

EvidencePointer = Annotated[InteractionPointer | BoundElementPointer, Field(union_mode="left_to_right")]


class PointerOperand(StrictObject):
    """Recorded evidence, or the element a quantifier binds."""

    pointer: EvidencePointer


class LiteralOperand(StrictObject):
    """A value written in the contract."""

    literal: JsonValue


class ReferenceSetOperand(StrictObject):
    """A declared reference set, by name."""

    reference_set: Identifier


class LiteralSetOperand(LiteralOperand):
    """The members of a set written in the contract, at least one."""

    literal: Annotated[list[JsonValue], Field(min_length=1)]


Operand = TypeAliasType(
    "Operand",
    Annotated[PointerOperand | LiteralOperand | ReferenceSetOperand, Field(union_mode="left_to_right")],
)
SetOperand = Annotated[ReferenceSetOperand | LiteralSetOperand, Field(union_mode="left_to_right")]

OneOperand = Annotated[tuple[Operand], Strict(False)]
TwoOperands = Annotated[tuple[Operand, Operand], Strict(False)]


class Equality(StrictObject):
    """Two values of the same kind are one value."""

    op: Literal["equality"]
    operands: TwoOperands


class DeepEquality(StrictObject):
    """Two values are one value by structure."""

    op: Literal["deep-equality"]
    operands: TwoOperands


class Containment(StrictObject):
    """The first operand holds the second."""

    op: Literal["containment"]
    operands: TwoOperands


class Existence(StrictObject):
    """There is a value at the pointer."""

    op: Literal["existence"]
    operands: OneOperand


class Absence(StrictObject):
    """There is no value at the pointer."""

    op: Literal["absence"]
    operands: OneOperand


class Regex(StrictObject):
    """The text at the pointer matches an anchored ECMAScript pattern."""

    op: Literal["regex"]
    operands: OneOperand
    pattern: AnchoredPattern


class SetMembership(StrictObject):
    """The first operand is a member of the set in the second."""

    op: Literal["set-membership"]
    operands: Annotated[tuple[Operand, SetOperand], Strict(False)]


class Ordering(StrictObject):
    """The elements of a collection are sorted by one key."""

    op: Literal["ordering"]
    operands: OneOperand
    key: KeyName
    order: SortOrder


class CountTolerance(StrictObject):
    """A collection has the expected size, give or take: absolute, or whole percentage points where relative."""

    op: Literal["count-tolerance"]
    operands: OneOperand
    expected: NonNegativeInt
    tolerance: NonNegativeInt
    relative: bool


class Shape(StrictObject):
    """The value has the described keys and types."""

    op: Literal["shape"]
    operands: OneOperand
    descriptor: KeyedShapeDescriptor


class CoversByKey(StrictObject):
    """Every expected key value occurs among the elements of the actual collection."""

    op: Literal["covers-by-key"]
    operands: TwoOperands
    expected_key: KeyName
    actual_key: KeyName


class Not(StrictObject):
    """The expression does not hold."""

    op: Literal["not"]
    operands: Annotated[tuple["Expression"], Strict(False)]


class All(StrictObject):
    """Every expression holds."""

    op: Literal["all"]
    operands: Annotated[Items["Expression"], Field(min_length=2)]


class AnyOf(StrictObject):
    """At least one expression holds."""

    op: Literal["any"]
    operands: Annotated[Items["Expression"], Field(min_length=2)]


class ForAll(StrictObject):
    """The predicate holds for every element of the collection."""

    op: Literal["for-all"]
    collection: Operand
    predicate: "Expression"


class ForAny(StrictObject):
    """The predicate holds for at least one element of the collection."""

    op: Literal["for-any"]
    collection: Operand
    predicate: "Expression"


Expression = TypeAliasType(
    "Expression",
    Annotated[
        Equality
        | DeepEquality
        | Containment
        | Existence
        | Absence
        | Regex
        | SetMembership
        | Ordering
        | CountTolerance
        | Shape
        | CoversByKey
        | Not
        | All
        | AnyOf
        | ForAll
        | ForAny,
        Tagged("op"),
    ],
)
