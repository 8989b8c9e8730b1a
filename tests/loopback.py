"""A model server on the loopback that answers as it is told: whole or streamed, n at a time, and broken in every way.

It speaks /v1/chat/completions and /v1/completions like vLLM, with token ids and log probabilities where asked for.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
Reply = Callable[[Body, int], str]  # (request, number of the choice) -> text


@dataclass
class Act:
    """One answer. `head` and `tail` are raw bytes that replace the ordinary ones; `hold` is waited for."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    message: Body = field(default_factory=dict)  # joined to every message
    raw: bytes | None = None  # the whole answer, as it is
    cut_after: int | None = None  # events; then the connection is closed
    hold: threading.Event | None = None  # before the first byte
    head: threading.Event | None = None  # a byte of the headers now and then until it is set
    notes: threading.Event | None = None  # a whole interim answer now and then until it is set
    trickle: threading.Event | None = None  # a byte of the body now and then until it is set
    error: str = ""


@dataclass
class Loopback:
    """What the server was asked, and where it listens. `acts` are taken in turn; the last one stays."""

    reply: Reply
    acts: list[Act]
    url: str = ""
    asked: list[Body] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)  # the Authorization header of each request
    left: int = 0  # answers that the client did not wait for
    turn: threading.Lock = field(default_factory=threading.Lock)

    def act(self, path: str, body: Body) -> Act:
        with self.turn:
            self.paths.append(path)
            self.asked.append(body)
            return self.acts[min(len(self.asked), len(self.acts)) - 1]


def tokens(text: str) -> list[int]:
    """Return made-up token ids: one for every word with the space before it."""
    return [sum(word.encode()) % 997 for word in text.split(" ")]


@contextmanager
def loopback(reply: Reply | str, *acts: Act) -> Iterator[Loopback]:
    """Serve until the end of the block."""
    said: Reply = (lambda _body, _n: reply) if isinstance(reply, str) else reply
    endpoint = Loopback(said, list(acts) or [Act()])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.keys.append(self.headers["Authorization"])
            act = endpoint.act(self.path, body)
            try:
                self._answer(body, act)
            except (BrokenPipeError, ConnectionResetError):
                endpoint.left += 1
                self.close_connection = True

        def _answer(self, body: Body, act: Act) -> None:
            if act.hold is not None:
                act.hold.wait(30)
            if act.head is not None:
                self._send(b"HTTP/1.1 200 OK\r\nX-Pad: ")
                self._again(b"a", act.head)
            elif act.notes is not None:
                self._again(b"HTTP/1.1 103 Early Hints\r\n\r\n", act.notes)
            elif act.raw is not None:
                self._whole(act, act.raw)
            elif act.status != 200:
                self._whole(
                    act, json.dumps({"error": {"message": act.error or f"status {act.status}"}}).encode()
                )
            elif body.get("stream"):
                self._events(body, act)
            else:
                self._whole(act, json.dumps(_document(body, act, endpoint.reply)).encode())

        def _whole(self, act: Act, data: bytes) -> None:
            self.send_response(act.status)
            for name, value in {"Content-Type": "application/json", **act.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _events(self, body: Body, act: Act) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            if act.trickle is not None:
                self._again(b":", act.trickle)
                return
            for count, event in enumerate(_stream(body, act, endpoint.reply)):
                if count == act.cut_after:
                    return
                self._send(b"data: " + json.dumps(event).encode() + b"\n\n")
            self._send(b"data: [DONE]\n\n")

        def _again(self, data: bytes, end: threading.Event) -> None:
            self.close_connection = True
            while not end.wait(0.02):
                self._send(data)

        def _send(self, data: bytes) -> None:
            self.wfile.write(data)
            self.wfile.flush()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def _chosen(body: Body, act: Act, reply: Reply) -> list[tuple[str, str]]:
    """Return text and end of every choice; a text longer than the limit is cut there."""
    most = body.get("max_tokens") or 1 << 30
    found = []
    for number in range(body.get("n") or 1):
        words = reply(body, number).split(" ")
        found.append((" ".join(words[:most]), "length" if len(words) > most else act.finish))
    return found


def _usage(body: Body, texts: list[str]) -> Body:
    prompt = body.get("prompt") or " ".join(m["content"] for m in body["messages"])
    asked, said = len(tokens(prompt)), sum(len(tokens(text)) for text in texts)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _extras(body: Body, text: str) -> Body:
    """Return ids and log probabilities of a piece, in the form of the route."""
    found: Body = {}
    ids = tokens(text)
    if body.get("return_token_ids"):
        found["token_ids"] = ids
    if body.get("logprobs") is True:
        found["logprobs"] = {"content": [{"token": "", "logprob": -0.5} for _ in ids]}
    elif "logprobs" in body:
        found["logprobs"] = {"token_logprobs": [-0.5 for _ in ids]}
    return found


def _document(body: Body, act: Act, reply: Reply) -> Body:
    chosen = _chosen(body, act, reply)
    choices = []
    for index, (text, finish) in enumerate(chosen):
        said = (
            {"text": text}
            if "prompt" in body
            else {"message": {"role": "assistant", "content": text, **act.message}}
        )
        choices.append({"index": index, "finish_reason": finish, **said, **_extras(body, text)})
    usage = _usage(body, [text for text, _ in chosen])
    return {"id": "1", "model": body["model"], "choices": choices, "usage": usage}


def _stream(body: Body, act: Act, reply: Reply) -> Iterator[Body]:
    chosen = _chosen(body, act, reply)
    for index, (text, finish) in enumerate(chosen):
        words = text.split(" ")
        for number, word in enumerate(words):
            piece = word if number == 0 else f" {word}"
            said = {"text": piece} if "prompt" in body else {"delta": {"content": piece, **act.message}}
            ids = _extras(body, word)
            yield {
                "model": body["model"],
                "choices": [{"index": index, "finish_reason": None, **said, **ids}],
            }
        empty = {"text": ""} if "prompt" in body else {"delta": {}}
        yield {"model": body["model"], "choices": [{"index": index, "finish_reason": finish, **empty}]}
    yield {"model": body["model"], "choices": [], "usage": _usage(body, [text for text, _ in chosen])}
