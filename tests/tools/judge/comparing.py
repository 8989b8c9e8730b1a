"""What the tests of `compare` share; its fixture `check` stands in conftest.py."""

from collections.abc import Callable
from typing import Any

import numpy as np

from akgen.tools.core.call import Poison
from akgen.tools.core.dtypes import DType
from akgen.tools.core.task import Tolerance
from akgen.tools.judge.compare import Comparison

Compare = Callable[..., Comparison]
POISON = Poison(seed=3)


def bfloat16(values: Any) -> Any:
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded >> 16).astype(np.uint16)


def values(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def held(*shape: int, dtype: type = np.float32, poison: Poison = POISON) -> Any:
    """Return an output that a kernel never wrote."""
    return np.frombuffer(poison.outputs(), dtype)[: int(np.prod(shape))].reshape(shape)


def literal(atol: float = 0.0, rtol: float = 0.0, dtype: DType = DType.FLOAT64) -> tuple[Tolerance, ...]:
    return (Tolerance(dtype=dtype, atol=atol, rtol=rtol),)


def half(*numbers: float) -> Any:
    return np.array(numbers, np.float16)


def single(*numbers: float) -> Any:
    return np.array(numbers, np.float32)
