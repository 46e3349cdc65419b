"""Small weights, a hub that speaks as Hugging Face does, and a registry of wheels in a folder."""

from __future__ import annotations

import hashlib
import random
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.models.weights import State, Weights, weights_status
from assay.models.weights import pull as pull_weights

CONTENT = b"GGUF" + random.Random(1).randbytes(299_996)
PARTS = 2

TINY = Weights(
    name="tiny",
    title="Tiny",
    repository="makers/tiny-GGUF",
    revision="0123456789012345678901234567890123456789",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    context_tokens=1024,
    licence="Apache-2.0",
    source="us",
    part_name="tiny-part{}",
    part_version="1.0",
    parts=PARTS,
)
CATALOG = {"tiny": TINY}


class HubHandler(BaseHTTPRequestHandler):
    """HEAD with the file's hash and commit, GET with ranges, as huggingface_hub asks."""

    protocol_version = "HTTP/1.1"
    server: Hub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""

    def _answer(self, *, with_body: bool) -> None:
        hub = self.server
        hub.requests.append(f"{self.command} {self.headers.get('Range', '')}".strip())
        if self.path != f"/{TINY.repository}/resolve/{TINY.revision}/{TINY.file}":
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        body = hub.content[start:]
        self.send_response(206 if asked else 200)
        self.send_header("ETag", f'"{hub.etag}"')
        self.send_header("X-Repo-Commit", TINY.revision)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(body)))
        if asked:
            whole = len(hub.content)
            self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
        self.end_headers()
        if with_body:
            sent = body if hub.stops_at is None else body[: max(0, hub.stops_at - start)]
            self.wfile.write(sent)
            if len(sent) < len(body):
                hub.has_stopped.set()
                hub.may_go_on.wait(30)
                self.close_connection = True


class Hub(ThreadingHTTPServer):
    """The hub; a test sets what it serves and where it stops."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.content = CONTENT
        self.etag = TINY.sha256
        self.stops_at: int | None = None
        """The byte at which each connection ends."""
        self.has_stopped = threading.Event()
        self.may_go_on = threading.Event()
        """What a connection waits for before it ends."""
        self.may_go_on.set()
        self.requests: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is part of these tests."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub, and the library pointed at it."""
    from huggingface_hub import constants, file_download

    server = Hub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    point_library_at(server.url, monkeypatch)
    # The library keeps whole chunks only, of ten megabytes.
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 50_000)
    # It waits a second before it resumes.
    clock = SimpleNamespace(**{**vars(time), "sleep": lambda _: None})
    monkeypatch.setattr(file_download, "time", clock)
    yield server
    server.may_go_on.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that nobody reaches."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    point_library_at(f"http://127.0.0.1:{port}", monkeypatch)


def point_library_at(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what HF_ENDPOINT does, which is read when the library is imported."""
    from huggingface_hub import constants

    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "ENDPOINT", url)


Publish = Callable[..., Path]


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all that pip sees, with every part in it."""
    folder = tmp_path / "registry"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    size = -(-len(CONTENT) // PARTS)
    for number in range(1, PARTS + 1):
        publish(folder, number, {number: CONTENT[(number - 1) * size : number * size]})
    return folder


def publish(folder: Path, package: int, pieces: dict[int, bytes]) -> Path:
    """Make the wheel of one part."""
    name, version = f"tiny_part{package}", "1.0"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('it was imported')")
        for number, data in pieces.items():
            archive.writestr(f"{name}/data/part{number:02}.bin", data)
        archive.writestr(
            f"{about}/METADATA",
            f"Metadata-Version: 2.1\nName: tiny-part{package}\nVersion: {version}\n",
        )
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")
    return wheel


@pytest.fixture(name="publish")
def publish_fixture() -> Publish:
    """The making of a wheel."""
    return publish


@pytest.fixture
def tiny() -> Weights:
    """The small weights."""
    return TINY


@pytest.fixture
def content() -> bytes:
    """What the file of the small weights holds."""
    return CONTENT


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache folder of the test's own."""
    return tmp_path / "cache"


@pytest.fixture
def pull(cache: Path) -> Callable[..., Path]:
    """Pulls the small weights into the cache folder."""
    return lambda on_progress=lambda *_: None: pull_weights("tiny", cache, on_progress, CATALOG)


@pytest.fixture
def state(cache: Path) -> Callable[[], State]:
    """Says how far the small weights are in the cache folder."""

    def state_of_tiny() -> State:
        (status,) = weights_status(cache, CATALOG)
        return status.state

    return state_of_tiny
