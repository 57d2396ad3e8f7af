"""The walk that finds every issue of a value: order, codes and the choice of a union's arm follow the chapter.

Runs only after pydantic refused the value. spec: 02a §18.1, §18.2
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias

from evalnb.engine.artifacts import issue_text as text
from evalnb.engine.artifacts.issues import Issue, Path
from evalnb.engine.artifacts.shapes import (
    ArmShape,
    ArrayShape,
    BooleanShape,
    BytesShape,
    ChoiceShape,
    MapShape,
    NamedShape,
    NullableShape,
    NullShape,
    ObjectShape,
    RefinedShape,
    TaggedShape,
    TextShape,
    TupleShape,
    UnionShape,
    VersionedShape,
    shape_of,
)
from evalnb.engine.artifacts.text import SAFE_INTEGER, AnyJson, Integer, Number, is_finite, is_json
from evalnb.engine.json_values import ABSENT, own_keys

Issues: TypeAlias = list[Issue]
_Walk: TypeAlias = Generator[tuple[Any, Any, Path], Issues, Issues]


def walk(annotation: Any, value: Any, without: frozenset[str]) -> tuple[Issue, ...]:
    """The issues of the plain JSON `value` against the shape of `annotation`."""
    return _Reading(without).run(annotation, value)


class _Reading:
    """One walk over a value. Each reader is a generator that asks for the issues of its parts, so depth is free."""

    def __init__(self, without: frozenset[str]) -> None:
        self.without = without

    def run(self, annotation: Any, value: Any) -> tuple[Issue, ...]:
        stack = [self._start(annotation, value, ())]
        answer: Issues | None = None
        while stack:
            try:
                request = stack[-1].send(answer)  # type: ignore[arg-type]
            except StopIteration as done:
                stack.pop()
                answer = done.value
            else:
                stack.append(self._start(*request))
                answer = None
        return tuple(answer or ())

    def _start(self, annotation: Any, value: Any, path: Path) -> _Walk:
        shape = shape_of(annotation)
        return _READERS[type(shape)](self, shape, value, path)

    def _named(self, shape: NamedShape, value: Any, path: Path) -> _Walk:
        return (yield shape.annotation, value, path)

    def _versioned(self, shape: VersionedShape, value: Any, path: Path) -> _Walk:
        chosen = shape.former if shape.feature in self.without else shape.annotation
        return (yield chosen, value, path)

    def _refined(self, shape: RefinedShape, value: Any, path: Path) -> _Walk:
        found = yield shape.annotation, value, path
        if not _hard(found) and not shape.refined.accepts(value):
            found = [*found, Issue(path, "custom", shape.refined.message, soft=True)]
        return found

    def _nullable(self, shape: NullableShape, value: Any, path: Path) -> _Walk:
        if value is None:
            return []
        return (yield shape.inner, value, path)

    def _object(self, shape: ObjectShape, value: Any, path: Path) -> _Walk:
        if not isinstance(value, dict):
            return [text.wrong_type(path, "object", value)]
        found: Issues = []
        fields = [item for item in shape.fields if item.since not in self.without]
        for item in fields:
            inner = value.get(item.key, ABSENT)
            if inner is not ABSENT or item.required:
                found += yield item.annotation, inner, (*path, item.key)
        known = {item.key for item in fields}
        unknown = [key for key in own_keys(value) if key not in known]
        if unknown:
            missing = [key for key in known if key not in value]
            found.append(Issue(path, "unrecognized_keys", text.unrecognized(unknown, missing)))
        return found

    def _array(self, shape: ArrayShape, value: Any, path: Path) -> _Walk:
        found: Issues = []
        if isinstance(value, list):
            for index, item in enumerate(value):
                found += yield shape.item, item, (*path, index)
        else:
            found.append(text.wrong_type(path, "array", value))
        return found + text.length_issues(path, value, shape.min_items, shape.max_items)

    def _tuple(self, shape: TupleShape, value: Any, path: Path) -> _Walk:
        if not isinstance(value, list):
            return [text.wrong_type(path, "tuple", value)]
        arity = len(shape.items)
        if len(value) < arity:
            return [Issue(path, "too_small", text.too_small("array", arity))]
        found: Issues = []
        if len(value) > arity:
            found.append(Issue(path, "too_big", text.too_big("array", arity)))
        for index, item in enumerate(shape.items):
            found += yield item, value[index], (*path, index)
        return found

    def _map(self, shape: MapShape, value: Any, path: Path) -> _Walk:
        if not isinstance(value, dict):
            return [text.wrong_type(path, "record", value)]
        found: Issues = []
        for key in own_keys(value):
            place = (*path, key)
            if (yield shape.key, key, place):
                found.append(Issue(place, "invalid_key", text.INVALID_KEY))
            else:
                found += yield shape.value, value[key], place
        if shape.refusal is not None and not value:
            found.append(Issue(path, "custom", shape.refusal, soft=True))
        return found

    def _tagged(self, shape: TaggedShape, value: Any, path: Path) -> _Walk:
        if not isinstance(value, dict):
            return [text.wrong_type(path, "object", value)]
        tag = value.get(shape.key, ABSENT)
        arms = self._arms(shape.arms)
        for arm in arms:
            if isinstance(tag, str | bool | int) and any(type(tag) is type(t) and tag == t for t in arm.tags):
                return (yield arm.annotation, value, path)
        expected = [tag for arm in arms for tag in arm.tags]
        return [Issue((*path, shape.key), "invalid_union", text.discriminator(expected))]

    def _union(self, shape: UnionShape, value: Any, path: Path) -> _Walk:
        tried: list[Issues] = []
        for arm in self._arms(shape.arms):
            found = yield arm.annotation, value, path
            if not found:
                return []
            tried.append(found)
        soft = [found for found in tried if not _hard(found)]
        return soft[0] if len(soft) == 1 else [Issue(path, "invalid_union", text.no_form(tried, path))]

    def _arms(self, arms: tuple[ArmShape, ...]) -> list[ArmShape]:
        return [arm for arm in arms if arm.since not in self.without]

    def _scalar(self, shape: Any, value: Any, path: Path) -> _Walk:
        yield from ()
        return _SCALAR_READERS[type(shape)](shape, value, path)


def _hard(issues: Issues) -> bool:
    return any(not issue.soft for issue in issues)


def _text(shape: TextShape, value: Any, path: Path) -> Issues:
    found: Issues = []
    if not isinstance(value, str):
        found.append(text.wrong_type(path, "string", value))
    elif shape.matching is not None and not shape.matching.accepts(value):
        found.append(Issue(path, "invalid_format", text.mismatch(shape.matching), soft=True))
    return found + text.length_issues(path, value, shape.min_length, None)


def _boolean(shape: BooleanShape, value: Any, path: Path) -> Issues:
    return [] if isinstance(value, bool) else [text.wrong_type(path, "boolean", value)]


def _bytes(shape: BytesShape, value: Any, path: Path) -> Issues:
    return [] if isinstance(value, bytes) else [text.wrong_type(path, "bytes", value)]


def _null(shape: NullShape, value: Any, path: Path) -> Issues:
    return [] if value is None else [text.wrong_type(path, "null", value)]


def _choice(shape: ChoiceShape, value: Any, path: Path) -> Issues:
    if any(type(value) is type(choice) and value == choice for choice in shape.values):
        return []
    return [Issue(path, "invalid_value", text.choice(shape.values))]


def _any_json(shape: AnyJson, value: Any, path: Path) -> Issues:
    if not shape.objects_only:
        return [] if is_json(value) else [Issue(path, "invalid_union", text.INVALID_INPUT)]
    if not isinstance(value, dict):
        return [text.wrong_type(path, "record", value)]
    return [
        Issue((*path, key), "invalid_union", text.INVALID_INPUT) for key in own_keys(value) if not is_json(value[key])
    ]


def _integer(shape: Integer, value: Any, path: Path) -> Issues:
    if not _is_number(value):
        return [text.wrong_type(path, "number", value)]
    if isinstance(value, float) and not value.is_integer():
        return [text.wrong_type(path, "int", value)]
    found: Issues = []
    if value > SAFE_INTEGER:
        found.append(Issue(path, "too_big", text.too_big("int", SAFE_INTEGER), soft=True))
    elif value < -SAFE_INTEGER:
        found.append(Issue(path, "too_small", text.too_small("int", -SAFE_INTEGER), soft=True))
    return found + _bounds(value, path, shape.minimum, shape.maximum, None)


def _number(shape: Number, value: Any, path: Path) -> Issues:
    if not _is_number(value):
        return [text.wrong_type(path, "number", value)]
    return _bounds(value, path, shape.minimum, shape.maximum, shape.exclusive_minimum)


def _bounds(value: float, path: Path, low: float | None, high: float | None, above: float | None) -> Issues:
    found: Issues = []
    if above is not None and value <= above:
        found.append(Issue(path, "too_small", text.too_small("number", above, inclusive=False), soft=True))
    if low is not None and value < low:
        found.append(Issue(path, "too_small", text.too_small("number", low), soft=True))
    if high is not None and value > high:
        found.append(Issue(path, "too_big", text.too_big("number", high), soft=True))
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and is_finite(value)


_SCALAR_READERS: Final[dict[type, Callable[[Any, Any, Path], Issues]]] = {
    TextShape: _text,
    BooleanShape: _boolean,
    BytesShape: _bytes,
    NullShape: _null,
    ChoiceShape: _choice,
    AnyJson: _any_json,
    Integer: _integer,
    Number: _number,
}
_READERS: Final[dict[type, Callable[[_Reading, Any, Any, Path], _Walk]]] = {
    NamedShape: _Reading._named,
    VersionedShape: _Reading._versioned,
    RefinedShape: _Reading._refined,
    NullableShape: _Reading._nullable,
    ObjectShape: _Reading._object,
    ArrayShape: _Reading._array,
    TupleShape: _Reading._tuple,
    MapShape: _Reading._map,
    TaggedShape: _Reading._tagged,
    UnionShape: _Reading._union,
    **dict.fromkeys(_SCALAR_READERS, _Reading._scalar),
}
