"""The same measurement, wherever its mutants run: the same bytes, and a lost worker costs one mutant."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import distributed
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
RUN = "from evalnb.cli.main import main; raise SystemExit(main())"


def measured(folder: Path, **options: Any) -> dict[str, bytes]:
    """The bytes of every file that a measurement leaves, but for what times itself."""
    chosen = MeasureOptions(operators=OPERATORS, out=folder, **options)
    measurement = run_measurement(notes.strong(), notes.targets(), chosen)
    assert measurement.counts["broken"] == 0
    return tree(folder)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return measured(tmp_path_factory.mktemp("alone") / "out")


def local_cluster(workers: int) -> Any:
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
    )


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_cluster(2) as local:
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
    with cluster(address) as used:
        runs = {run.spec.operator: run.broken for run in run_in_executor(used.executor, dies, some, check=used.check)}
    assert runs == {"dropped-write": "the process that ran it ended without an answer", "altered-scalar": None}


def sleeps(one: MutantSpec) -> MutantRun:
    """Stands for an arm that is under way for long."""
    time.sleep(60)
    return MutantRun(one)


def wait_on(local: Any, meanwhile: Callable[[], object]) -> None:
    """Run long arms on a cluster to which something happens meanwhile."""
    some = _planned()[:2]
    with cluster(local.scheduler_address) as used:
        happening = threading.Timer(0.5, meanwhile)
        happening.start()
        try:
            list(run_in_executor(used.executor, sleeps, some, check=used.check))
        finally:
            happening.join()


def test_a_cluster_that_goes_away_ends_the_wait_and_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalnb.harness.executors._LOOK_SECONDS", 0.2)
    monkeypatch.setattr("evalnb.harness.executors._CONNECT_SECONDS", 1)
    with local_cluster(1) as local, pytest.raises(ClusterProblem, match=r"is gone.*--resume"):
        wait_on(local, local.close)


def test_a_cluster_without_workers_is_waited_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalnb.harness.executors._LOOK_SECONDS", 0.2)
    monkeypatch.setattr("evalnb.harness.executors._ALONE_SECONDS", 1)
    with local_cluster(1) as local:
        with pytest.raises(ClusterProblem, match="lost all its workers"):
            wait_on(local, lambda: local.scale(0))
        with pytest.raises(ClusterProblem, match="has no workers"), cluster(local.scheduler_address):
            pass


def test_a_system_that_all_arms_share_is_asked_by_one_at_a_time() -> None:
    under_way: list[str] = []
    most = 0

    def watched(one: MutantSpec) -> MutantRun:
        nonlocal most
        under_way.append(one.mutant_id)
        most = max(most, len(under_way))
        time.sleep(0.02)
        under_way.remove(one.mutant_id)
        return MutantRun(one)

    with ThreadPoolExecutor(4) as executor:
        runs = list(run_in_executor(executor, watched, _planned(), at_once=1))
    assert len(runs) == len(_planned())
    assert most == 1


@pytest.mark.parametrize("where", ["cluster", "jobs"])
def test_an_interrupt_cancels_what_waits_and_the_folder_goes_on(
    where: str, address: str, alone: dict[str, bytes], tmp_path: Path
) -> None:
    for name, document in (("contract", notes.strong()), ("targets", notes.targets())):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    out = tmp_path / "out"
    command = [sys.executable, "-c", RUN, "measure", f"--contract={tmp_path}/contract.json"]
    command += [f"--targets={tmp_path}/targets.json", f"--operators={','.join(OPERATORS)}", f"--out={out}"]
    command += [f"--cluster={address}"] if where == "cluster" else ["--jobs=2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 30
        while not list(out.glob(".measure/*-notes-*.json")) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 130, said
    assert "--resume" in said
    assert not (out / "measurement.json").exists()
    assert 0 < len(list(out.glob(".measure/*-notes-*.json"))) < len(_planned())
    assert measured(out, resume=True) == alone


def test_an_address_where_nobody_listens_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalnb.harness.executors._CONNECT_SECONDS", 1)
    with pytest.raises(ClusterProblem, match="no cluster answers at tcp://127"), cluster("tcp://127.0.0.1:9"):
        pass


def test_an_address_that_is_none_is_said_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    with (
        pytest.raises(ClusterProblem, match="no cluster answers at nonsense: missing port number"),
        cluster("nonsense"),
    ):
        pass
    gc.collect()
    assert time.monotonic() - started < 15
    assert "Traceback" not in capsys.readouterr().err


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
