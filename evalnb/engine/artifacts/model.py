"""The two bases of every artifact model: a strict frozen object, and a document that remembers how it was written.

The markers here say what an annotation alone cannot: open unions, keys and values that a schema version brought in.
spec: 02a §1, 00 "Versions read and written"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Self, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Strict
from pydantic.alias_generators import to_camel, to_snake
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

T = TypeVar("T")

# Features that a schema version brought in; each artifact kind says with which of its versions.
INTERFACE_IDS: Final = "interface-ids"
RAW_BODIES: Final = "raw-bodies"
BODY_ENCODING: Final = "body-encoding"
VOLATILE_WILDCARDS: Final = "volatile-wildcards"
STATE_RESET_POINTERS: Final = "state-reset-pointers"


class StrictObject(BaseModel):
    """A strict object: unknown keys are refused, nothing is coerced, nothing has a default, nothing changes.

    JSON keys are the camelCase spelling of the attribute names. In Python code objects are built by attribute name;
    documents are read by JSON key only.
    """

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        defer_build=True,
        protected_namespaces=(),
    )


_NAMING: Final = ("contract_id", "probe_id", "run_id", "trial_index", "policy_id", "contract_digest")


class Artifact(StrictObject):
    """A whole document. `document` is the JSON as it was written, which digests and outputs are computed over."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The JSON document as it was read; for a model built in Python, its dump by JSON key."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def __repr__(self) -> str:
        """One line: the kind, and what names the document; the whole of it is in `document`."""
        names = (f"{name}={getattr(self, name)!r}" for name in _NAMING if hasattr(self, name))
        return f"{type(self).__name__}({', '.join(names)})"

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; one with changed fields forgets the document it was read from."""
        copied = super().model_copy(update=update, deep=deep)
        if update:
            copied.__dict__.pop("document", None)
        return copied

    def written_as(self, document: dict[str, Any]) -> Self:
        """This model, remembering `document` as its written form."""
        self.__dict__["document"] = document
        return self


# Markers are compared by identity. Reading a contract imports a dozen of them, and what a dataclass generates to
# freeze, compare and print itself is most of what it costs to import.

Items = Annotated[tuple[T, ...], Strict(False)]
"""A JSON array of any length; read from a list, held as a tuple."""


@dataclass(slots=True, eq=False, repr=False)
class Tagged:
    """Marks a union of strict objects told apart by the value of one key (JSON spelling `key`)."""

    key: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        choices: dict[Any, core_schema.CoreSchema] = {}
        for arm in union_arms(source):
            schema = handler.generate_schema(arm)
            for value in tag_values(arm, self.key):
                choices[value] = schema
        return core_schema.tagged_union_schema(choices, discriminator=self._tag_reader())

    def _tag_reader(self) -> Callable[[Any], str | bool | int | None]:
        """Reads the tag of a document, or of a model that Python code puts into the union.

        Anything that can be no tag reads as none: pydantic spells out an unknown one, and a deep one not at all.
        """
        key, attribute = self.key, to_snake(self.key)

        def tag_of(value: Any) -> str | bool | int | None:
            if isinstance(value, dict):
                tag = value[key] if key in value else value.get(attribute)
            else:
                tag = getattr(value, attribute, None)
            return tag if isinstance(tag, str | bool | int) else None

        return tag_of


def union_arms(annotation: Any) -> tuple[Any, ...]:
    """The arms of a union; a type that is no union is its own only arm."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def tag_values(arm: Any, key: str) -> tuple[Any, ...]:
    """The values of the discriminator `key` that choose the model `arm`."""
    while hasattr(arm, "__metadata__"):
        arm = arm.__origin__
    for name, field in arm.model_fields.items():
        if (field.alias or name) == key:
            return get_args(field.annotation)
    raise TypeError(f"{arm.__name__} has no discriminator {key}")


@dataclass(slots=True, eq=False, repr=False)
class Omittable:
    """Marks `T | None` whose key may be left out (then None); an explicit null is refused."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return handler.generate_schema(inner_of_nullable(source))


def inner_of_nullable(annotation: Any) -> Any:
    """The `T` of `T | None`."""
    arms = [arm for arm in get_args(annotation) if arm is not type(None)]
    if len(arms) != 1:
        raise TypeError(f"{annotation} is not one type or None")
    return arms[0]


@dataclass(slots=True, eq=False, repr=False)
class Refined:
    """Marks a value that must satisfy `accepts` besides its shape; `message` is the issue's text.

    `accepts` is given the value as it was read, inner objects as dicts, or as models where Python code built them.
    """

    accepts: Callable[[Any], bool]
    message: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._validate, handler(source))

    def _validate(self, value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
        checked = check(value)
        if not self.accepts(value):
            raise PydanticCustomError("refinement", "the refinement does not hold")
        return checked


@dataclass(slots=True, eq=False, repr=False)
class Since:
    """Marks a key or a union arm that came with a named feature; older schema versions do not know it."""

    feature: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return handler(source)


@dataclass(slots=True, eq=False, repr=False)
class Formerly:
    """Marks a value that schema versions from before a named feature spell as `annotation` instead."""

    feature: str
    annotation: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return handler(source)


class OlderStamps(NamedTuple):
    """How documents of older schema versions become the newest shape; a module names its own `OLDER_STAMPS`.

    `lift` gives the raw document the newest shape, None where it is not of its stamp's shape. `settle` finishes the
    parsed model, None where it uses what its stamp does not know. Both get the features the stamp lacks.
    """

    lift: Callable[[dict[str, Any], frozenset[str]], dict[str, Any] | None]
    settle: Callable[[Any, frozenset[str]], Any | None]
