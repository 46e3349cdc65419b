"""Model services that do everything wrong: status 3, one sentence, and the session is kept."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Assay = Callable[..., Any]
Answer = Callable[[BaseHTTPRequestHandler], None]

HOSTILE = "\x1b]0;owned\x07 no such key"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A service on loopback that answers each request so; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def send(request: BaseHTTPRequestHandler, status: int, kind: str, body: bytes) -> None:
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def chunk(text: str) -> bytes:
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return b"data: " + json.dumps({"id": "1", "object": "chat.completion.chunk", **delta}).encode()


def html(request: BaseHTTPRequestHandler) -> None:
    send(request, 200, "text/html", b"<html><body>Welcome to nginx!</body></html>")


def unauthorized(request: BaseHTTPRequestHandler) -> None:
    error = {"error": {"message": HOSTILE, "code": "invalid_api_key"}}
    send(request, 401, "application/json", json.dumps(error).encode())


def busy(request: BaseHTTPRequestHandler) -> None:
    send(request, 429, "application/json", b'{"error": {"message": "slow down"}}')


def cut(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Type", "text/event-stream")
    request.end_headers()
    request.wfile.write(chunk("```python\nprint(") + b"\n\n")


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (html, "model_unreachable", "is not a model service"),
        (unauthorized, "model_refused", "did not accept the key"),
        (busy, "model_failed", "keeps refusing (429 Too Many Requests)"),
        (cut, "model_failed", "broke off its reply again and again"),
    ],
)
def test_a_service_that_answers_wrongly(assay: Assay, answer: Answer, kind: str, said: str) -> None:
    with serving(answer) as address:
        done = ask(assay, address)
    is_refused(assay, done, kind, said)
    assert "\x1b" not in done.err
    again = "again in" in done.err
    assert again == (kind == "model_failed")


def test_a_service_that_hangs(assay: Assay) -> None:
    is_over = threading.Event()

    def hang(_: BaseHTTPRequestHandler) -> None:
        is_over.wait(60)

    with serving(hang) as address:
        done = ask(assay, address, ASSAY_CALL_SILENCE="0.5")
        is_over.set()
    is_refused(assay, done, "model_silent", "has sent nothing for 0.5 seconds")


def test_an_address_where_nothing_answers(assay: Assay) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    done = ask(assay, f"http://127.0.0.1:{port}/v1")
    is_refused(assay, done, "model_unreachable", "cannot be reached")


def ask(assay: Assay, address: str, **env: str) -> Any:
    env = {"ASSAY_ALLOW_MODEL_CALLS": "true", "ASSAY_CALL_TRIES": "2", **env}
    return assay("ask", "Add.", "--model", "openai:m", "--base-url", address, "--json", env=env)


def is_refused(assay: Assay, done: Any, kind: str, said: str) -> None:
    assert done.status == 3, done.err
    assert said in done.sentence
    answer = done.json
    assert answer["error"]["kind"] == kind
    assert answer["status"] == "failed"
    shown = assay("show", answer["session"])
    assert shown.status == 0
    assert said in shown.out, "the session is kept, with what became of it"
