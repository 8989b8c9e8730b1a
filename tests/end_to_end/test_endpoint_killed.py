"""A real endpoint, the real command line, kill -9 while the model thinks: `akgen resume` asks only what is open."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.sampled import sampled

Akgen = Callable[..., Any]
Script = Callable[..., Path]
WAIT_S = 240.0


@dataclass
class Endpoint:
    """Answers as the script says; holds the `held`-th request until the test lets go."""

    url: str = ""
    held: int = 0
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)


@contextmanager
def _serve(texts: dict[str, str], held: int) -> Iterator[Endpoint]:
    endpoint = Endpoint(held=held)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            role = "planner" if request["messages"][0]["content"].startswith("You plan") else "coder"
            endpoint.asked.append(role)
            if len(endpoint.asked) == endpoint.held:
                endpoint.arrived.set()
                endpoint.let_go.wait(WAIT_S)
                return  # the asker is dead
            endpoint.answered.append(role)
            message = {"role": "assistant", "content": texts[role]}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield endpoint
    finally:
        endpoint.let_go.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("held", "role"), sampled([(1, "planner"), (2, "coder")], 2))
def test_a_model_call_that_was_killed_is_asked_again_and_no_other(
    akgen: Akgen, add_one: Path, script: Script, tmp_path: Path, held: int, role: str
) -> None:
    lines = [json.loads(line) for line in script(("", "")).read_text().splitlines()]
    texts = {line["role"]: line["text"] for line in lines}
    run = tmp_path / "run"
    with _serve(texts, held) as endpoint:
        command = [sys.executable, "-m", "akgen", "solve", str(add_one), "--model", "openai:m"]
        command += ["--base-url", endpoint.url, "--out", str(run)]
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL) as process:
            assert endpoint.arrived.wait(WAIT_S)
            process.send_signal(signal.SIGKILL)
        ended = akgen("resume", run, "--json")
        again = akgen("resume", run, "--json")
    assert ended.code == 0, ended.err
    assert ended.document["outcome"] == "correct"
    assert endpoint.answered == ["planner", "coder"]
    assert (again.code, again.document) == (0, ended.document)  # nothing is left to do, and nothing is asked
    assert endpoint.asked == sorted([*endpoint.answered, role], reverse=True)
