"""An OpenAI-compatible endpoint on the loopback that waits for replies written by hand.

While a reply is waited for, the connection is kept alive by bytes that mean nothing: comments of a stream, white space
before a document. Other pages' scripts in a browser are kept out: only JSON, only with a loopback's name as host.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from akgen.desk.folder import DeskFolder, DeskRequest
from akgen.tools.core.outcome import InfraError, InputError
from akgen.tools.core.untrusted import MOST_BYTES, JsonRefused, parse_json

HERE = "127.0.0.1"
MODEL = "desk"  # the name under which clients may ask; any other works as well
LOOK_EVERY_S = 0.25
ALIVE_EVERY_S = 5.0
_HOSTS = (HERE, "localhost")


class DeskServer(ThreadingHTTPServer):
    """Serves one folder. Raises InfraError if the port cannot be had; port 0 takes any."""

    daemon_threads = True

    def __init__(self, folder: DeskFolder, port: int) -> None:
        self.folder = folder
        self.ended = threading.Event()
        try:
            super().__init__((HERE, port), _Handler)
        except OSError as problem:
            raise InfraError(
                f"Port {port} cannot be listened on: {problem.strerror}.", "Give another one with --port."
            ) from None

    @property
    def base_url(self) -> str:
        return f"http://{HERE}:{self.server_address[1]}/v1"

    def shutdown(self) -> None:
        """Stop serving, and leave the requests that wait; their files stay."""
        self.ended.set()
        super().shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: DeskServer

    def do_GET(self) -> None:
        if self._refused() or self.path.rstrip("/") != "/v1/models":
            return self._say(404, _error("There is nothing here but /v1/models and /v1/chat/completions."))
        return self._say(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self) -> None:
        refused = self._refused()
        if refused or self.path.rstrip("/") != "/v1/chat/completions":
            return self._say(404, _error(refused or "Only /v1/chat/completions is served."))
        try:
            size = int(self.headers.get("content-length", ""))
            if not 0 <= size <= MOST_BYTES:
                raise ValueError
            body = parse_json(self.rfile.read(size))
            if not isinstance(body, dict):
                raise JsonRefused("it is no object")
            requests = self.server.folder.ask(body)
        except JsonRefused as problem:
            return self._say(400, _error(f"The request is not JSON: {problem}."))
        except InputError as problem:
            return self._say(400, _error(f"{problem.text} {problem.remedy}"))
        except ValueError:
            return self._say(411, _error(f"The request needs a length of at most {MOST_BYTES} bytes."))
        except InfraError as problem:  # the disk is full: the client shall ask again
            return self._say(503, _error(f"{problem.text} {problem.remedy}"))
        try:
            self._answer(requests, bool(body.get("stream")), str(body.get("model") or MODEL))
        except (BrokenPipeError, ConnectionResetError):
            return None  # who asked has left; the request's files stay for the next time
        return None

    def _answer(self, requests: list[DeskRequest], stream: bool, model: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        texts = self._wait(requests, b": waiting\n\n" if stream else b" ")
        if texts is None:
            return
        whole = {
            "id": f"desk-{requests[0].number}",
            "object": "chat.completion.chunk" if stream else "chat.completion",
            "created": int(time.time()),
            "model": model,
        }
        part = "delta" if stream else "message"
        choices = [
            {"index": i, part: {"role": "assistant", "content": text}, "finish_reason": "stop"}
            for i, text in enumerate(texts)
        ]
        document = json.dumps({**whole, "choices": choices}).encode()
        self.wfile.write(b"data: " + document + b"\n\ndata: [DONE]\n\n" if stream else document)

    def _wait(self, requests: list[DeskRequest], alive: bytes) -> list[str] | None:
        """Return all replies as soon as they are there; None if the server ends before."""
        texts: dict[int, str] = {}
        said = time.monotonic()
        while True:
            for request in requests:
                if (
                    request.number not in texts
                    and (text := self.server.folder.reply(request.number)) is not None
                ):
                    texts[request.number] = text
            if len(texts) == len(requests):
                return [texts[request.number] for request in requests]
            if self.server.ended.wait(LOOK_EVERY_S):
                return None
            if time.monotonic() - said >= ALIVE_EVERY_S:
                said = time.monotonic()
                self.wfile.write(alive)
                self.wfile.flush()

    def _refused(self) -> str | None:
        """Say why a request is not one of a program on this machine; None if it is."""
        host = self.headers.get("host", "").rpartition(":")[0] or self.headers.get("host", "")
        if host not in _HOSTS:
            return "The endpoint is for programs on this machine."
        kind = self.headers.get("content-type", "application/json").partition(";")[0].strip()
        return None if kind == "application/json" else "Requests are application/json."

    def _say(self, status: int, document: dict[str, Any]) -> None:
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Write no line for each request: the command tells of them."""


def _error(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "type": "invalid_request_error"}}
