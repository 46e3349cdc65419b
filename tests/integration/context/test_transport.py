from __future__ import annotations

import asyncio
import datetime as dt
import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from assay.context.addresses import ANY_ADDRESS
from assay.context.skipped import Unreadable

if TYPE_CHECKING:
    from tests.integration.context.conftest import Browser, Web

HOST = "docs.example"


class Names:
    """Stands in for the machine's resolver: each look-up of HOST takes the next answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
        self.asked = 0
        real = socket.getaddrinfo

        def getaddrinfo(host: Any, port: Any, *args: Any, **options: Any) -> Any:
            if host not in (HOST, HOST.encode()):
                return real(host, port, *args, **options)
            answer = answers[min(self.asked, len(answers) - 1)]
            self.asked += 1
            kind = socket.SOCK_STREAM
            return [(socket.AF_INET, kind, 6, "", (address, int(port))) for address in answer]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def test_the_connection_goes_to_the_address_that_was_checked(
    web: Web, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch, ["127.0.0.1"])
    web.text("/page", "here")
    fetcher = await browser.fetcher()
    assert (await fetcher.get(f"http://{HOST}:{web.port}/page")).content == b"here"
    assert web.requests[-1].headers["host"] == f"{HOST}:{web.port}"
    # Once for robots.txt and once for the page: nobody looked it up again to connect.
    assert names.asked == 2


async def test_a_name_that_changes_its_address_gains_nothing(
    web: Web, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    web.text("/page", "here")
    with pytest.raises(Unreadable, match=r"leads to 127\.0\.0\.2"):
        await (await browser.fetcher()).get(f"http://{HOST}:{web.port}/page")
    assert web.paths == ["/robots.txt"]


async def test_one_bad_address_among_good_ones_is_refused(
    web: Web, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, ["127.0.0.1", "127.0.0.2"])
    with pytest.raises(Unreadable, match=r"leads to 127\.0\.0\.2"):
        await (await browser.fetcher()).get(f"http://{HOST}:{web.port}/page")
    assert web.paths == []


async def test_the_next_address_is_tried_where_one_does_not_answer(
    web: Web, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    Names(monkeypatch, ["127.0.0.3", "127.0.0.1"])
    web.text("/page", "here")
    fetcher = await browser.fetcher(policy=ANY_ADDRESS)
    assert (await fetcher.get(f"http://{HOST}:{web.port}/page")).content == b"here"


async def test_a_proxy_is_used_after_the_host_was_checked(
    web: Web, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", web.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    fetcher = await browser.fetcher()
    web.text("http://unknown.invalid/page", "through the proxy")
    assert (await fetcher.get("http://unknown.invalid/page")).content == b"through the proxy"
    web.text("/page", "directly")
    assert (await fetcher.get(f"{web.url}/page")).content == b"directly"
    with pytest.raises(Unreadable, match="no public address"):
        await fetcher.get("http://127.0.0.2/page")


def certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    built = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / f"{name}.pem"
    path.write_bytes(private + built.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize(
    ("name", "trusted", "expected"),
    [
        (HOST, True, "here"),
        (HOST, False, "certificate verify failed"),
        ("other.example", True, "Hostname mismatch"),
    ],
)
async def test_certificates_are_checked_against_the_name(
    web: Web,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    trusted: bool,
    expected: str,
) -> None:
    Names(monkeypatch, ["127.0.0.1"])
    path = certificate(tmp_path, name)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    server = await asyncio.start_server(web.serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    web.text("/page", "here")
    fetcher = await browser.fetcher()
    try:
        answer = (await fetcher.get(f"https://{HOST}:{port}/page")).content.decode()
    except Unreadable as error:
        answer = str(error)
    assert expected in answer
    server.close()
