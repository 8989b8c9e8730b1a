"""How large the inputs of each case are, without drawing them.

The task's own get_inputs runs on PyTorch's meta device, which holds shapes and no values. Where it needs values, the
literals of the csv row give an estimate: the elements of all shapes in it, at four bytes each.
"""

from math import prod
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from akgen.bench.npukb.discovery import row_of
from akgen.bench.npukb.rows import Row
from akgen.bench.npukb.shims import TASK_ERRORS, benchmark_modules, execute, seeded
from akgen.bench.npukb.tensors import flat
from akgen.tools.core.task import Task
from akgen.tools.core.untrusted import read_literal

LARGE_ELEMENTS = 1 << 20  # above this, a row whose inputs need values is estimated instead of drawn


def sized(task: Task) -> Task:
    """Return the task with `size_bytes` on every case: the volume of constructor and forward tensors."""
    folder = task.reference.path
    with benchmark_modules(ModuleType("kernel_gen_ops")):
        prepare = execute(folder / "validation" / "prepare_inputs.py")
    cases = tuple(
        c.model_copy(update={"size_bytes": _size(prepare, folder, c.id)}) if c.size_bytes is None else c
        for c in task.cases
    )
    return task.model_copy(update={"cases": cases})


def _size(prepare: ModuleType, folder: Path, case_id: str) -> int:
    row = row_of(folder, case_id)
    elements = _elements(row)
    device = torch.device("meta")
    with benchmark_modules(ModuleType("kernel_gen_ops")), seeded(0):
        try:
            with device:
                return _volume([prepare.get_init_inputs(row, device), prepare.get_inputs(row, device)])
        except TASK_ERRORS:
            pass
        if elements <= LARGE_ELEMENTS:
            try:
                return _volume([prepare.get_init_inputs(row, None), prepare.get_inputs(row, None)])
            except TASK_ERRORS:
                pass
    return 4 * elements


def _volume(value: Any) -> int:
    return sum(int(t.numel()) * int(t.element_size()) for t in flat(value))


def _elements(row: Row) -> int:
    total = 0
    for cell in row.values():
        if isinstance(cell, str) and cell.lstrip().startswith("["):
            try:
                total += _shape_elements(read_literal(cell))
            except ValueError:
                continue
    return total


def _shape_elements(value: Any) -> int:
    if not isinstance(value, list | tuple):
        return 0
    if value and all(isinstance(v, int) for v in value):
        return prod(max(v, 1) for v in value)
    return sum(_shape_elements(v) for v in value)
