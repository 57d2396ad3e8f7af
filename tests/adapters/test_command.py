"""The command-line adapter: vectors, environment, input, caps, artifacts, and what each of them is observed as."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.command import CommandLineAdapter
from evalnb.adapters.command_arguments import argument_vector
from evalnb.adapters.command_run import ArtifactReading, CommandResult, CommandRun
from evalnb.engine.artifacts.port_messages import CliChannels
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.artifacts.target_policies import CommandTargetPolicy
from evalnb.engine.port_seam import AbortSignal
from tests.adapters.targets import command_policy, command_request, fault_of, mcp_request, observe

SHOW = "import json,os,sys;print(json.dumps({'argv':sys.argv[1:],'env':dict(os.environ),'cwd':os.getcwd(),'stdin':sys.stdin.read()}))"


class Recorded:
    """A mechanism that starts nothing and remembers what it was asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self.runs: list[CommandRun] = []
        self.error = error

    async def run(self, run: CommandRun, abort: AbortSignal) -> CommandResult:
        self.runs.append(run)
        if self.error is not None:
            raise self.error
        return CommandResult(0, "", "")

    async def read_artifact(self, path: str, max_bytes: int) -> ArtifactReading:
        return ArtifactReading(present=True, text="1", truncated=False)


def python(script: str, *arguments: str, policy: dict[str, Any] | None = None, **channels: Any) -> Any:
    """The observation of a Python script."""
    adapter = CommandLineAdapter(command_policy(sys.executable, **(policy or {})))
    return observe(adapter, command_request(["-c", script, *arguments], **channels))


def shell(script: str, **policy: Any) -> Any:
    return observe(CommandLineAdapter(command_policy("sh", **policy)), command_request(["-c", script]))


def shell_fault(script: str, **policy: Any) -> Any:
    return fault_of(CommandLineAdapter(command_policy("sh", **policy)), command_request(["-c", script]))


def body(observed: Any) -> Any:
    return observed.model_dump(by_alias=True)


# --- the argument vector


@pytest.mark.parametrize(
    ("option", "argument", "vector"),
    [
        ({"v": True, "q": False, "n": 3}, {"file": "a b"}, ["--v", "--n", "3", "a b"]),
        ({"env": ["A", "B"], "none": []}, {}, ["--env", "A", "--env", "B"]),
        ({}, {"b": "x", "2": "y", "1": ["p", "q"]}, ["p", "q", "y", "x"]),
        ({}, {"s": "$(id); rm"}, ["$(id); rm"]),
        ({"n": None, "o": {"a": 1, "0": [True]}}, {}, ["--n", "null", "--o", '{"0":[true],"a":1}']),
        ({"b": [True, False, None]}, {}, ["--b", "true", "--b", "false", "--b", "null"]),
        ({}, {"x": 1e21, "y": -0.0, "z": 0.1, "w": 1e-7}, ["1e+21", "0", "0.1", "1e-7"]),
        ({"00": 1, "10": 2, "9": 3}, {}, ["--9", "3", "--10", "2", "--00", "1"]),
        ({}, {"none": [], "nested": [[1, 2]]}, ["[1,2]"]),
    ],
)
def test_the_vector_is_options_then_positionals(
    option: dict[str, Any], argument: dict[str, Any], vector: list[str]
) -> None:
    raw = {"argument": argument, "option": option, "environment": {}, "stdin": {"kind": "absent"}}
    channels = validated(CliChannels, raw)
    assert argument_vector("tool", ["run"], channels) == ("tool", "run", *vector)


def test_no_shell_reads_an_argument() -> None:
    hostile = "$(touch /tmp/evalnb-never); `id` && ' \" \\ \n *"
    assert body(python(SHOW, hostile))["stdout"]["value"]["argv"] == [hostile]


# --- environment, working directory, input


def test_the_environment_is_path_and_the_declared_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVALNB_HOST_ONLY", "x")
    observed = body(python(SHOW, policy={"cwd": str(tmp_path)}, environment={"GREETING": "höi"}))
    shown = observed["stdout"]["value"]
    assert {"PATH": os.environ["PATH"], "GREETING": "höi"}.items() <= shown["env"].items()
    assert set(shown["env"]) <= {"PATH", "GREETING", "LC_CTYPE"}
    assert shown["cwd"] == str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("stdin", "read"),
    [
        ({"kind": "absent"}, ""),
        ({"kind": "text", "value": "héllo\n"}, "héllo\n"),
        ({"kind": "json", "value": {"b": 1.0, "1": [None, "é"]}}, '{"1":[null,"é"],"b":1}'),
    ],
)
def test_standard_input_is_what_the_request_says(stdin: dict[str, Any], read: str) -> None:
    assert body(python(SHOW, stdin=stdin))["stdout"]["value"]["stdin"] == read


def test_a_command_that_does_not_read_its_input_is_observed_all_the_same() -> None:
    adapter = CommandLineAdapter(command_policy("true"))
    assert observe(adapter, command_request(stdin={"kind": "text", "value": "x" * 1_000_000})).exit_code == 0


# --- denials come before anything starts


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({**command_request(), "interfaceId": "other"}, "interface-not-authorized"),
        ({**command_request(), "executable": "other"}, "executable-not-authorized"),
        (command_request(subcommands=["now"]), "subcommand-not-authorized"),
        (command_request(subcommands=["run", "now", "then"]), "subcommand-not-authorized"),
        (command_request(environment={"HOME": "/"}), "environment-key-not-authorized"),
        (command_request(environment={"Path": "/"}), "environment-key-not-authorized"),
        (command_request(environment={"greeting": "x"}), "environment-key-not-authorized"),
        (mcp_request(), "interface-not-authorized"),
    ],
)
def test_a_denial_starts_nothing(request_: dict[str, Any], reason: str) -> None:
    mechanism = Recorded()
    fault = fault_of(CommandLineAdapter(command_policy("true"), mechanism), request_)
    assert (fault.code, fault.artifact_path, fault.reason) == ("forbidden-target", "ProbeRequest", reason)
    assert mechanism.runs == []


def test_a_request_of_another_kind_is_named() -> None:
    assert '"mcp"' in fault_of(CommandLineAdapter(command_policy("true")), mcp_request()).detail


def test_path_is_denied_even_when_an_unchecked_policy_lists_it() -> None:
    policy = CommandTargetPolicy.model_construct(
        authorizations=[
            command_policy("true").authorizations[0].model_copy(update={"permitted_environment_keys": ("PATH",)})
        ]
    )
    fault = fault_of(CommandLineAdapter(policy), command_request(environment={"PATH": "/"}))
    assert fault.reason == "environment-key-not-authorized"


# --- how a run ends


@pytest.mark.parametrize(
    ("script", "exit_code"),
    [("exit 7", 7), ("kill -9 $$", -9), ("kill -TERM $$", -signal.SIGTERM), ("true", 0), ("exit 255", 255)],
)
def test_every_end_is_an_observation(script: str, exit_code: int) -> None:
    assert shell(script).exit_code == exit_code


def test_the_limit_itself_is_allowed_and_one_byte_more_is_not() -> None:
    assert body(shell("printf 12345; printf abcde >&2", maxOutputBytes=5))["stderr"]["value"] == "abcde"
    for stream in ("", " >&2"):
        fault = shell_fault(f"printf 123456{stream}; sleep 30", maxOutputBytes=5)
        assert (fault.code, fault.artifact_path) == ("budget-exhausted", "CommandProbeRequest")


def test_the_elapsed_cap_ends_the_run_and_is_the_one_reported_when_both_are_hit() -> None:
    fault = shell_fault("sleep 30", maxElapsedMs=100)
    assert (fault.code, fault.artifact_path) == ("budget-exhausted", "CommandProbeRequest")
    assert "maxElapsedMs" in fault.detail


def test_the_run_ends_with_its_streams_not_with_its_process() -> None:
    observed = body(shell("(sleep 0.2; echo late) & exit 3"))
    assert (observed["exitCode"], observed["stdout"]["value"]) == (3, "late\n")


@pytest.mark.parametrize("target", ["no-such-program-here", "/etc/passwd"])
def test_a_command_that_cannot_start_is_a_port_failure(target: str) -> None:
    fault = fault_of(CommandLineAdapter(command_policy(target)), command_request())
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")
    assert isinstance(fault.cause, OSError)


@pytest.mark.parametrize(
    "request_", [command_request(["x" * 200_000]), command_request(environment={"GREETING": "x" * 200_000})]
)
def test_a_launch_that_is_too_large_says_so(request_: dict[str, Any]) -> None:
    fault = fault_of(CommandLineAdapter(command_policy("true")), request_)
    assert (fault.code, fault.artifact_path, fault.port_failure_reason) == (
        "port-failure",
        "ProbeObservation",
        "launch-too-large",
    )


@pytest.mark.parametrize("word", ["a\0b", "x\ud800y"])
def test_text_that_no_vector_can_hold_is_a_failure_or_replaced(word: str) -> None:
    adapter = CommandLineAdapter(command_policy(sys.executable))
    request = command_request(["-c", SHOW, word])
    if "\0" in word:
        assert fault_of(adapter, request).code == "port-failure"
    else:
        assert body(observe(adapter, request))["stdout"]["value"]["argv"] == ["x\ufffdy"]


def test_any_other_error_of_the_mechanism_is_a_port_failure_without_a_reason() -> None:
    fault = fault_of(CommandLineAdapter(command_policy("true"), Recorded(OSError("broken"))), command_request())
    assert (fault.code, fault.port_failure_reason, fault.detail) == ("port-failure", None, "broken")


# --- bodies


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("printf ''", {"kind": "text", "value": ""}),
        ("echo 123", {"kind": "json", "value": 123}),
        ("echo NaN", {"kind": "text", "value": "NaN\n"}),
        ('echo \' {"a":1,"a":2} \'', {"kind": "json", "value": {"a": 2}}),
        ("echo null", {"kind": "json", "value": None}),
        ("echo '1 2'", {"kind": "text", "value": "1 2\n"}),
        ("printf '\\357\\273\\2771'", {"kind": "text", "value": "\ufeff1"}),
        ("printf '\\377a'", {"kind": "text", "value": "\ufffda"}),
        ("printf '\\303'; sleep 0.05; printf '\\251'", {"kind": "text", "value": "é"}),
    ],
)
def test_a_stream_is_json_where_it_is_one_value_and_text_otherwise(script: str, expected: dict[str, Any]) -> None:
    assert body(shell(script))["stdout"] == expected


# --- artifacts


def test_every_artifact_of_the_authorization_is_read_whatever_the_exit_code(tmp_path: Path) -> None:
    absolute = tmp_path / "b.txt"
    observed = body(
        shell(
            f"echo '[1]' > a.json; echo text > {absolute}; exit 9",
            cwd=str(tmp_path),
            artifacts={"first": "a.json", "second": str(absolute), "third": "missing.txt"},
        )
    )
    assert observed["artifacts"] == {
        "first": {"kind": "json", "value": [1]},
        "second": {"kind": "text", "value": "text\n"},
        "third": {"kind": "absent"},
    }


def test_an_artifact_from_an_earlier_run_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("old")
    observed = body(shell("true", cwd=str(tmp_path), artifacts={"old": "old.txt"}))
    assert observed["artifacts"]["old"] == {"kind": "text", "value": "old"}


def test_an_artifact_past_the_cap_exhausts_the_budget(tmp_path: Path) -> None:
    policy = {"cwd": str(tmp_path), "artifacts": {"out": "out"}, "maxOutputBytes": 4}
    assert body(shell("printf 1234 > out", **policy))["artifacts"]["out"]["value"] == 1234
    fault = shell_fault("printf 12345 > out", **policy)
    assert (fault.code, fault.artifact_path) == ("budget-exhausted", "CommandProbeRequest")


@pytest.mark.parametrize("script", ["mkdir out", "mkfifo out", "ln -s /dev/zero out", "ln -s out out"])
def test_an_artifact_that_is_no_file_is_a_port_failure(script: str, tmp_path: Path) -> None:
    fault = shell_fault(script, cwd=str(tmp_path), artifacts={"out": "out"})
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")


# --- secrets


SECRET = 'hunter2-"quoted"'


def test_a_secret_reaches_the_command_and_is_masked_wherever_it_comes_back(tmp_path: Path) -> None:
    policy = command_policy(
        sys.executable, {"secrets": {"TOKEN": {"env": "MY_TOKEN"}}}, cwd=str(tmp_path), artifacts={"log": "log"}
    )
    script = (
        "import json,os,sys;t=os.environ['TOKEN'];assert t.startswith('hunter2');"
        "print(json.dumps({'echo':[t,{t:1}]}));print('err '+t,file=sys.stderr);open('log','w').write(t)"
    )
    adapter = CommandLineAdapter(policy, environment={"MY_TOKEN": SECRET})
    observed = observe(adapter, command_request(["-c", script]))
    assert observed.exit_code == 0
    assert body(observed)["stdout"]["value"] == {"echo": ["[secret:MY_TOKEN]", {"[secret:MY_TOKEN]": 1}]}
    assert "hunter2" not in json.dumps(body(observed))


def test_an_unset_secret_is_named_and_nothing_starts() -> None:
    mechanism = Recorded()
    policy = command_policy("true", {"secrets": {"TOKEN": {"env": "MY_TOKEN"}}})
    fault = fault_of(CommandLineAdapter(policy, mechanism, environment={}), command_request())
    assert (fault.code, mechanism.runs) == ("port-failure", [])
    assert "MY_TOKEN" in fault.detail


def test_each_principal_has_credentials_of_its_own() -> None:
    policy = command_policy(
        "true", {"credentials": {"alice": {"TOKEN": {"env": "A", "prefix": "Bearer "}}, "bob": {"TOKEN": {"env": "B"}}}}
    )
    mechanism = Recorded()
    nobody = CommandLineAdapter(policy, mechanism, environment={"A": "aaaa", "B": "bbbb"})
    for adapter in (nobody, nobody.acting_as("alice"), nobody.acting_as("bob")):
        observe(adapter, command_request())
    tokens = [run.environment.get("TOKEN") for run in mechanism.runs]
    assert tokens == [None, "Bearer aaaa", "bbbb"]
    assert fault_of(nobody.acting_as("carol"), command_request()).code == "port-failure"


def test_probes_do_not_wait_for_each_other() -> None:
    async def four() -> float:
        from evalnb.engine.port_seam import AbortController

        adapter, never = CommandLineAdapter(command_policy("sleep")), AbortController().signal
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(adapter.probe(command_request(["1"]), never) for _ in range(4)))
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(four()) < 3
