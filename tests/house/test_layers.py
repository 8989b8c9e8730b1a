"""The order of the rooms and the third-party walls, read from the source with ast."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.syntax import nodes

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ["finetune", "bench", "graph", "agents", "tools", "knowledge"]  # each may import those after it
FILES = {room: [p for p in sorted((ROOT / room).rglob("*.py")) if "tasks" not in p.parts] for room in ROOMS}

# room inside tools/ -> the rooms beside it that it may import; each stands after those. The twin knows nothing of the
# judge, the reference or CANN; toolchains.py alone knows both toolchains.
TOOLS: dict[str, tuple[str, ...]] = {
    "core": (),
    "process": ("core",),
    "cache": ("core",),
    "reference": ("cache", "process", "core"),
    "judge": ("reference", "cache", "core"),
    "dsl": ("core",),
    "compose": ("dsl", "reference", "core"),
    "twin": ("cache", "process", "core"),
    "cann": ("cache", "process", "core"),
    "timeline": ("core",),
    "direct": ("twin", "cache", "process", "core"),
    "launched": ("direct", "twin", "cache", "process", "core"),
    "binding": ("direct", "twin", "reference", "cache", "process", "core"),
    "model_new": ("binding", "launched", "direct", "twin", "reference", "cache", "process", "core"),
    "faults": ("core",),
    "cards": ("twin", "core"),
    "rewrite": ("core",),
    "serving": ("process", "core"),
    "toolchains": ("model_new", "cann", "twin", "core"),
}

TOOL_FILES: dict[str, list[Path]] = {}
for _path in FILES["tools"]:
    _room = _path.relative_to(ROOT / "tools").parts[0].removesuffix(".py")
    if _room != "__init__":
        TOOL_FILES.setdefault(_room, []).append(_path)

# package -> where it may be imported
WALLS = {
    "langgraph": ("graph/",),
    "trl": ("finetune/",),
    "peft": ("finetune/",),
    "datasets": ("finetune/",),
    "transformers": ("finetune/", "agents/models/local.py"),
    "subprocess": ("tools/process/group.py",),
    "ray": ("bench/executors/ray_cluster.py",),
    "mcp": (),  # served by src/akgen/mcp/; no room knows of it
    "textual": (),  # the screen is src/akgen/screen/
    "torch": (
        "tools/reference/",
        "tools/binding/",
        "tools/model_new/recording.py",
        "tools/model_new/dispatch.py",
        "tools/cann/worker.py",
        "agents/models/local.py",
        "tools/compose/front/record.py",
        "tools/compose/front/record_combined.py",
        "tools/compose/front/record_constants.py",
        "tools/compose/front/record_coordinates.py",
        "tools/compose/front/record_einsum.py",
        "tools/compose/front/record_empty.py",
        "tools/compose/front/record_foreach.py",
        "tools/compose/front/record_formulas.py",
        "tools/compose/front/record_linalg.py",
        "tools/compose/front/record_ordered.py",
        "tools/compose/front/record_outside.py",
        "tools/compose/front/record_part_calls.py",
        "tools/compose/front/record_parts.py",
        "tools/compose/front/record_ragged.py",
        "tools/compose/front/record_selected.py",
        "tools/compose/front/record_steered.py",
        "tools/compose/front/record_writes.py",
        "tools/compose/front/trace.py",
        "tools/compose/front/trace_reader.py",
        "tools/compose/front/trace_outputs.py",
        "bench/npukb/",
        "bench/mkb/",
        "finetune/",
    ),
}


def _imports(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (module, relative level, line) of every import, also those inside functions."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level, node.lineno


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_to_its_right(room: str) -> None:
    wrong = []
    for path in FILES[room]:
        for module, level, line in _imports(path):
            place, parts = f"{_name(path)}:{line}", module.split(".")
            if level:
                wrong.append(f"{place}: relative import")
            if parts[0] in ROOMS:
                wrong.append(f"{place}: bare room name {module}")
            if parts[0] == "akgen" and parts[1:2] and parts[1] in ROOMS[: ROOMS.index(room)]:
                wrong.append(f"{place}: imports {module} to its left")
    assert FILES[room] and wrong == []


def _inner_rooms(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the rooms of tools/ that a module imports from, with the line."""
    for node in nodes(path):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("akgen.tools."):
                yield name.split(".")[2], node.lineno


def test_every_room_of_tools_has_a_place_in_their_order() -> None:
    assert set(TOOL_FILES) == set(TOOLS)


@pytest.mark.parametrize("own", TOOLS)
def test_a_room_of_tools_imports_only_those_it_is_said_to(own: str) -> None:
    wrong = [
        f"{_name(path)}:{line}: {own} imports {room}"
        for path in TOOL_FILES[own]
        for room, line in _inner_rooms(path)
        if room not in (own, *TOOLS[own])
    ]
    assert wrong == []


def test_the_rooms_of_tools_have_an_order() -> None:
    order = list(TOOLS)
    for room, allowed in TOOLS.items():
        assert all(order.index(other) < order.index(room) for other in allowed), room


@pytest.mark.parametrize("room", ROOMS)
def test_third_party_walls_hold(room: str) -> None:
    wrong = [
        f"{_name(path)}:{line}: {module} belongs to {WALLS[package]}"
        for path in FILES[room]
        for module, _, line in _imports(path)
        if (package := module.split(".")[0]) in WALLS and not _name(path).startswith(WALLS[package])
    ]
    assert wrong == []


def test_the_rooms_are_linked_into_the_package() -> None:
    for room in ROOMS:
        link = ROOT / "src" / "akgen" / room
        assert link.is_symlink()
        assert link.resolve() == (ROOT / room).resolve()


def test_only_the_batch_runner_catches_every_exception() -> None:
    found = []
    for path in (path for paths in FILES.values() for path in paths):
        for node in nodes(path):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception")
            ):
                found.append(_name(path))
    assert set(found) <= {"bench/runner.py"}
