"""Target policies: decisions of our own examples, how policies and targets files are read, and secrets."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from evalnb.adapters.policies import (
    AddressDenied,
    Allowed,
    CommandTarget,
    Denied,
    HttpTarget,
    McpTarget,
    Secret,
    SecretMask,
    SecretReference,
    evaluate_command_target,
    evaluate_environment,
    evaluate_mcp_target,
    evaluate_target,
    is_safe_method,
    parse_command_target_policy,
    parse_mcp_target_policy,
    parse_probe_target_policy,
    read_secret,
)
from evalnb.adapters.targets import parse_targets, read_targets
from evalnb.engine.artifacts.addresses import parse_address
from evalnb.engine.artifacts.issues import ShapeError
from evalnb.engine.codes import FORBIDDEN_TARGET_REASONS
from evalnb.engine.faults import RuntimeFault
from evalnb.files import FileProblem
from tests.adapters.http_server import authorization

HTTP = authorization(8080)
COMMAND = {
    "interfaceId": "devtools",
    "executable": "git",
    "target": "/usr/bin/git",
    "permittedSubcommandPaths": [["status"], []],
    "permittedEnvironmentKeys": ["LANG"],
    "cwd": "/tmp",
    "artifacts": {},
    "maxElapsedMs": 1000,
    "maxOutputBytes": 100,
}
MCP = {
    "interfaceId": "notes",
    "target": "server",
    "targetArgs": ["", "-x"],
    "tools": ["find_notes"],
    "cwd": "/tmp",
    "serverEnvironment": {"A": ""},
    "maxElapsedMs": 1000,
    "maxOutputBytes": 100,
}
FAMILIES: list[tuple[Any, dict[str, Any], str]] = [
    (parse_probe_target_policy, HTTP, "ProbeTargetPolicy"),
    (parse_command_target_policy, COMMAND, "CommandTargetPolicy"),
    (parse_mcp_target_policy, MCP, "McpTargetPolicy"),
]


def http_decision(*authorizations: dict[str, Any], **changes: Any) -> Any:
    target = {
        "interface_id": "orders",
        "scheme": "http",
        "host": "orders.test",
        "port": 8080,
        "address": "127.0.0.1",
        "method": "GET",
        **changes,
    }
    return evaluate_target(parse_probe_target_policy({"authorizations": list(authorizations)}), HttpTarget(**target))


def test_http_rules_decide_in_order() -> None:
    wrong = {"scheme": "https", "host": "x", "port": 1, "address": "010.0.0.1", "method": "PATCH"}
    order = [
        "scheme-not-authorized",
        "host-not-authorized",
        "port-not-authorized",
        "address-unparseable",
        "method-not-authorized",
    ]
    for reason, field in zip(order, list(wrong), strict=True):
        denial = http_decision(HTTP, **wrong)
        assert (denial.reason, denial.address_class) == (reason, parse_class(wrong))
        del wrong[field]
    assert http_decision(HTTP, **wrong).canonical_address == "127.0.0.1"


def parse_class(target: dict[str, Any]) -> str:
    address = parse_address(target.get("address", "127.0.0.1"))
    return address.address_class if address else "unparseable"


def test_the_first_authorization_that_allows_wins_and_the_first_denial_is_reported() -> None:
    other = authorization(8080, host="other.test")
    assert http_decision(other, HTTP, HTTP).authorization.host == "orders.test"
    assert http_decision(other, HTTP, address="10.0.0.1").reason == "host-not-authorized"
    assert http_decision(address="::1").address_class == "loopback"


@given(address=st.ip_addresses().map(str), named=st.ip_addresses().map(str))
def test_only_a_named_address_is_allowed_whatever_its_class(address: str, named: str) -> None:
    decision = http_decision(authorization(8080, addresses=[named]), address=address)
    read, name = parse_address(address), parse_address(named)
    assert read is not None
    assert name is not None
    assert isinstance(decision, Allowed) is (read.canonical == name.canonical)
    if isinstance(decision, AddressDenied):
        assert read.address_class in decision.detail


def test_a_method_is_safe_only_when_it_is_authorized() -> None:
    entry = parse_probe_target_policy(
        {"authorizations": [authorization(1, methods=["GET"], safeMethods=["GET", "POST"])]}
    )
    assert [is_safe_method(entry.authorizations[0], method) for method in ("GET", "POST", "get")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (("other", "git", ("status",)), "interface-not-authorized"),
        (("devtools", "npm", ("status",)), "executable-not-authorized"),
        (("devtools", "git", ("status", "short")), "subcommand-not-authorized"),
        (("devtools", "git", ("stat",)), "subcommand-not-authorized"),
        (("devtools", "git", ("status",)), None),
        (("devtools", "git", ()), None),
    ],
)
def test_a_command_needs_its_pair_and_its_whole_path(target: tuple[Any, Any, Any], reason: str | None) -> None:
    policy = parse_command_target_policy({"authorizations": [COMMAND]})
    decision = evaluate_command_target(policy, CommandTarget(*target))
    assert (decision.reason if isinstance(decision, Denied) else None) == reason


def test_the_second_authorization_of_a_command_is_consulted_and_that_of_a_server_is_not() -> None:
    commands = parse_command_target_policy(
        {"authorizations": [COMMAND, {**COMMAND, "permittedSubcommandPaths": [["log"]]}]}
    )
    assert isinstance(evaluate_command_target(commands, CommandTarget("devtools", "git", ["log"])), Allowed)
    servers = parse_mcp_target_policy({"authorizations": [MCP]})
    second = servers.authorizations[0].model_copy(update={"tools": ("other",)})
    both = servers.model_copy(update={"authorizations": (*servers.authorizations, second)})
    denial = evaluate_mcp_target(both, McpTarget("notes", "other"))
    assert isinstance(denial, Denied)
    assert denial.reason == "tool-not-authorized"


@pytest.mark.parametrize("key", ["PATH", "Path", "path", "HOME", "lang", "LANG "])
def test_an_environment_key_is_permitted_exactly_and_path_never(key: str) -> None:
    assert evaluate_environment(["LANG", key], ["LANG"]) is None
    denial = evaluate_environment(["LANG"] if key.upper() != "PATH" else ["LANG", key], ["LANG", key])
    assert denial is not None
    assert denial.fault().reason == "environment-key-not-authorized"


def test_every_denial_becomes_a_fault_with_a_published_reason() -> None:
    for reason in FORBIDDEN_TARGET_REASONS:
        fault = Denied(reason, "because").fault()
        assert (fault.code, fault.artifact_path, fault.reason) == ("forbidden-target", "ProbeRequest", reason)


@pytest.mark.parametrize(("parse", "entry", "path"), FAMILIES)
def test_a_policy_is_copied(parse: Any, entry: dict[str, Any], path: str) -> None:
    document = json.loads(json.dumps({"authorizations": [entry]}))
    policy = parse(document)
    assert policy.model_dump(mode="json", by_alias=True) == document
    document["authorizations"][0]["interfaceId"] = "changed"
    assert policy.authorizations[0].interface_id == entry["interfaceId"]
    assert parse(policy) == policy


@pytest.mark.parametrize(("parse", "entry", "path"), FAMILIES)
@pytest.mark.parametrize("field", range(12))
def test_every_field_is_required(parse: Any, entry: dict[str, Any], path: str, field: int) -> None:
    if field >= len(entry):
        return
    key = list(entry)[field]
    with pytest.raises(RuntimeFault) as caught:
        parse({"authorizations": [{name: value for name, value in entry.items() if name != key}]})
    assert caught.value.artifact_path == path
    assert f"/authorizations/0/{key}: " in caught.value.detail


@pytest.mark.parametrize(("parse", "entry", "path"), FAMILIES)
def test_forbidden_keys_are_listed_first_from_the_outside_in(parse: Any, entry: dict[str, Any], path: str) -> None:
    carried = {"CommandTargetPolicy": "artifacts", "McpTargetPolicy": "serverEnvironment"}.get(path)
    poisoned = {**entry, "__proto__": {}, **({carried: {"__proto__": "x"}} if carried else {})}
    with pytest.raises(RuntimeFault) as caught:
        parse(
            {"__proto__": 1, "authorizations": [poisoned, 7, {**poisoned, "interfaceId": "B"}], "more": 1, "most~/": 2}
        )
    places = [text.partition(": ")[0] for text in caught.value.detail.partition(" schema: ")[2].split("; ")]
    maps = [f"/authorizations/0/{carried}"] if carried else []
    last = [f"/authorizations/2/{carried}"] if carried else []
    assert places == [
        "(root)",
        "/authorizations/0",
        *maps,
        "/authorizations/2",
        *last,
        "/authorizations/1",
        "/authorizations/2/interfaceId",
        "(root)",
    ]
    assert 'Unrecognized keys: "more", "most~/"' in caught.value.detail


@pytest.mark.parametrize("root", [None, "text", 1, True, [], ()])
@pytest.mark.parametrize(("parse", "entry", "path"), FAMILIES)
def test_what_is_no_object_is_one_issue_at_the_root(parse: Any, entry: dict[str, Any], path: str, root: object) -> None:
    with pytest.raises(RuntimeFault) as caught:
        parse(root)
    assert isinstance(caught.value.cause, ShapeError)
    assert [issue.path for issue in caught.value.cause.issues] == [()]


class Hostile(dict[str, Any]):
    """An object that raises while it is read."""

    def items(self) -> Any:
        raise OSError("no reading")


@pytest.mark.parametrize(("parse", "entry", "path"), FAMILIES)
def test_input_that_raises_or_never_ends_is_refused_as_input(parse: Any, entry: dict[str, Any], path: str) -> None:
    endless: dict[str, Any] = {"authorizations": []}
    endless["authorizations"].append(endless)
    for raw, cause in ((Hostile(), OSError), ({"authorizations": [Hostile()]}, OSError), (endless, RecursionError)):
        with pytest.raises(RuntimeFault) as caught:
            parse(raw)
        assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", path)
        assert isinstance(caught.value.cause, cause)


TARGETS = """
api:
  authorizations:
    - {interfaceId: orders, scheme: http, host: orders.test, port: 80, addresses: [127.0.0.1], methods: [GET],
       safeMethods: [], maxRedirects: 0, maxElapsedMs: 1, maxRequestBytes: 1, maxResponseBytes: 1}
  connections:
    orders:
      baseUrl: http://orders.test/v1
      credentials: {admin: {authorization: {env: TOKEN, prefix: "Bearer "}}}
      keepCookies: true
cli:
  authorizations: []
mcp:
  authorizations: []
"""


def test_a_targets_file_is_yaml_or_json(tmp_path: Path) -> None:
    import yaml

    (tmp_path / "t.yaml").write_text(TARGETS)
    (tmp_path / "t.json").write_text(json.dumps(yaml.safe_load(TARGETS)))
    targets = read_targets(tmp_path / "t.yaml")
    assert targets == read_targets(tmp_path / "t.json")
    assert targets.http_policy.authorizations[0].host == "orders.test"
    assert parse_targets({}).command_policy.authorizations == parse_targets({}).mcp_policy.authorizations == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("api: !!python/object/apply:os.system ['true']", "not plain YAML"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("api: {authorizations: []}\napi: {authorizations: []}", "twice"),
        ("api: [", "not plain YAML"),
        ("\x00", "not plain YAML"),
        ("- 1", "(root)"),
        (
            "api: {authorizations: [], connections: {orders: {baseUrl: 'http://user:pass@orders.test'}}}",
            "/api/connections/orders/baseUrl",
        ),
        ("api: {authorizations: [], connections: {orders: {baseUrl: 'ftp://orders.test'}}}", "base URL"),
        (
            "api: {authorizations: [], connections: {orders: {secrets: {x: literal}}}}",
            "/api/connections/orders/secrets/x",
        ),
        ("api: {authorizations: [{}]}", "ProbeTargetPolicy"),
        ("cli: {authorizations: [], connections: {a: {secrets: {PATH: {env: A}}}}}", "PATH"),
        ("api: {authorizations: 2024-01-01}", "ProbeTargetPolicy"),
        ("web: {}", '"web"'),
        ("[" * 5000, "not plain YAML"),
    ],
)
def test_a_targets_file_is_read_safely_and_strictly(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "targets.yaml"
    path.write_text(text)
    with pytest.raises(RuntimeFault) as caught:
        read_targets(path)
    assert caught.value.code == "schema-parse-failure"
    assert said in str(caught.value)


def test_a_missing_targets_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="nowhere"):
        read_targets(tmp_path / "nowhere.yaml")


def test_a_secret_is_read_when_it_is_needed_and_never_shown() -> None:
    secret = read_secret(SecretReference(env="TOKEN"), "ProbeRequest", {"TOKEN": "abc"})
    assert (secret.name, secret.value) == ("TOKEN", "abc")
    assert "abc" not in repr(secret)
    for environment in ({}, {"TOKEN": ""}):
        with pytest.raises(RuntimeFault, match='"TOKEN"'):
            read_secret(SecretReference(env="TOKEN"), "ProbeRequest", environment)


@given(value=st.text(st.characters(exclude_categories=["Cs"]), min_size=4), around=st.text())
def test_a_secret_is_masked_in_every_spelling(value: str, around: str) -> None:
    mask = SecretMask([Secret("S", value)])
    data = value.encode()
    for spelling in (
        value,
        quote(data, safe=""),
        base64.b64encode(data).decode(),
        json.dumps(value, ensure_ascii=False)[1:-1],
    ):
        masked = mask.text(f"<{spelling}>")
        assert masked == "<[secret:S]>" or spelling not in masked
    assert value not in mask.text(value)


def test_values_keys_and_numbers_are_masked() -> None:
    mask = SecretMask([Secret("A", "4711"), Secret("B", "xx4711yy")])
    assert mask.json({"k": ["4711", 4711, 4711.0, 47, True, None], "is 4711": "xx4711yy 4711"}) == {
        "k": ["[secret:A]", "[secret:A]", "[secret:A]", 47, True, None],
        "is [secret:A]": "[secret:B] [secret:A]",
    }
    assert "4711" not in repr(mask)


def test_a_fault_is_masked_with_its_cause_and_an_abort_keeps_its_reason() -> None:
    mask = SecretMask([Secret("A", "4711")])
    masked = mask.fault(
        RuntimeFault("port-failure", "P", "saw 4711", OSError("4711 too"), port_failure_reason="launch-too-large")
    )
    assert (masked.detail, str(masked.cause), masked.port_failure_reason) == (
        "saw [secret:A]",
        "OSError: [secret:A] too",
        "launch-too-large",
    )
    reason = KeyboardInterrupt()
    assert mask.fault(RuntimeFault("aborted", "P", "stop", reason)).cause is reason


def test_without_secrets_nothing_changes() -> None:
    mask = SecretMask()
    fault = RuntimeFault("aborted", "P", "x")
    value = {"a": [1]}
    assert not mask
    assert (mask.text("t"), mask.json(value) is value, mask.fault(fault) is fault) == ("t", True, True)
