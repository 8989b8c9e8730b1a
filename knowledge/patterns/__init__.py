"""Expert kernels of our own, one folder each: a whole msopgen project, its idea, and the task it solves.

tests/knowledge/test_patterns.py judges every one of them on that task.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from akgen.knowledge.data_files import KnowledgeFact


class Pattern(KnowledgeFact):
    """One expert kernel. `files` maps project-relative paths to text."""

    name: str
    task: str  # the built-in task that it solves
    op_type: str
    kernel: str
    categories: tuple[str, ...]  # kinds of operator that it is an example for, the most telling first
    operations: tuple[str, ...]  # of ATen, which it shows how to write
    idea: str
    cases: tuple[str, ...]  # of the task; the others are outside what it shows
    large: dict[str, int | float | str | list[int]]  # a case long enough to come near the roofline
    least_share: float  # of the roofline, there
    files: dict[str, str]


@cache
def patterns() -> tuple[Pattern, ...]:
    root = Path(str(files("akgen.knowledge").joinpath("patterns")))
    return tuple(read_pattern(p.parent) for p in sorted(root.glob("*/pattern.json")))


def expert_for(operations: Sequence[str], categories: Sequence[str], task: str) -> Pattern | None:
    """Return the expert kernel that shows most of what a reference computes, but never the task's own answer.

    Operations (`aten.cumsum.default`, `cumsum`) tell more the fewer kernels show them. Where none does, or two tell as
    much, the first of the categories that has a kernel decides, and of its kernels the one that is most about it.
    """
    called = {_base(operation) for operation in operations}
    others = [p for p in patterns() if p.task != task]
    told = {
        p.name: sum(1 / sum(name in q.operations for q in patterns()) for name in called & {*p.operations})
        for p in others
    }
    best = max(told.values(), default=0.0)
    fitting = [p for p in others if told[p.name] == best]
    for category in categories:
        shown = [p for p in fitting if category in p.categories]
        if shown:
            return min(shown, key=lambda p: (p.categories.index(category), -len(p.cases), p.name))
    return max(fitting, key=lambda p: len(p.cases)) if best else None


def _base(operation: str) -> str:
    """Return `cumsum` of `aten.cumsum.default`."""
    parts = operation.split(".")
    return parts[1] if parts[0] == "aten" and len(parts) > 1 else operation


def read_pattern(folder: Path) -> Pattern:
    """Read a folder with pattern.json, op_host and op_kernel."""
    sources = {
        p.relative_to(folder).as_posix(): p.read_text()
        for part in ("op_host", "op_kernel")
        for p in sorted((folder / part).iterdir())
    }
    return Pattern(name=folder.name, files=sources, **json.loads((folder / "pattern.json").read_text()))
