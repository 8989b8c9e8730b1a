"""Importing the graph runs no `__init__` that nobody needs, and who needs it finds all that is in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from akgen.graph import defer


def test_the_graph_brings_no_client_of_a_service() -> None:
    script = """
import sys
import akgen.graph.run
early = [name for name in ("langsmith.types.run", "langgraph_sdk.client", "websockets") if name in sys.modules]
from langgraph_sdk import get_client
from langsmith.types import Run
import langsmith.types.run
print(early, callable(get_client), Run is langsmith.types.run.Run)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True", "True"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name = f"deferred_{request.node.name}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "part.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_a_submodule_is_imported_without_its_package(package: str, tmp_path: Path) -> None:
    (tmp_path / package / "__init__.py").write_text(
        f"from {package}.part import VALUE\nRUNS = [1]\ndef __getattr__(name):\n    return name.upper()\n"
    )
    defer(package)
    part = __import__(f"{package}.part", fromlist=["VALUE"])
    module = sys.modules[package]
    assert part.VALUE == 1
    assert "RUNS" not in vars(module)
    assert module.RUNS == [1]
    assert module.VALUE == 1
    assert module.anything == "ANYTHING"  # its own way with what it lacks


def test_what_a_package_lacks_is_missing_and_a_failure_is_told_each_time(
    package: str, tmp_path: Path
) -> None:
    start = tmp_path / package / "__init__.py"
    start.write_text("raise RuntimeError('broken')\n")
    defer(package)
    module = sys.modules[package]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken"):
            module.anything  # noqa: B018
    start.write_text("OTHER = 22222222222222\n")
    with pytest.raises(AttributeError, match="anything"):
        module.anything  # noqa: B018
    assert module.OTHER == 22222222222222


def test_what_is_not_installed_or_is_imported_already_is_left() -> None:
    here = sys.modules["akgen.graph"]
    defer("akgen.graph")
    defer("no_such_package")
    defer("no_such_package.below")
    assert sys.modules["akgen.graph"] is here
    assert "no_such_package" not in sys.modules
