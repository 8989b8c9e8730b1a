"""The order of the rooms and the third-party walls, read from the source with ast."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.syntax import nodes

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ["finetune", "bench", "graph", "agents", "tools", "knowledge"]  # each may import those after it
FILES = [p for room in ROOMS for p in sorted((ROOT / room).rglob("*.py")) if "tasks" not in p.parts]

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

# package -> where it may be imported
WALLS = {
    "langgraph": ("graph/",),
    "trl": ("finetune/",),
    "peft": ("finetune/",),
    "datasets": ("finetune/",),
    "transformers": ("finetune/", "agents/models/local.py", "agents/models/continuation.py"),
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
        "agents/models/continuation.py",
        "tools/compose/front/record.py",
        "tools/compose/front/record_formulas.py",
        "tools/compose/front/record_outside.py",
        "tools/compose/front/record_ragged.py",
        "tools/compose/front/record_steered.py",
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


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_a_room_imports_only_rooms_to_its_right(path: Path) -> None:
    own = ROOMS.index(_name(path).split("/")[0])
    for module, level, line in _imports(path):
        assert level == 0, f"{_name(path)}:{line}: relative import"
        assert module.split(".")[0] not in ROOMS, f"{_name(path)}:{line}: bare room name {module}"
        parts = module.split(".")
        if parts[0] == "akgen" and len(parts) > 1 and parts[1] in ROOMS:
            assert ROOMS.index(parts[1]) >= own, f"{_name(path)}:{line}: imports {module} to its left"


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


@pytest.mark.parametrize("path", [p for p in FILES if _name(p).startswith("tools/")], ids=_name)
def test_a_room_of_tools_imports_only_those_it_is_said_to(path: Path) -> None:
    own = path.relative_to(ROOT / "tools").parts[0].removesuffix(".py")
    if own == "__init__":
        return
    assert own in TOOLS, f"{own} has no place in the order of the rooms of tools/"
    for room, line in _inner_rooms(path):
        assert room in (own, *TOOLS[own]), f"{_name(path)}:{line}: {own} imports {room}"


def test_the_rooms_of_tools_have_an_order() -> None:
    order = list(TOOLS)
    for room, allowed in TOOLS.items():
        assert all(order.index(other) < order.index(room) for other in allowed), room


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_third_party_walls_hold(path: Path) -> None:
    for module, _, line in _imports(path):
        allowed = WALLS.get(module.split(".")[0])
        if allowed is not None:
            assert _name(path).startswith(allowed), f"{_name(path)}:{line}: {module} belongs to {allowed}"


def test_the_rooms_are_linked_into_the_package() -> None:
    for room in ROOMS:
        link = ROOT / "src" / "akgen" / room
        assert link.is_symlink()
        assert link.resolve() == (ROOT / room).resolve()


def test_only_the_batch_runner_catches_every_exception() -> None:
    found = []
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.ExceptHandler) and (
                node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception")
            ):
                found.append(_name(path))
    assert set(found) <= {"bench/runner.py"}
