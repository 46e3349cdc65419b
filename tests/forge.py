"""GitHub as a small server with a memory; what it is asked and answers is GitHub's own language."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.github_description import Description, description

TOKEN = "ghp_planted0123456789secret"


@dataclass
class Fault:
    """What goes wrong at one request."""

    method: str
    path: str
    """What it ends with."""
    status: int | None = None
    """None: the connection is cut."""
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = field(default_factory=lambda: {"message": "No."})
    does_it: bool = False
    """Whether the work is done all the same: then only the answer is lost."""


@dataclass
class Forge:
    """Everything that the server remembers."""

    url: str
    described: Description
    gists: list[dict[str, Any]] = field(default_factory=list)
    refs: dict[str, str] = field(default_factory=lambda: {"main": "c0"})
    commits: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {"c0": {"message": "first", "tree": "t0", "parents": []}}
    )
    trees: dict[str, dict[str, tuple[str, str]]] = field(
        default_factory=lambda: {"t0": {"run.sh": ("100755", "echo"), "README": ("100644", "hi")}}
    )
    pulls: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    after: Callable[[str], None] = lambda method: None
    """Called with a request's method when its work is done, and before it is answered."""
    wrong: list[str] = field(default_factory=list)
    """What was not in GitHub's language."""

    def will(self, method: str, path: str, status: int | None, **more: Any) -> None:
        """Let something go wrong at the next request of a kind."""
        self.faults.append(Fault(method, path, status, **more))

    def fault(self, method: str, path: str) -> Fault | None:
        for number, one in enumerate(self.faults):
            if one.method == method and path.endswith(one.path):
                return self.faults.pop(number)
        return None

    def do(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """Do what is asked; gives the status and the answer's own fields."""
        parts = path.strip("/").split("/")
        match method, parts:
            case "GET", ["gists"]:
                first = (int(query["page"]) - 1) * int(query["per_page"])
                return 200, self.gists[first : first + int(query["per_page"])]
            case "POST", ["gists"]:
                if any(not one["content"].strip() for one in body["files"].values()):
                    return 422, {"message": "Validation Failed", "errors": [{"code": "missing"}]}
                number = len(self.gists) + 1
                gist = {
                    "id": f"g{number}",
                    "html_url": f"https://gist.github.example/g{number}",
                    "description": body["description"],
                    "public": body.get("public", False),
                    "files": {
                        name: {"filename": name, "size": len(one["content"])}
                        for name, one in body["files"].items()
                    },
                }
                self.gists.insert(0, gist)
                return 201, gist
            case "GET", ["repos", "me", "it"]:
                return 200, {"default_branch": "main"}
            case "GET", ["repos", "me", "it", "git", "ref", "heads", *name]:
                branch = unquote("/".join(name))
                return (200, self._ref(branch)) if branch in self.refs else (404, _NOTHING)
            case "GET", ["repos", "me", "it", "git", "commits", sha]:
                return 200, self._commit(sha)
            case "GET", ["repos", "me", "it", "git", "trees", sha]:
                return 200, self._tree(sha)
            case "POST", ["repos", "me", "it", "git", "trees"]:
                files = dict(self.trees[body["base_tree"]])
                files |= {one["path"]: (one["mode"], one["content"]) for one in body["tree"]}
                return 201, self._tree(self._keep(self.trees, "t", files))
            case "POST", ["repos", "me", "it", "git", "commits"]:
                return 201, self._commit(self._keep(self.commits, "c", body))
            case "POST", ["repos", "me", "it", "git", "refs"]:
                branch = body["ref"].removeprefix("refs/heads/")
                if branch in self.refs:
                    return 422, {"message": "Reference already exists"}
                self.refs[branch] = body["sha"]
                return 201, self._ref(branch)
            case "GET", ["repos", "me", "it", "pulls"]:
                head = query["head"].removeprefix("me:")
                return 200, [one for one in self.pulls if one["_head"] == head]
            case "POST", ["repos", "me", "it", "pulls"]:
                if any(one["_head"] == body["head"] for one in self.pulls):
                    return 422, {"message": "A pull request already exists"}
                number = len(self.pulls) + 1
                address = f"https://github.example/me/it/pull/{number}"
                pull = {"html_url": address, "number": number, "_head": body["head"], **body}
                self.pulls.append(pull)
                return 201, pull
        return 404, _NOTHING

    @staticmethod
    def _keep(kept: dict[str, Any], letter: str, value: Any) -> str:
        for sha, one in kept.items():
            if one == value:
                return sha
        sha = f"{letter}{len(kept)}"
        kept[sha] = value
        return sha

    def _ref(self, branch: str) -> dict[str, Any]:
        sha = self.refs[branch]
        target = {"type": "commit", "sha": sha.rjust(40, "0"), "url": self.url}
        return {"ref": f"refs/heads/{branch}", "node_id": "n", "url": self.url, "object": target}

    def _commit(self, sha: str) -> dict[str, Any]:
        commit = self.commits[sha.lstrip("0")]
        tree = {"sha": str(commit["tree"]), "url": self.url}
        return {"sha": sha.lstrip("0"), "message": commit["message"], "tree": tree}

    def _tree(self, sha: str) -> dict[str, Any]:
        entries = [
            {"path": path, "mode": mode, "type": "blob", "sha": "b0", "url": self.url, "size": 1}
            for path, (mode, _) in self.trees[sha].items()
        ]
        return {"sha": sha, "url": self.url, "truncated": False, "tree": entries}


_NOTHING = {"message": "Not Found"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    forge: Forge

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""

    def do_GET(self) -> None:
        self._serve("GET", None)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self._serve("POST", json.loads(self.rfile.read(length)))

    def _serve(self, method: str, body: Any) -> None:
        forge, address = self.forge, urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        try:
            forge.described.check_request(method, unquote(address.path), query, body)
        except AssertionError as error:
            forge.wrong.append(str(error))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            echo = str(self.headers.get("Authorization"))
            return self._answer(401, {"message": f"Bad credentials: {echo}"}, {})
        fault = forge.fault(method, address.path)
        if fault is None or fault.does_it:
            status, answer = forge.do(method, address.path, query, body)
            forge.after(method)
            if fault is None:
                whole = self._whole(method, unquote(address.path), status, answer)
                return self._answer(status, whole, {})
        if fault.status is None:
            self.close_connection = True
            self.connection.shutdown(2)
            return None
        return self._answer(fault.status, fault.body, fault.headers)

    def _whole(self, method: str, path: str, status: int, answer: Any) -> Any:
        """An answer with all that GitHub's has; held against its description."""
        described = self.forge.described
        schema = described.answer_schema(method, path, status)
        if schema is None:
            return answer
        if isinstance(answer, list):
            items = described.resolved(schema)["items"]
            whole: Any = [described.instance_of(items, **_shown(one)) for one in answer]
        else:
            whole = described.instance_of(schema, **_shown(answer))
        try:
            described.check_answer(method, path, status, whole)
        except AssertionError as error:
            self.forge.wrong.append(f"the server's own answer: {error}")
        return whole

    def _answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """A client that has gone is no error of a test's."""


def _shown(fields: dict[str, Any]) -> dict[str, Any]:
    hidden = ("head", "base")
    return {
        name: value
        for name, value in fields.items()
        if not name.startswith("_") and name not in hidden
    }


@contextmanager
def serve() -> Iterator[Forge]:
    """A server on loopback; whatever was not in GitHub's language fails at its end."""

    class Own(Handler):
        pass

    server = Server(("127.0.0.1", 0), Own)
    Own.forge = Forge(f"http://127.0.0.1:{server.server_port}", description())
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Own.forge
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert not Own.forge.wrong
