"""Drive a real browser: Chromium over the pipe of its DevTools protocol, without a driver of its own or a network."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAM = next((p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None)
_WAIT_S = 120.0  # for a machine with much else to do


class Page:
    """One tab. `said` are its console's messages and uncaught errors, `asked` the addresses that it requested."""

    def __init__(self, pipe: tuple[int, int]) -> None:
        self._to, self._from = pipe
        self._rest, self._ids = b"", itertools.count(1)
        self._session: str | None = None
        self.said: list[str] = []
        self.asked: list[str] = []
        self.dialogs: list[str] = []

    def attach(self) -> None:
        targets = self.send("Target.getTargets")["targetInfos"]
        tab = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **given: Any) -> dict[str, Any]:
        """Send a command and return its result; events that come before it are noted."""
        number = next(self._ids)
        self._write({"id": number, "method": method, "params": given})
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _write(self, message: dict[str, Any]) -> None:
        whole = message | ({"sessionId": self._session} if self._session else {})
        os.write(self._to, json.dumps(whole).encode() + b"\0")

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            self._rest += os.read(self._from, 1 << 20)
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        about = message.get("params", {})
        match message.get("method"):
            case "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(a.get("value")) for a in about["args"]))
            case "Runtime.exceptionThrown":
                self.said.append(str(about["exceptionDetails"].get("exception", {}).get("description")))
            case "Log.entryAdded":
                self.said.append(about["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked.append(about["request"]["url"])
            case "Page.javascriptDialogOpening":
                self.dialogs.append(about["message"])
                self._write({"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}})
        return message

    def run(self, expression: str) -> Any:
        """Return what a JavaScript expression, or the promise that it is, comes to."""
        found = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Wait until an expression holds, and return its value."""
        end = time.monotonic() + _WAIT_S
        while not (value := self.run(f"(found => found instanceof Node || found)({expression})")):
            assert time.monotonic() < end, f"{expression} never held; the page says {self.said}"
            time.sleep(0.02)
        return value

    def open(self, address: str) -> None:
        """Open an address, anew also where only what follows # differs, and wait until the page is drawn."""
        self.send("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.asked.clear()
        self.send("Page.navigate", url=address)
        self.wait("location.href !== 'about:blank' && document.body && document.body.dataset.ready")

    def go(self, place: str) -> None:
        """Go to another #place of the open page."""
        before = self.run("document.body.dataset.ready")
        self.run(f"location.hash = {json.dumps(place)}")
        self.wait(f"document.body.dataset.ready !== {json.dumps(before)}")

    def text(self, selector: str = "body") -> str:
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def texts(self, selector: str) -> list[str]:
        """Return the text of every element that fits."""
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => (e.innerText ?? e.textContent).trim())"
        )
        return found

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, file: Path, *, whole: bool = False) -> None:
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        file.write_bytes(base64.b64decode(data))


@contextmanager
def browser() -> Iterator[Page]:
    """Start Chromium without a window; it ends with the block. Without one, the test is skipped and says so."""
    if PROGRAM is None:
        pytest.skip("no Chromium on this machine: the page was not driven")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    with tempfile.TemporaryDirectory(prefix="akgen-browser-", ignore_cleanup_errors=True) as profile:
        argv = [
            PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            "--disable-background-networking", "--disable-extensions", f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip
        # Chromium reads commands from descriptor 3 and answers on 4.
        shell = f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"'
        child = subprocess.Popen(
            ["bash", "-c", shell, "bash", *argv], pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            page = Page((ours_out, ours_in))
            page.attach()
            yield page
        finally:
            child.terminate()
            child.wait(20)
            os.close(ours_out)
            os.close(ours_in)
