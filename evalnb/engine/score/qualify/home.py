"""The operation a defect signature is about: the one whose calls look the same on the wire. spec: 09 §3.13"""

from __future__ import annotations

from collections.abc import Iterable

from evalnb.engine.artifacts import CommandSignature, DefectSignature, PermittedInterface, ToolCallSignature
from evalnb.engine.compile.operation_signatures import (
    SIGNATURE_FAMILY,
    command_identity,
    http_identity,
    transport_identity,
)
from evalnb.engine.plan_index import DeclaredOperation


def resolve_home_operation(
    signature: DefectSignature, interfaces: Iterable[PermittedInterface]
) -> DeclaredOperation | None:
    """The first operation, in declared order, with the signature's identity inside its family."""
    family, identity = SIGNATURE_FAMILY[signature.interface_kind], _identity(signature)
    for interface in interfaces:
        if SIGNATURE_FAMILY[interface.kind] != family:
            continue
        for operation in interface.operations:
            if transport_identity(operation) == identity:
                return DeclaredOperation(interface.logical_id, interface.kind, operation)
    return None


def _identity(signature: DefectSignature) -> str:
    if isinstance(signature, CommandSignature):
        return command_identity(signature.invocation.executable, signature.invocation.subcommand_path)
    if isinstance(signature, ToolCallSignature):
        return signature.tool_name
    return http_identity(signature.method, signature.path_template)
