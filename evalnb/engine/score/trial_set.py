"""In what the trials of one set disagree, though they claim to be runs of one thing. spec: 09 §7.7"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evalnb.engine.score.ingest import ValidatedObservations

_SHARED: Final = {
    "evaluatorConfigurationDigest": "evaluator_configuration_digest",
    "mode": "mode",
    "evaluatorRecommendation": "evaluator_recommendation",
    "runId": "run_id",
}


def trial_set_disagreements(trials: Sequence[ValidatedObservations], contract_digest: str) -> tuple[str, ...]:
    """One exact string a disagreement: with the contract, with the first trial, then repeated trial indices."""
    return (*_with_contract_and_first(trials, contract_digest), *_repeated(trials))


def _with_contract_and_first(trials: Sequence[ValidatedObservations], contract_digest: str) -> Iterator[str]:
    for position, trial in enumerate(trials):
        if trial.contract_digest != contract_digest:
            yield (
                f'contractDigest: trial {trial.trial_index} = "{trial.contract_digest}", '
                f'supplied EvalContract = "{contract_digest}"'
            )
        if position == 0:
            continue
        first = trials[0]
        for field, attribute in _SHARED.items():
            expected, given = getattr(first, attribute), getattr(trial, attribute)
            if given != expected:
                yield f'{field}: trial {first.trial_index} = "{expected}", trial {trial.trial_index} = "{given}"'


def _repeated(trials: Sequence[ValidatedObservations]) -> Iterator[str]:
    seen: set[int] = set()
    for trial in trials:
        if trial.trial_index in seen:
            yield f"trialIndex: duplicate value {trial.trial_index}"
        seen.add(trial.trial_index)
