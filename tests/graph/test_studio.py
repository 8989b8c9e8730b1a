"""`langgraph dev` serves both graphs: schemas say what each field is, a task is solved, a conversation answered."""

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from akgen.studio import chat_graph, task_graph
from akgen.tools.process.group import NOTHING, PIPE, end_group, start

ROOT = Path(__file__).resolve().parents[2]
STAGES = {"plan", "write", "compile", "test", "profile", "criticise", "choose"}
QUIET = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1"}
_STARTS_S = 60.0
Object = dict[str, Any]


def test_the_graphs_can_be_drawn_with_their_stages() -> None:
    assert all(stage in task_graph().get_graph(xray=True).draw_mermaid() for stage in STAGES)
    drawn = chat_graph().get_graph(xray=True).draw_mermaid()
    assert all(stage in drawn for stage in ("listen", "understand", "prepare", "work"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Start `langgraph dev` in a folder of its own; it opens no browser and asks nobody."""
    folder = tmp_path_factory.mktemp("server")
    config = json.loads((ROOT / "langgraph.json").read_text())
    config["graphs"] = {name: str(ROOT / place) for name, place in config["graphs"].items()}
    (folder / "langgraph.json").write_text(json.dumps({**config, "disable_persistence": True}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ("dev", "--no-browser", "--no-reload", "--port", str(port))
    process = start(
        [sys.executable, "-m", "langgraph_cli", *arguments], cwd=folder,
        env={**os.environ, **QUIET, "OMP_NUM_THREADS": "1"}, stdin=NOTHING, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120.0) as client:
            _wait(client)
            yield client
    finally:
        end_group(process)


def _wait(client: httpx.Client) -> None:
    until = time.monotonic() + _STARTS_S
    while True:
        try:
            if client.get("/ok").status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < until, "the server does not answer"
        time.sleep(0.1)


def _run(server: httpx.Client, graph: str, thread: str, given: Object, context: Object) -> Object:
    body = {"assistant_id": graph, "input": given, "context": context}
    answer = server.post(f"/threads/{thread}/runs/wait", json=body)
    assert answer.status_code == 200, answer.text
    found: Object = answer.json()
    return found


def _thread(server: httpx.Client) -> str:
    return str(server.post("/threads", json={}).json()["thread_id"])


@pytest.mark.slow
def test_schemas_say_what_each_field_is(server: httpx.Client) -> None:
    for graph, field in (("akgen", "task_name"), ("chat", "messages")):
        (assistant,) = server.post("/assistants/search", json={"graph_id": graph}).json()
        schemas = server.get(f"/assistants/{assistant['assistant_id']}/schemas").json()
        for part in ("input_schema", "output_schema", "context_schema"):
            fields = schemas[part]["properties"]
            assert all(value.get("description") for value in fields.values()), (graph, part, fields)
        assert list(schemas["input_schema"]["properties"]) == [field]
        assert "attempts" in schemas["context_schema"]["properties"]


@pytest.mark.slow
def test_a_task_is_solved_and_a_conversation_goes_on(server: httpx.Client) -> None:
    thread = _thread(server)
    solved = _run(server, "akgen", thread, {"task_name": "leaky_relu"}, {"attempts": 1})
    assert solved["outcome"] == "correct" and "__global__" in solved["kernel"] and solved["time_us"] > 0
    assert (Path(solved["run"]) / "run.json").is_file() and Path(solved["project"]).is_dir()
    state = server.get(f"/threads/{thread}/state").json()
    assert state["values"]["solution"]["outcome"] == "correct" and state["next"] == []

    talk = _thread(server)
    told = _run(server, "chat", talk, {"messages": [{"role": "user", "content": "a relu please"}]}, {})
    assert [m["type"] for m in told["messages"]] == ["human", "ai"]
    assert "shape" in told["messages"][-1]["content"]
    told = _run(server, "chat", talk, {"messages": [{"role": "user", "content": "fp16, 64 by 100"}]}, {})
    said = [m["content"] for m in told["messages"] if m["type"] == "ai"]
    assert len(said) == 3 and "1 of 1 cases correct" in said[-1] and "relu" in said[-1]
