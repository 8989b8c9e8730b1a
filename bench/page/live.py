"""Serve the page of runs while they go on: on the loopback, to whoever has the token in the address, and nothing else.

The page asks every two seconds whether there is news; a task's details are read from its run when it is opened.
"""

import secrets
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from akgen.bench.launch import report_of
from akgen.bench.page.data import detail, names_of, overview, recorded
from akgen.bench.page.render import served_page
from akgen.bench.store import BenchStore
from akgen.tools.core.frozen import json_text
from akgen.tools.core.outcome import InfraError, InputError

HERE = "127.0.0.1"
_HOSTS = (HERE, "localhost")
_REST = 4.0  # times as long as a summary took, until the next one is made
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class PageServer(ThreadingHTTPServer):
    """Serves runs. Raises InfraError if the port cannot be had; port 0 takes any."""

    daemon_threads = True

    def __init__(self, stores: Sequence[BenchStore], port: int = 0) -> None:
        self.stores, self.token = tuple(stores), secrets.token_urlsafe(24)
        self._turn = threading.Lock()
        self._made: tuple[str, str] = ("", "")  # version and document
        self._next_s = 0.0
        try:
            super().__init__((HERE, port), _PageHandler)
        except OSError as problem:
            raise InfraError(
                f"Port {port} cannot be listened on: {problem.strerror}.", "Give another one with --port."
            ) from None

    @property
    def address(self) -> str:
        return f"http://{HERE}:{self.server_address[1]}/?token={self.token}"

    def summary(self, have: str) -> str | None:
        """Return the summary of all runs as JSON; None where the page has the newest that there is."""
        with self._turn:
            version = "-".join(map(_version, self.stores))
            if version != self._made[0] and time.monotonic() >= self._next_s:
                begun = time.monotonic()
                runs = [
                    report_of(store, name)
                    for store, name in zip(self.stores, names_of(self.stores), strict=True)
                ]
                document = {"version": version, "overview": overview(runs, self.stores)}
                self._made = (version, json_text(document))
                self._next_s = time.monotonic() + _REST * (time.monotonic() - begun)
            return None if have == self._made[0] else self._made[1]

    def task(self, run: str, name: str) -> str | None:
        """Return a task's details as JSON; None for a run or task that is not served."""
        if (
            not run.isdecimal()
            or int(run) >= len(self.stores)
            or name not in self.stores[int(run)].config.tasks
        ):
            return None
        store = self.stores[int(run)]
        return json_text(detail(name, recorded(store, name), store.records()))


def _version(store: BenchStore) -> str:
    """Say in a word what a run's results are: they are appended, or replaced."""
    try:
        found = store.results_file.stat()
    except FileNotFoundError:
        return "0"
    return f"{found.st_size:x}.{found.st_mtime_ns:x}"


class _PageHandler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(path.query).items()}
        host = (self.headers.get("host") or "").rpartition(":")[0] or self.headers.get("host")
        if host not in _HOSTS or not secrets.compare_digest(
            asked.get("token", "").encode(), self.server.token.encode()
        ):
            return self._say(
                403, "The address that `akgen view` printed opens this page; it holds a token.", "text/plain"
            )
        try:
            return self._answer(path.path, asked)
        except (InputError, InfraError) as problem:
            return self._say(500, f"{problem.text} {problem.remedy}", "text/plain")
        except (BrokenPipeError, ConnectionResetError):
            return None  # who asked has left

    def _answer(self, path: str, asked: dict[str, Any]) -> None:
        if path == "/":
            return self._say(200, served_page(), "text/html")
        if path == "/overview":
            found = self.server.summary(asked.get("have", ""))
            return (
                self._say(204, "", "text/plain")
                if found is None
                else self._say(200, found, "application/json")
            )
        found = self.server.task(asked.get("run", ""), asked.get("task", "")) if path == "/task" else None
        if found is None:
            return self._say(404, "There is no such thing.", "text/plain")
        return self._say(200, found, "application/json")

    def _say(self, status: int, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Write no line for each request."""
