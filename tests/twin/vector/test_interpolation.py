"""BilinearInterpolation: blocks that offsets name, times weights, summed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(41)


@pytest.mark.parametrize("own", [False, True], ids=["weight-for-eight-blocks", "weight-for-each-block"])
@pytest.mark.parametrize(("wide", "high"), [(2, 2), (3, 1), (1, 4)])
def test_bilinear_interpolation(
    bench: Any, case: Any, tmp_path: Path, wide: int, high: int, own: bool
) -> None:
    total = wide * high
    x = RNG.integers(-9, 10, 1024).astype(np.float16)
    offsets = (RNG.permutation(64)[: total * 8] * 32).astype(np.uint32)
    weights = RNG.integers(1, 5, 32).astype(np.float16)
    blocks = x.reshape(64, 16)[offsets // 32].reshape(total, 8, 16)
    of_each = weights[: total * 8].reshape(total, 8, 1) if own else weights[:total].reshape(total, 1, 1)
    want = (blocks * of_each).reshape(high, wide, 128).sum(axis=1).astype(np.float16)
    code = f"BilinearInterpolation(out, a, b, c, (uint64_t)128, {wide}, {str(own).lower()}, 1, 128, {high}, tmp);"
    bits = f"uint64_t all[2] = {{~0ull, ~0ull}};\n    {code.replace('(uint64_t)128', 'all')}"
    tests = [
        case(name, text, (x, offsets, weights), want * 0, want)
        for name, text in (("count", code), ("bits", bits))
    ]
    results = bench.run(tests, tmp_path)
    for c in tests:
        np.testing.assert_array_equal(results[c.name], c.want, c.name)
