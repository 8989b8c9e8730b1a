"""What the tests of `compare` share; its fixture `check` stands in conftest.py."""

from collections.abc import Callable
from typing import Any

import numpy as np

from akgen.tools.judge.compare import Comparison

Compare = Callable[..., Comparison]


def bfloat16(values: Any) -> Any:
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded >> 16).astype(np.uint16)


def values(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)
