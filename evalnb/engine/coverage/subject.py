"""A contract as the rules look at it: its operations, the steps that call them, and what its oracles read.

spec: 06 §3, §8
"""

from __future__ import annotations

from dataclasses import dataclass

from evalnb.engine.artifacts import EvalContract, InteractionStep, ResponseDescriptor
from evalnb.engine.coverage.oracle_view import OracleView, view_oracle
from evalnb.engine.operations import AnyOperation, described_artifact, described_channel
from evalnb.engine.plan_index import PlanIndex


@dataclass(frozen=True, slots=True)
class DeclaredSite:
    """One operation of one interface, with the steps of the plan that call it in plan order."""

    operation: AnyOperation
    steps: tuple[InteractionStep, ...]

    @property
    def name(self) -> str:
        """The operation's id, as reasons name it."""
        return self.operation.operation_id

    @property
    def descriptor(self) -> ResponseDescriptor:
        """What the operation declares of its response."""
        return self.operation.response_descriptor

    def response_root(self, step: InteractionStep) -> str:
        """Where the described response of `step` lies."""
        return f"{step_root(step)}{descriptor_root(self.operation)}"

    def response_key(self, step: InteractionStep, key: str) -> str:
        """Where one key of the described response of `step` lies."""
        return f"{self.response_root(step)}/{escape(key)}"


@dataclass(frozen=True, slots=True)
class Subject:
    """A contract prepared once for all rules."""

    contract: EvalContract
    index: PlanIndex
    sites: tuple[DeclaredSite, ...]
    oracles: tuple[OracleView, ...]


def prepare(contract: EvalContract) -> Subject:
    """`contract` as the rules look at it."""
    index = PlanIndex.build(contract)
    sites = tuple(
        DeclaredSite(operation, tuple(index.steps_using(interface.logical_id, operation.operation_id)))
        for interface in contract.permitted_interfaces
        for operation in interface.operations
    )
    oracles = tuple(view_oracle(oracle) for oracle in contract.oracles)
    return Subject(contract, index, sites, oracles)


def descriptor_root(operation: AnyOperation) -> str:
    """The channel, under a step, that the operation's response descriptor describes."""
    artifact = described_artifact(operation)
    root = f"/{described_channel(operation)}"
    return root if artifact is None else f"{root}/{escape(artifact)}"


def step_root(step: InteractionStep) -> str:
    """The pointer under which everything about `step` lies."""
    return f"/interactions/{step.step_id}"


def call_input(step: InteractionStep, channel: str, key: str) -> str:
    """Where one value that `step` sent lies."""
    return f"{step_root(step)}/call-inputs/{channel}/{escape(key)}"


def escape(token: str) -> str:
    """`token` as a JSON Pointer writes it."""
    return token.replace("~", "~0").replace("/", "~1")
