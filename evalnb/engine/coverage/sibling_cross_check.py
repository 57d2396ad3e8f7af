"""Rule 5: operations or parameters declared as siblings are read against each other by one oracle.

spec: 06 §4, §5.5
"""

from __future__ import annotations

from collections.abc import Iterable

from evalnb.engine.artifacts import SiblingOperation
from evalnb.engine.coverage.oracle_view import OracleView
from evalnb.engine.coverage.subject import Subject, call_input, step_root
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, counted, fails, holds
from evalnb.engine.pointers import INPUT_CHANNELS


def relevance(subject: Subject) -> Finding:
    """Relevant where a group is declared, or the groups are not declared at all."""
    groups = subject.contract.sibling_groups
    if groups is None:
        return holds("the contract declares no sibling groups")
    if groups.operations:
        return holds(f"the contract declares {counted(len(groups.operations), 'operation sibling group')}")
    if groups.parameters:
        return holds(f"the contract declares {counted(len(groups.parameters), 'parameter sibling group')}")
    return fails("the contract declares explicitly empty operation and parameter sibling groups")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where each group has one oracle reading two of its members, in both channels."""
    groups = subject.contract.sibling_groups
    if groups is None:
        return fails("the contract declares no sibling groups, so no group is declared to cross-check")
    for operations in groups.operations:
        members = list(dict.fromkeys(operations))
        if not _reads_two([_operation_roots(member, subject) for member in members], subject.oracles):
            return fails(
                f"no oracle addresses two members of the operation sibling group "
                f"{_operation_list(members, subject)} in both channels"
            )
    for parameters in groups.parameters:
        names = list(dict.fromkeys(parameters))
        if not _reads_two([_parameter_roots(name, subject) for name in names], subject.oracles):
            return fails(
                f"no oracle addresses two members of the parameter sibling group {' and '.join(names)} in both channels"
            )
    return all_witnessed(
        len(groups.operations) + len(groups.parameters),
        "every declared sibling group has an oracle reading two of its members",
    )


def _reads_two(members: list[list[str]], oracles: Iterable[OracleView]) -> bool:
    return any(sum(any(oracle.addresses(root) for root in roots) for roots in members) >= 2 for oracle in oracles)


def _operation_roots(member: SiblingOperation, subject: Subject) -> list[str]:
    return [step_root(step) for step in subject.index.steps_using(member.interface_id, member.operation_id)]


def _parameter_roots(name: str, subject: Subject) -> list[str]:
    return [call_input(step, channel, name) for step in subject.contract.interaction_plan for channel in INPUT_CHANNELS]


def _operation_list(members: Iterable[SiblingOperation], subject: Subject) -> str:
    return " and ".join(
        f"{member.interface_id}/{member.operation_id}"
        if subject.index.is_operation_id_shared(member.operation_id)
        else member.operation_id
        for member in members
    )
