"""The scalar types, enumerations and small shared shapes that every artifact is made of.

spec: 02a §2, 02b §0
"""

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args

from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.text import AnyJson, Integer, Keyed, Matching, NonEmpty, pointer
from evalnb.engine.json_values import Json
from evalnb.engine.pointers import BOUND_ELEMENT, DESCRIPTOR, INTERACTION, VOLATILE

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

Identifier = Annotated[str, Matching(r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
ToolName = Annotated[str, Matching(r"^[A-Za-z0-9_-]+$")]
BehaviorId = Annotated[str, Matching(r"^B-[0-9]{3,}$")]
OracleId = Annotated[str, Matching(r"^O-[0-9]{3,}$")]
ProbeId = Annotated[str, Matching(r"^P-[0-9]{3,}$")]
WaiverId = Annotated[str, Matching(r"^W-[0-9]{3,}$")]
DefectId = Annotated[str, Matching(r"^D-[0-9]{3,}$")]
FindingId = Annotated[str, Matching(r"^F-[0-9]{3,}$")]
RubricId = Annotated[str, Matching(r"^R-[0-9]{3,}$")]
RubricCriterionId = Annotated[str, Matching(r"^RC-[0-9]{3,}$")]
Digest = Annotated[str, Matching(r"^sha256:[0-9a-f]{64}$")]
DecimalString = Annotated[str, Matching(r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$")]
UnsignedDecimalString = Annotated[str, Matching(r"^(0|[1-9][0-9]*)(\.[0-9]+)?$")]
PositiveDecimalString = Annotated[str, Matching(r"^([1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9][0-9]*)$")]
PathTemplate = Annotated[str, Matching(r"^(?:\/(?:[^/{}:]|\{[A-Za-z0-9_-]+\})*)+$")]
AnchoredPattern = Annotated[str, Matching(r"^\^[\s\S]*\$$")]
KeyName = Annotated[str, NonEmpty()]
Text = Annotated[str, NonEmpty()]
"""A string of at least one character."""

_DATE_TIME: Final = (
    r"^(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29"
    r"|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|(?:02)-(?:0[1-9]|1\d|2[0-8])))T(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z))$"
)
Rfc3339Utc = Annotated[
    str, Matching(_DATE_TIME, _DATE_TIME.replace(r"\d", "[0-9]"), "Invalid ISO datetime", "date-time")
]

InteractionPointer = Annotated[str, pointer(INTERACTION)]
BoundElementPointer = Annotated[str, pointer(BOUND_ELEMENT)]
DescriptorPointer = Annotated[str, pointer(DESCRIPTOR)]
WildcardPointer = Annotated[str, pointer(VOLATILE)]
"""The volatile spelling, the only one that admits `*` as a whole token."""

SafeInt = Annotated[int, Integer()]
NonNegativeInt = Annotated[int, Integer(0)]
PositiveInt = Annotated[int, Integer(1)]

JsonValue = Annotated[Json, AnyJson()]
JsonObjectValue = Annotated[dict[str, Any], AnyJson(objects_only=True)]
MapOf = Annotated[dict[_Key, _Value], Keyed()]
"""A caller-keyed object; may be empty."""

JsonTypeName: TypeAlias = Literal["string", "number", "boolean", "object", "array", "null"]
Severity: TypeAlias = Literal["low", "material", "critical"]
Polarity: TypeAlias = Literal["expects-hold", "expects-violation"]
Relation: TypeAlias = Literal[
    "equality",
    "deep-equality",
    "containment",
    "existence",
    "absence",
    "regex",
    "set-membership",
    "ordering",
    "count-tolerance",
    "shape",
    "covers-by-key",
    "all",
    "any",
    "not",
    "for-all",
    "for-any",
]
SortOrder: TypeAlias = Literal["ascending", "descending"]
ChannelRole: TypeAlias = Literal["success-indicator", "diagnostic", "payload", "collection"]
HttpMethod: TypeAlias = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
InterfaceKind: TypeAlias = Literal["api", "web", "cli", "mcp"]
SelectorCardinality: TypeAlias = Literal["exactly-one", "at-most-one", "any"]
WitnessChannel: TypeAlias = Literal["path", "query", "body", "argument", "option", "environment", "stdin", "arguments"]
ForbiddenInput: TypeAlias = Literal[
    "original-spec",
    "source-code",
    "repository",
    "builder-transcript",
    "implementation-logs",
    "comparator-results",
    "human-labels",
]
FORBIDDEN_INPUTS: Final[tuple[ForbiddenInput, ...]] = get_args(ForbiddenInput)
"""What every contract keeps from its evaluator, in the order in which what is missing is named."""
BindingMatcher: TypeAlias = Literal["any", "type-violating"]

KeyTypeMap = MapOf[KeyName, JsonTypeName | None]


class KeyedShapeDescriptor(StrictObject):
    """The keys a value must and may carry, and their types where stated."""

    required_keys: Items[KeyName]
    permitted_keys: Items[KeyName]
    types: KeyTypeMap


class CommandInvocation(StrictObject):
    """An executable by bare name and the subcommand words after it, outermost first."""

    executable: Identifier
    subcommand_path: Items[Identifier]
