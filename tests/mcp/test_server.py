"""`akgen mcp` as a coding agent uses it: a real client of the SDK, over standard input and output."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

from akgen.agents.prompts.builder import example_project
from akgen.tools.core.project import KernelProject

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

REFERENCE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.randn(7, 333)]
"""
PROJECT = example_project()  # y = x + 1
KERNEL = PROJECT.kernel_file


class Answer:
    """A tool's answer, and what was reported on the way."""

    def __init__(self, result: Any, told: list[str]) -> None:
        self.failed: bool = result.is_error
        self.text: str = result.content[0].text
        self.value: dict[str, Any] = result.structured_content
        self.told = told


class Client:
    """One connection, used from ordinary test functions."""

    def __init__(self, portal: Any, session: Any) -> None:
        self._portal, self._session = portal, session

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self._portal.call(self._session.list_tools).tools}

    def give_up(self, name: str, **arguments: Any) -> bool:
        """Call a tool and cancel the call at the first step that it reports; say whether it was cancelled."""

        async def ask() -> bool:
            with anyio.CancelScope() as scope:

                async def progress(_step: float, _total: float | None, _message: str | None) -> None:
                    scope.cancel()

                await self._session.call_tool(name, arguments, progress_callback=progress)
            return bool(scope.cancelled_caught)

        return bool(self._portal.call(ask))

    def call(self, name: str, **arguments: Any) -> Answer:
        told: list[str] = []

        async def progress(_step: float, _total: float | None, message: str | None) -> None:
            told.append(message or "")

        async def ask() -> Any:
            return await self._session.call_tool(name, arguments, progress_callback=progress)

        return Answer(self._portal.call(ask), told)


@contextmanager
def connected(folder: Path, *options: str, **env: str) -> Iterator[Client]:
    parameters = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "akgen", "mcp", *options],
        env={**os.environ, "OMP_NUM_THREADS": "1", **env},
        cwd=folder,
    )
    with start_blocking_portal() as portal:
        session = mcp.Client(parameters)
        with portal.wrap_async_context_manager(session):
            yield Client(portal, session)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with connected(tmp_path_factory.mktemp("server")) as found:
        yield found


def test_every_tool_has_a_typed_result_and_says_what_it_does(client: Client) -> None:
    tools = client.tools()
    assert set(tools) == {"compile", "test", "profile", "lint", "search_knowledge", "solve"}
    for tool in tools.values():
        assert tool.output_schema["properties"]
        assert len(tool.description) > 60
        assert all("description" in p for p in tool.input_schema["properties"].values())


def test_knowledge_is_found(client: Client) -> None:
    answer = client.call("search_knowledge", query="UB_OVERFLOW", count=3)
    assert answer.value["entries"][0]["name"] == "UB_OVERFLOW"
    assert "Remedy" in answer.value["entries"][0]["text"]


def test_a_clean_project_has_no_findings(client: Client) -> None:
    answer = client.call("lint", files=PROJECT.files)
    assert answer.value["ok"] and answer.value["findings"] == []


BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "an invented call": (lambda text: text.replace("Adds(", "AddScalars("), "UNKNOWN_API"),
    "an entry that takes too few": (
        lambda text: text.replace(", GM_ADDR workspace", "", 1),
        "ENTRY_PARAMETERS",
    ),
    "assembly": (lambda text: text + '\nvoid F() { asm("nop"); }\n', "SOURCE_INLINE_ASM"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_lint_names_what_is_wrong_with_its_line_and_remedy(client: Client, name: str) -> None:
    change, code = BROKEN[name]
    files = {**PROJECT.files, KERNEL: change(PROJECT.files[KERNEL])}
    assert files != PROJECT.files
    answer = client.call("lint", files=files)
    assert not answer.value["ok"]
    first = answer.value["findings"][0]
    assert first["code"] == code and first["file"] == KERNEL and first["line"] and first["remedy"]


def test_a_project_compiles_for_a_task(client: Client) -> None:
    answer = client.call("compile", reference=REFERENCE, files=PROJECT.files)
    assert answer.value["ok"] and answer.value["outcome"] is None
    assert answer.value["toolchain"].startswith("twin")


def test_a_right_kernel_is_correct_and_progress_is_told(client: Client, tmp_path: Path) -> None:
    PROJECT.write_to(tmp_path)
    answer = client.call("test", reference=REFERENCE, project=str(tmp_path), trials=2)
    assert answer.value["correct"] and answer.value["outcome"] == "correct"
    assert [case["trials"] for case in answer.value["cases"]] == [2]
    assert "case 0: correct" in answer.told


def test_a_wrong_kernel_comes_back_with_the_reason(client: Client) -> None:
    files = {**PROJECT.files, KERNEL: PROJECT.files[KERNEL].replace("static_cast<T>(1)", "static_cast<T>(2)")}
    assert files != PROJECT.files
    answer = client.call("test", reference=REFERENCE, files=files)
    assert not answer.failed  # a bad kernel is an answer, not an error
    assert not answer.value["correct"] and answer.value["outcome"] == "wrong"
    assert answer.value["cases"][0]["mismatch"]["pattern"] == "all"
    assert "OUTPUT_MISMATCH" in [finding["code"] for finding in answer.value["findings"]]
    assert len(answer.value["feedback"].splitlines()) > 3


def test_a_kernel_is_timed_and_the_time_is_called_predicted(client: Client) -> None:
    answer = client.call("profile", reference=REFERENCE, files=PROJECT.files)
    assert answer.value["time_source"] == "predicted"
    assert answer.value["time_us"] > 0 and 0 < answer.value["roofline_share"] <= 1
    assert Path(answer.value["trace"]).is_file() and Path(answer.value["page"]).is_file()


def test_a_task_is_solved_and_the_sources_come_back(client: Client, tmp_path: Path) -> None:
    answer = client.call("solve", reference=REFERENCE)
    assert answer.value["correct"], answer.text
    assert any(line.startswith("attempt 1, test: ok") for line in answer.told)
    project = KernelProject.read_from(Path(answer.value["project"]), "x", "x")
    assert project.files == answer.value["files"]
    again = client.call("test", reference=REFERENCE, files=answer.value["files"], trials=1)
    assert again.value["correct"]


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "an unknown task": ("test", {"task": "reluu", "files": PROJECT.files}, "Did you mean relu"),
    "no task": ("compile", {"files": PROJECT.files}, "Give `task`"),
    "no project": ("profile", {"task": "relu"}, "Give `project`"),
    "a path that leads outside": ("lint", {"files": {"../../x.cpp": ""}}, "Use relative paths"),
    "a folder that is not there": ("lint", {"project": "nowhere"}, "Give the folder that holds op_host"),
    "an unknown case": ("solve", {"task": "relu", "case": "huge"}, "Its cases include"),
    "a budget in other words": ("solve", {"task": "relu", "budget": "hours=3"}, "Write tokens="),
    "a reference that is no Python": ("solve", {"reference": "def ("}, "Correct the file"),
    "no kernel entry": ("compile", {"task": "relu", "files": {KERNEL: "int x;"}}, "A kernel is declared"),
    "a kernel that does not compile": (
        "profile",
        {"task": "relu", "files": {**PROJECT.files, KERNEL: PROJECT.files[KERNEL].replace("Adds(", "Addz(")}},
        "Call `test`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_an_error_with_its_remedy(client: Client, name: str) -> None:
    tool, arguments, remedy = REFUSED[name]
    answer = client.call(tool, **arguments)
    assert answer.failed and remedy in answer.text
    assert "Traceback" not in answer.text


def test_a_call_that_the_client_gives_up_stops_and_the_next_one_is_served(client: Client) -> None:
    assert client.give_up("solve", task="softmax_rows")
    assert client.call("compile", reference=REFERENCE, files=PROJECT.files).value["ok"]


@pytest.mark.slow
def test_a_broken_machine_is_an_error_with_its_remedy(tmp_path: Path) -> None:
    options = ("--model", "openai:nobody", "--base-url", "http://127.0.0.1:9/v1")
    with connected(tmp_path, *options, AKGEN_MODEL_TRIES="1") as client:
        answer = client.call("solve", task="relu")
    assert answer.failed and "127.0.0.1:9" in answer.text
    assert "Traceback" not in answer.text
