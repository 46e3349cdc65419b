"""A stand-in for OpenAI's API, for code that calls a model to be run without one.

Runs inside the sandbox as `python openai.py PROGRAM ARGUMENTS…`: listens on the sandbox's own
loopback, tells the program by environment variables where, and becomes the program. Its answers
are made up from the request alone, the same each time. Standard library only.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import struct
import sys
from typing import Any

Json = dict[str, Any]

CREATED = 1_700_000_000
DIMENSIONS = 1536


def main() -> None:
    """Listen, leave the serving to a process of its own, and become the program."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    # Twice forked, so that the program does not find a child that it did not make.
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            serve(listener)
        os._exit(0)
    os.waitpid(child, 0)
    listener.close()
    os.environ.setdefault("OPENAI_API_KEY", "sk-stand-in")
    os.environ["OPENAI_BASE_URL"] = os.environ["OPENAI_API_BASE"] = url
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 - the command is the user's program


def serve(listener: socket.socket) -> None:
    """Answer until the run ends. Callers that come before wait in the listener's queue."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    if channel := os.environ.get("ASSAY_CHANNEL"):
        os.close(int(channel))
    # Imported here, beside the program that starts already.
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.split("?")[0].removeprefix("/v1")
            if path == "/models":
                self.send({"object": "list", "data": [model("stand-in")]})
            elif path.startswith("/models/"):
                self.send(model(path.removeprefix("/models/")))
            else:
                self.send(error(f"There is no {self.path}."), status=404)

        def do_POST(self) -> None:
            answer = ANSWERS.get(self.path.split("?")[0].removeprefix("/v1"))
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if answer is None:
                self.send(error(f"There is no {self.path}."), status=404)
                return
            try:
                request = json.loads(body)
                whole, pieces = answer(request)
            except (ValueError, TypeError, KeyError, AttributeError) as problem:
                self.send(error(f"The request cannot be read: {problem!r}"), status=400)
                return
            if request.get("stream") and pieces:
                self.stream(pieces)
            else:
                self.send(whole)

        def send(self, content: Json, status: int = 200) -> None:
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def stream(self, pieces: list[Json]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for piece in pieces:
                if "type" in piece:
                    self.wfile.write(f"event: {piece['type']}\n".encode())
                self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing: stdout and stderr are the program's."""

    server = ThreadingHTTPServer(listener.getsockname(), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.serve_forever()


def error(message: str) -> Json:
    """An error as the API gives it."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def model(name: str) -> Json:
    """A model as the API lists it."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "stand-in"}


def chat(request: Json) -> tuple[Json, list[Json]]:
    """`/chat/completions`: text, JSON of the wanted form, or the call that is demanded."""
    asked = text_of(request["messages"][-1].get("content")) if request["messages"] else ""
    called = demanded_tool(request)
    message: Json = {"role": "assistant", "content": None, "refusal": None}
    if called:
        arguments = json.dumps(example(called.get("parameters") or {}))
        call = {"name": called["name"], "arguments": arguments}
        message["tool_calls"] = [{"id": "call_0", "type": "function", "function": call}]
        deltas: list[Json] = [{"tool_calls": [{"index": 0, **message["tool_calls"][0]}]}]
    else:
        message["content"] = reply(asked, request.get("response_format"))
        deltas = [{"content": word} for word in words(message["content"])]
    finish = "tool_calls" if called else "stop"
    used = usage(asked, message["content"] or "", "prompt_tokens", "completion_tokens")
    head = {"id": "chatcmpl-0", "created": CREATED, "model": request.get("model", "stand-in")}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": used}
    chunk = {**head, "object": "chat.completion.chunk"}
    pieces: list[Json] = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in [
            ({"role": "assistant", "content": ""}, None),
            *((delta, None) for delta in deltas),
            ({}, finish),
        ]
    ]
    if (request.get("stream_options") or {}).get("include_usage"):
        pieces.append({**chunk, "choices": [], "usage": used})
    return whole, pieces


def completion(request: Json) -> tuple[Json, list[Json]]:
    """`/completions`."""
    prompts = request["prompt"] if isinstance(request["prompt"], list) else [request["prompt"]]
    texts = [reply(text_of(prompt), None) for prompt in prompts]
    head = {"id": "cmpl-0", "object": "text_completion", "created": CREATED}
    head["model"] = request.get("model", "stand-in")
    ending = {"logprobs": None, "finish_reason": "stop"}
    choices = [{"index": i, "text": text, **ending} for i, text in enumerate(texts)]
    used = usage(str(prompts), " ".join(texts), "prompt_tokens", "completion_tokens")
    return {**head, "choices": choices, "usage": used}, [{**head, "choices": choices}]


def response(request: Json) -> tuple[Json, list[Json]]:
    """`/responses`."""
    given = request["input"]
    asked = given if isinstance(given, str) else text_of(given[-1].get("content"))
    form = (request.get("text") or {}).get("format")
    said = reply(asked, form)
    part: Json = {"type": "output_text", "text": said, "annotations": []}
    item: Json = {"id": "msg_0", "type": "message", "role": "assistant", "status": "completed"}
    item["content"] = [part]
    whole = {
        "id": "resp_0",
        "object": "response",
        "created_at": CREATED,
        "status": "completed",
        "model": request.get("model", "stand-in"),
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "usage": {
            **usage(asked, said, "input_tokens", "output_tokens"),
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
    unfinished = {**whole, "status": "in_progress", "output": [], "usage": None}
    place = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
    started = {**item, "status": "in_progress", "content": []}
    events: list[Json] = [
        {"type": "response.created", "response": unfinished},
        {"type": "response.output_item.added", "output_index": 0, "item": started},
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": word, "logprobs": []}
            for word in words(said)
        ),
        {"type": "response.output_text.done", **place, "text": said, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": i} for i, event in enumerate(events)]


def embeddings(request: Json) -> tuple[Json, list[Json]]:
    """`/embeddings`: a vector of length one for each input, told by a hash of it."""
    given = request["input"]
    one = isinstance(given, str) or (given and isinstance(given[0], int))
    data: list[Json] = []
    for index, text in enumerate([given] if one else given):
        vector = embed(json.dumps(text), int(request.get("dimensions") or DIMENSIONS))
        packed = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
        value = packed if request.get("encoding_format") == "base64" else vector
        data.append({"object": "embedding", "index": index, "embedding": value})
    used = usage(json.dumps(given), "", "prompt_tokens", "completion_tokens")
    del used["completion_tokens"]
    name = request.get("model", "stand-in")
    return {"object": "list", "data": data, "model": name, "usage": used}, []


ANSWERS = {
    "/chat/completions": chat,
    "/completions": completion,
    "/responses": response,
    "/embeddings": embeddings,
}


def reply(asked: str, form: Json | None) -> str:
    """What the stand-in says: a sentence, or JSON where the request wants that."""
    kind = (form or {}).get("type")
    if form and kind == "json_schema":
        return json.dumps(example((form.get("json_schema") or form).get("schema") or {}))
    if kind == "json_object":
        return json.dumps({"reply": "This is a stand-in's reply."})
    return f"This is a stand-in's reply to: {asked[:200]}"


def demanded_tool(request: Json) -> Json | None:
    """The function that the request demands a call of; a mere offer of tools is not taken."""
    functions: list[Json] = [tool["function"] for tool in request.get("tools") or []]
    choice = request.get("tool_choice")
    if choice in ("required", "any") and functions:
        return functions[0]
    if isinstance(choice, dict) and "function" in choice:
        return next((f for f in functions if f["name"] == choice["function"]["name"]), None)
    return None


def example(schema: Json, definitions: Json | None = None, depth: int = 0) -> Any:
    """The plainest value that a JSON schema allows."""
    known = {**(definitions or {}), **schema.get("$defs", {})}
    if depth > 20:
        return None
    if "$ref" in schema:
        return example(known.get(schema["$ref"].rpartition("/")[2], {}), known, depth + 1)
    if given := [schema[key] for key in ("const", "default") if key in schema]:
        return given[0]
    if schema.get("enum"):
        return schema["enum"][0]
    if parts := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return example(parts[0], known, depth + 1)
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {k: example(v, known, depth + 1) for k, v in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(schema.get("items", {}), known, depth + 1)] * schema.get("minItems", 1)
    plain: Json = {"integer": 1, "number": 1.0, "boolean": True, "null": None}
    if kind in ("integer", "number"):
        return schema.get("minimum", plain[kind])
    return plain.get(kind, "stand-in")


def embed(text: str, dimensions: int) -> list[float]:
    """A vector that only equal texts share."""
    values = [byte / 127.5 - 1 for byte in hashlib.shake_128(text.encode()).digest(dimensions)]
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return [value / length for value in values]


def text_of(content: Any) -> str:
    """The text of a message's content, which may come in parts."""
    if isinstance(content, list):
        return " ".join(text_of(p.get("text")) if isinstance(p, dict) else str(p) for p in content)
    return content if isinstance(content, str) else ""


def words(text: str) -> list[str]:
    """Cut for streaming."""
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


def usage(asked: str, said: str, asked_name: str, said_name: str) -> Json:
    """Counts of tokens, taking four characters for one."""
    given, made = len(asked) // 4 + 1, len(said) // 4 + 1
    return {asked_name: given, said_name: made, "total_tokens": given + made}


if __name__ == "__main__":
    main()
