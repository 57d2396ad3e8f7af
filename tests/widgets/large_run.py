"""A run of 200 oracles, 50 probes and 5 trials, made of the packaged one by seeded variation."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

from evalnb.engine.artifacts import EVAL_CONTRACT, EVIDENCE_ARTIFACT, PROBE, SEALED_RUN_RECORD, read
from evalnb.engine.seal import seal
from evalnb.evaluation import Arm, EvaluationRun
from evalnb.evaluation.run import ArmResult
from tests.view.evaluations import run_of_example

ORACLES, PROBES, TRIALS = 200, 50, 5
STATES = ("caught", "confirmed", "missed", "abstained", "bypassed", "unreached", "passed-clean-control")


def large_run(seed: int = 1, oracles: int = ORACLES, probes: int = PROBES, trials: int = TRIALS) -> EvaluationRun:
    """The run; the same seed gives the same one."""
    chance = random.Random(seed)
    run = run_of_example()
    document = copy.deepcopy(run.contract.document)
    originals = document["oracles"]
    names = [f"O-{number:03}" for number in range(1, oracles + 1)]
    document["oracles"] = [{**originals[number % len(originals)], "id": name} for number, name in enumerate(names)]
    for place, behavior in enumerate(document["behaviors"]):
        behavior["oracles"] = names[place :: len(document["behaviors"])]
    contract = read(EVAL_CONTRACT, document)
    arms = tuple(_arm(run.arms[number % len(run.arms)], number, names, trials, chance) for number in range(probes))
    evaluation = replace(run.evaluation, contract=document, arms=tuple(arm.arm for arm in arms))
    return replace(run, evaluation=evaluation, contract=contract, brief=seal(contract), arms=arms)


def _arm(original: ArmResult, number: int, names: list[str], trials: int, chance: random.Random) -> ArmResult:
    probe_id = f"P-{number + 1:03}"
    probe = read(PROBE, {**copy.deepcopy(original.arm.probe.document), "probeId": probe_id})
    records = []
    for trial in range(1, trials + 1):
        record = copy.deepcopy(original.arm.records[trial % len(original.arm.records)].document)
        record["trialIndex"] = trial
        for finding in record["findings"]:
            finding["probeId"] = probe_id
        records.append(read(SEALED_RUN_RECORD, record))
    assert original.evidence is not None
    evidence = copy.deepcopy(original.evidence.document)
    known = evidence["outcomes"]
    evidence["scoredProbeId"] = probe_id
    evidence["outcomes"] = [
        {
            **known[place % len(known)],
            "oracleId": name,
            "trialIndex": trial,
            "probeId": probe_id,
            "state": chance.choice(STATES),
            "corroboration": chance.choice(("agrees", "agrees", "disagrees", "not-evaluable")),
        }
        for trial in range(1, trials + 1)
        for place, name in enumerate(names)
    ]
    score = replace(original.score, artifact=read(EVIDENCE_ARTIFACT, evidence))
    return ArmResult(Arm(probe, tuple(records)), score)
