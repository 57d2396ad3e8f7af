"""A Markdown account of the seven rules over a corpus of contracts, each declaration state shown by one of them.

Deterministic over contracts and cells. spec: 06 §9.1, §10
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from evalnb.engine.artifacts import EvalContract
from evalnb.engine.coverage.report import CoverageReport, coverage
from evalnb.engine.coverage.rules import RULES
from evalnb.engine.coverage.verdicts import RuleId

DeclarationState: TypeAlias = Literal["absent", "explicitly empty", "witnessed", "unwitnessed"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Which contract of the corpus shows a rule in a declaration state."""

    rule: RuleId
    state: DeclarationState
    contract_id: str


@dataclass(frozen=True, slots=True)
class StateVerdict:
    """What a rule answers in a declaration state."""

    relevant: bool
    satisfied: bool


STATE_VERDICTS: Final[Mapping[DeclarationState, StateVerdict]] = {
    "absent": StateVerdict(relevant=True, satisfied=False),
    "explicitly empty": StateVerdict(relevant=False, satisfied=True),
    "witnessed": StateVerdict(relevant=True, satisfied=True),
    "unwitnessed": StateVerdict(relevant=True, satisfied=False),
}

_TITLE: Final = "# Coverage predicates"
_PREAMBLE: Final = (
    "Generated from the contracts of the corpus. Each of the seven rules has a relevance predicate, which reads "
    "declarations alone, and a satisfaction predicate, which looks for a witness in the plan and the oracles. "
    "A rule that is relevant and not satisfied is a gap."
)


def coverage_predicate_table(contracts: Sequence[EvalContract], cells: Sequence[Cell]) -> str:
    """The document, ending in one line feed.

    Raises ValueError where two contracts share an id, a cell names no contract of the corpus, a rule and state have
    no contract or several, or a contract does not answer as its cell says.
    """
    _refuse_shared_ids(contracts)
    reports = {contract.contract_id: coverage(contract) for contract in contracts}
    _refuse_unknown_contracts(cells, reports)
    _refuse_miscounted_cells(cells)
    _refuse_wrong_verdicts(cells, reports)
    sections = [_TITLE, _PREAMBLE, _predicates(), _states(cells), _gaps(reports), _matrix(reports)]
    return "\n\n".join(sections) + "\n"


def _refuse_shared_ids(contracts: Sequence[EvalContract]) -> None:
    seen: set[str] = set()
    for contract in contracts:
        if contract.contract_id in seen:
            raise _refusal(f"two corpus contracts share the identifier {contract.contract_id}")
        seen.add(contract.contract_id)


def _refuse_unknown_contracts(cells: Sequence[Cell], reports: Mapping[str, CoverageReport]) -> None:
    for cell in cells:
        if cell.contract_id not in reports:
            raise _refusal(
                f"cell {cell.rule}/{cell.state} names contract {cell.contract_id}, which the corpus does not carry"
            )


def _refuse_miscounted_cells(cells: Sequence[Cell]) -> None:
    for rule in RULES:
        for state in STATE_VERDICTS:
            occupants = [c.contract_id for c in cells if c.rule == rule.id and c.state == state]
            if not occupants:
                raise _refusal(f"no corpus contract occupies cell {rule.id}/{state}")
            if len(occupants) > 1:
                raise _refusal(f"the corpus occupies cell {rule.id}/{state} more than once ({', '.join(occupants)})")


def _refuse_wrong_verdicts(cells: Sequence[Cell], reports: Mapping[str, CoverageReport]) -> None:
    for cell in cells:
        shown = reports[cell.contract_id].of(cell.rule)
        actual = StateVerdict(shown.relevant, shown.satisfied)
        asserted = STATE_VERDICTS[cell.state]
        if actual != asserted:
            raise _refusal(
                f"{cell.contract_id} places {cell.rule} at {_verdict_text(actual)}, "
                f"but cell {cell.state} asserts {_verdict_text(asserted)}"
            )


def _refusal(message: str) -> ValueError:
    return ValueError(f"coveragePredicateTable: {message}")


def _verdict_text(verdict: StateVerdict) -> str:
    return f"relevant={str(verdict.relevant).lower()}/satisfied={str(verdict.satisfied).lower()}"


def _predicates() -> str:
    rows = [[_code(r.id), _code(f"{r.id}-relevance"), _code(f"{r.id}-satisfaction")] for r in RULES]
    header = ["Rule", "Relevance predicate", "Satisfaction predicate"]
    return _section("The fourteen predicates", header, rows)


def _states(cells: Sequence[Cell]) -> str:
    occupant = {(cell.rule, cell.state): cell.contract_id for cell in cells}
    rows = [[_code(r.id), *(_code(occupant[r.id, state]) for state in STATE_VERDICTS)] for r in RULES]
    header = ["Rule", "Absent", "Explicitly empty", "Witnessed", "Unwitnessed"]
    return _section("Declaration-state coverage", header, rows)


def _gaps(reports: Mapping[str, CoverageReport]) -> str:
    rows = [
        [
            _code(contract_id),
            _code(entry.rule),
            _code(entry.relevance_predicate),
            _code(entry.satisfaction_predicate),
            _code(report.severity),
            entry.relevance.reason,
            entry.satisfaction.reason,
        ]
        for contract_id, report in reports.items()
        for entry in report.rules
        if entry.is_gap
    ]
    header = [
        "Contract",
        "Rule",
        "Relevance predicate",
        "Satisfaction predicate",
        "Severity",
        "Why relevance fired",
        "Why satisfaction failed",
    ]
    return _section("Coverage gaps", header, rows)


def _matrix(reports: Mapping[str, CoverageReport]) -> str:
    rows = [
        [
            _code(contract_id),
            _code(entry.rule),
            _yes_no(entry.relevant),
            _yes_no(entry.satisfied),
            _yes_no(entry.is_gap),
            entry.relevance.reason,
            entry.satisfaction.reason,
        ]
        for contract_id, report in reports.items()
        for entry in report.rules
    ]
    header = ["Contract", "Rule", "Relevant", "Satisfied", "Gap", "Relevance reason", "Satisfaction reason"]
    return _section("The full matrix", header, rows)


def _section(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    table = "\n".join(f"| {' | '.join(_cell(text) for text in line)} |" for line in lines)
    return f"## {title}\n\n{table}"


def _cell(text: str) -> str:
    return " ".join(text.splitlines()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`"


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"
