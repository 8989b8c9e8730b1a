"""What the tests of verdicts share: a task, a project, and a kernel that is right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.reference.client import ReferenceWorker

Kernel = Callable[[list[Any], Path], list[Any]]
MakeToolchain = Callable[..., Any]

SOFTMAX = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
def get_inputs(params):
    return [torch.randn(params["rows"], params["columns"])]
"""
PROJECT = KernelProject(op_type="S", kernel="s", files={"op_kernel/s.cpp": "", "op_host/s.cpp": ""})


def softmax(inputs: list[Any], folder: Path) -> list[Any]:
    x = inputs[0].astype(np.float64)
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return [(e / e.sum(axis=-1, keepdims=True)).astype(np.float32)]


def task(folder: Path, text: str = SOFTMAX, **more: Any) -> Task:
    path = folder / "reference.py"
    path.write_text(text)
    cases = tuple(Case(id=f"{r}x{c}", params={"rows": r, "columns": c}) for r, c in ((4, 33), (16, 128)))
    return Task(
        name="softmax",
        suite="file",
        category="softmax",
        op_type="S",
        kernel="s",
        reference=Reference(loader="akgen.tools.reference.module_loader", path=path),
        cases=cases,
        **more,
    )


def judged(reference: ReferenceWorker, folder: Path, toolchain: Any, **more: Any) -> Verdict:
    return Judge(toolchain, reference).judge(PROJECT, task(folder), work=folder / "work", **more)
