"""Sums over the last axis in the array's own dtype, in the orders that kernels use."""

from typing import Any

import numpy as np

Array = Any


def in_order(x: Array) -> Array:
    return np.add.accumulate(x, axis=-1, dtype=x.dtype)[..., -1]


def reversed_order(x: Array) -> Array:
    return in_order(x[..., ::-1])


def padded(x: Array, multiple: int) -> Array:
    rest = -x.shape[-1] % multiple
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, rest)])


def tree(x: Array) -> Array:
    """Add neighbours, then their sums, and so on."""
    while x.shape[-1] > 1:
        x = padded(x, 2)
        x = x[..., ::2] + x[..., 1::2]
    return x[..., 0]


def folded(x: Array) -> Array:
    """Add the upper half to the lower one, as vector instructions do."""
    x = padded(x, 1 << (x.shape[-1] - 1).bit_length())
    while x.shape[-1] > 1:
        half = x.shape[-1] // 2
        x = x[..., :half] + x[..., half:]
    return x[..., 0]


def lanes(x: Array, width: int = 64) -> Array:
    """One sum per lane, then a fold over the lanes."""
    x = padded(x, width)
    return folded(in_order(np.moveaxis(x.reshape(*x.shape[:-1], -1, width), -2, -1)))


def blocks(x: Array, length: int = 1024) -> Array:
    """One sum per block, each in order, then in order over the blocks."""
    x = padded(x, length)
    return in_order(in_order(x.reshape(*x.shape[:-1], -1, length)))


def kahan(x: Array, width: int = 512) -> Array:
    """Compensated sums in lanes, folded."""
    x = padded(x, width)
    x = x.reshape(*x.shape[:-1], -1, width)
    total, lost = np.zeros_like(x[..., 0, :]), np.zeros_like(x[..., 0, :])
    for i in range(x.shape[-2]):
        y = x[..., i, :] - lost
        new = total + y
        lost = (new - total) - y
        total = new
    return folded(total)
