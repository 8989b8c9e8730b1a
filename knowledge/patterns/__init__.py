"""Expert kernels of our own, one folder each: a whole msopgen project, its idea, and the task it solves.

tests/knowledge/test_patterns.py judges every one of them on that task.
"""

import json
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
    categories: tuple[str, ...]  # kinds of operator that it is an example for
    idea: str
    cases: tuple[str, ...]  # of the task; the others are outside what it shows
    large: dict[str, int | float | str | list[int]]  # a case long enough to come near the roofline
    least_share: float  # of the roofline, there
    files: dict[str, str]


@cache
def patterns() -> tuple[Pattern, ...]:
    root = Path(str(files("akgen.knowledge").joinpath("patterns")))
    return tuple(read_pattern(p.parent) for p in sorted(root.glob("*/pattern.json")))


def read_pattern(folder: Path) -> Pattern:
    """Read a folder with pattern.json, op_host and op_kernel."""
    sources = {
        p.relative_to(folder).as_posix(): p.read_text()
        for part in ("op_host", "op_kernel")
        for p in sorted((folder / part).iterdir())
    }
    return Pattern(name=folder.name, files=sources, **json.loads((folder / "pattern.json").read_text()))
