"""What an operation is called on the wire, and the rule that no two operations of a family are called the same.

spec: 04 §5 C14, 09 §3.13
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from evalnb.engine.artifacts import CommandOperation, McpOperation, PermittedInterface
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation

SIGNATURE_FAMILY: Final[Mapping[str, str]] = {"api": "api", "web": "api", "cli": "cli", "mcp": "mcp"}

_PATH_PARAMETER = re.compile(r"\{[A-Za-z0-9_-]+\}")


def http_identity(method: str, path_template: str) -> str:
    """Method and path with the parameter names erased: `GET /things/{}`."""
    return f"{method} {_PATH_PARAMETER.sub('{}', path_template)}"


def command_identity(executable: str, subcommand_path: Sequence[str]) -> str:
    """The words that start the command: `tea review tests`."""
    return " ".join((executable, *subcommand_path))


def transport_identity(operation: AnyOperation) -> str:
    """What a call of `operation` is recognised by; comparable inside one family of `SIGNATURE_FAMILY` only."""
    if isinstance(operation, CommandOperation):
        return command_identity(operation.invocation.executable, operation.invocation.subcommand_path)
    if isinstance(operation, McpOperation):
        return operation.tool_name
    return http_identity(operation.method, operation.path_template)


def operation_path(interface: PermittedInterface, operation: AnyOperation) -> str:
    """The artifact path of an operation by its identifiers."""
    return f"EvalContract.{_named(interface, operation)}"


def check_operation_signatures(interfaces: Iterable[PermittedInterface]) -> None:
    """C14. Refuses the later of two operations with one transport identity (`duplicate-operation-signature`)."""
    first_named: dict[tuple[str, str], str] = {}
    for interface in interfaces:
        family = SIGNATURE_FAMILY[interface.kind]
        for operation in interface.operations:
            identity = transport_identity(operation)
            named = _named(interface, operation)
            earlier = first_named.setdefault((family, identity), named)
            if earlier is not named:
                raise StructuralFailure(
                    "duplicate-operation-signature",
                    f"EvalContract.{named}",
                    f'has the {family} identity "{identity}", which {earlier} has already; observations of the two'
                    " could "
                    "not be told apart, so declare one of them only",
                )


def _named(interface: PermittedInterface, operation: AnyOperation) -> str:
    return f"permittedInterfaces[logicalId={interface.logical_id}].operations[operationId={operation.operation_id}]"
