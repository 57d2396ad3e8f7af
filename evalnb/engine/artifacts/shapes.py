"""The shape of an annotation as data: what the issue list and the published JSON Schema are both derived from.

Pydantic validates with the same annotations; nothing here runs when a document is valid.
spec: 02a §1, §18, 02b §16
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from annotated_types import MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType

from evalnb.engine.artifacts.model import (
    Formerly,
    Omittable,
    Refined,
    Since,
    Tagged,
    inner_of_nullable,
    tag_values,
    union_arms,
)
from evalnb.engine.artifacts.text import AnyJson, Enumerated, Integer, Keyed, Matching, NonEmpty, Number


@dataclass(frozen=True, slots=True)
class TextShape:
    """A string, perhaps of a pattern or a least length."""

    matching: Matching | None = None
    min_length: int = 0


@dataclass(frozen=True, slots=True)
class BooleanShape:
    """true or false."""


@dataclass(frozen=True, slots=True)
class BytesShape:
    """Bytes in memory, which only port messages hold and no document does."""


@dataclass(frozen=True, slots=True)
class NullShape:
    """null and nothing else."""


@dataclass(frozen=True, slots=True)
class ChoiceShape:
    """One of a closed set of literals, in declaration order; a set of one is a constant unless `enumerated`."""

    values: tuple[str | int | bool, ...]
    enumerated: bool = False


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """A list of one item shape."""

    item: Any
    min_items: int = 0
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class TupleShape:
    """A list of fixed length with a shape a position."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class MapShape:
    """A caller-keyed object; `refusal` is the message where it must hold an entry."""

    key: Any
    value: Any
    refusal: str | None


@dataclass(frozen=True, slots=True)
class NullableShape:
    """null, or the inner shape."""

    inner: Any


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One key of a strict object; `since` names the feature it came with."""

    key: str
    annotation: Any
    required: bool
    since: str | None


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """A strict object."""

    model: type[BaseModel]
    fields: tuple[FieldShape, ...]


@dataclass(frozen=True, slots=True)
class ArmShape:
    """One arm of a union; `tags` are its discriminator values in a tagged union."""

    annotation: Any
    since: str | None
    tags: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class TaggedShape:
    """A union of strict objects told apart by `key`."""

    key: str
    arms: tuple[ArmShape, ...]


@dataclass(frozen=True, slots=True)
class UnionShape:
    """Arms tried in order."""

    arms: tuple[ArmShape, ...]


@dataclass(frozen=True, slots=True)
class NamedShape:
    """A shape with a name of its own, which recursion and `$defs` go through."""

    name: str
    annotation: Any


@dataclass(frozen=True, slots=True)
class VersionedShape:
    """A shape that documents from before `feature` spell as `former`."""

    annotation: Any
    feature: str
    former: Any


@dataclass(frozen=True, slots=True)
class RefinedShape:
    """A shape with one more rule, asked once the value has no hard issue."""

    annotation: Any
    refined: Refined


ShapeNode: TypeAlias = (
    TextShape
    | Integer
    | Number
    | BooleanShape
    | BytesShape
    | NullShape
    | ChoiceShape
    | AnyJson
    | ArrayShape
    | TupleShape
    | MapShape
    | NullableShape
    | ObjectShape
    | TaggedShape
    | UnionShape
    | NamedShape
    | VersionedShape
    | RefinedShape
)

_SCALARS: dict[Any, ShapeNode] = {
    str: TextShape(),
    bool: BooleanShape(),
    bytes: BytesShape(),
    NoneType: NullShape(),
    None: NullShape(),
}


@lru_cache(maxsize=1024)
def shape_of(annotation: Any) -> ShapeNode:
    """One level of the shape of `annotation`; what it is made of stays an annotation. TypeError where it has none."""
    if isinstance(annotation, TypeAliasType):
        return NamedShape(annotation.__name__, annotation.__value__)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _object(annotation)
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    if get_origin(annotation) is Annotated:
        return _annotated(annotation.__origin__, annotation.__metadata__)
    return _bare(annotation)


def _annotated(origin: Any, metadata: tuple[Any, ...]) -> ShapeNode:
    marks = [mark for item in metadata for mark in _marks(item)]
    for index, mark in enumerate(marks):
        match mark:
            case Refined():
                return RefinedShape(_without(origin, marks, index), mark)
            case Formerly(feature, former):
                return VersionedShape(_without(origin, marks, index), feature, former)
            case _:
                pass
    for mark in marks:
        match mark:
            case Integer() | Number() | AnyJson():
                return mark
            case Matching():
                return TextShape(mark)
            case Enumerated():
                return ChoiceShape(get_args(origin), enumerated=True)
            case NonEmpty():
                return TextShape(min_length=1)
            case Keyed(refusal):
                key, value = get_args(origin)
                return MapShape(key, value, refusal)
            case Tagged(key):
                return TaggedShape(key, tuple(_arm(arm, key) for arm in union_arms(origin)))
            case _:
                pass
    if any(isinstance(mark, Omittable) for mark in marks):
        return shape_of(inner_of_nullable(origin))
    bare = shape_of(origin)
    if isinstance(bare, ArrayShape):
        lengths = {type(mark): mark for mark in marks}
        low, high = lengths.get(MinLen), lengths.get(MaxLen)
        return ArrayShape(
            bare.item, low.min_length if low else bare.min_items, high.max_length if high else bare.max_items
        )
    return bare


def _without(origin: Any, marks: list[Any], index: int) -> Any:
    rest = (*marks[:index], *marks[index + 1 :])
    return Annotated[(origin, *rest)] if rest else origin


def _marks(item: Any) -> list[Any]:
    return item.metadata if isinstance(item, FieldInfo) else [item]


def _bare(annotation: Any) -> ShapeNode:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ChoiceShape(arguments)
    if origin is list:
        return ArrayShape(arguments[0])
    if origin is tuple:
        return ArrayShape(arguments[0]) if arguments[-1] is Ellipsis else TupleShape(arguments)
    arms = union_arms(annotation)
    if len(arms) == 1:
        raise TypeError(f"{annotation} has no shape")
    if NoneType not in arms:
        return UnionShape(tuple(_arm(arm) for arm in arms))
    return NullableShape(inner_of_nullable(annotation))


def _arm(annotation: Any, key: str | None = None) -> ArmShape:
    return ArmShape(annotation, _since(_metadata(annotation)), tag_values(annotation, key) if key else ())


def _metadata(annotation: Any) -> tuple[Any, ...]:
    return annotation.__metadata__ if get_origin(annotation) is Annotated else ()


def _since(metadata: Any) -> str | None:
    return next((mark.feature for mark in metadata if isinstance(mark, Since)), None)


def _object(model: type[BaseModel]) -> ObjectShape:
    model.model_rebuild()
    return ObjectShape(model, tuple(_field(name, field) for name, field in model.model_fields.items()))


def _field(name: str, field: FieldInfo) -> FieldShape:
    annotation = field.annotation
    marks = [mark for mark in field.metadata if not isinstance(mark, Since)]
    if marks:
        annotation = Annotated[(annotation, *marks)]  # type: ignore[assignment]
    return FieldShape(field.alias or name, annotation, field.is_required(), _since(field.metadata))
