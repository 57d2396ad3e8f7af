"""Secrets and personal data leave a trace; equality stays; nothing else changes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from evalnb.trajectory.loading import load, write_lines
from evalnb.trajectory.redaction import TOO_DEEP, Redactor, redactor
from evalnb.trajectory.schema_check import compile_schema
from tests.trajectory.runs import KEY

REDACT = Redactor(KEY)

SECRETS = {
    "email": "mia.li3818@example.com",
    "phone": "+1 (555) 010-9999",
    "card": "4111 1111 1111 1111",
    "api-key": "sk-proj-abcdefghijklmnop1234",
    "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "private-key": "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
}
HARMLESS = [
    "2024-05-20", "2024-05-15T15:00:00", "credit_card_4421486", "HAT136", "order 481", "1,234,567.89",
    "4111 1111 1111 1112", "1764590400008", "9876543215", "078-00-1120", "my token is here", "a secret garden",
    "sk-learn-pipeline-example", "tokens: 1200", "10.0.0.1", "call_oIHazX6yQrB8hUwl4cRilFKj", "03:00:00+1", "a @ b", "sk-short",
]  # fmt: skip


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_replaced_and_stays_comparable(kind: str) -> None:
    text = f"before {SECRETS[kind]} after"
    clean = REDACT.text(text)
    assert SECRETS[kind] not in clean
    assert f"[{kind}#" in clean
    assert clean.startswith("before ")
    assert clean.endswith(" after")
    assert REDACT.text(text) == clean
    assert Redactor(b"another key of 32 bytes .........").text(text) != clean


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACT.text(text) == text


def test_the_same_number_written_otherwise_is_the_same_stand_in() -> None:
    assert REDACT.text("4111 1111 1111 1111") == REDACT.text("4111-1111-1111-1111")


def test_named_fields_go_whole_at_any_depth() -> None:
    value = {"user": {"Password": "hunter2", "name": "Mia"}, "items": [{"api_key": 5}]}
    clean = REDACT.value(value)
    assert "hunter2" not in json.dumps(clean)
    assert clean["user"]["name"] == "Mia"  # type: ignore[index,call-overload]
    assert clean["items"][0]["api_key"].startswith("[field#")  # type: ignore[index,call-overload]


SECRET = "hunter2SECRET"
HELD = json.dumps({"password": SECRET})


@pytest.mark.parametrize(
    "text",
    [
        HELD, f"\n{HELD}", f"Result: {HELD}", f"{HELD}\n{HELD}", json.dumps({"body": HELD}), HELD[:-2],
        json.dumps(json.dumps({"body": HELD})), f"Error: invalid login {{'password': '{SECRET}'}}", f"password={SECRET}",
        f"db_password: {SECRET}", f"https://a.example/?api_key={SECRET}&b=1", f"Authorization: Basic {SECRET}==",
        f'{{"Authorization": "Basic {SECRET}"}}', f'{{"token":"{SECRET}"}}', f"AWS_SECRET_ACCESS_KEY={SECRET}",
    ],
)  # fmt: skip
def test_a_secret_beside_its_name_goes_from_any_text(text: str) -> None:
    clean = REDACT.text(text)
    assert SECRET not in clean
    assert REDACT.text(clean) == clean


def test_a_number_that_leaves_json_leaves_json_behind() -> None:
    clean = REDACT.text('Got {"password": 123456, "n": 1}')
    assert json.loads(clean.removeprefix("Got "))["n"] == 1
    assert "123456" not in clean


@pytest.mark.parametrize(
    "text", ["card credit_card_4111111111111111", "card 4111-1111-1111-1111- x", "ssn 078-05-1120"]
)
def test_a_number_goes_whatever_stands_beside_it(text: str) -> None:
    assert not set("0123456789").intersection(REDACT.text(text))


@pytest.mark.parametrize(
    "name",
    [
        "new_password", "userPassword", "token", "x-api-key", "aws_secret_access_key", "clientSecret", "sessionToken",
        "Proxy-Authorization", "APIKey",
    ],
)  # fmt: skip
def test_a_field_goes_by_the_words_of_its_name(name: str) -> None:
    assert SECRET not in json.dumps(REDACT.value({name: SECRET}))


@pytest.mark.parametrize(
    "name", ["token_count", "max_tokens", "passenger", "keyboard", "monkey", "next_page_token", "tokenizer", "author"]
)
def test_a_field_of_a_like_name_stays(name: str) -> None:
    assert REDACT.value({name: SECRET}) == {name: SECRET}


@pytest.mark.parametrize(
    "part",
    [
        "sk-", "eyJ-", "eyJaaaaaaaa.", "bearer ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN A", "a@", "4111 ", "+1 (", "(555) ",
        "xoxb-", "glpat-", "password=", 'password="', "password'", "\\\\", 'token:"\\', "authorization: basic ", "555-", "078-05-",
    ],
)  # fmt: skip
def test_twice_the_text_takes_about_twice_the_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            REDACT.text(text)
            taken.append(time.perf_counter() - started)
        return min(taken)

    assert seconds(80_000) < 3.2 * seconds(40_000) + 0.02


def test_what_nests_too_deep_leaves_whole() -> None:
    value: object = SECRET
    for _ in range(900):
        value = [value]
    clean = REDACT.value({"a": value, "password": value, "pin": {"a": 2**60}})  # type: ignore[dict-item]
    assert SECRET not in json.dumps(clean)
    assert TOO_DEEP in json.dumps(clean)


def test_a_stand_in_breaks_no_schema_and_what_is_beside_it_does() -> None:
    schema = {
        "type": "object",
        "properties": {
            "pin": {"type": "integer"},
            "email": {"type": "string", "maxLength": 30, "pattern": "@"},
            "n": {"type": "integer"},
        },
    }
    given = REDACT.value({"pin": 1234, "email": "mia.li3818@example.com", "n": "one"})
    assert [one.pointer for one in compile_schema(schema).violations(given)] == ["/n"]


def test_own_keys_and_kept_texts() -> None:
    own = redactor(KEY, keys=["passport-no"], keep=["help@example.com"])
    assert own.value({"passportNo": "X1"}) != {"passportNo": "X1"}
    assert own.text("write to help@example.com") == "write to help@example.com"


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Redactor(b"short")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_redacting_twice_is_redacting_once(value: object) -> None:
    once = REDACT.value(value)  # type: ignore[arg-type]
    assert REDACT.value(once) == once


def test_nothing_unredacted_is_stored(tmp_path: Path) -> None:
    """A secret in any place of a trace is in no line of the written file."""
    arguments = json.dumps({"to": SECRETS["email"], "password": "hunter2"})
    messages = [
        {"role": "system", "content": f"key {SECRETS['api-key']}"},
        {"role": "user", "content": f"card {SECRETS['card']}, phone {SECRETS['phone']}"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": SECRETS["email"], "function": {"name": "send", "arguments": arguments}}],
        },
        {
            "role": "tool",
            "tool_call_id": SECRETS["email"],
            "content": json.dumps({"secret": "hunter2", "at": SECRETS["token"]}),
        },
        {"role": "assistant", "content": f"sent to {SECRETS['email']}"},
    ]
    source = tmp_path / "chat.json"
    source.write_text(json.dumps({"id": SECRETS["email"], "user": SECRETS["email"], "messages": messages}))
    write_lines(load(source), tmp_path / "out.jsonl")
    stored = (tmp_path / "out.jsonl").read_text()
    for secret in [*SECRETS.values(), "hunter2"]:
        assert secret not in stored
