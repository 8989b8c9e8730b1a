"""LangGraph's tools find and draw the graphs that langgraph.json names."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GRAPHS: dict[str, str] = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
STAGES = {
    "akgen": {"plan", "write", "compile", "test", "profile", "criticise", "choose"},
    "chat": {"listen", "understand", "prepare", "work"},
}


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_a_named_graph_can_be_opened_and_drawn(name: str) -> None:
    file, function = GRAPHS[name].split(":")
    spec = importlib.util.spec_from_file_location(f"studio_{name}", ROOT / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn = getattr(module, function)().get_graph(xray=True).draw_mermaid()
    for stage in STAGES[name]:
        assert stage in drawn
