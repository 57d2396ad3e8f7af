"""The local corpus: a private reference reaches a file inside the root and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from evalnb.adapters.local_corpus import LocalCorpus
from evalnb.engine.faults import RuntimeFault
from evalnb.engine.port_seam import AbortController


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "corpus"
    (root / "a").mkdir(parents=True)
    (root / "a" / "b.json").write_bytes(b"inside")
    (root / "...").write_bytes(b"dots")
    (tmp_path / "secret.json").write_bytes(b"outside")
    (root / "out-link").symlink_to(tmp_path / "secret.json")
    (root / "in-link").symlink_to(root / "a" / "b.json")
    return root


def resolve(corpus: LocalCorpus, reference: str) -> bytes:
    answer = asyncio.run(corpus.resolve({"privateRef": reference}, AbortController().signal))
    assert answer.private_ref == reference
    return answer.bytes


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("a/b.json", b"inside"),
        ("./a/b.json", b"inside"),
        ("a//b.json", b"inside"),
        ("a/../a/b.json", b"inside"),
        ("...", b"dots"),
        ("in-link", b"inside"),
    ],
)
def test_a_reference_inside_the_root_resolves(root: Path, reference: str, found: bytes) -> None:
    assert resolve(LocalCorpus(root), reference) == found


@pytest.mark.parametrize("reference", ["/etc/hostname", "//x", "..", "../secret.json", "a/../../secret.json"])
def test_a_spelling_that_leaves_the_root_is_refused_unread(root: Path, reference: str) -> None:
    read: list[str] = []

    def mechanism(path: str) -> bytes:
        read.append(path)
        return b""

    with pytest.raises(RuntimeFault) as caught:
        resolve(LocalCorpus(root, mechanism), reference)
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "CorpusResolveRequest")
    assert reference in caught.value.detail
    assert read == []


def test_a_link_out_of_the_root_is_refused(root: Path) -> None:
    with pytest.raises(RuntimeFault) as caught:
        resolve(LocalCorpus(root), "out-link")
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "CorpusResolveRequest")


@pytest.mark.parametrize("reference", ["absent.json", "%2e%2e/secret.json", "..\\secret.json", "a"])
def test_an_unreadable_file_is_a_failed_answer(root: Path, reference: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        resolve(LocalCorpus(root), reference)
    assert (caught.value.code, caught.value.artifact_path) == ("port-failure", "CorpusResolveResponse")


@pytest.mark.parametrize("request_", [{}, {"privateRef": ""}, {"privateRef": "a", "more": 1}, None])
def test_a_request_of_another_shape_is_refused(root: Path, request_: object) -> None:
    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(LocalCorpus(root).resolve(request_, AbortController().signal))
    assert (caught.value.code, caught.value.artifact_path) == ("schema-parse-failure", "CorpusResolveRequest")


def test_an_aborted_signal_refuses_before_the_request_is_read(root: Path) -> None:
    controller = AbortController()
    controller.abort(KeyboardInterrupt())
    with pytest.raises(RuntimeFault) as caught:
        asyncio.run(LocalCorpus(root).resolve({}, controller.signal))
    assert (caught.value.code, caught.value.artifact_path) == ("aborted", "CorpusResolveRequest")
