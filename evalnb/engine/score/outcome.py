"""What one oracle's evidence amounts to: the outcome decision procedure, as ordered tables of guarded rows.

Pure and total over its inputs; no combination of them raises. spec: 09 §6
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalnb.engine.artifacts.evidence import Corroboration, OutcomeState, Resolution
from evalnb.engine.artifacts.primitives import Polarity
from evalnb.engine.artifacts.probe import ProbeClass
from evalnb.engine.artifacts.record import Disposition
from evalnb.engine.evaluate.observations import Selection

CitationBucket = Literal["dangling", "signatureless", "mapped", "unmapped"]
WitnessResult = Literal[
    "unexercised", "unwitnessed-claim", "matched", "manifested-unclaimed", "not-triggered", "vacuous"
]
Waiver = Literal["none", "applied-condition-met", "applied-condition-unmet", "expired"]
JudgeConduct = Literal["absent", "conforming", "malformed"]


@dataclass(frozen=True, slots=True)
class DispositionGiven:
    """What the evaluator said of the oracle, and the observations it points at."""

    disposition: Disposition
    observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitedFinding:
    """The one defect finding that cites the oracle, and the bucket its probe put it in."""

    finding_id: str
    bucket: CitationBucket


@dataclass(frozen=True, slots=True)
class WitnessSeen:
    """The witness match of the signed probe, as far as the decision reads it."""

    result: WitnessResult
    observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OutcomeInputs:
    """Everything the decision reads about one oracle in one trial. spec: 09 §6.1

    `probe_class`, `expected_clean` and `probe_qualified` are None together, when no probe is scored.
    """

    required: bool
    disposition: DispositionGiven | None
    cited_finding: CitedFinding | None
    witness: WitnessSeen | None
    selections: tuple[Selection, ...]
    selector_ambiguity: bool
    check_resolution: Resolution | None
    polarity: Polarity
    probe_class: ProbeClass | None
    expected_clean: bool | None
    probe_signed: bool | None
    probe_qualified: bool | None
    waiver: Waiver
    judge_conduct: JudgeConduct
    evaluation_fault: bool

    @property
    def cited(self) -> bool:
        return self.cited_finding is not None

    @property
    def bucket(self) -> CitationBucket | None:
        return self.cited_finding.bucket if self.cited_finding else None

    @property
    def declined(self) -> bool:
        """The citation names this probe, and nothing in it bears on the probe's signature."""
        return self.bucket in ("unmapped", "signatureless")

    @property
    def witnessed(self) -> WitnessResult | None:
        return self.witness.result if self.witness else None

    @property
    def satisfied(self) -> bool:
        return self.check_resolution == ("true" if self.polarity == "expects-hold" else "false")

    @property
    def empty(self) -> bool:
        return self.check_resolution == "insufficient-evidence"

    @property
    def unqualified(self) -> bool:
        return self.probe_class is not None and self.probe_qualified is False

    @property
    def reached(self) -> bool:
        return any(selection.result != "none" for selection in self.selections)

    @property
    def unsupported(self) -> bool:
        given = self.disposition
        return given is not None and given.disposition != "not-attempted" and not given.observation_ids

    @property
    def silent_canary(self) -> bool:
        return self.probe_class == "canary" and self.reached and not self.cited


@dataclass(frozen=True, slots=True)
class OutcomeResolution:
    """The decision and the name of every row that made it. spec: 09 §6.6"""

    rule: str
    waiver_rule: str | None
    corroboration_rule: str
    state: OutcomeState
    corroboration: Corroboration
    resolved_from: str | None
    selected_observation_ids: tuple[str, ...]
    declined_finding_ids: tuple[str, ...]
    invalidating_conditions: tuple[str, ...]


Guard = Callable[[OutcomeInputs], bool]


@dataclass(frozen=True, slots=True)
class InvalidatingRow:
    """A condition that makes the run unusable whatever the state. spec: 09 §6.2"""

    name: str
    holds: Guard


@dataclass(frozen=True, slots=True)
class StateRow:
    """A rung of the state ladder; the first whose guard holds decides. spec: 09 §6.3"""

    name: str
    guard: Guard
    state: OutcomeState
    from_citation: bool = False


@dataclass(frozen=True, slots=True)
class WaiverRow:
    """What an applied waiver makes of a waivable provisional state. spec: 09 §6.4"""

    name: str
    waiver: Waiver
    over_provisional: tuple[OutcomeState, ...]
    state: OutcomeState


@dataclass(frozen=True, slots=True)
class CorroborationRow:
    """Whether check and evaluator tell one story; `values` are those the row can give. spec: 09 §6.5"""

    name: str
    guard: Callable[[OutcomeInputs, OutcomeState], bool]
    values: tuple[Corroboration, ...]


INVALIDATING_ROWS: tuple[InvalidatingRow, ...] = (
    InvalidatingRow("evaluation-fault", lambda i: i.evaluation_fault),
    InvalidatingRow("judge-malformed", lambda i: i.judge_conduct == "malformed"),
    InvalidatingRow("unqualified-probe-in-sealed-set", lambda i: i.unqualified),
    InvalidatingRow("dangling-probe-citation", lambda i: i.bucket == "dangling"),
    InvalidatingRow("unwitnessed-detection-claim", lambda i: i.witnessed == "unwitnessed-claim"),
    InvalidatingRow("vacuous-signature", lambda i: i.witnessed == "vacuous"),
    InvalidatingRow("selector-ambiguity", lambda i: i.selector_ambiguity),
    InvalidatingRow("canary-non-detection", lambda i: i.silent_canary),
    InvalidatingRow("unsupported-disposition", lambda i: i.unsupported),
    InvalidatingRow("disposition-missing", lambda i: i.required and i.disposition is None),
)

STATE_ROWS: tuple[StateRow, ...] = (
    StateRow("evaluation-fault", lambda i: i.evaluation_fault, "oracle-error"),
    StateRow("judge-malformed", lambda i: i.judge_conduct == "malformed", "judge-error"),
    StateRow("probe-unqualified", lambda i: i.unqualified, "infrastructure-error"),
    StateRow("finding-dangling-probe", lambda i: i.bucket == "dangling", "infrastructure-error", True),
    StateRow("witness-unwitnessed-claim", lambda i: i.witnessed == "unwitnessed-claim", "infrastructure-error"),
    StateRow("witness-vacuous", lambda i: i.witnessed == "vacuous", "infrastructure-error"),
    StateRow("selector-ambiguous", lambda i: i.selector_ambiguity, "infrastructure-error"),
    StateRow(
        "witness-unexercised",
        lambda i: i.witnessed == "unexercised" and i.expected_clean is not True,
        "not-applicable",
    ),
    StateRow(
        "steps-unreached",
        lambda i: i.witnessed in (None, "not-triggered") and bool(i.selections) and not i.reached,
        "unreached",
    ),
    StateRow(
        "zero-action-detected",
        lambda i: i.probe_class == "zero-action" and i.expected_clean is False and i.witnessed == "matched",
        "caught",
    ),
    StateRow("clean-control-false-positive", lambda i: i.expected_clean is True and i.cited, "false-positive", True),
    StateRow("clean-control-passed", lambda i: i.expected_clean is True and not i.empty, "passed-clean-control"),
    StateRow("canary-detected", lambda i: i.probe_class == "canary" and i.cited, "caught", True),
    StateRow("canary-undetected", lambda i: i.silent_canary, "infrastructure-error"),
    StateRow("witness-matched", lambda i: i.witnessed == "matched" and i.expected_clean is not True, "caught"),
    StateRow(
        "witness-manifested-unclaimed",
        lambda i: i.witnessed == "manifested-unclaimed" and i.expected_clean is not True,
        "missed",
    ),
    StateRow("oracle-cited-defect", lambda i: i.witness is None and i.bucket == "mapped", "caught", True),
    StateRow("check-insufficient-evidence", lambda i: i.empty, "abstained"),
    StateRow("witness-not-triggered", lambda i: i.witnessed == "not-triggered", "confirmed"),
    StateRow("outcome-clear", lambda i: True, "confirmed"),
)

WAIVER_ROWS: tuple[WaiverRow, ...] = (
    WaiverRow("waiver-honoured", "applied-condition-met", ("missed",), "not-applicable"),
    WaiverRow("waiver-bypassed", "applied-condition-unmet", ("missed",), "bypassed"),
)

CORROBORATION_ROWS: tuple[CorroborationRow, ...] = (
    CorroborationRow("disposition-unsupported", lambda i, s: i.unsupported, ("disagrees",)),
    CorroborationRow(
        "disposition-contradicts-evidence",
        lambda i, s: i.disposition is not None and (i.disposition.disposition == "violated") != i.cited,
        ("disagrees",),
    ),
    CorroborationRow("citation-declined", lambda i, s: i.declined, ("disagrees",)),
    CorroborationRow("examined-nothing", lambda i, s: i.empty, ("disagrees", "agrees")),
    CorroborationRow("never-ran", lambda i, s: s == "unreached" or i.check_resolution is None, ("not-evaluable",)),
    CorroborationRow("check-confirms-silence", lambda i, s: i.satisfied and not i.cited, ("agrees",)),
    CorroborationRow("check-confirms-finding", lambda i, s: not i.satisfied and i.cited, ("agrees",)),
    CorroborationRow("check-and-findings-diverge", lambda i, s: i.satisfied == i.cited, ("disagrees",)),
)


def resolve_outcome(inputs: OutcomeInputs) -> OutcomeResolution:
    """Decide one oracle's state, its corroboration and what invalidates it. spec: 09 §6

    The state comes from the first row of the ladder that holds, then an applied waiver may change a miss;
    corroboration looks at the final state. Invalidating conditions are listed whatever the state is.
    """
    row = next(row for row in STATE_ROWS if row.guard(inputs))
    waiver = next((w for w in WAIVER_ROWS if w.waiver == inputs.waiver and row.state in w.over_provisional), None)
    state = waiver.state if waiver else row.state
    corroboration = next(c for c in CORROBORATION_ROWS if c.guard(inputs, state))
    finding = inputs.cited_finding
    return OutcomeResolution(
        rule=row.name,
        waiver_rule=waiver.name if waiver else None,
        corroboration_rule=corroboration.name,
        state=state,
        # Only the row for an empty check can give two values: disagreement first, when a finding cites it.
        corroboration=corroboration.values[0 if inputs.cited else -1],
        resolved_from=finding.finding_id if finding and row.from_citation else None,
        selected_observation_ids=_selected(inputs.selections, inputs.witness),
        declined_finding_ids=(finding.finding_id,) if finding and _declines(inputs, row) else (),
        invalidating_conditions=tuple(sorted(c.name for c in INVALIDATING_ROWS if c.holds(inputs))),
    )


def _declines(inputs: OutcomeInputs, row: StateRow) -> bool:
    return inputs.declined and not row.from_citation


def _selected(selections: Sequence[Selection], witness: WitnessSeen | None) -> tuple[str, ...]:
    """Every selection's matches, then the witness candidates; the first appearance of an identifier stays."""
    matches = [identifier for selection in selections for identifier in selection.observation_ids]
    return tuple(dict.fromkeys([*matches, *(witness.observation_ids if witness else ())]))
