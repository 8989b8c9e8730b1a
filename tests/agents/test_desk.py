"""A desk hands every request out as files, sends each written reply to whoever asks the same, and loses nothing."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from akgen.agents.models.faults import EndpointFault
from akgen.agents.models.resolve import ModelOptions, resolve_model
from akgen.desk.folder import DeskFolder
from akgen.desk.server import DeskServer
from akgen.tools.core.outcome import InfraError, InputError
from tests.command import command

WAIT_S = 30.0
ASKED = [SystemMessage("You write kernels."), HumanMessage("```\nAdd <b>x</b> and y 加\n```")]


@contextmanager
def _serving(folder: Path, port: int = 0) -> Iterator[DeskServer]:
    with DeskServer(DeskFolder(folder), port) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DeskServer]:
    with _serving(tmp_path / "desk") as serving:
        yield serving


def _until(found: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come")


def _post(server: DeskServer, body: Any, **given: Any) -> httpx.Response:
    return httpx.post(
        f"{server.base_url}/chat/completions", json=body, timeout=WAIT_S, trust_env=False, **given
    )


def _model(server: DeskServer, **options: Any) -> Any:
    return resolve_model("openai:desk", ModelOptions(base_url=server.base_url, **options))


def test_a_reply_that_is_put_into_the_folder_is_what_the_model_answers(server: DeskServer) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_model(server).invoke, ASKED, seed=7)
        waiting = _until(server.folder.waiting)
        page = (server.folder.path / "0001.request.md").read_text()
        assert "================ system ================\n\nYou write kernels.\n" in page
        assert "```\nAdd <b>x</b> and y 加\n```" in page
        assert waiting[0].body["seed"] == 7
        server.folder.reply_path(1).write_text("Here it is: 加\n")  # as an editor would, not as a whole
        assert asked.result(WAIT_S).content == "Here it is: 加\n"
    assert server.folder.waiting() == []


def test_every_choice_of_a_request_is_a_reply_of_its_own(server: DeskServer) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_model(server).generate, [ASKED], n=3)
        _until(lambda: len(server.folder.waiting()) == 3)
        for number in (3, 1, 2):
            server.folder.answer(number, f"reply {number}")
        texts = [candidate.text for candidate in asked.result(WAIT_S).generations[0]]
    assert texts == ["reply 1", "reply 2", "reply 3"]
    assert "choice 2 of 3" in (server.folder.path / "0002.request.md").read_text()


def test_what_is_asked_again_after_a_time_out_or_a_restart_is_the_same_request(tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    with _serving(folder) as server:
        with pytest.raises(EndpointFault):
            _model(server, timeout_s=0.5).invoke(ASKED)
        with pytest.raises(EndpointFault):
            _model(server, timeout_s=0.5).invoke(ASKED)
    assert [r.number for r in DeskFolder(folder).waiting()] == [1]
    DeskFolder(folder).answer(None, "late")
    with _serving(folder) as server:
        assert _model(server).invoke(ASKED).content == "late"
        assert _model(server).invoke(ASKED).content == "late"
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(_model(server).invoke, ASKED, seed=2)
            _until(server.folder.waiting)
            server.folder.answer(2, "another seed is another request")
            assert other.result(WAIT_S).content.startswith("another")


def test_a_schema_that_the_reply_must_follow_stands_on_the_page(server: DeskServer) -> None:
    with ThreadPoolExecutor(1) as pool:
        schema = {"title": "Plan", "type": "object", "properties": {"tile": {"type": "integer"}}}
        asked = pool.submit(_model(server).invoke, ASKED, schema=schema)
        _until(server.folder.waiting)
        assert '"tile": {"type": "integer"}' in (server.folder.path / "0001.request.md").read_text()
        server.folder.answer(1, '{"tile": 3}')
        assert asked.result(WAIT_S).content == '{"tile": 3}'


def test_a_client_that_wants_no_stream_gets_one_document(server: DeskServer) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "in parts"}]}]}
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_post, server, body)
        _until(server.folder.waiting)
        server.folder.answer(None, "whole")
        document = asked.result(WAIT_S).json()
    assert document["choices"][0]["message"]["content"] == "whole"
    assert document["model"] == "m"
    assert httpx.get(f"{server.base_url}/models", trust_env=False).json()["data"][0]["id"] == "desk"


@pytest.mark.parametrize(
    "body",
    [[], {}, {"messages": []}, {"messages": [{"role": "user"}]}, {"messages": [{"role": "u", "content": 3}]},
     {"messages": [{"role": "user", "content": "x"}], "n": 0}, {"messages": [{"role": "u", "content": "x"}], "n": "2"}],
)  # fmt: skip
def test_what_is_no_chat_request_is_refused_and_leaves_nothing(server: DeskServer, body: Any) -> None:
    told = _post(server, body)
    assert told.status_code == 400
    assert told.json()["error"]["message"].endswith(".")
    assert list(server.folder.path.iterdir()) == []


@pytest.mark.parametrize("headers", [{"Content-Type": "text/plain"}, {"Host": "evil.example:80"}])
def test_a_page_in_a_browser_cannot_ask(server: DeskServer, headers: dict[str, str]) -> None:
    told = _post(server, {"messages": [{"role": "user", "content": "x"}]}, headers=headers)
    assert told.status_code == 404
    assert list(server.folder.path.iterdir()) == []


def test_a_port_in_use_and_a_damaged_file_are_told_in_a_sentence(server: DeskServer, tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="cannot be listened on"):
        DeskServer(server.folder, server.server_address[1])
    (tmp_path / "desk" / "0004.request.json").write_text('{"number": ')
    with pytest.raises(InputError, match=re.escape("0004.request.json is damaged")):
        DeskFolder(tmp_path / "desk")


def test_the_commands_list_and_answer_what_waits(server: DeskServer, tmp_path: Path) -> None:
    folder = str(server.folder.path)
    assert command("desk", "waiting", folder).code == 1
    assert command("desk", "answer", folder, stdin="too early").code == 2
    assert command("desk", "answer", str(tmp_path / "none"), stdin="x").code == 2
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_model(server).invoke, ASKED)
        _until(server.folder.waiting)
        assert command("desk", "waiting", folder, "--json").document == {"waiting": [1]}
        assert command("desk", "answer", folder, "5", stdin="x").code == 2
        assert command("desk", "answer", folder, stdin=" \n").code == 2
        ended = command("desk", "answer", folder, "--json", stdin="pasted")
        assert (ended.code, ended.document["request"]) == (0, 1)
        assert asked.result(WAIT_S).content == "pasted"


def test_a_desk_is_opened_by_its_folder_alone() -> None:
    ended = command("desk", "--port", "99999", "somewhere")
    assert ended.code == 2 and "--port" in ended.err
    assert json.loads(command("desk", "--json", "/proc/no/desk").out)["error"]["kind"] == "infra"
