"""A hostile trace imports with a named warning; its order is never changed behind one's back."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from evalnb.files import FileProblem
from evalnb.trajectory.events import Trajectory
from evalnb.trajectory.loading import load, stream, write_lines
from evalnb.trajectory.notes import NOTE_CODES, NOTES_KEPT_PER_CODE
from tests.trajectory.test_importers import otlp, span


def call(call_id: str, name: str = "get", arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "tool_calls": [{"id": call_id, "function": {"name": name, "arguments": arguments}}],
        **more,
    }


def result(call_id: str, text: str = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


CHATS = {
    "duplicated-call-id": [call("a", "one"), call("a", "two"), result("a", "1"), result("a", "2")],
    "missing-result": [call("a")],
    "result-without-call": [result("ghost")],
    "result-before-call": [result("a"), call("a")],
    "duplicate-result": [call("a"), result("a"), result("a")],
    "malformed-arguments": [call("a", arguments="[1"), result("a")],
    "unknown-role": [{"role": "wizard", "content": "hocus"}],
    "clock-backwards": [
        {"role": "user", "content": "a", "timestamp": 20},
        {"role": "user", "content": "b", "timestamp": 10},
    ],
    "bad-time": [{"role": "user", "content": "a", "timestamp": "yesterday"}],
    "not-text": [{"role": "user", "content": [{"type": "image", "source": {}}]}],
    "unknown-block": [{"role": "user", "content": 7}],
}


def chat(path: Path, messages: list[Any]) -> Trajectory:
    file = path / "chat.json"
    file.write_text(json.dumps(messages))
    return load(file)[0]


@pytest.mark.parametrize("code", CHATS)
def test_the_oddity_has_its_name(code: str, tmp_path: Path) -> None:
    run = chat(tmp_path, CHATS[code])
    assert code in {note.code for note in run.notes}
    assert code in NOTE_CODES


def test_order_is_the_traces_own(tmp_path: Path) -> None:
    run = chat(tmp_path, CHATS["clock-backwards"])
    assert [event.text for event in run] == ["a", "b"]  # type: ignore[attr-defined]
    run = chat(tmp_path, CHATS["result-before-call"])
    assert [event.type for event in run] == ["tool_result", "tool_call"]


def test_results_of_calls_with_one_id_pair_in_order(tmp_path: Path) -> None:
    run = chat(tmp_path, CHATS["duplicated-call-id"])
    assert [(event.call_number, event.text) for event in run if event.type == "tool_result"] == [(1, "1"), (2, "2")]  # type: ignore[attr-defined]


def test_spans_that_are_their_own_ancestors_end(tmp_path: Path) -> None:
    plain = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    spans = [
        span("a", 1, plain, parentSpanId="b"),
        span("b", 2, plain, parentSpanId="a"),
        span("b", 3, plain),
        span("c", 4, plain, parentSpanId="gone"),
    ]
    file = tmp_path / "spans.json"
    file.write_text(json.dumps(otlp([spans[0], {**spans[1]}, spans[3]])))
    assert {"cyclic-parents", "missing-parent"} <= {note.code for note in load(file)[0].notes}
    file.write_text(json.dumps(otlp(spans[1:3])))
    assert "duplicated-span-id" in {note.code for note in load(file)[0].notes}


def test_bytes_that_are_no_utf8_become_the_replacement_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "chat.json"
    file.write_bytes(b'[{"role": "user",\n "content": "caf\xe9"}]')
    found = load(file)
    assert found[0].events[0].text == "caf\ufffd"  # type: ignore[attr-defined]
    note = found.reports[0].notes.kept[0]
    assert (note.code, note.place) == ("invalid-utf8", "chat.json, line 2")


def test_a_file_of_bytes_that_are_no_utf8_is_read_in_time(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    taken = []
    for size in (100_000, 200_000):
        path.write_bytes(b'[{"role": "user", "content": "' + b"\xff" * size + b'"}]')
        started = time.perf_counter()
        load(path)
        taken.append(time.perf_counter() - started)
    assert taken[1] < 3.2 * taken[0] + 0.2


TAU = {"task_id": 1, "trial": 0, "reward": 1.0, "traj": []}


@pytest.mark.parametrize(
    "record",
    [
        {**TAU, "reward": 10**400},
        {**TAU, "trial": "\u00b2"},
        {**TAU, "trial": "--5"},
        {"messages": [call("c", arguments='{"x": NaN}')]},
        {"messages": [call("c", arguments='{"x": 1e999}')]},
        {"messages": [call("c", arguments='{"a":' * 900 + "1" + "}" * 900)]},
        {"messages": [call("c"), result("c", '{"a":' * 900 + "1" + "}" * 900)]},
        {"messages": [call("c"), result("c", "[" * 5000)]},
        otlp([span("s", 1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": [], "evalnb.trial": "\u00b2"})]),
    ],
    ids=lambda record: json.dumps(record)[:50],
)
def test_what_is_read_can_be_written_and_read_again(record: Any, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text(json.dumps([record] if "traj" in record else record))
    found = load(tmp_path / "trace.json")
    write_lines(found.runs, tmp_path / "lines.jsonl")
    assert load(tmp_path / "lines.jsonl").runs == found.runs


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_is_none_is_told_with_its_line(number: str, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text('[\n{"task_id": 1, "trial": 0, "reward": ' + number + ', "traj": []}]')
    with pytest.raises(FileProblem, match=r"line 2: no JSON: .* (is no JSON number|is larger than any number)"):
        load(tmp_path / "trace.json")


def test_runs_of_one_id_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join([json.dumps({"id": "r", "messages": [{"role": "user", "content": "x"}]})] * 2))
    found = load(file)
    assert [run.run_id for run in found] == ["r", "r#2"]
    assert found.reports[0].notes.counts["duplicated-run-id"] == 1


def test_a_flood_of_oddities_is_counted_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps(result(f"g{number}")) for number in range(500)))
    found = load(file)
    assert found.reports[0].notes.counts["result-without-call"] == 500
    assert len(found[0].notes) == NOTES_KEPT_PER_CODE


def test_memory_follows_the_largest_run_and_not_the_file(tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    record = json.dumps({"messages": [{"role": "user", "content": "x" * 2000}] * 20})
    with file.open("w") as out:
        for _ in range(600):
            out.write(record + "\n")
    tracemalloc.start()
    events = sum(len(run) for run in stream(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert events == 12_000
    assert peak < file.stat().st_size / 2


def test_values_split_over_reads_come_back_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalnb.trajectory.documents.CHUNK", 3)
    messages = [{"role": "user", "content": f'ünï \\ " {number}'} for number in range(5)]
    file = tmp_path / "chat.json"
    for text in (json.dumps(messages, ensure_ascii=False, indent=1), "\n".join(json.dumps(one) for one in messages)):
        file.write_text(text, encoding="utf-8")
        assert [event.text for event in load(file)[0]] == [one["content"] for one in messages]  # type: ignore[attr-defined]
