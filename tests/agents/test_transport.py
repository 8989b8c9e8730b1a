"""Transport against a real HTTP server that fails as endpoints do."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from akgen.agents.calls.conversation import Conversation
from akgen.agents.calls.retry import RetryPolicy
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.tools.core.outcome import InfraError, InputError


@contextmanager
def _server(statuses: list[int]) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Serve one status after the other, the last one for ever; yield the URL and the requests."""
    requests: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append(json.loads(body))
            status = statuses[min(len(requests), len(statuses)) - 1]
            reply = _completion("hello") if status == 200 else {"error": {"message": f"status {status}"}}
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        server.server_close()


def _completion(text: str) -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def _conversation(url: str, waits: list[float]) -> Conversation:
    model = resolve_model("openai:m", ModelOptions(base_url=url))
    return Conversation(model, "openai:m", url, seed=5, policy=RetryPolicy(tries=3), sleep=waits.append)


def _ask(conversation: Conversation, attempt: int = 1, sample: int = 0) -> str:
    return conversation.ask("system", "user", role="coder", attempt=attempt, sample=sample).text


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_waited_out(status: int) -> None:
    waits: list[float] = []
    with _server([status, status, 200]) as (url, requests):
        assert _ask(_conversation(url, waits)) == "hello"
    assert len(requests) == 3
    assert len(waits) == 2 and waits[1] > 0


def test_a_fault_that_stays_is_the_machines_and_names_the_endpoint() -> None:
    with _server([503]) as (url, requests), pytest.raises(InfraError) as fault:
        _ask(_conversation(url, []))
    assert len(requests) == 3
    assert url in fault.value.text and "503" in fault.value.text
    assert "--base-url" in fault.value.remedy


def test_an_endpoint_that_is_down_is_the_machines_fault() -> None:
    with _server([200]) as (url, _):
        pass  # its port is closed again
    with pytest.raises(InfraError, match="failed 3 times"):
        _ask(_conversation(url, []))


@pytest.mark.parametrize(("status", "error"), [(401, InfraError), (404, InputError), (400, InfraError)])
def test_a_refusal_is_not_tried_again(status: int, error: type[Exception]) -> None:
    with _server([status]) as (url, requests), pytest.raises(error):
        _ask(_conversation(url, []))
    assert len(requests) == 1


def test_the_servers_token_count_is_what_is_counted() -> None:
    with _server([200]) as (url, _):
        answer = _conversation(url, []).ask("s", "u", role="coder", attempt=1, sample=0)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 3)


def test_every_attempt_of_every_sample_asks_with_its_own_seed() -> None:
    with _server([200]) as (url, requests):
        conversation = _conversation(url, [])
        for attempt, sample in ((1, 0), (2, 0), (1, 1), (1, 0)):
            _ask(conversation, attempt, sample)
    seeds = [request["seed"] for request in requests]
    assert len(set(seeds[:3])) == 3
    assert seeds[3] == seeds[0]
