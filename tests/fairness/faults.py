"""Wrong programs: the sound ones with one fault each, of the kinds that kernels have.

A fault is in what a program reads (`given`), or in its steps (`fault`). What no tolerance can tell from rounding is
left out: one element of 65,536 positive ones, an epsilon far below the variance.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fairness.programs import PROGRAMS, Program, fp16, single

Array = Any
MUTANTS: dict[str, dict[str, Program]] = defaultdict(dict)


def fault(task: str, name: str, program: Program) -> None:
    assert name not in MUTANTS[task], name
    MUTANTS[task][name] = program


def given(task: str, name: str, change: Callable[..., tuple[Array, ...]], *only: str) -> None:
    """Let sound programs of a task (all, or those named) read something else."""
    for which, program in PROGRAMS[task].items():
        if not only or which in only:
            fault(task, f"{name} ({which})", lambda *a, p=program: p(*change(*a)))


def zeroed(x: Array, part: slice) -> Array:
    x = x.copy()
    x[..., part] = 0
    return x


def twice(x: Array, part: slice = slice(128, 192)) -> Array:
    """Count a part twice."""
    x = x.copy()
    x[..., part] *= 2
    return x


def in_half(x: Array) -> Array:
    return single(fp16(x)) if x.dtype == np.float32 else x
