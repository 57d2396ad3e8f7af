"""The same measurement, wherever its mutants run: the same bytes, and a lost worker costs one mutant."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evalnb.cli.main import main
from evalnb.harness import MeasureOptions, run_measurement
from evalnb.harness.arms import MutantRun
from evalnb.harness.executors import ClusterProblem, cluster, run_in_executor, run_in_processes
from evalnb.harness.mutants.spec import MutantSpec
from tests.harness import notes
from tests.harness.test_measure import tree

OPERATORS = (
    "dropped-write",
    "constant-answer",
    "nulled-field",
    "doubled-write",
    "emptied-collection",
    "altered-scalar",
)


def measured(folder: Path, **options: Any) -> dict[str, bytes]:
    """The bytes of every file that a measurement leaves, but for what times itself."""
    chosen = MeasureOptions(operators=OPERATORS, out=folder, **options)
    measurement = run_measurement(notes.strong(), notes.targets(), chosen)
    assert measurement.counts["broken"] == 0
    return tree(folder)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return measured(tmp_path_factory.mktemp("alone") / "out")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as local:
        yield local.scheduler_address


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_any_number_of_jobs_leaves_the_same_bytes(jobs: int, alone: dict[str, bytes], tmp_path: Path) -> None:
    assert len([name for name in alone if name.startswith("probes/")]) > 4
    assert measured(tmp_path / "out", jobs=jobs) == alone


def test_a_cluster_leaves_the_same_bytes(address: str, alone: dict[str, bytes], tmp_path: Path) -> None:
    assert measured(tmp_path / "out", cluster=address) == alone


def test_any_executor_leaves_the_same_bytes(alone: dict[str, bytes], tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as executor:
        assert measured(tmp_path / "out", executor=executor) == alone


def spec(name: str) -> MutantSpec:
    return next(one for one in _planned() if one.mutant_id.startswith(name))


@cache
def _planned() -> tuple[MutantSpec, ...]:
    measurement = run_measurement(notes.strong(), notes.targets(), MeasureOptions(operators=OPERATORS, trials=1))
    return tuple(mutant.spec for mutant in measurement.mutants)


def dies(one: MutantSpec) -> MutantRun:
    """Stands for an arm whose process the system kills, as it does where memory ends."""
    if one.operator == "dropped-write":
        os.kill(os.getpid(), signal.SIGKILL)
    return MutantRun(one)


def test_a_killed_process_costs_its_mutant_only() -> None:
    runs = {run.spec.mutant_id: run.broken for run in run_in_processes(dies, _planned(), 2)}
    assert set(runs) == {one.mutant_id for one in _planned()}
    assert {name for name, broken in runs.items() if broken} == {
        one.mutant_id for one in _planned() if one.operator == "dropped-write"
    }


def test_a_worker_that_is_lost_again_and_again_costs_its_mutant_only(address: str) -> None:
    some = [spec("dropped-write"), spec("altered-scalar")]
    with cluster(address) as executor:
        runs = {run.spec.operator: run.broken for run in run_in_executor(executor, dies, some)}
    assert runs == {"dropped-write": "the process that ran it ended without an answer", "altered-scalar": None}


def test_an_address_where_nobody_listens_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalnb.harness.executors._CONNECT_SECONDS", 1)
    with pytest.raises(ClusterProblem, match="no cluster answers at tcp://127"), cluster("tcp://127.0.0.1:9"):
        pass


def test_a_missing_dask_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ClusterProblem, match=r"evalnb\[dask\]"), cluster("tcp://127.0.0.1:9"):
        pass


def test_a_cluster_that_cannot_be_used_is_a_wrong_command_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evalnb.harness.executors._CONNECT_SECONDS", 1)
    for name, document in (("contract", notes.strong()), ("targets", notes.targets())):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    given = ["--contract", f"{tmp_path}/contract.json", "--targets", f"{tmp_path}/targets.json"]
    code = main(["measure", *given, "--cluster", "tcp://127.0.0.1:9", "--out", str(tmp_path / "out")])
    assert code == 64
    assert "no cluster answers at tcp://127.0.0.1:9" in capsys.readouterr().err
