"""The rules that a published JSON Schema says only by hand, or cannot say, and who holds them then.

spec: 02a §17, 02b §16
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from evalnb.engine.artifacts.reading import ARTIFACT_REFERENCE, KINDS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

Disposition: TypeAlias = Literal["injected", "not-expressible"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """One row: the rule `id` of the document `key`, its place, and what becomes of it.

    An injected row adds `keywords` at `definition`, or to the property `operands` of the branch of that definition
    whose `op` is `branch`. The others name in `held_by` who enforces the rule.
    """

    id: str
    key: str
    disposition: Disposition
    rule: str
    definition: str | None = None
    branch: str | None = None
    keywords: dict[str, Any] = field(default_factory=dict)
    held_by: str = "the published schema"


_ARITY: Final = {
    "equality": 2,
    "deep-equality": 2,
    "containment": 2,
    "existence": 1,
    "absence": 1,
    "regex": 1,
    "set-membership": 2,
    "ordering": 1,
    "count-tolerance": 1,
    "shape": 1,
    "covers-by-key": 2,
    "not": 1,
}


def _arity(prefix: str, key: str) -> tuple[Constraint, ...]:
    return tuple(
        Constraint(
            f"{prefix}{op}",
            key,
            "injected",
            f"{op} takes exactly {arity} operand{'s' if arity > 1 else ''}",
            "Expression",
            op,
            {"minItems": arity, "items": False},
        )
        for op, arity in _ARITY.items()
    )


def _non_empty_channel(row: str, key: str, definition: str) -> Constraint:
    return Constraint(row, key, "injected", "a bound channel names a parameter", definition, None, {"minProperties": 1})


def _left_to(held_by: str, row: str, key: str, rule: str) -> Constraint:
    return Constraint(row, key, "not-expressible", rule, held_by=held_by)


LEDGER: Final[tuple[Constraint, ...]] = (
    *_arity("operator-arity-", "eval-contract"),
    *_arity("operator-arity-probe-", "probe"),
    _non_empty_channel("binding-channel-non-empty", "eval-contract", "InputBindingChannel"),
    _non_empty_channel("probe-binding-channel-non-empty", "probe", "ProbeInputBindingChannel"),
    _left_to(
        "the scanner, before any parse",
        "json-value-numeric-domain",
        "eval-contract",
        "numbers are finite, integers are safe",
    ),
    _left_to("compile", "operator-operand-types", "eval-contract", "which operand form is legal in which position"),
    _left_to(
        "the engine's parse",
        "observation-sequence-unique",
        "sealed-run-record",
        "no two observations carry one sequence number",
    ),
    _left_to(
        "emit", "evidence-mode-caller-attested", "evidence-artifact", "`mode` is a member of `callerAttestedInputs`"
    ),
    _left_to(
        "the qualification gate",
        "defect-signature-required",
        "probe",
        "a seeded probe carries a signature, a canary carries null",
    ),
    *(
        _left_to(
            "review", f"secrets-prohibition-{key}", key, "opaque strings hold no path, credential or personal data"
        )
        for key in ("private-artifact-manifest", "evaluator-configuration")
    ),
    *(
        _left_to("lineage validation", f"lineage-{key}", key, "`parentDigest` is null exactly at `revisionCount` 0")
        for key in KINDS
        if key != ARTIFACT_REFERENCE.key
    ),
)


def inject(document: dict[str, Any], key: str, ledger: tuple[Constraint, ...] = LEDGER) -> None:
    """Add the injected keywords of the document `key` in place.

    ValueError for another dialect, a place that is not there, or a keyword that is there already.
    """
    if document.get("$schema") != DIALECT:
        raise ValueError(f"constraints are written for {DIALECT}, not for {document.get('$schema')}")
    for row in ledger:
        if row.key != key or row.disposition != "injected":
            continue
        place = _place(document, row)
        taken = sorted(place.keys() & row.keywords.keys())
        if taken:
            raise ValueError(f"{row.id}: {', '.join(taken)} already there")
        place.update(row.keywords)


def _place(document: dict[str, Any], row: Constraint) -> dict[str, Any]:
    place = document.get("$defs", {}).get(row.definition)
    if row.branch is not None and place is not None:
        branches = [item for item in place.get("oneOf", []) if item["properties"]["op"].get("const") == row.branch]
        place = branches[0]["properties"].get("operands") if len(branches) == 1 else None
    if not isinstance(place, dict):
        raise ValueError(f"{row.id}: its place is not in the document")
    return place
