"""The page of one node of a contract: what it says, what it reads, what nobody looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from evalnb.engine.artifacts import CommandOperation, InteractionStep, McpOperation, Oracle
from evalnb.engine.coverage.oracle_view import view_oracle
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import bound_keys, captured_keys, channel_shapes
from evalnb.engine.plan_index import DeclaredOperation
from evalnb.engine.seal.direction_text import render_oracle
from evalnb.view.badges import badge
from evalnb.view.cards.parts import bullets, code, counted, small_table
from evalnb.view.html import Child, Html, join, visible
from evalnb.view.json_view import json_html, text_html
from evalnb.view.words import check_in_words
from evalnb.view.words.pointers import pointer_words
from evalnb.widgets.contract.facts import ContractFacts, operation_name
from evalnb.widgets.pages import lead, named, page, part, quiet, title

Part = TypeVar("Part")

_EXPECTATIONS: Final = {"expects-hold": "is expected to hold", "expects-violation": "is expected to be violated"}


def detail_of(facts: ContractFacts, kind: str, name: str) -> str:
    """The markup of one node. Raises `LookupError` for a node that the contract has not."""
    make = _PAGES.get(kind)
    if make is None:
        raise LookupError(f"a contract has no {kind}")
    return make(facts, name)


def _behavior(facts: ContractFacts, name: str) -> str:
    behavior = _of(facts.behaviors, name)
    links = [f"{link.scheme}:{link.id}" for link in (*behavior.requirement_links, *behavior.risk_links)]
    return page(
        title(behavior.id, "behavior", badge(behavior.severity)),
        lead(behavior.description),
        part("Success, seen from outside", text_html(behavior.observable_success_criterion or "not said")),
        part(
            "Oracles that decide it",
            small_table(
                ["oracle", "check", "reads"],
                (
                    [code(one), check_in_words(facts.oracles[one], facts.contract).html, _steps(facts, one)]
                    for one in behavior.oracles
                    if one in facts.oracles
                ),
                empty="none: nothing decides this behavior",
            ),
        ),
        part("Requirements and risks", bullets(code(link) for link in links)) if links else None,
        _gaps(facts),
    )


def _oracle(facts: ContractFacts, name: str) -> str:
    oracle = _of(facts.oracles, name)
    behaviors = [join([code(one.id), " ", badge(one.severity)]) for one in facts.behaviors_of(oracle.id)]
    return page(
        title(oracle.id, "oracle", join(behaviors, " ")),
        part("What the evaluator is told", text_html(_direction(facts, oracle), 800)),
        part("The check, in words", _expectation(oracle), check_in_words(oracle, facts.contract).html),
        part("Evidence it reads", _evidence(facts, oracle)),
        part("The author's commentary", text_html(oracle.commentary)) if oracle.commentary else None,
        _gaps(facts),
    )


def _operation(facts: ContractFacts, name: str) -> str:
    declared = _of(facts.operations, name)
    operation, response = declared.operation, declared.operation.response_descriptor
    own = operation_name(declared.interface_id, operation.operation_id)
    steps = [step for step in facts.steps if facts.operation_of_step[step] == own]
    shapes = list(channel_shapes(operation))
    return page(
        title(own, f"operation, {declared.interface_kind}"),
        lead(_target(declared)),
        part(
            "Sends and answers",
            named(
                [
                    ("requires", _keys(f"{channel}.{key}" for channel, shape in shapes for key in shape.required_keys)),
                    ("permits", _keys(f"{channel}.{key}" for channel, shape in shapes for key in shape.permitted_keys)),
                    ("always answers", _keys(response.required_keys)),
                    ("may answer", _keys(response.permitted_keys)),
                    ("may differ", _keys(operation.volatile_pointers)),
                    ("changes state", "yes" if operation.state_change_marker else "not marked"),
                    ("witness", "declared" if operation.sensitivity_witness is not None else "none declared"),
                ]
            ),
        ),
        part(
            "Steps that call it",
            small_table(
                ["step", "read by"],
                ([code(step), ", ".join(facts.readers_of(step)) or "nobody"] for step in steps),
                empty="none: the plan never calls it",
            ),
        ),
        _gaps(facts),
    )


def _step(facts: ContractFacts, name: str) -> str:
    step = _of(facts.steps, name)
    readers = facts.readers_of(step.step_id)
    return page(
        title(step.step_id, "step"),
        lead(f"Calls {facts.operation_of_step[step.step_id]}"),
        part(
            "How it goes",
            named(
                [
                    ("after", step.after or "any step"),
                    ("selects", step.cardinality),
                    ("takes over", _keys(pointer_words(bound.pointer) for bound in captured_keys(step))),
                ]
            ),
        ),
        part("What it sends", small_table(["input", "value"], _inputs(step), empty="nothing in particular")),
        part("Oracles that read it", bullets(map(code, readers)) if readers else quiet("none: nobody looks at it")),
    )


def _rule(facts: ContractFacts, name: str) -> str:
    rule = next((one for one in facts.coverage.rules if one.rule == name), None)
    if rule is None:
        raise LookupError(f"there is no rule {name}")
    state = "gap" if rule.is_gap else "witnessed" if rule.relevant else "not relevant"
    return page(
        title(rule.rule, "coverage rule", badge(state), badge(facts.coverage.severity) if rule.is_gap else None),
        part("Whether it applies", text_html(rule.relevance.reason, 800)),
        part("Whether it is met", text_html(rule.satisfaction.reason, 800)),
    )


def _group(facts: ContractFacts, name: str) -> str:
    contract = facts.contract
    return page(
        title(contract.contract_id, "contract"),
        lead(
            f"{counted(len(contract.behaviors), 'behavior')}, {counted(len(contract.oracles), 'oracle')}, "
            f"{counted(len(contract.interaction_plan), 'step')} over "
            f"{counted(len(contract.permitted_interfaces), 'interface')}"
        ),
        _gaps(facts),
    )


_PAGES: Final[Mapping[str, Callable[[ContractFacts, str], str]]] = {
    "behavior": _behavior,
    "oracle": _oracle,
    "operation": _operation,
    "step": _step,
    "rule": _rule,
    "group": _group,
}


def _of(parts: Mapping[str, Part], name: str) -> Part:
    """The part of a name; the front end knows names with their unseen characters made visible."""
    if name in parts:
        return parts[name]
    for known, found in parts.items():
        if visible(known) == name:
            return found
    raise LookupError(f"the contract declares no {name}")


def _direction(facts: ContractFacts, oracle: Oracle) -> str:
    try:
        return render_oracle(oracle, facts.index)
    except (StructuralFailure, TypeError):
        return "The contract does not allow to say it: it would not seal."


def _expectation(oracle: Oracle) -> Html | None:
    return None if oracle.check is None else quiet(f"This {_EXPECTATIONS[oracle.polarity]}.")


def _evidence(facts: ContractFacts, oracle: Oracle) -> Html:
    view = view_oracle(oracle)
    named_in = dict.fromkeys(view.direction_targets, "direction")
    for pointer in view.check_pointers:
        named_in[pointer] = "direction, check" if named_in.get(pointer, "check") != "check" else "check"
    return small_table(
        ["evidence", "named in", "step", "operation"],
        ([code(pointer_words(one)), where, *_step_of(facts, one)] for one, where in named_in.items()),
        empty="none",
    )


def _step_of(facts: ContractFacts, pointer: str) -> tuple[Child, Child]:
    tokens = pointer.split("/")
    step_id = tokens[2] if len(tokens) > 2 and tokens[1] == "interactions" else None
    if step_id is None or step_id not in facts.operation_of_step:
        return "the element at hand" if step_id is None else step_id, ""
    return step_id, facts.operation_of_step[step_id]


def _steps(facts: ContractFacts, oracle_id: str) -> str:
    return ", ".join(facts.steps_of_oracle[oracle_id])


def _gaps(facts: ContractFacts) -> Html:
    gaps = [rule for rule in facts.coverage.rules if rule.is_gap]
    if not gaps:
        return part("Coverage gaps of the contract", quiet("none"))
    return part(
        "Coverage gaps of the contract",
        small_table(
            ["rule", "weight", "why"],
            ([rule.rule, badge(facts.coverage.severity), text_html(rule.satisfaction.reason)] for rule in gaps),
        ),
    )


def _target(declared: DeclaredOperation) -> str:
    operation = declared.operation
    if isinstance(operation, CommandOperation):
        return " ".join((operation.invocation.executable, *operation.invocation.subcommand_path))
    if isinstance(operation, McpOperation):
        return f"tool {operation.tool_name}"
    return f"{operation.method} {operation.path_template}"


def _inputs(step: InteractionStep) -> Iterable[list[Child]]:
    for bound in bound_keys(step):
        value = bound.value.model_dump(by_alias=True)
        yield [code(f"{bound.channel}.{bound.key}"), json_html(value)]


def _keys(keys: Iterable[str]) -> Child:
    listed = [code(visible(key)) for key in keys]
    return join(listed, ", ") if listed else quiet("nothing")
