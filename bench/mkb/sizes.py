"""Which sizes each case of a task runs with: the benchmark's own, or scaled by the rule of akgen.bench.mkb.scale.

A task without input groups gets up to three cases: the largest sizes within 10 MB, 1 MB and 100 KB, each at most a
quarter of the one before. A case of a task with input groups keeps its sizes within 10 MB and is scaled to that
otherwise; one that the reference does not run on is left out. What counts are the bytes of inputs, parameters and
outputs, and, at 64 for each of these bytes, the multiplications of matrix products and convolutions. All sizes are
tried together; if the reference does not run so, one after the other, and each that it does not run with keeps its
value. Everything happens on PyTorch's meta device, which holds no elements.
"""

from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from akgen.bench.mkb.discovery import group_lines
from akgen.bench.mkb.reference_file import REFERENCE_ERRORS, ReferenceFile
from akgen.bench.mkb.scale import STRENGTHS, Strength, scaled
from akgen.tools.core.outcome import InputError
from akgen.tools.core.task import Case, Mode, Task

BUDGETS = (10_000_000, 1_000_000, 100_000)  # bytes
_MULTIPLICATIONS_PER_BYTE = 64

_DRAWS = 2

Sizes = dict[str, int]


def sized(task: Task, *, full: bool = False) -> Task:
    """Return the task with the sizes of every case in its params, and their bytes; with `full`, as it is."""
    path = task.reference.path
    lines = group_lines(path)
    if full:
        return task
    if lines:
        return task.model_copy(update={"cases": _groups(path, lines, task.mode)})
    file = ReferenceFile(path)
    budgets = BUDGETS[:1] if task.mode == Mode.STATIC else BUDGETS
    found: dict[str, Case] = {}
    for number, budget in enumerate(budgets):
        case = _fitted(file, str(number), min([budget, *map(_quarter, found.values())]))
        found.setdefault(str(case.params), case)
    return task.model_copy(update={"cases": tuple(found.values())})


def _groups(path: Path, lines: tuple[str, ...], mode: Mode) -> tuple[Case, ...]:
    """Return the cases that the reference runs on, in static mode the first; case 0 as it is, if there is none."""
    found: list[Case] = []
    for number, line in enumerate(lines):
        file = ReferenceFile(path, line)
        case = _fitted(file, str(number), BUDGETS[0])
        if all(_runs(file, case, seed) for seed in range(_DRAWS)):
            found.append(case)
            if mode == Mode.STATIC:
                break
    return tuple(found) or (Case(id="0"),)


def _runs(file: ReferenceFile, case: Case, seed: int) -> bool:
    """Say whether the reference takes what the case draws: some draw indices beyond what they index."""
    torch.default_generator.manual_seed(seed)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), torch.no_grad():
            module = file.module({k: v for k, v in case.params.items() if isinstance(v, int)})
            module.Model(*_arguments(module)).eval()(*module.get_inputs())
    except (InputError, *REFERENCE_ERRORS):
        return False
    return True


def _fitted(file: ReferenceFile, case_id: str, budget: int) -> Case:
    """Return the case with the largest sizes within the budget, else with the smallest that the reference runs with.

    Rows beyond UB stay so if the budget allows that at all.
    """
    own = file.sizes()
    found: tuple[Sizes, int | None] = ({}, None)
    for keeps_long_rows in (True, False):
        wanted = _wanted(own, STRENGTHS[0], keeps_long_rows)
        found = sizes, volume = _accepted(file, wanted)
        if volume is None or volume > budget:
            continue
        for strength in STRENGTHS[1:]:
            larger = _wanted({k: own[k] for k in wanted if k in sizes}, strength, keeps_long_rows)
            volume = _volume(file, larger)
            if volume is None or volume > budget:
                break
            found = larger, volume
        break
    return Case(id=case_id, params=dict(found[0]), size_bytes=found[1])


def _quarter(case: Case) -> int:
    return (case.size_bytes or 0) // 4


def _wanted(own: Sizes, strength: Strength, keeps_long_rows: bool) -> Sizes:
    """Return the sizes that the rule changes."""
    scaled_all = {k: scaled(v, strength, keeps_long_rows=keeps_long_rows) for k, v in own.items()}
    return {k: n for k, n in scaled_all.items() if n != own[k]}


def _accepted(file: ReferenceFile, wanted: Sizes) -> tuple[Sizes, int | None]:
    """Return those of the wanted sizes that the reference runs with, and what it then costs."""
    volume = _volume(file, wanted)
    if volume is not None:
        return wanted, volume
    kept: Sizes = {}
    for label, size in wanted.items():
        if _volume(file, {**kept, label: size}) is not None:
            kept[label] = size
    return kept, _volume(file, kept)


def _volume(file: ReferenceFile, sizes: Mapping[str, int]) -> int | None:
    """Return the bytes that a case costs; None if the reference does not run with these sizes."""
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), torch.device("meta"), torch.no_grad():
            module = file.module(sizes)
            model = module.Model(*_arguments(module)).eval()
            inputs = list(module.get_inputs())
            with FlopCounterMode(display=False) as counter:
                outputs = model(*inputs)
    except (InputError, *REFERENCE_ERRORS):
        return None
    volume = _bytes([inputs, list(model.state_dict().values()), outputs])
    return max(volume, int(counter.get_total_flops() // 2) // _MULTIPLICATIONS_PER_BYTE)


def _arguments(module: Any) -> list[Any]:
    return list(module.get_init_inputs()) if hasattr(module, "get_init_inputs") else []


def _bytes(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(_bytes(v) for v in value)
    return int(value.numel() * value.element_size()) if isinstance(value, torch.Tensor) else 0
