"""The states, verdicts, severities and classes that frames hold, each with its full vocabulary."""

from __future__ import annotations

from typing import Final, get_args

from evalnb.engine.artifacts.evidence import Corroboration, OutcomeState, Resolution, Verdict
from evalnb.engine.artifacts.preflight_verdict import PreflightCheckKind, PreflightOutcome
from evalnb.engine.artifacts.primitives import InterfaceKind, Polarity, Relation, SelectorCardinality, Severity
from evalnb.engine.artifacts.probe import DefectSource, EvidenceChannel
from evalnb.engine.artifacts.record import Disposition, Provenance
from evalnb.engine.coverage.verdicts import RuleId
from evalnb.engine.score.dominance import DOMINANCE_RELATIONS
from evalnb.engine.score.strength import STRENGTH_CLASSES
from evalnb.view.frames.columns import Vocabulary

CLEAN_CONTROL: Final = "clean control"
INVALID: Final = "INVALID"

SEVERITIES: Final = Vocabulary(get_args(Severity), ordered=True)
STATES: Final = Vocabulary(get_args(OutcomeState))
VERDICTS: Final = Vocabulary((*get_args(Verdict), INVALID))
"""The four verdicts of the ladder, and INVALID for a run that got none."""

DISPOSITIONS: Final = Vocabulary(get_args(Disposition))
CORROBORATIONS: Final = Vocabulary(get_args(Corroboration))
RESOLUTIONS: Final = Vocabulary(get_args(Resolution))
STRENGTH: Final = Vocabulary(STRENGTH_CLASSES)
PROBE_CLASSES: Final = Vocabulary((*STRENGTH_CLASSES, CLEAN_CONTROL, "canary"))
DEFECT_SOURCES: Final = Vocabulary(get_args(DefectSource))
DEFECT_RESULTS: Final = Vocabulary(("caught", "missed", "not exercised", "invalid"))
FLOOR_DECISIONS: Final = Vocabulary(("meets", "does-not-meet", "undeclared"))

CHECK_KINDS: Final = Vocabulary(get_args(PreflightCheckKind))
CHECK_OUTCOMES: Final = Vocabulary(get_args(PreflightOutcome))

RULES: Final = Vocabulary(get_args(RuleId))
RULE_STATUSES: Final = Vocabulary(("witnessed", "gap", "not relevant"))
COMPILE_STATUSES: Final = Vocabulary(("compiled", "refused", "unreadable"))
INTERFACE_KINDS: Final = Vocabulary(get_args(InterfaceKind))
RELATIONS: Final = Vocabulary(get_args(Relation))
POLARITIES: Final = Vocabulary(get_args(Polarity))
CARDINALITIES: Final = Vocabulary(get_args(SelectorCardinality))

PROVENANCES: Final = Vocabulary(get_args(Provenance))
FINDING_TYPES: Final = Vocabulary(("defect", "observation", "confirmation"))
EVIDENCE_CHANNELS: Final = Vocabulary(get_args(EvidenceChannel.__value__))
CITING: Final = Vocabulary(("finding", "disposition"))

DOMINANCE: Final = Vocabulary(DOMINANCE_RELATIONS)
