"""The issue list: which issues a refused value has, in which order, in which words."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import Field, ValidationError

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.artifacts.behaviors import Behavior
from evalnb.engine.artifacts.bodies import ProbeRequestBody, RawRequestBody
from evalnb.engine.artifacts.construct import construct
from evalnb.engine.artifacts.expressions import Expression, Operand, SetOperand
from evalnb.engine.artifacts.interfaces import CollectionLocation, PermittedInterface
from evalnb.engine.artifacts.issues import Issue, ShapeError, as_written, dotted_path, issues_of
from evalnb.engine.artifacts.model import Items, Refined, StrictObject
from evalnb.engine.artifacts.plan import InputBinding, InputBindingChannel
from evalnb.engine.artifacts.primitives import (
    Digest,
    Identifier,
    JsonObjectValue,
    JsonValue,
    KeyName,
    KeyTypeMap,
    NonNegativeInt,
    Rfc3339Utc,
    SafeInt,
    Severity,
    Text,
)
from evalnb.engine.artifacts.reading import validate
from evalnb.engine.artifacts.text import Number
from tests.engine.artifacts import documents

LEGAL_BINDING = {"query": None, "header": None, "body": None}


class Limits(StrictObject):
    """Numbers with every kind of bound."""

    rate: Annotated[float, Number(0, 1)]
    above: Annotated[float, Number(exclusive_minimum=0)]


Distinct = Annotated[Items[SafeInt], Refined(lambda items: len(set(items)) == len(items), "two are the same")]
Pair = Annotated[Items[Text], Field(min_length=2, max_length=2)]

# What is read as what, and every issue as path, code and message.
CASES: list[tuple[str, Any, Any, list[tuple[str, str, str]]]] = [
    (
        "a boolean is no number",
        NonNegativeInt,
        True,
        [("", "invalid_type", "Invalid input: expected number, received boolean")],
    ),
    ("a fraction is no integer", SafeInt, 1.5, [("", "invalid_type", "Invalid input: expected int, received number")]),
    ("text is no number", SafeInt, "7", [("", "invalid_type", "Invalid input: expected number, received string")]),
    ("not a number", SafeInt, math.nan, [("", "invalid_type", "Invalid input: expected number, received NaN")]),
    ("infinity", SafeInt, math.inf, [("", "invalid_type", "Invalid input: expected number, received number")]),
    ("below the minimum", NonNegativeInt, -1, [("", "too_small", "Too small: expected number to be >=0")]),
    (
        "below the safe range and the minimum",
        NonNegativeInt,
        -(2**53),
        [
            ("", "too_small", "Too small: expected int to be >=-9007199254740991"),
            ("", "too_small", "Too small: expected number to be >=0"),
        ],
    ),
    ("above the safe range", SafeInt, 2.0**53, [("", "too_big", "Too big: expected int to be <=9007199254740991")]),
    (
        "numbers out of bounds",
        Limits,
        {"rate": 1.5, "above": 0},
        [
            ("rate", "too_big", "Too big: expected number to be <=1"),
            ("above", "too_small", "Too small: expected number to be >0"),
        ],
    ),
    (
        "missing keys by the type wanted",
        Behavior,
        {"extra": 1, "9": 2, "1": 3},
        [
            ("id", "invalid_type", "Invalid input: expected string, received nothing: the key is missing"),
            ("description", "invalid_type", "Invalid input: expected string, received nothing: the key is missing"),
            ("severity", "invalid_value", 'Invalid option: expected one of "low"|"material"|"critical"'),
            (
                "observableSuccessCriterion",
                "invalid_type",
                "Invalid input: expected string, received nothing: the key is missing",
            ),
            ("requirementLinks", "invalid_type", "Invalid input: expected array, received nothing: the key is missing"),
            ("riskLinks", "invalid_type", "Invalid input: expected array, received nothing: the key is missing"),
            ("oracles", "invalid_type", "Invalid input: expected array, received nothing: the key is missing"),
            ("", "unrecognized_keys", 'Unrecognized keys: "1", "9", "extra"'),
        ],
    ),
    (
        "a pattern",
        Identifier,
        "A",
        [("", "invalid_format", "Invalid string: must match pattern /^[a-z0-9]+(?:-[a-z0-9]+)*$/")],
    ),
    (
        "a trailing newline",
        Digest,
        f"sha256:{'0' * 64}\n",
        [("", "invalid_format", "Invalid string: must match pattern /^sha256:[0-9a-f]{64}$/")],
    ),
    ("a date", Rfc3339Utc, "2026-02-29T00:00:00Z", [("", "invalid_format", "Invalid ISO datetime")]),
    ("other digits", Rfc3339Utc, "٢026-02-28T00:00:00Z", [("", "invalid_format", "Invalid ISO datetime")]),
    ("an empty name", KeyName, "", [("", "too_small", "Too small: expected string to have >=1 characters")]),
    (
        "an empty list in place of text is measured too",
        Text,
        [],
        [
            ("", "invalid_type", "Invalid input: expected string, received array"),
            ("", "too_small", "Too small: expected array to have >=1 items"),
        ],
    ),
    (
        "text in place of a list is measured too",
        Pair,
        "a",
        [
            ("", "invalid_type", "Invalid input: expected array, received string"),
            ("", "too_small", "Too small: expected string to have >=2 characters"),
        ],
    ),
    (
        "items come before the length",
        Pair,
        [7, "a", ""],
        [
            ("0", "invalid_type", "Invalid input: expected string, received number"),
            ("2", "too_small", "Too small: expected string to have >=1 characters"),
            ("", "too_big", "Too big: expected array to have <=2 items"),
        ],
    ),
    (
        "a map, integer-like keys first",
        KeyTypeMap,
        {"b": "uuid", "": "string", "10": 1, "2": None},
        [
            (
                "10",
                "invalid_value",
                'Invalid option: expected one of "string"|"number"|"boolean"|"object"|"array"|"null"',
            ),
            (
                "b",
                "invalid_value",
                'Invalid option: expected one of "string"|"number"|"boolean"|"object"|"array"|"null"',
            ),
            ("", "invalid_key", "Invalid key in record"),
        ],
    ),
    ("a list is no map", KeyTypeMap, [], [("", "invalid_type", "Invalid input: expected record, received array")]),
    (
        "an empty binding channel",
        InputBindingChannel,
        {},
        [("", "custom", "an input-binding channel names at least one parameter; an unbound channel is null")],
    ),
    (
        "a tuple too short",
        Expression,
        {"op": "equality", "operands": []},
        [("operands", "too_small", "Too small: expected array to have >=2 items")],
    ),
    (
        "a tuple too long, then its positions",
        Expression,
        {"op": "existence", "operands": [{"nope": 1}, 2]},
        [
            ("operands", "too_big", "Too big: expected array to have <=1 items"),
            ("operands/0", "invalid_union", "Invalid input"),
        ],
    ),
    (
        "no tuple at all",
        Expression,
        {"op": "not", "operands": {}},
        [("operands", "invalid_type", "Invalid input: expected tuple, received object")],
    ),
    (
        "an unknown discriminator, in branch order",
        PermittedInterface,
        {"kind": "grpc"},
        [("kind", "invalid_union", "Invalid discriminator value. Expected 'api' | 'web' | 'mcp' | 'cli'")],
    ),
    (
        "a missing discriminator",
        ProbeRequestBody,
        {},
        [("kind", "invalid_union", "Invalid discriminator value. Expected 'json' | 'raw' | 'absent'")],
    ),
    (
        "a discriminator that is no scalar",
        ProbeRequestBody,
        {"kind": ["json"]},
        [("kind", "invalid_union", "Invalid discriminator value. Expected 'json' | 'raw' | 'absent'")],
    ),
    (
        "a list where a tagged object is due",
        ProbeRequestBody,
        [],
        [("", "invalid_type", "Invalid input: expected object, received array")],
    ),
    (
        "a single literal",
        RawRequestBody,
        {"kind": "x", "base64": "", "contentType": "a/b"},
        [("kind", "invalid_value", 'Invalid input: expected "raw"')],
    ),
    (
        "the one soft arm speaks",
        SetOperand,
        {"literal": []},
        [("literal", "too_small", "Too small: expected array to have >=1 items")],
    ),
    ("no soft arm", SetOperand, {"pointer": "/interactions/a/stdout"}, [("", "invalid_union", "Invalid input")]),
    ("two soft arms", Operand, {"pointer": "bad"}, [("", "invalid_union", "Invalid input")]),
    ("an unknown key is hard", Operand, {"literal": 1, "note": 2}, [("", "invalid_union", "Invalid input")]),
    (
        "nothing at all for a union",
        CollectionLocation,
        {"pointer": "", "referenceSet": None},
        [
            (
                "expectedCardinality",
                "invalid_type",
                "Invalid input: expected object, received nothing: the key is missing",
            )
        ],
    ),
    (
        "nested unions pass a soft issue through",
        InputBinding,
        {**LEGAL_BINDING, "path": {"id": {"captured": "response-body/id"}}},
        [
            (
                "path/id/captured",
                "invalid_format",
                'Invalid AD-26 interaction-rooted pointer; a path segment of exactly "*" is the wildcard of '
                "`volatilePointers` and is refused here",
            )
        ],
    ),
    ("any JSON value", JsonValue, {"a": [math.inf]}, [("", "invalid_union", "Invalid input")]),
    ("an object of JSON values", JsonObjectValue, {"b": 1, "a": math.nan}, [("a", "invalid_union", "Invalid input")]),
    (
        "a list is no object of values",
        JsonObjectValue,
        [],
        [("", "invalid_type", "Invalid input: expected record, received array")],
    ),
    ("a refinement", Distinct, [1, 2, 1], [("", "custom", "two are the same")]),
    (
        "no refinement of what is wrong already",
        Distinct,
        [1, 1, "1"],
        [("2", "invalid_type", "Invalid input: expected number, received string")],
    ),
]


def triples(issues: tuple[Issue, ...]) -> list[tuple[str, str, str]]:
    # What a union says of its nearest form is tested on its own below.
    return [("/".join(map(str, one.path)), one.code, one.message.split(": none of")[0]) for one in issues]


@pytest.mark.parametrize(("shape", "value", "expected"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_the_issues_of_a_refused_value(shape: Any, value: Any, expected: list[tuple[str, str, str]]) -> None:
    assert triples(issues_of(shape, value)) == expected
    with pytest.raises(ValidationError):
        validate(shape, value)


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (NonNegativeInt, -0.0),
        (SafeInt, 1.0),
        (SafeInt, -(2**53) + 1),
        (JsonValue, None),
        (JsonValue, {"": [1e300, {"a": None}]}),
        (JsonValue, 2**60),
        (InputBindingChannel, None),
        (Severity, "low"),
        (Distinct, [2, 1]),
        (Literal["a"], "a"),
    ],
)
def test_what_has_no_issue_is_read(shape: Any, value: Any) -> None:
    assert issues_of(shape, value) == ()
    validate(shape, value)


def test_an_unhashable_or_foreign_value_is_an_issue_not_an_error() -> None:
    assert [issue.code for issue in issues_of(Severity, [])] == ["invalid_value"]
    assert [issue.message for issue in issues_of(Text, {1, 2})] == ["Invalid input: expected string, received set"]


def test_a_shape_error_lists_its_issues_and_survives_pickling() -> None:
    error = ShapeError(issues_of(Operand, {}))
    assert str(error).startswith("(root): Invalid input: none of 3 forms; the nearest fails")
    assert pickle.loads(pickle.dumps(error)).issues == error.issues
    assert str(ShapeError((Issue(("a/b", 0, "c~"), "custom", "wrong"),))) == "/a~1b/0/c~0: wrong"


@pytest.mark.parametrize("number", [True, 1])
def test_a_boolean_literal_is_not_its_number(number: Any) -> None:
    found = issues_of(Literal[True], number)
    assert (not found) is (number is True)
    assert all(issue.message == "Invalid input: expected true" for issue in found)


places = st.integers(0, 10_000)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 1.5, 7.0, -0.0, math.inf, 2**53, 10**400]),
    st.sampled_from(
        ["", "a", "A", "list", "B-001", "O-001", "any", "not", "existence", "json", "raw", "cli", "/a", "@/a"]
    ),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(st.sampled_from(["", "a", "op", "kind", "literal", "pointer", "__proto__"]), scalars, max_size=2),
)


def slots(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document: its holder, and its key or index."""
    found, pending = [], [value]
    while pending:
        holder = pending.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            pending.append(holder[key])
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(places, st.sampled_from(["set", "remove", "add"]), values), min_size=1, max_size=3))
def test_the_walk_and_the_validator_agree_on_every_spoiled_document(changes: list[tuple[int, str, Any]]) -> None:
    document = documents.contract()
    for place, change, value in changes:
        found = slots(document)
        holder, key = found[place % len(found)]
        if change == "remove":
            del holder[key]
        elif change == "add" and isinstance(holder, dict):
            holder["added"] = copy.deepcopy(value)
        else:
            holder[key] = copy.deepcopy(value)
    document = as_written(document)
    issues = issues_of(EvalContract, document)
    try:
        model = validate(EvalContract, document)
    except ValidationError:
        model = None
    assert (model is None) is bool(issues)
    if model is not None:
        assert construct(EvalContract, document) == model


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("directions", 0, "text"), "directions[0].text"),
        (("safetyLimits", 0), "safetyLimits[0]"),
        ((), "(root)"),
        (("odd key",), '["odd key"]'),
        (("a", "b-c", "$d"), 'a["b-c"].$d'),
    ],
)
def test_a_path_is_written_with_dots(path: tuple[str | int, ...], text: str) -> None:
    assert dotted_path(path) == text


def test_a_union_tells_of_the_form_a_value_comes_nearest_to() -> None:
    (issue,) = issues_of(Operand, {"literal": 1, "note": 2})
    assert issue.message == 'Invalid input: none of 3 forms; the nearest fails: Unrecognized key: "note"'


def test_a_misspelt_key_is_told_which_declared_key_is_missing() -> None:
    document = {key: value for key, value in documents.contract()["behaviors"][0].items() if key != "severity"}
    unknown = issues_of(Behavior, {**document, "severty": "low", "colour": 1})[-1]
    assert unknown.message == 'Unrecognized keys: "severty" (did you mean "severity"?), "colour"'
