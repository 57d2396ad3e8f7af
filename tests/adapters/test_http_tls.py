"""TLS of the HTTP adapter: the certificate is checked against the name, whatever address was dialled."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from pathlib import Path
from typing import Any

import pytest

from evalnb.adapters.http_probe import HttpAdapter
from evalnb.engine.faults import RuntimeFault
from tests.adapters.http_server import Names, ScriptedServer, authorization, fault_of, policy, probe

x509 = pytest.importorskip("cryptography.x509", reason="certificates for the test server need cryptography")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate of orders.test, with its key in the same file."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "orders.test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("orders.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "orders.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


def run(certificate: Path, host: str, **connection: Any) -> tuple[Any, list[str | None]]:
    """What a probe of `host` over TLS gives, and the names the server was asked for."""
    names: list[str | None] = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    tls.sni_callback = lambda socket, name, context: names.append(name)

    async def main() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # a refused handshake is expected
        async with ScriptedServer({}, tls=tls) as server:
            entry = authorization(server.port, scheme="https", host=host)
            made = HttpAdapter(policy(entry, **connection), resolve=Names())
            try:
                return await probe(made)
            except RuntimeFault:
                return await fault_of(made)

    return asyncio.run(main()), names


@pytest.mark.parametrize("host", ["orders.test", "orders.test.", "ORDERS.test"])
def test_the_name_is_what_tls_is_about(certificate: Path, host: str) -> None:
    observed, names = run(certificate, host, caFile=str(certificate))
    assert observed["status"] == 200
    assert names == ["orders.test"]


@pytest.mark.parametrize(("host", "trusted"), [("other.test", True), ("orders.test", False)])
def test_a_certificate_of_another_name_or_issuer_is_refused(certificate: Path, host: str, trusted: bool) -> None:
    fault, names = run(certificate, host, **({"caFile": str(certificate)} if trusted else {"redirects": "follow"}))
    assert (fault.code, fault.artifact_path) == ("port-failure", "ProbeObservation")
    assert "certificate" in fault.detail.lower()
    assert set(names) == {host}
