"""The quotation audit: a quote counts where a cited observation holds it letter for letter."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.score.conditions import UnwitnessedQuotation
from evalnb.engine.score.quotations import audit_quotations
from tests.engine.score import thermostat


def quoted(quote: str, channel: str = "response-body", artifact: str | None = None) -> dict[str, Any]:
    return {"quote": quote, "channel": channel, "artifactId": artifact}


def audit(observation: dict[str, Any], *quotes: dict[str, Any]) -> tuple[UnwitnessedQuotation, ...]:
    finding = thermostat.finding("F-101", "obs-2", quotedEvidence=[*quotes])
    return audit_quotations(thermostat.record(observations=[observation], findings=[finding]))


CHANGES: dict[str, Any] = {
    "responseBody": {"z": 1, "celsius": 18.0, "label": "Ärger"},
    "responseHeaders": {"X-Unit": "C"},
    "responseStatus": 503,
    "exitCode": -9,
    "stdout": {"kind": "text", "value": "line 1\nline 2"},
    "stderr": {"kind": "json", "value": {"b": [1, 2], "a": None}},
    "artifacts": {"report": {"kind": "text", "value": "lost"}, "empty": {"kind": "absent"}},
}


@pytest.mark.parametrize(
    ("quote", "channel", "artifact"),
    [
        ('"celsius":18,"label":"Ärger"', "response-body", None),
        ('{"X-Unit":"C"}', "response-headers", None),
        ("503", "response-status", None),
        ("50", "response-status", None),
        ("-9", "exit-code", None),
        ("1\nline", "stdout", None),
        ('{"a":null,"b":[1,2]}', "stderr", None),
        ("lost", "artifact", "report"),
        ('"path":{"room":"attic"}', "call-inputs", None),
    ],
)
def test_a_verbatim_part_of_the_channel_is_witnessed(quote: str, channel: str, artifact: str | None) -> None:
    observation = thermostat.observation("obs-2", 2, "read-room", 18, **CHANGES)
    assert audit(observation, quoted(quote, channel, artifact)) == ()


@pytest.mark.parametrize(
    ("quote", "channel", "artifact"),
    [
        ('"celsius": 18', "response-body", None),
        ('"CELSIUS":18', "response-body", None),
        ("line 1 line 2", "stdout", None),
        ("lost", "artifact", "elsewhere"),
        ("lost", "artifact", "empty"),
    ],
)
def test_anything_short_of_verbatim_is_not(quote: str, channel: str, artifact: str | None) -> None:
    observation = thermostat.observation("obs-2", 2, "read-room", 18, **CHANGES)
    assert audit(observation, quoted(quote, channel, artifact)) == (
        UnwitnessedQuotation("F-101", 0, channel, quote, ("obs-2",)),
    )


def test_an_empty_channel_holds_nothing_not_even_null() -> None:
    observation = thermostat.observation("obs-2", 2, "read-room", None, responseBody=None)
    channels = ("response-body", "response-headers", "exit-code", "stdout")
    found = audit(observation, *(quoted("null", channel) for channel in channels))
    assert [one.channel for one in found] == [*channels]


def test_call_inputs_are_quoted_as_the_record_spells_them() -> None:
    """A record from before the body encoding has no such key to stand between two channels."""
    observation = thermostat.observation("obs-2", 2, "read-room", 18)
    del observation["callInputs"]["bodyEncoding"]
    finding = thermostat.finding(
        "F-101", "obs-2", quotedEvidence=[quoted('"body":null,"environment":null', "call-inputs")]
    )
    old = thermostat.record(schemaVersion=7, observations=[observation], findings=[finding])
    assert audit_quotations(old) == ()
    observation["callInputs"]["bodyEncoding"] = None
    assert len(audit_quotations(thermostat.record(observations=[observation], findings=[finding]))) == 1


def test_one_cited_observation_is_enough_and_uncited_ones_do_not_count() -> None:
    record = thermostat.record(
        findings=[
            thermostat.finding("F-101", "obs-1", "obs-2"),
            thermostat.finding("F-102", "obs-1"),
            thermostat.finding("F-103", "gone"),
        ]
    )
    quote = '"celsius":18'
    assert audit_quotations(record) == (
        UnwitnessedQuotation("F-102", 0, "response-body", quote, ("obs-1",)),
        UnwitnessedQuotation("F-103", 0, "response-body", quote, ()),
    )


def test_every_observation_of_a_repeated_identifier_is_considered() -> None:
    observations = [
        thermostat.observation("obs-2", 1, "read-room", 18),
        thermostat.observation("obs-2", 2, "read-room", 21),
    ]
    assert audit_quotations(thermostat.record(observations=observations)) == ()


def test_quotations_are_listed_by_finding_and_position() -> None:
    observation = thermostat.observation("obs-2", 2, "read-room", 18)
    found = audit(observation, quoted("z"), quoted("200", "response-status"), quoted("a", "stdout"))
    assert [(one.quote_index, one.quote) for one in found] == [(0, "z"), (2, "a")]
