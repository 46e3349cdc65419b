"""A service on loopback that speaks as OpenAI's does, and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Gives each request to the next answer; the last one serves all that follow."""

    protocol_version = "HTTP/1.1"
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append(json.loads(body))
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        answer(self)

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""

    def send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        # Some clients never close their connections themselves.
        self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def start_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_event(self, data: str) -> None:
        line = f"data: {data}\n\n".encode()
        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self.wfile.flush()

    def end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        self.close_connection = True
        self.wfile.flush()


class Service(ThreadingHTTPServer):
    """The server; `answers` is what a test sets."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.released = threading.Event()
        """Set at the end, for answers that hang."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of these tests."""


def chunk(text: str | None = None, finish: str | None = None, **extra: Any) -> str:
    """One chunk of a streamed reply."""
    delta = {} if text is None else {"content": text, "role": "assistant"}
    choices: list[Any] = (
        [] if "usage" in extra else [{"index": 0, "delta": delta, "finish_reason": finish}]
    )
    shell = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return json.dumps({**shell, "choices": choices, **extra})


USAGE = {
    "prompt_tokens": 11,
    "completion_tokens": 3,
    "total_tokens": 14,
    "prompt_tokens_details": {"cached_tokens": 4},
}


def replies(*texts: str, finish: str = "stop", usage: dict[str, Any] | None = USAGE) -> Answer:
    """A good answer."""

    def answer(handler: Handler) -> None:
        handler.start_stream()
        for text in texts:
            handler.send_event(chunk(text))
        handler.send_event(chunk(finish=finish))
        if usage is not None:
            handler.send_event(chunk(usage=usage))
        handler.send_event("[DONE]")
        handler.end_stream()

    return answer


def refuses(status: int, message: str = "no", **headers: str) -> Answer:
    """An error as OpenAI sends it."""

    def answer(handler: Handler) -> None:
        body = json.dumps({"error": {"message": message, "type": "t", "code": None}}).encode()
        handler.send(status, body, "application/json", **headers)

    return answer


def breaks_off(*texts: str) -> Answer:
    """A stream that ends with its connection."""

    def answer(handler: Handler) -> None:
        handler.start_stream()
        for text in texts:
            handler.send_event(chunk(text))
        handler.cut()

    return answer


def falls_silent(*texts: str) -> Answer:
    """A stream that stays open and brings nothing more."""

    def answer(handler: Handler) -> None:
        handler.start_stream()
        for text in texts:
            handler.send_event(chunk(text))
        handler.server.released.wait(30)
        handler.cut()

    return answer


def sends(body: bytes, kind: str, status: int = 200) -> Answer:
    """Something that is no stream of messages."""
    return lambda handler: handler.send(status, body, kind)


@pytest.fixture
def service() -> Iterator[Service]:
    """A running service."""
    server = Service()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def answers() -> Any:
    """The kinds of answers, by name."""
    return SimpleNamespace(
        replies=replies,
        refuses=refuses,
        breaks_off=breaks_off,
        falls_silent=falls_silent,
        sends=sends,
        chunk=chunk,
    )
