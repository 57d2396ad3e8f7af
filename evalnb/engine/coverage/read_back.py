"""Rule 7: a change of state is read back through a later call that changes nothing.

spec: 06 §4, §5.7
"""

from __future__ import annotations

from evalnb.engine.artifacts import InteractionStep
from evalnb.engine.coverage.oracle_view import CheckNode, addresses
from evalnb.engine.coverage.subject import DeclaredSite, Subject, descriptor_root, step_root
from evalnb.engine.coverage.verdicts import Finding, all_witnessed, fails, holds


def relevance(subject: Subject) -> Finding:
    """Relevant where an operation is marked as changing state."""
    for site in subject.sites:
        if site.operation.state_change_marker:
            return holds(f"operation {site.name} declares stateChangeMarker: true")
    return fails("no operation declares stateChangeMarker: true")


def satisfaction(subject: Subject) -> Finding:
    """Satisfied where one check node relates what was sent to what a later, harmless call answers."""
    met = 0
    for site in subject.sites:
        if not site.operation.state_change_marker:
            continue
        met += 1
        if not _is_read_back(site, subject):
            return fails(
                f"no check relates operation {site.name}'s call inputs to the response body "
                "of a later step that changes no state"
            )
    return all_witnessed(met, "every state-changing operation is read back through a later non-state-changing step")


def _is_read_back(site: DeclaredSite, subject: Subject) -> bool:
    nodes = [node for oracle in subject.oracles for node in oracle.nodes]
    for step in site.steps:
        sent = f"{step_root(step)}/call-inputs"
        for answered in _read_back_roots(step, subject):
            if any(_reads(node, sent) and _reads(node, answered) for node in nodes):
                return True
    return False


def _read_back_roots(change: InteractionStep, subject: Subject) -> list[str]:
    """Where the described responses of the steps that follow `change` and change no state lie."""
    roots = []
    for step in subject.contract.interaction_plan:
        if step is change or step.after != change.step_id:
            continue
        declared = subject.index.operation(step.interface_id, step.operation_id)
        if declared is not None and not declared.operation.state_change_marker:
            roots.append(f"{step_root(step)}{descriptor_root(declared.operation)}")
    return roots


def _reads(node: CheckNode, root: str) -> bool:
    return any(pointer is not None and addresses(pointer, root) for pointer in node.operand_pointers)
