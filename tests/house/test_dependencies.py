"""What is installed with the package is what the package imports, and the other way round."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

from tests.house.syntax import nodes

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("finetune", "bench", "graph", "agents", "tools", "knowledge", "src/akgen")
# where the name is not the module's
MODULES = {"langgraph-checkpoint-sqlite": "langgraph.checkpoint.sqlite", "pyyaml": "yaml"}


@cache
def _imported() -> set[str]:
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).glob("**/*.py"):
            for node in nodes(path):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _declared(requirements: list[str]) -> dict[str, str]:
    """Return the module of each requirement by its name."""
    names = [re.split(r"[\[<>=~! ]", text)[0] for text in requirements]
    return {name: MODULES.get(name, name.replace("-", "_")) for name in names}


def test_every_hard_dependency_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    imported = _imported()
    declared = _declared(project["dependencies"])
    assert [
        name
        for name, module in declared.items()
        if not any(used == module or used.startswith(f"{module}.") for used in imported)
    ] == []


def test_every_import_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = [text for extra in project["optional-dependencies"].values() for text in extra]
    declared = {module.split(".")[0] for module in _declared([*project["dependencies"], *optional]).values()}
    known = declared | set(sys.stdlib_module_names) | {"akgen"}
    assert {name.split(".")[0] for name in _imported()} - known == set()
