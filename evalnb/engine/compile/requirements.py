"""What a behavior must say for itself, which interfaces a contract may name, and which inputs it must forbid.

spec: 04 §4 C2, C3, C4; §5 C19, C28, C30, C31
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from evalnb.engine.artifacts import Behavior, EvalContract, PermittedInterface, Waiver
from evalnb.engine.artifacts.primitives import FORBIDDEN_INPUTS
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.json_values import quote, utf16_key

SUPPORTED_KINDS: Final = ("api", "cli", "mcp")

_WAIVER_PARTS: Final = (
    ("rule", "rule"),
    ("rationale", "rationale"),
    ("approval", "approval"),
    ("expiresAt", "expires_at"),
)


def check_interface_identifiers(interfaces: Iterable[PermittedInterface]) -> None:
    """C2. Refuses a second interface of one identifier, whatever the kinds (`duplicate-interface-identifier`)."""
    first_at: dict[str, int] = {}
    for later, interface in enumerate(interfaces):
        first = first_at.setdefault(interface.logical_id, later)
        if first != later:
            raise StructuralFailure(
                "duplicate-interface-identifier",
                f"EvalContract.permittedInterfaces[{later}].logicalId",
                f'"{interface.logical_id}" is already the identifier of permittedInterfaces[{first}]; an interface\'s'
                f" identifier is unique across the contract, so permittedInterfaces[{first}] and"
                f" permittedInterfaces[{later}] cannot both carry it (AD-19)",
            )


def check_interface_kinds(interfaces: Iterable[PermittedInterface]) -> None:
    """C19. Refuses the first interface of a kind nothing can drive (`unsupported-interface-kind`)."""
    for interface in interfaces:
        if interface.kind not in SUPPORTED_KINDS:
            raise StructuralFailure(
                "unsupported-interface-kind",
                f"EvalContract.permittedInterfaces[logicalId={interface.logical_id}].kind",
                f'"{interface.kind}" is not supported; "api", "cli" and "mcp" are (AD-10)',
            )


def check_requirement_linkage(behaviors: Iterable[Behavior]) -> None:
    """C3. Refuses a behavior linked to no requirement and no risk (`missing-requirement-linkage`)."""
    for behavior in behaviors:
        if not behavior.requirement_links and not behavior.risk_links:
            raise StructuralFailure(
                "missing-requirement-linkage",
                f"EvalContract.behaviors[id={behavior.id}]",
                f"behavior {behavior.id} links neither a requirement nor a risk, so nothing says why it is evaluated;"
                " add"
                " one to requirementLinks or riskLinks",
            )


def check_success_criteria(behaviors: Iterable[Behavior]) -> None:
    """C4. Refuses a behavior without a success criterion (`no-observable-success-criterion`)."""
    for behavior in behaviors:
        if behavior.observable_success_criterion is None:
            raise StructuralFailure(
                "no-observable-success-criterion",
                f"EvalContract.behaviors[id={behavior.id}].observableSuccessCriterion",
                f"behavior {behavior.id} states no success criterion; say what an evaluator would observe if it holds",
            )


def check_forbidden_input_floor(forbidden_inputs: Iterable[str]) -> None:
    """C28. Refuses a list of forbidden inputs that leaves out a mandatory one (`forbidden-input-floor-incomplete`)."""
    listed = set(forbidden_inputs)
    for member in FORBIDDEN_INPUTS:
        if member not in listed:
            raise StructuralFailure(
                "forbidden-input-floor-incomplete",
                "EvalContract.forbiddenInputs",
                f'omits mandatory floor member "{member}"',
            )


def check_scoped_references(contract: EvalContract) -> None:
    """C30. Refuses any scoped resource and any test-data resource (`scoped-reference-resolves-forbidden`)."""
    if contract.scoped_resources:
        reference = contract.scoped_resources[0].reference
        path = "EvalContract.scopedResources[0].reference"
        detail = f'scoped resource "{reference}" cannot be shown to stay clear of the forbidden inputs'
    elif contract.test_data.resources:
        name = min(contract.test_data.resources, key=utf16_key)
        path = f"EvalContract.testData.resources[{quote(name)}]"
        detail = f'test-data resource "{name}" cannot be shown to stay clear of the forbidden inputs'
    else:
        return
    raise StructuralFailure("scoped-reference-resolves-forbidden", path, f"{detail}; declare none")


def check_waivers(waivers: Iterable[Waiver]) -> None:
    """C31. Refuses a waiver without its rule, rationale, approval or expiry (`waiver-incomplete`)."""
    for waiver in waivers:
        for part, attribute in _WAIVER_PARTS:
            if getattr(waiver, attribute) is None:
                raise StructuralFailure(
                    "waiver-incomplete",
                    f"EvalContract.waivers[id={waiver.id}].{part}",
                    f"waiver {waiver.id} has no {part}; only its condition may be null",
                )
