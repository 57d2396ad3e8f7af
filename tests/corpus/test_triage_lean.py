"""The leaner twin is what its recorder writes, and shows what the packaged contract catches and it does not."""

from __future__ import annotations

from pathlib import Path

import evalnb as ev
from evalnb.corpora.comparison import Comparison
from evalnb.corpus.triage.lean import DROPPED, leaner, main
from evalnb.engine.canonical import scan_json

FULL, LEAN = ev.example("triage"), ev.example("triage-lean")


def compared() -> Comparison:
    return ev.compare([FULL, LEAN], accept_differing=("evaluatorConfigurationDigest",))


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_recording_again_gives_the_packaged_bytes(tmp_path: Path) -> None:
    assert main([str(tmp_path / "triage-lean")]) == 0
    assert files_in(tmp_path / "triage-lean") == files_in(LEAN)
    assert sum(map(len, files_in(LEAN).values())) < 200_000


def test_it_differs_from_the_packaged_contract_only_in_the_oracles_it_weakens() -> None:
    full = scan_json((FULL / "contract.json").read_bytes(), "EvalContract")
    lean = leaner(full)
    assert {key for key in full if full[key] != lean[key]} == {"contractId", "oracles"}
    changed = [a["id"] for a, b in zip(full["oracles"], lean["oracles"], strict=True) if a != b]
    assert changed == list(DROPPED)


def test_the_two_are_refused_unless_the_configuration_may_differ() -> None:
    refused = ev.compare([FULL, LEAN])
    assert [refusal.input for refusal in refused.refusals] == ["evaluatorConfigurationDigest"]
    assert [caveat.input for caveat in compared().caveats] == ["evaluatorConfigurationDigest"]


def test_the_packaged_contract_alone_catches_what_the_dropped_checks_read() -> None:
    alone = {one.result.key.probe_id: (one.corpus, one.result.caught_by) for one in compared().only_caught_by}
    assert alone == {"P-002": ("triage", ("O-003",)), "P-004": ("triage", ("O-005",))}
    assert compared().dominance[0].relation == "a-dominates-b"
