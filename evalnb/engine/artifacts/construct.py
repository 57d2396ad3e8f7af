"""Models built level by level, for values that are nested too deep for pydantic.

spec: 02a §4 (the depth of an expression is unbounded)
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from evalnb.engine.artifacts import shapes
from evalnb.engine.artifacts.issues import issues_of
from evalnb.engine.artifacts.reading import validate

_Build: TypeAlias = Generator[tuple[Any, Any], Any, Any]


def construct(annotation: Any, value: Any) -> Any:
    """`value`, already known to have no issues, as an instance of `annotation`, at any depth."""
    stack = [_builder(annotation, value)]
    answer: Any = None
    while stack:
        try:
            request = stack[-1].send(answer)
        except StopIteration as done:
            stack.pop()
            answer = done.value
        else:
            stack.append(_builder(*request))
            answer = None
    return answer


def _builder(annotation: Any, value: Any) -> _Build:
    shape = shapes.shape_of(annotation)
    match shape:
        case shapes.NamedShape() | shapes.RefinedShape() | shapes.VersionedShape():
            return (yield shape.annotation, value)
        case shapes.NullableShape():
            return None if value is None else (yield shape.inner, value)
        case shapes.ObjectShape():
            return (yield from _model(shape, value))
        case shapes.ArrayShape():
            built = []
            for item in value:
                built.append((yield shape.item, item))  # noqa: PERF401 - a generator cannot yield inside a comprehension
            return tuple(built)
        case shapes.TupleShape():
            positions = []
            for item, part in zip(shape.items, value, strict=True):
                positions.append((yield item, part))
            return tuple(positions)
        case shapes.MapShape():
            entries = {}
            for key, part in value.items():
                entries[key] = yield shape.value, part
            return entries
        case shapes.TaggedShape():
            arm = next(arm for arm in shape.arms if value[shape.key] in arm.tags)
            return (yield arm.annotation, value)
        case shapes.UnionShape():
            arm = next(arm for arm in shape.arms if not issues_of(arm.annotation, value))
            return (yield arm.annotation, value)
        case _:
            return validate(annotation, value)


def _model(shape: shapes.ObjectShape, value: dict[str, Any]) -> _Build:
    parts: dict[str, Any] = {}
    for field in shape.fields:
        if field.key in value:
            parts[field.key] = yield field.annotation, value[field.key]
    return shape.model.model_construct(**parts)
