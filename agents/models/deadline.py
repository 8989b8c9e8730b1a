"""End a request when its time is up, whatever the server sends meanwhile.

A client's own time limits hold for each read, so a server that sends a byte now and then never exceeds them. Here the
connection itself is shut down, from another thread, at whatever stage the request is. It must be the request's own
connection, opened for it: one that is kept alive for the next does not make itself known.
"""

import contextlib
import socket
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

OPENED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")


class Deadline:
    """The end of one request. `trace` is handed to httpx as the request's extension of that name."""

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
