"""Catch rates over the mutants that were scored, in groups, each with a Wilson interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evalnb.corpora.intervals import wilson
from evalnb.engine.artifacts import EvalContract
from evalnb.harness.measurement import MutantResult, Rate

_CONFIDENCE = 0.95


def rate_of(group: str, members: Iterable[MutantResult]) -> Rate:
    """The catch rate of the scored ones among `members`."""
    scored = [mutant for mutant in members if mutant.is_scored]
    caught = sum(mutant.status == "caught" for mutant in scored)
    interval = wilson(caught, len(scored), _CONFIDENCE)
    if interval is None:
        return Rate(group, caught, 0, None, None)
    return Rate(group, caught, len(scored), interval.low, interval.high)


def rates_by(mutants: Sequence[MutantResult], group: Callable[[MutantResult], str | None]) -> tuple[Rate, ...]:
    """A rate for every group that some scored mutant belongs to, in order of first appearance."""
    groups: dict[str, list[MutantResult]] = {}
    for mutant in mutants:
        name = group(mutant)
        if name is not None and mutant.is_scored:
            groups.setdefault(name, []).append(mutant)
    return tuple(rate_of(name, members) for name, members in groups.items())


def operation_name(mutant: MutantResult) -> str | None:
    """Where a mutant was planted, or where it showed when a person planted it."""
    interface = mutant.spec.interface_id or mutant.interface_id
    operation = mutant.spec.operation_id or mutant.operation_id
    return None if interface is None or operation is None else f"{interface}/{operation}"


def redundant_oracles(contract: EvalContract, mutants: Sequence[MutantResult]) -> tuple[str, ...]:
    """The oracles that caught something and never were the only one to."""
    caught = [mutant.caught_by for mutant in mutants if mutant.status == "caught"]
    catchers = {oracle_id for oracles in caught for oracle_id in oracles}
    alone = {oracles[0] for oracles in caught if len(oracles) == 1}
    return tuple(oracle.id for oracle in contract.oracles if oracle.id in catchers - alone)


def silent_oracles(contract: EvalContract, mutants: Sequence[MutantResult]) -> tuple[str, ...]:
    """The oracles that caught nothing at all."""
    catchers = {oracle_id for m in mutants if m.status == "caught" for oracle_id in m.caught_by}
    return tuple(oracle.id for oracle in contract.oracles if oracle.id not in catchers)
