"""Each of the seven rules over absent, explicitly empty, witnessed and unwitnessed declarations."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.coverage import RULES, RuleCoverage, coverage
from tests.engine.seal.documents import (
    api_operation,
    command_operation,
    contract,
    direction,
    existence,
    interface,
    oracle,
    pointer,
    response,
    shape,
    step,
    tool_operation,
)

ABSENT, EMPTY, WITNESSED, UNWITNESSED = (True, False), (False, True), (True, True), (True, False)
COMMAND_CHANNELS = ("argument", "option", "environment", "stdin")
MALFORMED = {"n": {"matcher": "type-violating"}}


def judged(rule: str, **fields: Any) -> RuleCoverage:
    return coverage(contract(**fields)).of(rule)  # type: ignore[arg-type]


def verdict(rule: str, **fields: Any) -> tuple[bool, bool]:
    entry = judged(rule, **fields)
    return entry.relevant, entry.satisfied


def shop(descriptor: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    return [interface("shop", "api", api_operation("read-order", responseDescriptor=descriptor, **fields))]


def body(*keys: str, of: str = "see") -> list[str]:
    return [pointer(of, f"response-body/{key}") for key in keys]


def quantified(op: str, collection: str, predicate: dict[str, Any] | None = None) -> dict[str, Any]:
    predicate = predicate or {"op": "existence", "operands": [{"pointer": "@/id"}]}
    return {"op": op, "collection": {"pointer": collection}, "predicate": predicate}


@pytest.mark.parametrize("rule", [rule.id for rule in RULES if rule.over_operations])
@pytest.mark.parametrize("interfaces", [[], [interface("shop", "api")]])
def test_without_any_operation_a_rule_over_operations_is_a_gap(rule: str, interfaces: list[Any]) -> None:
    entry = judged(rule, permittedInterfaces=interfaces)
    assert entry.is_gap
    assert entry.relevance.reason.startswith("the contract declares no operation")
    assert entry.satisfaction.reason.startswith("the contract declares no operation")


class TestSuccessIndicatorSeparation:
    RULE = "success-indicator-separation"
    ROLES = {"/ok": "success-indicator", "/id": "payload"}

    @pytest.mark.parametrize(
        ("descriptor", "expected"),
        [
            (response("ok", successIndicator=None), ABSENT),
            (response("ok", channelRoles=None), ABSENT),
            (response("ok", channelRoles={}), EMPTY),
            (response("ok", channelRoles={"/ok": "success-indicator"}), EMPTY),
            (response("ok", successIndicator="", channelRoles={"": "success-indicator"}), EMPTY),
            (response("ok", channelRoles=ROLES), WITNESSED),
            (response("ok", channelRoles={"/ok": "success-indicator", "/id": "success-indicator"}), UNWITNESSED),
        ],
    )
    def test_declarations(self, descriptor: dict[str, Any], expected: tuple[bool, bool]) -> None:
        oracles = [oracle(1, *body("ok", "id"))]
        assert verdict(self.RULE, permittedInterfaces=shop(descriptor), oracles=oracles) == expected

    @pytest.mark.parametrize(
        "oracles",
        [
            [oracle(1, *body("ok")), oracle(2, *body("id"))],
            [oracle(1, *body("ok"), check=existence(*body("ok", "id")))],
            [oracle(1, *body("ok", "id"), check=existence(*body("ok")))],
            [oracle(1, *body("okay", "id"))],
            [oracle(1, *body("ok"), *body("id", of="again"))],
        ],
        ids=["two oracles", "prose lacks one", "check lacks one", "another key", "two steps"],
    )
    def test_the_indicator_must_be_read_beside_the_other_at_one_step(self, oracles: list[Any]) -> None:
        fields = {
            "permittedInterfaces": shop(response("ok", channelRoles=self.ROLES)),
            "interactionPlan": [step("see", "read-order"), step("again", "read-order")],
        }
        assert verdict(self.RULE, oracles=oracles, **fields) == UNWITNESSED


class TestWholeBody:
    RULE = "whole-body"

    @pytest.mark.parametrize(
        ("keys", "read", "expected"),
        [
            (("ok",), ("ok",), EMPTY),
            (("ok", "ok"), ("ok",), EMPTY),
            (("ok", "a/b~c"), ("ok", "a~1b~0c"), WITNESSED),
            (("ok", "id"), ("ok", "id/deeper"), WITNESSED),
            (("ok", "id"), ("ok",), UNWITNESSED),
        ],
    )
    def test_all_distinct_required_keys_are_read_together(
        self, keys: Any, read: Any, expected: tuple[bool, bool]
    ) -> None:
        oracles = [oracle(1, *body(*read))]
        assert verdict(self.RULE, permittedInterfaces=shop(response(*keys)), oracles=oracles) == expected

    def test_keys_split_over_oracles_or_steps_do_not_count(self) -> None:
        fields = {
            "permittedInterfaces": shop(response("ok", "id")),
            "interactionPlan": [step("see", "read-order"), step("again", "read-order")],
        }
        split = [oracle(1, *body("ok")), oracle(2, *body("id"))]
        two_steps = [oracle(1, *body("ok"), *body("id", of="again"))]
        assert verdict(self.RULE, oracles=split, **fields) == UNWITNESSED
        assert verdict(self.RULE, oracles=two_steps, **fields) == UNWITNESSED


class TestMalformedInput:
    RULE = "malformed-input"

    @pytest.mark.parametrize(
        ("declared", "channel"),
        [
            (shape("n"), "body"),
            ({"requiredKeys": [], "permittedKeys": ["n"], "types": {}}, "query"),
            ({"requiredKeys": [], "permittedKeys": [], "types": {"constructor": "string"}}, "header"),
            ({"requiredKeys": [], "permittedKeys": [], "types": {"n": None}}, "path"),
        ],
    )
    def test_any_declared_input_key_is_relevant(self, declared: dict[str, Any], channel: str) -> None:
        operation = api_operation("read-order")
        operation["requestShape"] |= {channel: declared}
        fields = {"permittedInterfaces": [interface("shop", "api", operation)]}
        assert verdict(self.RULE, **fields) == UNWITNESSED
        plan = [step("see", "read-order", body=MALFORMED)]
        assert verdict(self.RULE, interactionPlan=plan, **fields) == WITNESSED

    def test_no_input_key_is_not_relevant(self) -> None:
        assert verdict(self.RULE) == EMPTY

    def test_a_check_must_read_the_malformed_step(self) -> None:
        interfaces = [interface("shop", "api", api_operation("read-order", body_keys=["n"]))]
        plan = [step("see", "read-order"), step("bad", "read-order", body=MALFORMED)]
        elsewhere = [oracle(1, pointer("bad", "response-status"), check=existence(*body("ok")))]
        unannounced = [oracle(1, *body("ok"), check=existence(pointer("bad", "response-status")))]
        fields = {"permittedInterfaces": interfaces, "interactionPlan": plan}
        assert verdict(self.RULE, oracles=elsewhere, **fields) == UNWITNESSED
        assert verdict(self.RULE, oracles=unannounced, **fields) == WITNESSED

    def test_a_raw_body_violates_no_type(self) -> None:
        interfaces = [interface("shop", "api", api_operation("read-order", body_keys=["n"]))]
        raw = {"kind": "raw", "base64": "", "contentType": "text/plain"}
        plan = [step("see", "read-order", body=raw)]
        assert verdict(self.RULE, permittedInterfaces=interfaces, interactionPlan=plan) == UNWITNESSED


ITEMS = pointer("see", "response-body/items")


def location(reference_set: str | None = None, mode: str = "exact", at: str = "/items") -> dict[str, Any]:
    bound = {"count": 2} if mode == "exact" else {"max": 2}
    return {"pointer": at, "expectedCardinality": {"mode": mode, **bound}, "referenceSet": reference_set}


class TestPerRecord:
    RULE = "per-record"

    @pytest.mark.parametrize(
        ("locations", "expected"),
        [(None, ABSENT), ([], EMPTY), ([location()], WITNESSED), ([location(), location(at="/rows")], UNWITNESSED)],
    )
    @pytest.mark.parametrize("op", ["for-all", "for-any"])
    def test_each_declared_collection_is_quantified_over(
        self, locations: Any, expected: tuple[bool, bool], op: str
    ) -> None:
        interfaces = shop(response("ok", collectionLocations=locations))
        oracles = [oracle(1, ITEMS, check=quantified(op, ITEMS))]
        assert verdict(self.RULE, permittedInterfaces=interfaces, oracles=oracles) == expected

    @pytest.mark.parametrize("check", [existence(ITEMS), quantified("for-all", f"{ITEMS}/0"), None])
    def test_reading_the_collection_otherwise_does_not_count(self, check: dict[str, Any] | None) -> None:
        interfaces = shop(response("ok", collectionLocations=[location()]))
        oracles = [oracle(1, ITEMS) | {"check": check}]
        assert verdict(self.RULE, permittedInterfaces=interfaces, oracles=oracles) == UNWITNESSED

    def test_a_nested_quantifier_counts_through_the_element_it_binds(self) -> None:
        interfaces = shop(response("ok", collectionLocations=[location(at="/items/rows"), location()]))
        nested = quantified("for-all", ITEMS, quantified("for-any", "@/rows"))
        oracles = [oracle(1, ITEMS, check=nested)]
        assert verdict(self.RULE, permittedInterfaces=interfaces, oracles=oracles) == WITNESSED


def member(operation_id: str, on: str = "shop") -> dict[str, str]:
    return {"interfaceId": on, "operationId": operation_id}


class TestSiblingCrossCheck:
    RULE = "sibling-cross-check"
    FIELDS = {
        "permittedInterfaces": [interface("shop", "api", api_operation("read-order"), api_operation("list-orders"))],
        "interactionPlan": [step("see", "read-order"), step("list", "list-orders")],
    }
    BOTH = oracle(1, pointer("see", "response-status"), pointer("list", "response-body/ok"))

    @pytest.mark.parametrize(
        ("groups", "expected"),
        [
            (None, ABSENT),
            ({"operations": [], "parameters": []}, EMPTY),
            ({"operations": [[member("read-order"), member("list-orders")]], "parameters": []}, WITNESSED),
            ({"operations": [[member("read-order"), member("read-order")]], "parameters": []}, UNWITNESSED),
            ({"operations": [], "parameters": [["limit", "offset"]]}, UNWITNESSED),
        ],
    )
    def test_operation_groups(self, groups: Any, expected: tuple[bool, bool]) -> None:
        assert verdict(self.RULE, siblingGroups=groups, oracles=[self.BOTH], **self.FIELDS) == expected

    def test_parameters_may_be_sent_by_different_steps_and_channels(self) -> None:
        groups = {"operations": [], "parameters": [["limit", "offset", "other"]]}
        sent = [pointer("see", "call-inputs/query/limit"), pointer("list", "call-inputs/header/offset")]
        fields = self.FIELDS | {"siblingGroups": groups}
        assert verdict(self.RULE, oracles=[oracle(1, *sent)], **fields) == WITNESSED
        assert verdict(self.RULE, oracles=[oracle(1, sent[0]), oracle(2, sent[1])], **fields) == UNWITNESSED

    def test_a_shared_operation_id_is_told_apart_by_interface(self) -> None:
        groups = {"operations": [[member("read-order"), member("read-order", "depot")]], "parameters": []}
        entry = judged(
            self.RULE,
            siblingGroups=groups,
            permittedInterfaces=[
                interface("shop", "api", api_operation("read-order")),
                interface("depot", "api", api_operation("read-order")),
            ],
        )
        assert "group shop/read-order and depot/read-order in both channels" in entry.satisfaction.reason

    def test_it_can_be_satisfied_without_any_declared_operation(self) -> None:
        groups = {"operations": [[member("read-order"), member("list-orders")]], "parameters": []}
        fields = self.FIELDS | {"permittedInterfaces": [], "siblingGroups": groups}
        assert verdict(self.RULE, oracles=[self.BOTH], **fields) == WITNESSED


def covering(reference_set: str = "known", collection: str = ITEMS) -> dict[str, Any]:
    return {
        "op": "covers-by-key",
        "operands": [{"referenceSet": reference_set}, {"pointer": collection}],
        "expectedKey": "id",
        "actualKey": "id",
    }


def belonging(members: dict[str, Any] | None = None) -> dict[str, Any]:
    operands = [{"pointer": "@/id"}, members or {"referenceSet": "known"}]
    return {"op": "set-membership", "operands": operands}


class TestOmissionAndCompleteness:
    RULE = "omission-and-completeness"

    @pytest.mark.parametrize(
        ("locations", "expected"),
        [
            (None, ABSENT),
            ([], EMPTY),
            ([location()], EMPTY),
            ([location(), location("known")], WITNESSED),
            ([location("known"), location("known", at="/rows")], UNWITNESSED),
        ],
    )
    def test_each_named_set_is_reconciled(self, locations: Any, expected: tuple[bool, bool]) -> None:
        interfaces = shop(response("ok", collectionLocations=locations))
        oracles = [oracle(1, ITEMS, check=covering())]
        assert verdict(self.RULE, permittedInterfaces=interfaces, oracles=oracles) == expected

    @pytest.mark.parametrize(
        ("mode", "check", "satisfied"),
        [
            ("exact", covering(), True),
            ("exact", {"op": "not", "operands": [covering()]}, True),
            ("exact", covering("other"), False),
            ("exact", covering(collection=f"{ITEMS}/0"), False),
            ("exact", quantified("for-all", ITEMS, belonging()), False),
            ("at-most", quantified("for-all", ITEMS, belonging()), True),
            ("page-bounded", quantified("for-all", ITEMS, belonging()), True),
            ("page-bounded", quantified("for-any", ITEMS, belonging()), False),
            ("page-bounded", quantified("for-all", ITEMS, {"op": "not", "operands": [belonging()]}), False),
            ("page-bounded", quantified("for-all", ITEMS, belonging({"literal": ["a"]})), False),
            ("page-bounded", covering(), False),
        ],
    )
    def test_the_cardinality_decides_the_form(self, mode: str, check: Any, satisfied: bool) -> None:
        interfaces = shop(response("ok", collectionLocations=[location("known", mode)]))
        entry = judged(self.RULE, permittedInterfaces=interfaces, oracles=[oracle(1, ITEMS, check=check)])
        assert entry.satisfied is satisfied


class TestStateChangeReadBack:
    RULE = "state-change-read-back"
    SENT = pointer("make", "call-inputs/body/n")
    ANSWERED = pointer("see", "response-body/n")

    def fields(self, after: str | None = "make", reading_changes: bool = False) -> dict[str, Any]:
        operations = [
            api_operation("make-order", changes=True),
            api_operation("read-order", changes=reading_changes),
        ]
        return {
            "permittedInterfaces": [interface("shop", "api", *operations)],
            "interactionPlan": [step("see", "read-order", after=after), step("make", "make-order")],
            "oracles": [oracle(1, self.ANSWERED, check=self.related(self.SENT, self.ANSWERED))],
        }

    @staticmethod
    def related(*pointers: str) -> dict[str, Any]:
        return {"op": "equality", "operands": [{"pointer": one} for one in pointers]}

    def test_nothing_changes_state(self) -> None:
        assert verdict(self.RULE) == EMPTY

    def test_a_later_read_is_related_to_what_was_sent(self) -> None:
        assert verdict(self.RULE, **self.fields()) == WITNESSED

    def test_the_read_has_to_follow_and_to_change_nothing(self) -> None:
        assert verdict(self.RULE, **self.fields(after=None)) == UNWITNESSED
        assert verdict(self.RULE, **self.fields(reading_changes=True)) == UNWITNESSED

    @pytest.mark.parametrize(
        "check",
        [
            existence(SENT, ANSWERED),
            {"op": "equality", "operands": [{"pointer": ANSWERED}, {"literal": 1}]},
            {"op": "equality", "operands": [{"pointer": SENT}, {"pointer": pointer("see", "response-status")}]},
        ],
        ids=["two nodes", "only the answer", "another channel"],
    )
    def test_one_node_has_to_read_both(self, check: dict[str, Any]) -> None:
        fields = self.fields() | {"oracles": [oracle(1, self.ANSWERED, check=check)]}
        assert verdict(self.RULE, **fields) == UNWITNESSED

    def test_an_element_of_the_answer_counts(self) -> None:
        check = quantified(
            "for-any",
            pointer("see", "response-body/items"),
            {"op": "equality", "operands": [{"pointer": "@/n"}, {"pointer": self.SENT}]},
        )
        fields = self.fields() | {"oracles": [oracle(1, self.ANSWERED, check=check)]}
        assert verdict(self.RULE, **fields) == WITNESSED

    def test_an_operation_declared_twice_reads_nothing_back(self) -> None:
        fields = self.fields()
        fields["permittedInterfaces"][0]["operations"].append(api_operation("read-order"))
        assert verdict(self.RULE, **fields) == UNWITNESSED

    def test_the_same_id_on_a_second_interface_does_not_disturb(self) -> None:
        fields = self.fields()
        fields["permittedInterfaces"].append(interface("depot", "api", api_operation("read-order", changes=True)))
        assert judged(self.RULE, **fields).satisfaction.reason.startswith("no check relates operation read-order's")
        fields["permittedInterfaces"][1]["operations"] = [api_operation("read-order")]
        assert verdict(self.RULE, **fields) == WITNESSED


@pytest.mark.parametrize(
    ("kind", "operation", "channels", "root"),
    [
        ("mcp", tool_operation("run"), ("arguments",), "response-body"),
        ("web", api_operation("run"), ("path", "query", "header", "body"), "response-body"),
        ("cli", command_operation("run", {"kind": "stream", "channel": "stderr"}), COMMAND_CHANNELS, "stderr"),
        (
            "cli",
            command_operation("run", {"kind": "artifact", "artifactId": "report"}),
            COMMAND_CHANNELS,
            "artifact/report",
        ),
    ],
)
def test_the_described_channel_of_each_kind_is_where_responses_are_read(
    kind: str, operation: dict[str, Any], channels: tuple[str, ...], root: str
) -> None:
    operation = operation | {"responseDescriptor": response("ok", "id")}
    fields = {
        "permittedInterfaces": [interface("shop", kind, operation)],
        "interactionPlan": [step("see", "run", channels=channels)],
    }
    here = [oracle(1, pointer("see", f"{root}/ok"), pointer("see", f"{root}/id"))]
    elsewhere = [oracle(1, pointer("see", "stdout/ok"), pointer("see", "stdout/id"))]
    assert verdict("whole-body", oracles=here, **fields) == WITNESSED
    assert verdict("whole-body", oracles=elsewhere, **fields) == UNWITNESSED


def test_a_null_direction_or_check_reads_nothing() -> None:
    interfaces = shop(response("ok", "id"))
    for missing in ("direction", "check"):
        oracles = [oracle(1, *body("ok", "id")) | {missing: None}]
        assert verdict("whole-body", permittedInterfaces=interfaces, oracles=oracles) == UNWITNESSED


def test_polarity_relation_and_free_text_change_nothing() -> None:
    targets = body("ok", "id")
    plain = contract(permittedInterfaces=shop(response("ok", "id")), oracles=[oracle(1, *targets)])
    reworded = oracle(
        1,
        *targets,
        polarity="expects-violation",
        commentary="x",
        direction=direction(*targets, relation="absence", polarity="expects-violation", scope="y"),
    )
    changed = contract(permittedInterfaces=shop(response("ok", "id")), oracles=[reworded])
    assert coverage(plain) == coverage(changed)


def test_a_deep_check_is_read_whole() -> None:
    check = existence(*body("ok", "id"))
    for _ in range(600):
        check = {"op": "not", "operands": [check]}
    oracles = [oracle(1, *body("ok", "id"), check=check)]
    assert verdict("whole-body", permittedInterfaces=shop(response("ok", "id")), oracles=oracles) == WITNESSED
