"""A suite of cases for a tool-using agent: decisions, not prompts. Read from YAML or JSON, written in camelCase."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator
from pydantic.alias_generators import to_camel

CaseClass: TypeAlias = Literal["happy", "boundary", "authorization", "adversarial", "recovery"]
CASE_CLASSES: tuple[CaseClass, ...] = ("happy", "boundary", "authorization", "adversarial", "recovery")
Effect: TypeAlias = Literal["read", "write", "financial", "destructive", "external"]
FaultKind: TypeAlias = Literal[
    "timeout-before-commit",
    "timeout-after-commit",
    "duplicate-result",
    "stale-read",
    "rate-limit",
    "malformed-result",
    "execution-error",
    "protocol-error",
    "injected-instruction",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class ToolSpec(_Part):
    """A tool of the system: its schemas, and what a call of it does to the world.

    `order_free` are arguments that are lists and mean the same in any order; lists of one length that stand side by
    side are rows, and stay side by side. `overwrites` are the arguments that name what a call writes whole: of the
    calls that agree in them, the last is the effect. `reads` are dotted paths of what is read inside an argument
    (`flights[].date`) where no schema declares it: what stands beside it does not count.
    """

    name: str = Field(min_length=1)
    description: str | None = None
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    effect: Effect = "read"
    version: str | None = None
    operation_id_argument: str | None = None
    order_free: tuple[str, ...] = ()
    overwrites: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()

    @property
    def changes_state(self) -> bool:
        return self.effect != "read"


class Identity(_Part):
    """The authenticated scope of a case."""

    tenant: str | None = None
    user: str | None = None
    roles: tuple[str, ...] = ()


class InitialState(_Part):
    """The fixture a case starts from; `digest` versions it, so that a changed fixture is not read as a regression."""

    state: JsonValue = None
    digest: str | None = None


class Surface(_Part):
    """Which tools the caller must see, may use, and must not see; None leaves a question open."""

    visible: tuple[str, ...] | None = None
    allowed: tuple[str, ...] | None = None
    hidden: tuple[str, ...] = ()


class CallPattern(_Part):
    """A call by its tool and, where given, by arguments that must be equal in normal form."""

    tool: str = Field(min_length=1)
    arguments: dict[str, JsonValue] | None = None


class ExpectedCall(CallPattern):
    """A call that belongs to the route, `times` over."""

    times: int = Field(default=1, ge=1)


class Ordering(_Part):
    """`first` comes before every `then`; `then` may be the word "any-change". `same` names arguments that agree."""

    first: str
    then: str
    same: tuple[str, ...] = ()
    reason: str | None = None


class _Rule(_Part):
    """`argument` is a dotted path into the arguments; `[]` in it means every element."""

    tool: str
    argument: str = Field(min_length=1)


class ExactRule(_Rule):
    """The very value."""

    rule: Literal["exact"]
    value: JsonValue


class NormalizedRule(_Rule):
    """The same value once both are brought into the normal form of its kind."""

    rule: Literal["normalized"]
    value: JsonValue
    kind: Literal["date", "number", "currency", "text", "json"] = "json"


class AnyOfRule(_Rule):
    """One of several values, in normal form."""

    rule: Literal["any-of"]
    values: tuple[JsonValue, ...] = Field(min_length=1)


class DerivedRule(_Rule):
    """The value the policy derives: a dotted path into the case, such as `identity.tenant`."""

    rule: Literal["policy-derived"]
    derived_from: str


class NotFromModelRule(_Rule):
    """The application sets this argument; a call in which the model gives it is wrong."""

    rule: Literal["not-from-model"]


class RequiredRule(_Rule):
    """The argument must be given, whatever its value."""

    rule: Literal["required"]


ArgumentRule: TypeAlias = Annotated[
    ExactRule | NormalizedRule | AnyOfRule | DerivedRule | NotFromModelRule | RequiredRule,
    Field(discriminator="rule"),
]


class Approvals(_Part):
    """Which tools need an approval first, which need none, and where the approval is found.

    `events` are recorded decisions bound to a digest; `user-confirmation` is an explicit yes in the conversation.
    """

    required: tuple[str, ...] = ()
    unnecessary: tuple[str, ...] = ()
    found_in: Literal["events", "user-confirmation"] = "events"


class Effects(_Part):
    """The changes a run must make: these successful calls, or one of the alternatives, and nothing else."""

    calls: tuple[ExpectedCall, ...] = ()
    alternatives: tuple[tuple[ExpectedCall, ...], ...] = ()
    nothing_else: bool = True


class Claim(_Part):
    """Something the answer may say only when `tool` succeeded in the run, or the state holds `state_path`."""

    says: str = Field(min_length=1)
    tool: str | None = None
    state_path: str | None = None

    @model_validator(mode="after")
    def _needs_evidence(self) -> Claim:
        if self.tool is None and self.state_path is None:
            raise ValueError("a claim names the tool or the state path that supports it")
        return self


class Answer(_Part):
    """What the agent must and must not tell the user, each text in one message of it.

    `scope` is the last message or every one. Texts compare without case, commas, repeated space and Unicode form;
    `matching: tau-bench` is that benchmark's own rule for what must be stated: a message with a call beside it was
    never sent, and commas leave the message alone, so that a text with a comma is found nowhere.
    """

    must_state: tuple[str, ...] = ()
    must_not_state: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    only_evidenced: bool = False
    scope: Literal["final", "whole-run"] = "final"
    matching: Literal["plain", "tau-bench"] = "plain"


class Fault(_Part):
    """A fault that the recorder injects at the `nth` call of a tool."""

    kind: FaultKind
    tool: str
    nth: int = Field(default=1, ge=1)
    text: str | None = None


class Limits(_Part):
    """Budgets of one run; None is no limit."""

    calls: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    result_size: int | None = Field(default=None, gt=0)


class Case(_Part):
    """One scenario and everything a run of it is graded against.

    `truth_digest` tells its ground truth from another of the same id: a run that carries another one is not of this
    case.
    """

    id: str = Field(min_length=1)
    version: int = Field(default=1, ge=1)
    case_class: CaseClass = Field(alias="class")
    intent: str = Field(min_length=1)
    identity: Identity = Identity()
    request: str
    initial_state: InitialState | None = None
    tools: Surface = Surface()
    required_calls: tuple[ExpectedCall, ...] = ()
    alternative_paths: tuple[tuple[ExpectedCall, ...], ...] = ()
    optional_calls: tuple[str, ...] | None = None
    forbidden_calls: tuple[CallPattern, ...] = ()
    ordering: tuple[Ordering, ...] = ()
    argument_rules: tuple[ArgumentRule, ...] = ()
    approvals: Approvals | None = None
    final_state: dict[str, JsonValue] | None = None
    unchanged_state: tuple[str, ...] = ()
    effects: Effects | None = None
    must_end: bool = False
    answer: Answer | None = None
    faults: tuple[Fault, ...] = ()
    limits: Limits = Limits()
    slices: dict[str, str] = {}
    split: Literal["development", "holdout"] = "development"
    truth_digest: str | None = None


def case_id_of_truth(case_id: str, truth_digest: str) -> str:
    """The id of a further case where one id has more than one ground truth."""
    return f"{case_id}~{truth_digest}"


class Suite(_Part):
    """Cases over one set of tools. `tuned_on` are the ids of cases that tuning has looked at."""

    name: str = Field(min_length=1)
    version: int = Field(default=1, ge=1)
    tools: tuple[ToolSpec, ...] = ()
    cases: tuple[Case, ...]
    tuned_on: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Suite:
        ids = [case.id for case in self.cases]
        doubled = sorted({one for one in ids if ids.count(one) > 1}) if len(set(ids)) < len(ids) else []
        if doubled:
            raise ValueError(f"case ids appear more than once: {', '.join(doubled)}")
        return self

    def case(self, case_id: str) -> Case | None:
        return next((case for case in self.cases if case.id == case_id), None)
