import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from chat import answer, choose
from client import Vectara
from websockets.sync.server import serve

CORPORA = {"corpora": [{"key": "docs_1", "name": "Docs"}, {"key": "faq_2", "name": "FAQ"}]}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        good = self.path == "/corpora" and self.headers["x-api-key"] == "secret"
        body = json.dumps(CORPORA if good else {}).encode()
        self.send_response(200 if good else 403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def talk(socket):
    asked = json.loads(socket.recv())
    for word in (asked["corpus_key"], ": ", asked["query"]):
        socket.send(json.dumps({"type": "text", "text": word}))
    socket.send(json.dumps({"type": "end"}))


@pytest.fixture(scope="module")
def vectara():
    rest = HTTPServer(("127.0.0.1", 0), Handler)
    live = serve(talk, "127.0.0.1", 0)
    servers = [threading.Thread(target=one.serve_forever, daemon=True) for one in (rest, live)]
    for server in servers:
        server.start()
    port = live.socket.getsockname()[1]
    yield Vectara("secret", f"http://127.0.0.1:{rest.server_port}", f"ws://127.0.0.1:{port}")
    rest.shutdown()
    live.shutdown()


def test_corpora_are_looked_up(vectara):
    assert vectara.corpora() == {"docs_1": "Docs", "faq_2": "FAQ"}
    assert vectara.find_corpus("faq") == "faq_2"
    with pytest.raises(KeyError):
        vectara.find_corpus("none")


def test_answers_come_in_pieces(vectara):
    async def pieces():
        return [piece async for piece in vectara.ask("docs_1", "what?")]

    assert asyncio.run(pieces()) == ["docs_1", ": ", "what?"]


def test_a_chat_shows_the_whole_answer(vectara):
    assert asyncio.run(answer(vectara, "faq_2", "why?")) == "faq_2: why?"


def test_a_corpus_is_chosen_by_number_or_name():
    names = {"docs_1": "Docs", "faq_2": "FAQ"}
    assert choose(names, "1") == "docs_1"
    assert choose(names, "2") == "faq_2"
    assert choose(names, "faq") == "faq_2"
    for wrong in ("0", "3", "none"):
        with pytest.raises(KeyError):
            choose(names, wrong)
