"""The six checks: when each is satisfied, failed or exempt, and the exact note that goes into the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from evalnb.engine.artifacts import PreflightCheck, PreflightVerdict
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.preflight import plan_preflight, preflight_from_observations
from evalnb.engine.preflight.checks.seeded_faults_scoped import reduce_seeded_faults_scoped
from evalnb.engine.preflight.checks.subject import ObservedPlan
from evalnb.engine.preflight.inputs import parse_contract, parse_observations, parse_probes
from evalnb.engine.preflight.matching import match_observations
from evalnb.engine.preflight.probe_plan import SeededFaultsScopedCheck
from tests.engine.preflight.subjects import (
    LIST_FAULT,
    LIST_OPERATION,
    Document,
    api_answer,
    api_inputs,
    api_operation,
    cli_answer,
    cli_operation,
    contract,
    defect,
    equals,
    interface,
    json_body,
    keys,
    list_answers,
    manifestation,
    mcp_answer,
    mcp_operation,
    seeded_probe,
    things,
)

OBSERVE, OBSERVE_AGAIN = "preflight-control-observe", "preflight-control-observe-2"
SEEDED = seeded_probe(defect("D-001", LIST_FAULT))


def verdict(document: Document, observations: list[Document], *probes: Document) -> PreflightVerdict:
    return preflight_from_observations(document, list(probes), "run-1", observations)


def result(checked: PreflightVerdict, kind: str) -> tuple[str, str | None]:
    [check] = [check for check in checked.checks if check.kind == kind]
    return check.outcome, check.note


def of_list(kind: str, observations: list[Document]) -> tuple[str, str | None]:
    return result(verdict(things(), observations, SEEDED), kind)


def without(leg: str) -> list[Document]:
    return [answer for answer in list_answers() if answer["probeId"] != leg]


def test_a_good_environment_passes() -> None:
    checked = verdict(things(), list_answers(), SEEDED)
    assert checked.passed
    assert [(c.kind, c.interface_id, c.operation_id, c.outcome, c.note) for c in checked.checks] == [
        ("interface-present", "things", "list", "satisfied", None),
        ("input-sensitivity", "things", "list", "satisfied", None),
        ("state-reset", None, None, "satisfied", None),
        ("clean-control", None, None, "satisfied", None),
        ("seeded-faults-scoped", "things", "list", "satisfied", "D-001"),
        ("seeded-fault-fired", "things", "list", "satisfied", "D-001"),
    ]
    assert (checked.schema_version, checked.parent_digest, checked.revision_count) == (2, None, 0)
    assert isinstance(checked.checks[0], PreflightCheck)


class TestInterfacePresent:
    def test_a_silent_leg(self) -> None:
        assert of_list("interface-present", without("list-b")) == ("failed", 'leg "list-b" produced no observation')

    @pytest.mark.parametrize("field", ["interfaceId", "operationId"])
    def test_an_echo_of_something_else(self, field: str) -> None:
        strange = list_answers(**{"list-b": {**api_answer("list-b", "list", []), field: "other"}})
        note = 'leg "list-b" echoed an identifier the request did not carry'
        assert of_list("interface-present", strange) == ("failed", note)

    def test_an_error_is_an_answer(self) -> None:
        broken = list_answers(**{"list-b": api_answer("list-b", "list", {}, status=500)})
        assert of_list("interface-present", broken) == ("satisfied", None)


class TestInputSensitivity:
    def test_no_inputs_are_exempt(self) -> None:
        answers = [mcp_answer(leg, "ping") for leg in (OBSERVE, OBSERVE_AGAIN)]
        checked = verdict(contract(interface("server", "mcp", mcp_operation("ping"))), answers)
        assert result(checked, "input-sensitivity") == (
            "exempt",
            "The operation declares no inputs in any channel.",
        )
        assert checked.passed

    def test_inputs_without_a_witness_fail(self) -> None:
        answers = [mcp_answer(leg, "ping") for leg in (OBSERVE, OBSERVE_AGAIN)]
        optional = mcp_operation("ping", arguments=keys(permitted=["loud"]))
        checked = verdict(contract(interface("server", "mcp", optional)), answers)
        note = "The operation declares request keys and no sensitivity witness."
        assert result(checked, "input-sensitivity") == ("failed", note)

    def test_a_silent_witness_leg(self) -> None:
        note = 'witness leg "list-a" produced no observation'
        assert of_list("input-sensitivity", without("list-a")) == ("failed", note)

    def test_one_answer_to_two_inputs(self) -> None:
        same = list_answers(**{"list-b": api_answer("list-b", "list", [{"id": 1}])})
        assert of_list("input-sensitivity", same) == ("failed", "The witness relation resolved false.")

    def test_nothing_to_compare(self) -> None:
        every_row = {
            "op": "for-all",
            "collection": {"pointer": "/interactions/list-b/response-body"},
            "predicate": {"op": "existence", "operands": [{"pointer": "@/id"}]},
        }
        sensitivity = {**LIST_OPERATION["sensitivityWitness"], "relation": every_row}
        empty = list_answers(**{"list-b": api_answer("list-b", "list", [])})
        checked = verdict(things({**LIST_OPERATION, "sensitivityWitness": sensitivity}), empty)
        note = "The witness relation resolved insufficient-evidence."
        assert result(checked, "input-sensitivity") == ("failed", note)


def reset_result(left: Document, right: Document, **options: Any) -> tuple[str, str | None]:
    operation = mcp_operation("ping", **options)
    answers = [mcp_answer(OBSERVE, "ping", **left), mcp_answer(OBSERVE_AGAIN, "ping", **right)]
    return result(verdict(contract(interface("server", "mcp", operation)), answers), "state-reset")


class TestStateReset:
    differ = ("failed", f'the projections of "{OBSERVE}" and "{OBSERVE_AGAIN}" differ')
    equal = ("satisfied", None)

    def test_key_order_does_not_matter(self) -> None:
        assert reset_result({"value": {"a": 1, "b": 2}}, {"value": {"b": 2, "a": 1}}) == self.equal

    def test_a_volatile_field_does_not_matter(self) -> None:
        assert reset_result({"value": {"at": 1}}, {"value": {"at": 2}}, volatile=["/at"]) == self.equal
        assert reset_result({"value": {"at": 1}}, {"value": {"at": 2}}) == self.differ

    def test_a_content_type_matters(self) -> None:
        text = {"result": {"kind": "text", "value": "1"}}
        assert reset_result({"value": 1}, text, volatile=["/at"]) == self.differ

    @pytest.mark.parametrize("pointers", [["/ok"], ["/ok", "/items/0"], ["/items/*/id"], []])
    def test_only_listed_places_count(self, pointers: list[str]) -> None:
        left = {"value": {"ok": True, "items": [{"id": 1}], "noise": 1}}
        right = {"value": {"ok": True, "items": [{"id": 1}], "noise": 2}}
        assert reset_result(left, right, reset_pointers=pointers) == self.equal

    @pytest.mark.parametrize(
        ("left", "right", "pointer"),
        [
            ({"ok": None}, {}, "/ok"),
            ({"ok": [1]}, {"ok": []}, "/ok/0"),
            ({"a": [{"id": 1}, {}]}, {"a": [{}, {"id": 1}]}, "/a/*/id"),
            ({"a": 1}, {"a": 2}, ""),
        ],
    )
    def test_listed_places_that_differ(self, left: Any, right: Any, pointer: str) -> None:
        assert reset_result({"value": left}, {"value": right}, reset_pointers=[pointer]) == self.differ

    def test_listed_places_are_read_after_pruning(self) -> None:
        pruned = reset_result(
            {"value": {"a": {"at": 1}}}, {"value": {"a": {"at": 2}}}, reset_pointers=["/a"], volatile=["/a/at"]
        )
        assert pruned == self.equal

    def test_the_transport_counts_whatever_is_listed(self) -> None:
        assert reset_result({}, {"isError": True}, reset_pointers=[]) == self.differ

    def test_a_body_no_pointer_reaches_into_is_compared_whole(self) -> None:
        text = [{"result": {"kind": "text", "value": value}} for value in ("a", "b")]
        assert reset_result(*text, reset_pointers=["/ok"]) == self.differ
        assert reset_result({"value": {}}, text[0], reset_pointers=["/ok"]) == self.differ

    def test_a_silent_read(self) -> None:
        assert of_list("state-reset", without(OBSERVE)) == (
            "failed",
            "a control-observe leg produced no observation",
        )

    def test_a_value_without_canonical_form_is_a_fault(self) -> None:
        with pytest.raises(RuntimeFault) as caught:
            reset_result({"value": 1e21}, {"value": 1e21})
        assert (caught.value.code, caught.value.artifact_path) == ("non-canonicalizable-value", "PreflightVerdict")


class TestCleanControl:
    @pytest.mark.parametrize(("status", "note"), [(200, None), (399, None), (400, "status 400"), (500, "status 500")])
    def test_an_http_status(self, status: int, note: str | None) -> None:
        answers = list_answers(**{OBSERVE: api_answer(OBSERVE, "list", [{"id": 1}], status=status)})
        expected = ("satisfied", None) if note is None else ("failed", f'control leg "{OBSERVE}" observed {note}')
        assert of_list("clean-control", answers) == expected

    @pytest.mark.parametrize(
        ("fields", "seen"),
        [
            ({"exitCode": 0}, None),
            ({"exitCode": 2}, "exit code 2"),
            ({"exitCode": -9}, "exit code -9"),
        ],
    )
    def test_an_exit_code(self, fields: Document, seen: str | None) -> None:
        answers = [cli_answer(leg, "show", **fields) for leg in (OBSERVE, OBSERVE_AGAIN)]
        checked = verdict(contract(interface("tool", "cli", cli_operation("show"))), answers)
        expected = ("satisfied", None) if seen is None else ("failed", f'control leg "{OBSERVE}" observed {seen}')
        assert result(checked, "clean-control") == expected

    @pytest.mark.parametrize(
        ("fields", "seen"),
        [
            ({"isError": True}, "a reported tool error"),
            ({"isError": True, "exitCode": 0}, "the server exited with code 0 before answering"),
            ({"exitCode": -9}, "the server exited with code -9 before answering"),
        ],
    )
    def test_a_tool(self, fields: Document, seen: str) -> None:
        answers = [mcp_answer(leg, "ping", **fields) for leg in (OBSERVE, OBSERVE_AGAIN)]
        checked = verdict(contract(interface("server", "mcp", mcp_operation("ping"))), answers)
        assert result(checked, "clean-control") == ("failed", f'control leg "{OBSERVE}" observed {seen}')

    def test_a_silent_leg(self) -> None:
        note = f'control leg "{OBSERVE_AGAIN}" produced no observation'
        assert of_list("clean-control", without(OBSERVE_AGAIN)) == ("failed", note)


class TestSeededFaults:
    def test_the_defect_shows_on_a_clean_leg(self) -> None:
        answers = list_answers(**{"list-b": api_answer("list-b", "list", [{"broken": True}], headers={"x": "y"})})
        note = 'D-001: the manifestation witness fires on clean leg "list-b"'
        assert of_list("seeded-faults-scoped", answers) == ("failed", note)

    def test_a_leg_that_repeats_the_fault_tells_nothing(self) -> None:
        answers = list_answers(**{"list-a": api_answer("list-a", "list", [{"broken": True}])})
        assert of_list("seeded-faults-scoped", answers) == ("satisfied", "D-001")

    def test_another_header_makes_another_answer(self) -> None:
        clean = api_answer("list-a", "list", [{"broken": True}], headers={"x": "1"})
        note = 'D-001: the manifestation witness fires on clean leg "list-a"'
        assert of_list("seeded-faults-scoped", list_answers(**{"list-a": clean})) == ("failed", note)

    def test_no_other_leg_is_left(self) -> None:
        same = [api_answer(leg, "ping", {"ok": True}) for leg in (OBSERVE, OBSERVE_AGAIN, "fault")]
        shown = manifestation("fault", "things", "ping", api_inputs(), equals("fault/response-body/ok", True))
        checked = verdict(things(api_operation("ping")), same, seeded_probe(defect("D-001", shown)))
        assert result(checked, "seeded-faults-scoped") == (
            "failed",
            "D-001: every other leg of the operation issued the fault leg's own request and received its answer "
            f'("{OBSERVE}", "{OBSERVE_AGAIN}"), so nothing here establishes that the defect is scoped to it',
        )

    def test_the_operation_has_no_other_leg(self) -> None:
        wipe = api_operation("wipe", writes=True)
        shown = manifestation("fault", "things", "wipe", api_inputs(), equals("fault/response-status", 200))
        answers = [api_answer("fault", "wipe", {})]
        checked = verdict(things(wipe), answers, seeded_probe(defect("D-001", shown)))
        assert result(checked, "seeded-faults-scoped") == (
            "failed",
            "D-001: the operation has no leg besides the fault leg, "
            "so nothing here establishes that the defect is scoped to it",
        )
        assert result(checked, "seeded-fault-fired") == ("satisfied", "D-001")

    @pytest.mark.parametrize("value", [1e21, "\ud800"])
    def test_an_answer_without_canonical_form_is_examined(self, value: Any) -> None:
        shown = manifestation("fault", "things", "look", api_inputs(), equals("fault/response-status", 200))
        plan = plan_preflight(
            parse_contract(things(api_operation("look"))), parse_probes([seeded_probe(defect("D-001", shown))]), "run-1"
        )
        answers = [api_answer(leg, "look", {"value": value}) for leg in (OBSERVE, OBSERVE_AGAIN, "fault")]
        observed = ObservedPlan(plan, match_observations(plan, parse_observations(answers)))
        [check] = [check for check in plan.checks if isinstance(check, SeededFaultsScopedCheck)]
        note = f'D-001: the manifestation witness fires on clean leg "{OBSERVE}"'
        assert reduce_seeded_faults_scoped(check, observed).note == note

    def test_a_silent_clean_leg_contradicts_nothing(self) -> None:
        assert of_list("seeded-faults-scoped", without("list-b")) == ("satisfied", "D-001")

    def test_a_silent_fault_leaves_the_scope_alone(self) -> None:
        silent = without("fault")
        assert of_list("seeded-faults-scoped", silent) == ("satisfied", "D-001")
        assert of_list("seeded-fault-fired", silent) == ("failed", "D-001: the fault leg produced no observation")

    @pytest.mark.parametrize("answer", [[{"broken": False}], [{"id": 1}]])
    def test_a_defect_that_does_not_show(self, answer: Any) -> None:
        note = "D-001: the manifestation witness resolved false on its own fault leg"
        assert of_list("seeded-fault-fired", list_answers(fault=answer)) == ("failed", note)

    def test_every_row_of_none(self) -> None:
        every_row = {
            "op": "for-all",
            "collection": {"pointer": "/interactions/fault/response-body"},
            "predicate": {"op": "equality", "operands": [{"pointer": "@/broken"}, {"literal": True}]},
        }
        probe = seeded_probe(defect("D-001", {**LIST_FAULT, "relation": every_row}))
        checked = verdict(things(), list_answers(fault=[]), probe)
        note = "D-001: the manifestation witness resolved insufficient-evidence on its own fault leg"
        assert result(checked, "seeded-fault-fired") == ("failed", note)

    def test_a_defect_without_a_witness(self) -> None:
        checked = verdict(things(), list_answers(), seeded_probe(defect("D-001", None)))
        [fired] = [check for check in checked.checks if check.kind == "seeded-fault-fired"]
        assert (fired.interface_id, fired.operation_id, fired.outcome) == (None, None, "failed")
        assert fired.note == "D-001: the defect declares no manifestation witness, so it cannot be observed to fire"

    def test_a_relation_over_a_file_of_a_command(self) -> None:
        writes = {"kind": "artifact", "artifactId": "report"}
        operation = cli_operation("run", describes=writes, artifacts=["report"])
        shown = manifestation(
            "fault",
            "tool",
            "run",
            {"argument": {}, "option": {}, "environment": {}, "stdin": json_body({"bad": True})},
            equals("fault/artifact/report/ok", False),
        )
        probe = seeded_probe(defect("D-001", {**shown, "inputs": {**shown["inputs"], "stdin": {"kind": "absent"}}}))
        answers = [
            cli_answer(leg, "run", artifacts={"report": json_body({"ok": True})}) for leg in (OBSERVE, OBSERVE_AGAIN)
        ]
        answers.append(cli_answer("fault", "run", artifacts={"report": json_body({"ok": False})}))
        checked = verdict(contract(interface("tool", "cli", operation)), answers, probe)
        assert checked.passed
