"""A real vLLM server on the CPU, started by `akgen serve` as a person would: one for all tests that need it."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

WAIT_S = 600.0
NAME, ADAPTER = "small", "tuned"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class VllmServer:
    """What `tests/vllm/prepare.py` made in `folder`, served on `port`."""

    folder: Path
    port: int = field(default_factory=free_port)
    name: str = NAME
    adapter: str = ADAPTER
    process: "subprocess.Popen[bytes] | None" = None
    pid: int = 0  # of vLLM itself

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> None:
        """Start it and wait until `akgen serve` says that it answers."""
        command = [sys.executable, "-m", "akgen", "serve", str(self.folder / "smollm2"), "--cpu", "--json"]
        command += ["--python", str(self.folder / "venv" / "bin" / "python"), "--port", str(self.port)]
        command += [
            "--name",
            NAME,
            "--lora",
            f"{ADAPTER}={self.folder / 'lora'}",
            "--max-len",
            "8192",
            "--eager",
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, cwd=self.folder, env=dict(os.environ)
        )
        assert self.process.stdout is not None
        text = b""
        while not text.rstrip().endswith(b"}"):
            line = self.process.stdout.readline()
            assert line, f"akgen serve ended with {self.process.wait()}"
            text += line
        self.pid = json.loads(text)["pid"]

    def kill(self) -> int:
        """Kill vLLM with all its processes, and return how `akgen serve` ends when its server dies."""
        assert self.process is not None
        os.killpg(os.getpgid(self.pid), signal.SIGKILL)
        return self.process.wait(60)

    def stop(self) -> int:
        """Interrupt `akgen serve`, as Ctrl-C does, and return how it ends."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)
