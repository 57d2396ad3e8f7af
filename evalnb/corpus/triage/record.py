"""Records the example: `python -m evalnb.corpus.triage.record [FOLDER]` starts the desk, calls it and writes the files.

The same sources give the same bytes: the desk runs on a ticking clock, and neither ports nor wall time are recorded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from evalnb.corpus.triage.arms import ARMS, TRIALS, Arm, Trial
from evalnb.corpus.triage.calls import Exchange, Request, send
from evalnb.corpus.triage.evaluator import Calls, recommendation, report
from evalnb.corpus.triage.paperwork import (
    FLOORS,
    POLICY,
    RUN_ID,
    Sealed,
    configuration_document,
    manifest_document,
    record_document,
    resource_use,
)
from evalnb.corpus.triage.probes import Evidence, probe_document
from evalnb.corpus.triage.system import TickingClock, serving
from evalnb.engine.artifacts import EVAL_CONTRACT, PROBE, EvalContract, Expression, Observation, Probe, read
from evalnb.engine.artifacts.reading import validated
from evalnb.engine.canonical import canonical_text, digest_bytes, digest_composite, digest_directory, scan_json
from evalnb.engine.preflight import PlannedLeg, plan_preflight
from evalnb.files import write_text_atomically

_HERE: Final = Path(__file__).parent
_MONDAY: Final = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
_SOURCES: Final = ("desk.json", "desk.py", "system.py")
_CONTRACT: Final = "contract.json"
_GIVEN: Final = ("README.md", _CONTRACT, "product-note.md", *_SOURCES)
_NAIVE_CHECK: Final[Mapping[str, Any]] = {
    "op": "all",
    "operands": [
        {"op": "existence", "operands": [{"pointer": "/interactions/draft-plain/response-body/reply"}]},
        {
            "op": "for-all",
            "collection": {"pointer": "/interactions/draft-plain/response-body/sources"},
            "predicate": {
                "op": "set-membership",
                "operands": [{"pointer": "@/articleId"}, {"referenceSet": "help-articles"}],
            },
        },
    ],
}


@dataclass(frozen=True, slots=True)
class Recording:
    """The calls of one arm, a list a trial."""

    arm: Arm
    trials: tuple[tuple[Exchange, ...], ...]

    @property
    def text(self) -> str:
        """One JSON line for each call."""
        lines = (
            canonical_text(exchange.line(trial.index, sequence), "recording")
            for trial, exchanges in zip(TRIALS, self.trials, strict=True)
            for sequence, exchange in enumerate(exchanges, 1)
        )
        return "".join(f"{line}\n" for line in lines)

    def observations(self, trial: int) -> list[dict[str, Any]]:
        """The calls of one trial as a record holds them; putting the desk back is set-up, the rest was chosen."""
        return [
            exchange.observation(sequence, "baseline" if sequence == 1 else "evaluator-chosen")
            for sequence, exchange in enumerate(self.trials[trial - 1], 1)
        ]


class Folder:
    """The folder being written, which knows the digest of what it holds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digests: dict[str, str] = {}

    def write(self, name: str, text: str) -> dict[str, Any]:
        """Write one file and return the artifact reference to it."""
        write_text_atomically(self.path / name, text)
        return self.reference(name, text.encode("utf-8"))

    def write_json(self, name: str, value: Any) -> dict[str, Any]:
        """Write one document in its canonical form."""
        return self.write(name, canonical_text(value, name) + "\n")

    def reference(self, name: str, data: bytes) -> dict[str, Any]:
        self.digests[name] = digest_bytes(data)
        return {"storage": "public", "path": name, "privateRef": None, "digest": self.digests[name]}


def packaged_contract() -> bytes:
    """The contract of the example as its file holds it."""
    return (_HERE / _CONTRACT).read_bytes()


def record(path: Path, contract_data: bytes | None = None) -> None:
    """Make a whole evaluation folder at `path`, under the packaged contract or the one in `contract_data`.

    Raises OSError when the desk or the folder cannot be used.
    """
    contract_data = packaged_contract() if contract_data is None else contract_data
    folder = Folder(path)
    for name in _GIVEN:
        data = contract_data if name == _CONTRACT else (_HERE / name).read_bytes()
        folder.reference(name, data)
        if path.resolve() != _HERE:
            write_text_atomically(path / name, data.decode("utf-8"))
    contract = read(EVAL_CONTRACT, scan_json(contract_data, "EvalContract"))
    recordings = [_record_arm(arm) for arm in ARMS]
    _require_rollback(recordings)
    # The probes are the same whatever contract is measured: what qualifies them is told by the packaged one.
    own = read(EVAL_CONTRACT, scan_json(packaged_contract(), "EvalContract"))
    evidence = _write_evidence(folder, own, recordings)
    probes = [_write_probe(folder, arm, evidence) for arm in ARMS]
    members = {name: digest for name, digest in folder.digests.items() if name.startswith("probes/")}
    folder.write("corpus-digest.txt", digest_directory(members, "corpus digest") + "\n")
    folder.write_json("observations.json", _preflight_observations(contract, probes))
    folder.write_json("scoring-policy.json", POLICY)
    folder.write_json("floors.json", FLOORS)
    _write_records(folder, contract, recordings, evidence)


def _record_arm(arm: Arm) -> Recording:
    with serving(arm.defect, clock=TickingClock(_MONDAY)) as server:
        return Recording(arm, tuple(tuple(_run_trial(server.port, trial)) for trial in TRIALS))


def _run_trial(port: int, trial: Trial) -> list[Exchange]:
    """One trial: the desk put back, the contract's behaviors exercised, then each operation asked wrongly."""
    exchanges = [send(port, _restore("monday-morning")), send(port, _list(20))]
    exchanges.append(send(port, _open(trial, trial.subject, trial.message, "web-form")))
    exchanges.append(send(port, _get(exchanges[-1].answer.body["ticketId"])))
    exchanges.append(send(port, _draft(trial.drafted_ticket, "plain")))
    exchanges.append(send(port, _get(exchanges[-1].answer.body["ticketId"])))
    malformed = (
        _open(trial, 42, "Please call me back.", "chat"),
        _restore(7),
        _list("twenty"),
        _get(1042),
        _draft(trial.drafted_ticket, 3),
    )
    return [*exchanges, *(send(port, request) for request in malformed)]


def _restore(snapshot: Any) -> Request:
    return Request("restore-desk", "POST", "/desk/restore", body={"snapshot": snapshot})


def _list(limit: Any) -> Request:
    return Request("list-tickets", "GET", "/tickets", query={"status": "open", "limit": limit})


def _open(trial: Trial, subject: Any, message: str, channel: str) -> Request:
    body = {"customer": trial.customer, "subject": subject, "message": message, "channel": channel}
    return Request("open-ticket", "POST", "/tickets", body=body)


def _get(ticket: Any) -> Request:
    return Request("get-ticket", "GET", "/tickets/{ticketId}", path={"ticketId": ticket})


def _draft(ticket: str, tone: Any) -> Request:
    return Request("draft-reply", "GET", "/tickets/{ticketId}/draft", path={"ticketId": ticket}, query={"tone": tone})


def _require_rollback(recordings: Sequence[Recording]) -> None:
    """The clean build must answer after all planted defects exactly as it was recorded."""
    clean = next(recording for recording in recordings if recording.arm.defect is None)
    if _record_arm(clean.arm).text != clean.text:
        raise RuntimeError("the clean desk answered differently the second time; the probes' rollback is not verified")


def _write_evidence(folder: Folder, contract: EvalContract, recordings: Sequence[Recording]) -> Evidence:
    source_digest = digest_directory({name: folder.digests[name] for name in _SOURCES}, "implementation digest")
    references = {
        recording.arm.name: folder.write(f"recordings/{recording.arm.probe_id}.jsonl", recording.text)
        for recording in recordings
    }
    stock = next(recording for recording in recordings if recording.arm.name == "stock-reply")
    disciplined = next(oracle.check for oracle in contract.oracles if oracle.id == "O-005")
    return Evidence(
        source_digest=source_digest,
        build_digests={arm.name: _build_digest(source_digest, arm) for arm in ARMS},
        target={
            "storage": "public",
            "path": "desk.py",
            "privateRef": None,
            "digest": folder.digests["desk.py"],
        },
        recordings=references,
        naive_oracle=_write_oracle_answer(folder, contract, stock, "naive", validated(Expression, _NAIVE_CHECK)),
        disciplined_oracle=_write_oracle_answer(folder, contract, stock, "disciplined", disciplined),
    )


def _build_digest(source_digest: str, arm: Arm) -> str:
    if arm.defect is None:
        return source_digest
    return digest_composite({"source": source_digest, "defect": arm.defect}, "implementation digest")


def _write_oracle_answer(
    folder: Folder, contract: EvalContract, recording: Recording, name: str, check: Any
) -> dict[str, Any]:
    """What one oracle says of the degenerate reply, kept with the calls it looked at."""
    calls = Calls(contract, _observations(recording, 1))
    document = {
        "oracle": name,
        "check": check.model_dump(mode="json", by_alias=True, exclude_unset=True),
        "checkResolution": calls.resolve(check, f"{name} oracle").model_dump(mode="json", by_alias=True),
        "observations": [observation.model_dump(mode="json", by_alias=True) for observation in calls.addressed(check)],
    }
    return folder.write_json(f"recordings/{recording.arm.probe_id}-{name}-oracle.json", document)


def _observations(recording: Recording, trial: int) -> list[Observation]:
    return [validated(Observation, raw) for raw in recording.observations(trial)]


def _write_probe(folder: Folder, arm: Arm, evidence: Evidence) -> Probe:
    document = probe_document(arm, evidence)
    folder.write_json(f"probes/{arm.probe_id}.json", document)
    probe: Probe = read(PROBE, document)
    return probe


def _preflight_observations(contract: EvalContract, probes: Sequence[Probe]) -> list[dict[str, Any]]:
    """The answers to the pre-flight plan: a fault leg goes to the build with its defect, the rest to the clean one."""
    plan = plan_preflight(contract, probes, RUN_ID)
    faults = {f"fault-{arm.name}": arm.defect for arm in ARMS if arm.defect is not None}
    answers: dict[str, dict[str, Any]] = {}
    with serving(clock=TickingClock(_MONDAY)) as server:
        for leg in plan.legs:
            if leg.leg_id not in faults:
                answers[leg.leg_id] = _answer(server.port, leg)
    for leg in plan.legs:
        if leg.leg_id in faults:
            with serving(faults[leg.leg_id], clock=TickingClock(_MONDAY)) as server:
                answers[leg.leg_id] = _answer(server.port, leg)
    return [answers[leg.leg_id] for leg in plan.legs]


def _answer(port: int, leg: PlannedLeg) -> dict[str, Any]:
    asked = leg.request.model_dump(mode="json", by_alias=True)
    channels = asked["channels"]
    body = channels["body"]["value"] if channels["body"]["kind"] == "json" else None
    answer = send(
        port,
        Request(
            asked["operationId"],
            asked["method"],
            asked["pathTemplate"],
            channels["path"],
            channels["query"],
            body,
        ),
    ).answer
    return {
        "kind": "api",
        "probeId": asked["probeId"],
        "interfaceId": asked["interfaceId"],
        "operationId": asked["operationId"],
        "status": answer.status,
        "headers": answer.headers,
        "body": {"kind": "json", "value": answer.body},
    }


def _write_records(folder: Folder, contract: EvalContract, recordings: Sequence[Recording], evidence: Evidence) -> None:
    sealed = Sealed(contract, digest_bytes((_HERE / "evaluator.py").read_bytes()))
    folder.write_json("evaluator-configuration.json", configuration_document(sealed))
    use = resource_use(recordings[0].observations(1))
    manifest = folder.write_json("isolation-manifest.json", manifest_document(sealed, use))
    for recording in recordings:
        actions = evidence.recordings[recording.arm.name]
        reports = [
            report(contract, _observations(recording, trial.index), recording.arm.probe_id, actions) for trial in TRIALS
        ]
        advice = recommendation(reports)
        references = {"actionsArtifact": actions, "isolationManifestArtifact": manifest}
        for trial, told in zip(TRIALS, reports, strict=True):
            observations = recording.observations(trial.index)
            document = record_document(sealed, recording.arm, trial.index, observations, told, advice, references)
            folder.write_json(f"records/{recording.arm.probe_id}-trial-{trial.index}.json", document)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record into a folder."""
    parser = argparse.ArgumentParser(prog="python -m evalnb.corpus.triage.record", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=_HERE, help="default: the packaged folder itself")
    folder: Path = parser.parse_args(arguments).folder
    record(folder)
    sys.stdout.write(f"recorded {len(ARMS)} arms of {len(TRIALS)} trials into {folder}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
