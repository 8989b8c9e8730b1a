"""The command line as people use it: a task of its own, a scripted model.

`akgen` runs a command in this process, which has imported already what most of them need; `akgen_process` starts a
process of its own, for what a process alone can show.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.agents.prompts import render
from akgen.agents.prompts.builder import example_project
from akgen.tools.core.project import KernelProject
from tests.command import Ended, command

REFERENCE = '''"""y = x + 1."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs(params):
    return [torch.randn(params["shape"], dtype=getattr(torch, params["dtype"]))]
'''
PLAN = {
    "category": "elementwise",
    "thought": "Split the elements over the cores.",
    "block_dim": 40,
    "tile_length": 8192,
    "buffers": [
        {"name": "x", "space": "UB", "role": "in", "dtype": "float32", "size_bytes": 32768, "copies": 2},
        {"name": "y", "space": "UB", "role": "out", "dtype": "float32", "size_bytes": 32768, "copies": 2},
    ],
    "double_buffer": True,
    "apis": ["Adds", "DataCopyPad"],
}


Akgen = Callable[..., Ended]
Script = Callable[..., Path]
Change = tuple[str, str]


@pytest.fixture
def akgen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Akgen:
    """Run `akgen` with arguments in the test's folder; `env` adds variables, `stdin` is what is typed."""

    def run(*arguments: str | Path, env: dict[str, str] | None = None, stdin: str = "") -> Ended:
        with monkeypatch.context() as here:
            here.chdir(tmp_path)
            return command(*arguments, env=env, stdin=stdin)

    return run


@pytest.fixture
def akgen_process(tmp_path: Path) -> Akgen:
    """Run `akgen` as `akgen` does, in a process of its own."""

    def run(*arguments: str | Path, env: dict[str, str] | None = None, stdin: str = "") -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "akgen", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def add_one(tmp_path: Path) -> Path:
    """Make a task folder: y = x + 1, an even and a ragged case."""
    folder = tmp_path / "add_one"
    folder.mkdir()
    (folder / "reference.py").write_text(REFERENCE)
    cases = [
        {"id": "even", "params": {"shape": [4, 64], "dtype": "float32"}},
        {"id": "ragged", "params": {"shape": [7, 333], "dtype": "float32"}},
    ]
    task = {"level": 1, "category": "elementwise", "description": "Add one.", "cases": cases}
    (folder / "task.json").write_text(json.dumps(task))
    return folder


def _answer(change: Change) -> str:
    """Return a coder's full answer: the prompt's own example, with one piece of the kernel exchanged."""
    project = example_project()
    kernel = project.files[project.kernel_file]
    assert change[0] in kernel
    files = {**project.files, project.kernel_file: kernel.replace(*change) if change[0] else kernel}
    changed = KernelProject(op_type=project.op_type, kernel=project.kernel, files=files)
    return "<think>I know this one.</think>\n" + render("answer", project=changed)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write a model's script: a plan that fits, then answers; a change is (piece of the right kernel, instead).

    `more` goes into every line (tokens).
    """

    def write(*answers: Change | str, **more: int) -> Path:
        lines: list[dict[str, Any]] = [{"role": "planner", "text": json.dumps(PLAN), **more}]
        texts = (a if isinstance(a, str) else _answer(a) for a in answers)
        lines += [{"role": "coder", "text": text, **more} for text in texts]
        path = tmp_path / "script.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return write
