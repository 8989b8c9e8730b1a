"""One HTTP request to an OpenAI-compatible server, and what it answers: whole, or as server-sent events.

The time limit and the size limit hold for the answer as a whole, headers and body, so a server that sends a byte now
and then, or never stops, is left too. Every request has a connection of its own.
"""

import contextlib
import math
import socket
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any

import httpx
from pydantic import SecretStr

from akgen.agents.models.faults import SPENT, EndpointFault
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import JsonRefused, parse_json

CONNECT_S = 10.0
HERE = ("all://127.0.0.1", "all://localhost", "all://[::1]")
SHOWN = 300  # characters of a server's text
REFUSAL_BYTES = 1 << 16
Event = dict[str, Any]
OPENED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")


class Deadline:
    """End a request when its time is up, whatever the server sends meanwhile.

    A client's own time limits hold for each read, so a server that sends a byte now and then never exceeds them. Here
    the connection itself is shut down, from another thread, at whatever stage the request is. It must be the request's
    own connection: one that is kept alive for the next does not make itself known. `trace` is handed to httpx as the
    request's extension of that name.
    """

    def __init__(self, within_s: float) -> None:
        self._timer = threading.Timer(within_s, self._end)
        self._timer.daemon = True
        self._turn = threading.Lock()
        self._socket: socket.socket | None = None
        self.passed = False

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of the connection as it is opened, and again as it is wrapped for TLS."""
        if event.endswith(OPENED):
            with self._turn:
                self._socket = info["return_value"].get_extra_info("socket")
                if self.passed:
                    self._shut()

    def _end(self) -> None:
        with self._turn:
            self.passed = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):  # it is closed already
                self._socket.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> "Deadline":
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()


class HttpClient:
    """Requests to one server, up to `connections` at a time."""

    def __init__(self, base_url: str, key: SecretStr | None, *, idle_s: float, connections: int) -> None:
        headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        try:
            self._client = httpx.Client(
                base_url=base_url.rstrip("/") + "/",
                headers=headers,
                timeout=httpx.Timeout(idle_s, connect=min(CONNECT_S, idle_s), pool=None),
                limits=httpx.Limits(max_connections=connections, max_keepalive_connections=0),
                mounts=dict.fromkeys(HERE),  # a proxy of the environment is for elsewhere
            )
        except (httpx.InvalidURL, ValueError) as problem:
            raise InputError(f"The address {base_url!r} cannot be used: {problem}.", "Correct it.") from None
        self._idle_s = idle_s

    def post(
        self, path: str, body: dict[str, Any], *, within_s: float, limit_bytes: int
    ) -> Generator[Event, None, None]:
        """Send a request and yield the answer's events; an answer that is one document is one event.

        Closing the iterator closes the connection, which tells the server to stop. Raises EndpointFault.
        """
        idle_s = min(self._idle_s, within_s)
        timeout = httpx.Timeout(idle_s, connect=min(CONNECT_S, idle_s), pool=None)
        begun = False
        with Deadline(within_s) as deadline:
            try:
                with self._client.stream(
                    "POST", path, json=body, timeout=timeout, extensions={"trace": deadline.trace}
                ) as response:
                    pieces = _bounded(response, deadline, within_s, limit_bytes)
                    if response.status_code != 200:
                        raise _refusal(response, pieces)
                    begun = True
                    if "text/event-stream" in response.headers.get("content-type", ""):
                        yield from _server_sent(pieces)
                    else:
                        yield _document(b"".join(pieces))
            except (httpx.HTTPError, httpx.InvalidURL) as problem:
                raise _lost(problem, deadline, begun, within_s, idle_s) from problem

    def close(self) -> None:
        self._client.close()


def _lost(
    problem: httpx.HTTPError | httpx.InvalidURL,
    deadline: Deadline,
    begun: bool,
    within_s: float,
    idle_s: float,
) -> EndpointFault:
    """Say how a request failed on its way; `begun` is whether its answer had."""
    if deadline.passed:
        return _late(within_s)
    if isinstance(problem, httpx.TimeoutException):
        return EndpointFault("timeout", f"no answer within {idle_s:.0f} s")
    text = _words(str(problem)) or type(problem).__name__
    if isinstance(problem, httpx.ReadError | httpx.RemoteProtocolError):
        return EndpointFault("cut" if begun else "connection", f"the connection was lost: {text}")
    return EndpointFault("connection", text)


def _late(within_s: float) -> EndpointFault:
    return EndpointFault("timeout", f"the answer was not complete within {within_s:.0f} s")


def _bounded(
    response: httpx.Response, deadline: Deadline, within_s: float, limit_bytes: int
) -> Iterator[bytes]:
    size = 0
    for piece in response.iter_bytes():
        size += len(piece)
        if size > limit_bytes:
            text = f"the answer is larger than {limit_bytes} bytes"
            raise EndpointFault("too_large", text, status=response.status_code)
        if deadline.passed:
            raise _late(within_s)
        yield piece
    if deadline.passed:  # what looks like the end of the answer is the end of its time
        raise _late(within_s)


def _server_sent(pieces: Iterator[bytes]) -> Iterator[Event]:
    """Yield the JSON of every `data:` line up to `[DONE]` or the end."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            event = _document(data)
            if "error" in event:
                raise _told_in_stream(event["error"])
            yield event


def _document(data: bytes) -> Event:
    try:
        value = parse_json(data, most_bytes=max(len(data), 1))  # bounded as it came
    except JsonRefused:
        begin = _words(data[:SHOWN].decode(errors="replace"))
        raise EndpointFault("unreadable", f"the answer is not JSON: {begin!r}") from None
    if not isinstance(value, dict):
        raise EndpointFault("unreadable", f"the answer is a JSON {type(value).__name__}, not an object")
    return value


def _refusal(response: httpx.Response, pieces: Iterator[bytes]) -> EndpointFault:
    data = b""
    for piece in pieces:
        data += piece
        if len(data) > REFUSAL_BYTES:
            break
    text, code = _error_text(data)
    status = response.status_code
    return EndpointFault(
        "status",
        f"status {status}" + (f", {text}" if text else ""),
        status=status,
        retry_after_s=_retry_after(response.headers.get("retry-after")),
        lasting=code == SPENT,
    )


def _error_text(data: bytes) -> tuple[str, str | None]:
    """Return the message of an error document and its code; servers wrap them in two ways."""
    try:
        value = parse_json(data)
    except JsonRefused:
        return _words(data.decode(errors="replace")), None
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return _words(str(error)), None
    code = error.get("code") or error.get("type")
    return _words(str(error.get("message") or error.get("detail") or "")), str(code) if code else None


def _told_in_stream(error: Any) -> EndpointFault:
    code = error.get("code") if isinstance(error, dict) else None
    text = _words(str(error.get("message") if isinstance(error, dict) else error))
    return EndpointFault("status", f"the server broke off: {text}", status=code if type(code) is int else 500)


def _retry_after(value: str | None) -> float | None:
    """Read a Retry-After header: seconds, or a date. None if there is none that can be read."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _words(text: str) -> str:
    return shown(text, SHOWN).rstrip(".")
