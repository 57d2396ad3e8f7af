"""Lets a person label one recorded trial against the sealed brief, and keeps the result as a sealed run record."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from evalnb.engine.artifacts import Observation, SealedEvaluatorBrief, SealedRunRecord, resolve_observation_interfaces
from evalnb.engine.artifacts.record import RunMode
from evalnb.engine.compile import compile_contract
from evalnb.engine.seal import seal
from evalnb.evaluation import Evaluation
from evalnb.widgets.labelling.session import Session
from evalnb.widgets.labelling.subject import LabelSubject
from evalnb.widgets.labelling.topic import LabelTopic
from evalnb.widgets.surface import Surface
from evalnb.widgets.trajectory.form import CHOICES, RECORDED, Recorded as RecordedRuns, labelling_topic

Recorded: TypeAlias = "SealedRunRecord | Iterable[Observation]"


def label(
    source: Evaluation | SealedEvaluatorBrief | RecordedRuns,
    *,
    observations: Recorded | None = None,
    out: str | os.PathLike[str] | None = None,
    probe_id: str | None = None,
    trial: int = 1,
    run_id: str | None = None,
    mode: RunMode | None = None,
    evaluator: str = "a person, with the evalnb labelling form",
    clock: Callable[[], float] = time.monotonic,
    choices: Sequence[str] = CHOICES,
) -> Surface:
    """A form in which a person decides each direction of the brief, cites recorded calls and writes findings.

    From an evaluation, `probe_id` and `trial` choose whose recorded calls are shown (one probe needs no choice); from
    a brief, give `observations` and `run_id`. The form shows the brief and the calls alone: no checks, no plan, nothing
    of the probe. Every step is kept at once in `<out>.draft.json`, from which the same call goes on after a kernel
    restart. Saving writes the record to `out` (default `label-<probe>-trial-<n>.json`), and beside it, named after
    it, the `.configuration.json`, `.manifest.json` and `.actions.json` that `evalnb score` asks for.

    From recorded runs of an agent (a review, or what `ev.trajectories.load` gives) a person says of each run which of
    `choices` it is, without seeing what graders found; labels are in `out` (default `trajectory-labels.json`) at once.

    Raises ValueError for a choice that is missing or that the evaluation does not have, FileProblem where the draft's
    file belongs to something else, and what compiling and sealing the contract raise.
    """
    if isinstance(source, RECORDED):
        return Surface(labelling_topic(source, choices=choices, out=out, by=evaluator))
    if isinstance(source, Evaluation):
        subject = _of_evaluation(source, _Choice(observations, probe_id, trial, run_id, mode, evaluator))
    elif isinstance(source, SealedEvaluatorBrief):
        subject = _of_brief(source, _Choice(observations, probe_id, trial, run_id, mode, evaluator))
    else:
        raise TypeError(f"label takes an evaluation, a sealed brief or recorded runs, not a {type(source).__name__}")
    name = out if out is not None else f"label-{subject.probe_id or 'run'}-trial-{subject.trial_index}.json"
    return Surface(LabelTopic(Session(subject, Path(name), clock)))


@dataclass(frozen=True, slots=True)
class _Choice:
    observations: Recorded | None
    probe_id: str | None
    trial: int
    run_id: str | None
    mode: RunMode | None
    evaluator: str


def _of_evaluation(evaluation: Evaluation, choice: _Choice) -> LabelSubject:
    contract = compile_contract(evaluation.contract)
    arms = {arm.probe.probe_id: arm for arm in evaluation.arms}
    probe_id = choice.probe_id
    if probe_id is None and len(arms) == 1:
        probe_id = next(iter(arms))
    if probe_id not in arms:
        raise ValueError(f"choose a probe to label, probe_id= one of {', '.join(arms)}")
    records = {record.trial_index: record for record in arms[probe_id].records}
    given = choice.observations
    if given is None:
        if choice.trial not in records:
            raise ValueError(f"choose a recorded trial, trial= one of {', '.join(map(str, records))}")
        given = records[choice.trial]
    if isinstance(given, SealedRunRecord):
        given = resolve_observation_interfaces(given, contract)
    return LabelSubject(
        brief=seal(contract),
        observations=_in_sequence(given),
        run_id=choice.run_id or evaluation.run_id,
        contract_id=contract.contract_id,
        probe_id=probe_id,
        trial_index=choice.trial,
        mode=choice.mode or arms[probe_id].records[0].mode,
        evaluator=choice.evaluator,
    )


def _of_brief(brief: SealedEvaluatorBrief, choice: _Choice) -> LabelSubject:
    given = choice.observations
    if given is None:
        raise ValueError("a brief records nothing: pass observations=, a sealed run record or its observations")
    if choice.run_id is None and not isinstance(given, SealedRunRecord):
        raise ValueError("a record names its run: pass run_id=")
    return LabelSubject(
        brief=brief,
        observations=_in_sequence(given),
        run_id=choice.run_id or (given.run_id if isinstance(given, SealedRunRecord) else ""),
        # A brief does not say what its contract is called.
        contract_id=f"contract-{brief.contract_digest[7:19]}",
        probe_id=choice.probe_id,
        trial_index=choice.trial,
        mode=choice.mode or (given.mode if isinstance(given, SealedRunRecord) else "contract-scoring"),
        evaluator=choice.evaluator,
    )


def _in_sequence(given: Recorded) -> tuple[Observation, ...]:
    listed = given.observations if isinstance(given, SealedRunRecord) else tuple(given)
    if any(not one.interface_id for one in listed):
        raise ValueError("the observations do not name their interfaces; resolve them against the contract first")
    return tuple(sorted(listed, key=lambda one: one.sequence))
