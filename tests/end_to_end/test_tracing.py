"""Spans and LangSmith: a run sends them where the standard variables say, and nowhere else."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Akgen = Callable[..., Any]
Script = Callable[..., Path]


@contextmanager
def _collector() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Take every request; yield the address and what came."""
    came: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.headers.get("Transfer-Encoding") == "chunked":
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            came.append((self.path, body))
            self._say(b"{}")

        def do_GET(self) -> None:
            self._say(b"{}")

        def _say(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", came
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
def test_stages_and_model_calls_become_spans_when_an_endpoint_is_set(
    akgen_process: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with _collector() as (url, came):
        ended = akgen_process(
            "solve", add_one, "--model", f"scripted:{script(('', ''), input_tokens=9, output_tokens=4)}",
            "--out", run, env={"OTEL_EXPORTER_OTLP_ENDPOINT": url},
        )  # fmt: skip
    assert ended.code == 0, ended.err
    spans = {}
    for path, body in came:
        assert path == "/v1/traces"
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                spans |= {s.name: s for s in scope.spans}
    assert {
        "invoke_agent planner",
        "invoke_agent coder",
        "execute_tool compile",
        "execute_tool test",
    } <= spans.keys()
    call = next(span for name, span in spans.items() if name.startswith("chat scripted"))
    said = {a.key: a.value for a in call.attributes}
    assert said["gen_ai.operation.name"].string_value == "chat"
    assert said["gen_ai.usage.input_tokens"].int_value == 9
    assert said["gen_ai.usage.output_tokens"].int_value == 4
    assert call.parent_span_id == spans["invoke_agent coder"].span_id
    stage = {a.key: a.value for a in spans["execute_tool compile"].attributes}
    assert stage["akgen.task"].string_value == "add_one" and stage["akgen.run"].string_value == "run"


@pytest.mark.slow
def test_langsmith_is_sent_to_where_its_own_variables_say(
    akgen_process: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    with _collector() as (url, came):
        env = {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "none"}
        model = f"scripted:{script(('', ''))}"
        ended = akgen_process("solve", add_one, "--model", model, "--out", tmp_path / "run", env=env)
    assert ended.code == 0, ended.err
    paths = {path for path, _ in came}
    assert any("runs" in path for path in paths), paths


def test_every_event_names_run_task_attempt_and_node(
    akgen_process: Akgen, add_one: Path, script: Script, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    ended = akgen_process("solve", add_one, "--model", f"scripted:{script(('', ''))}", "--out", run)
    assert ended.code == 0, ended.err
    events = (run / "tasks/add_one/sample-0/events.jsonl").read_text().splitlines()
    for event in map(json.loads, events):
        assert (event["run"], event["task"], event["attempt"]) == ("run", "add_one", 1) and event["stage"]
    for call in map(json.loads, (run / "calls.jsonl").read_text().splitlines()):
        assert (call["run"], call["task"], call["attempt"]) == ("run", "add_one", 1)
        assert call["node"] in ("plan", "write")
