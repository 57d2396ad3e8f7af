"""The example's system answers over HTTP, refuses nonsense, forgets on request, and shows each planted defect."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from evalnb.corpus.triage.desk import DEFECTS
from evalnb.corpus.triage.system import serving

SMOKE = {
    "customer": "Iris Novak",
    "subject": "Charger",
    "message": "I left the bike in the hall over night and went to bed early. " * 3 + "Now there is smoke.",
    "channel": "phone",
}


@pytest.fixture
def desk() -> Iterator[httpx2.Client]:
    with serving() as server, client(server.port) as connection:
        yield connection


def client(port: int) -> httpx2.Client:
    return httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=10)


def test_a_ticket_is_filed_and_can_be_read_back(desk: httpx2.Client) -> None:
    opened = desk.post("/tickets", json=SMOKE).json()
    ticket = desk.get(f"/tickets/{opened['ticketId']}").json()["ticket"]
    assert (opened["team"], opened["priority"], opened["openTickets"]) == ("safety", "urgent", 7)
    assert {key: ticket[key] for key in SMOKE} == SMOKE


def test_restoring_forgets_what_was_filed(desk: httpx2.Client) -> None:
    desk.post("/tickets", json=SMOKE)
    assert desk.post("/desk/restore", json={"snapshot": "monday-morning"}).json()["openTickets"] == 6
    assert desk.get("/tickets/T-1047").status_code == 404


@pytest.mark.parametrize(
    "method,target,body,status",
    [
        pytest.param("GET", "/tickets?limit=many", None, 400, id="limit"),
        pytest.param("GET", "/tickets?status=lost", None, 400, id="status"),
        pytest.param("GET", "/tickets/1042", None, 400, id="reference"),
        pytest.param("GET", "/tickets/T-9999", None, 404, id="unknown ticket"),
        pytest.param("GET", "/tickets/T-1042/draft?tone=angry", None, 400, id="tone"),
        pytest.param("POST", "/tickets", SMOKE | {"subject": 42}, 400, id="subject"),
        pytest.param("POST", "/tickets", [SMOKE], 400, id="not an object"),
        pytest.param("POST", "/tickets", {}, 400, id="empty"),
        pytest.param("POST", "/desk/restore", {"snapshot": "last-year"}, 404, id="snapshot"),
        pytest.param("POST", "/tickets/T-1042", {}, 405, id="method"),
        pytest.param("GET", "/", None, 404, id="nothing there"),
    ],
)
def test_nonsense_is_refused_with_a_reason(
    desk: httpx2.Client, method: str, target: str, body: Any, status: int
) -> None:
    answer = desk.request(method, target, json=body)
    assert answer.status_code == status
    assert answer.json()["ok"] is False
    assert answer.json()["error"]


def test_a_body_that_is_not_json_is_refused(desk: httpx2.Client) -> None:
    assert desk.post("/tickets", content=b'{"customer":').json()["error"] == "the body is not JSON"


def test_an_overlong_body_is_refused(desk: httpx2.Client) -> None:
    assert desk.post("/tickets", content=b"x" * 70_000).status_code == 413


def late_hazard(desk: httpx2.Client) -> bool:
    return bool(desk.post("/tickets", json=SMOKE).json()["team"] != "safety")


def one_row_per_customer(desk: httpx2.Client) -> bool:
    listed = desk.get("/tickets", params={"status": "open"}).json()
    return len(listed["tickets"]) < listed["count"]


def invented_promise(desk: httpx2.Client) -> bool:
    return "I have refunded" in desk.get("/tickets/T-1044/draft").json()["reply"]


def stock_reply(desk: httpx2.Client) -> bool:
    return "T-1044" not in desk.get("/tickets/T-1044/draft").json()["reply"]


def acknowledge_only(desk: httpx2.Client) -> bool:
    opened = desk.post("/tickets", json=SMOKE).json()
    return bool(opened["ok"] and desk.get(f"/tickets/{opened['ticketId']}").status_code == 404)


SIGNS = {
    "late-hazard": late_hazard,
    "one-row-per-customer": one_row_per_customer,
    "invented-promise": invented_promise,
    "stock-reply": stock_reply,
    "acknowledge-only": acknowledge_only,
}


@pytest.mark.parametrize("build", [None, *DEFECTS])
def test_a_build_shows_its_own_defect_and_no_other(build: str | None) -> None:
    shown = []
    for defect, sign in SIGNS.items():
        with serving(build) as server, client(server.port) as connection:
            if sign(connection):
                shown.append(defect)
    assert shown == ([] if build is None else [build])
    assert set(SIGNS) == set(DEFECTS)


def test_an_unknown_defect_is_named() -> None:
    with pytest.raises(LookupError, match="no defect 'typo'; known: late-hazard"), serving("typo"):
        pass


def test_the_module_prints_its_port_and_serves() -> None:
    command = [sys.executable, "-m", "evalnb.corpus.triage.system", "--port", "0", "--defect", "stock-reply"]
    with subprocess.Popen([*command, "--clock", "2026-03-02T08:00:00Z"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with client(port) as connection:
                answer = connection.get("/tickets/T-1044/draft").json()
            assert answer["servedAt"].startswith("2026-03-02T08:")
            assert answer["reply"].startswith("Hello and thank you so much")
        finally:
            process.terminate()
