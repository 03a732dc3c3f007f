"""A service on the loopback interface that speaks the Responses API, and a check of everything it was sent."""

from __future__ import annotations

import itertools
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

_numbers = itertools.count(1)


def compact(value: object) -> str:
    """Write JSON as the service writes it and the client must send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def call(name: str, arguments: object = None, **more: object) -> dict[str, Any]:
    """Make an item that calls a function; arguments may be a text, which is sent as it is."""
    number = next(_numbers)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=number % 2 == 0)
    # In an order, and with a field, that no client would make up.
    return {
        "status": "completed",
        "call_id": f"call_{number}",
        "x_unknown": {"b": 1, "a": [None, 1.5, "é ☃"]},
        "name": name,
        "type": "function_call",
        "arguments": text,
        "id": f"fc_{number}",
        **more,
    }


def reasoning() -> dict[str, Any]:
    """Make an item of reasoning that only the service can read."""
    number = next(_numbers)
    return {
        "type": "reasoning",
        "id": f"rs_{number}",
        "encrypted_content": f"gAAAA/{number}+==\u2028é",
        "summary": [],
        "content": None,
        "unheard_of": True,
    }


def prose(text: str) -> dict[str, Any]:
    """Make an item that only talks."""
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {
        "id": f"msg_{next(_numbers)}",
        "role": "assistant",
        "type": "message",
        "content": content,
        "status": "completed",
    }


@dataclass
class Reply:
    """What the service answers once: by default a whole response with some items."""

    items: Sequence[dict[str, Any]] = ()
    status: str = "completed"
    more: dict[str, Any] = field(default_factory=dict)
    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    drop: str = ""  # "before" anything, "within" the body, or "late": the client will not have waited
    pause: float = 0.0  # between pieces of the body


@dataclass
class Request:
    """What the service was sent."""

    session: str
    headers: dict[str, str]
    raw: bytes
    body: dict[str, Any]
    reply: Reply


Model = Callable[[int, list[dict[str, Any]]], Reply | Sequence[dict[str, Any]]]
"""Gives an answer for the number of the turn, from 1, and the conversation."""


class Service:
    """The service. ``model`` decides what it answers; what it was sent is in ``requests``."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                service.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 512
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # the client has gone

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["Content-Length"]))
        body = json.loads(raw)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        session = headers.get("x-session-affinity", "")
        assert handler.path == "/v1/responses"
        turn = sum(1 for item in body["input"] if item.get("role") == "user")
        answered = self.model(turn, body["input"])
        reply = answered if isinstance(answered, Reply) else Reply(answered)
        with self._lock:
            self.requests.append(Request(session, headers, raw, body, reply))
        if reply.drop == "before":
            # A reset, not an orderly end.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            handler.close_connection = True
            return
        response = {
            "id": f"resp_{next(_numbers)}",
            "object": "response",
            "created_at": 1,
            "status": reply.status,
            "model": body["model"],
            "output": list(reply.items),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            **reply.more,
        }
        try:
            written = compact(response).encode()
        except UnicodeEncodeError:  # lone surrogates can only be written as escapes
            written = json.dumps(response).encode()
        payload = written if reply.body is None else reply.body
        handler.send_response(reply.code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(payload)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if reply.drop == "within":
            handler.wfile.write(payload[: len(payload) // 2])
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        if reply.pause:
            step = max(1, len(payload) // 5)
            for start in range(0, len(payload), step):
                handler.wfile.write(payload[start : start + step])
                handler.wfile.flush()
                time.sleep(reply.pause)
        else:
            handler.wfile.write(payload)

    def sessions(self) -> dict[str, list[Request]]:
        found: dict[str, list[Request]] = {}
        for request in self.requests:
            found.setdefault(request.session, []).append(request)
        return found

    def check_contract(self) -> None:
        """Check every request against the contract."""
        for session, requests in self.sessions().items():
            assert len(session) >= 32
            fixed = None
            answered: list[Reply] = []
            for request in requests:
                expected_input = check_conversation(request, answered)
                piece = f'"input":{expected_input}'.encode()
                assert request.raw.count(piece) == 1, "items are not echoed byte for byte"
                rest = request.raw.replace(piece, b"")
                assert fixed in (None, rest), "something else than the input has changed"
                fixed = rest
                body = request.body
                assert set(body) == {
                    "model", "instructions", "tools", "input", "store", "include", "max_output_tokens", "reasoning",
                    "sid",
                }  # fmt: skip
                assert body["store"] is False
                assert body["include"] == ["reasoning.encrypted_content"]
                assert body["max_output_tokens"] == 4096
                assert set(body["reasoning"]) == {"effort"}
                assert set(body["sid"]) == {"tool_examples", "reward"}
                assert {example["name"] for example in body["sid"]["tool_examples"]} == {
                    t["name"] for t in body["tools"]
                }
                if request.reply.code == 200 and not request.reply.drop and request.reply.body is None:
                    answered.append(request.reply)


def check_conversation(request: Request, answered: Sequence[Reply]) -> str:
    """Check that the input is the question, and each response with its answers; give it as it must be written."""
    rest = list(request.body["input"])
    written = [compact(rest.pop(0))]
    for reply in answered:
        # Items are echoed as they were, but for what UTF-8 cannot say.
        items = [json.loads(re.sub("[\ud800-\udfff]", "\ufffd", compact(item))) for item in reply.items]
        for item in items:
            assert rest.pop(0) == item
            written.append(compact(item))
        for item in items:
            if item["type"] != "function_call":
                continue
            output = rest.pop(0)
            assert set(output) == {"type", "call_id", "output"}
            assert (output["type"], output["call_id"]) == ("function_call_output", item["call_id"])
            assert isinstance(output["output"], str)
            written.append(compact(output))
        message = rest.pop(0)
        assert set(message) == {"role", "content"}
        assert message["role"] == "user"
        written.append(compact(message))
    assert not rest
    return f"[{','.join(written)}]"


def scripted(model: Model, *, asynchronous: bool = False) -> Any:
    """Give a client of no service: its responses are a model's turns, numbered from 1."""
    turns = itertools.count(1)

    def create(**request: Any) -> dict[str, Any]:
        return {"output": model(next(turns), request["input"])}

    async def acreate(**request: Any) -> dict[str, Any]:
        return create(**request)

    return SimpleNamespace(responses=SimpleNamespace(create=acreate if asynchronous else create))


@contextmanager
def serving(model: Model) -> Iterator[Service]:
    """Run a service, and check at the end all that it was sent."""
    service = Service(model)
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()
        thread.join()
    service.check_contract()
