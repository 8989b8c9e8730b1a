"""Every chat model that AKGen can be given behaves the same towards the agents."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from akgen.agents.conversation import Answer, Conversation
from akgen.agents.models.resolve import ModelOptions, resolve_model

REPLY = "```cpp\nint kernel;\n```"


class _Endpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible server that always says the same."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {"index": 0, "message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}
        body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        data = json.dumps({**body, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture(params=["openai", "scripted", "record", "replay"])
def conversation(request: pytest.FixtureRequest, tmp_path: Path, endpoint: str) -> Conversation:
    script, tape = tmp_path / "script.jsonl", tmp_path / "tape.jsonl"
    lines = [
        {"role": "coder", "attempt": n, "text": REPLY, "input_tokens": 5, "output_tokens": 6} for n in (1, 2)
    ]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = ModelOptions(base_url=endpoint)
    recorded = f"record:{tape}:scripted:{script}"
    if request.param == "replay":
        for attempt in (1, 2):
            _ask(Conversation(resolve_model(recorded, options), "m", "m", 0), attempt)
    spec = {
        "openai": "openai:m",
        "scripted": f"scripted:{script}",
        "record": recorded,
        "replay": f"replay:{tape}",
    }[request.param]
    return Conversation(resolve_model(spec, options), spec, endpoint, seed=0)


def _ask(conversation: Conversation, attempt: int) -> Answer:
    return conversation.ask("You write.", "Write.", role="coder", attempt=attempt, sample=0)


def test_a_model_answers_with_text_and_counts_its_tokens(conversation: Conversation) -> None:
    answer = _ask(conversation, 1)
    assert answer.text == REPLY
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (5, 6)


def test_the_exchange_is_kept_as_it_was_said(conversation: Conversation) -> None:
    assert _ask(conversation, 1).messages == (
        {"role": "system", "content": "You write."},
        {"role": "user", "content": "Write."},
        {"role": "assistant", "content": REPLY},
    )


def test_a_model_keeps_no_position_between_requests(conversation: Conversation) -> None:
    second, first, again = _ask(conversation, 2), _ask(conversation, 1), _ask(conversation, 1)
    assert second.text == first.text == again.text
