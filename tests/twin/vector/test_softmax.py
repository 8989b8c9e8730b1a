"""The SoftMax family: statistics, flash updates, gradients, padded rows, half with float statistics."""

from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(9)
F32, F16 = np.float32, np.float16
TILING = "SoftMaxTiling t{};\n    t.srcM = 4; t.srcK = 32;\n    "
NARROW = (
    TILING
    + "static constexpr SoftmaxConfig narrow{false, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};\n    "
)
SHAPE = "SoftMaxShapeInfo s{4, 32, 4, 20};\n    "


def _parts(x: Array) -> tuple[Array, Array, Array]:
    x = x.astype(np.float64)
    top = x.max(1, keepdims=True)
    e = np.exp(x - top)
    return e, e.sum(1, keepdims=True), top


def _blocks(column: Array, dtype: Any = F32) -> Array:
    return np.repeat(column, 32 // np.dtype(dtype).itemsize, 1).astype(dtype)


def thin(*columns: Array) -> Array:
    """Lay out one element a row, each column from a block of 32 bytes on."""
    return np.concatenate([np.r_[c.ravel(), np.zeros(8 - c.size)] for c in columns]).astype(F32)


def test_family(bench: Any, case: Any, tmp_path: Path) -> None:
    x, g = RNG.uniform(-3, 3, (4, 32)).astype(F32), RNG.uniform(-1, 1, (4, 32)).astype(F32)
    h = x.astype(F16)
    e, total, top = _parts(x)
    p = e / total
    eh, total_h, _ = _parts(h)
    short, short_total, _ = _parts(x[:, :20])
    padded = np.full((4, 32), 7.0, F32)
    padded[:, :20] = short / short_total
    statistics = np.concatenate([_blocks(total), _blocks(top)])
    old_sum, old_max = np.full((4, 1), 2.0), np.full((4, 1), 1.5)
    new_max = np.maximum(top, old_max)
    carried = np.exp(old_max - new_max)
    flash = np.exp(x - new_max)
    new_sum = flash.sum(1, keepdims=True) + carried * old_sum
    update = np.concatenate([_blocks(new_sum), _blocks(new_max), _blocks(carried)])
    old = np.concatenate([_blocks(old_sum), _blocks(old_max)])
    front = (g.astype(np.float64) * p).sum(1, keepdims=True)
    probabilities = p.astype(F32)
    zero = np.zeros((4, 32), F32)
    two, three = np.zeros((8, 8), F32), np.zeros((12, 8), F32)
    close = {"rtol": 2e-6, "atol": 1e-7}
    cases = [
        case("plain", TILING + "SoftMax(out, a, tmp, t);", (x,), zero, p, **close),
        case("in-place", TILING + "SoftMax<float, true>(out, out, t);", (), x, p.astype(F32), **close),
        case(
            "padded",
            TILING + SHAPE + "SoftMax(out, a, tmp, t, s);",
            (x,),
            np.full((4, 32), 7.0, F32),
            padded,
            **close,
        ),
        case("half", TILING + "SoftMax(out, a, t);", (h,), h * 0, (eh / total_h).astype(F16), 1e-3, 1e-6),
        case(
            "statistics",
            TILING + "SoftMax<float>(b, out, out[32], a, tmp, t);",
            (x, zero),
            two,
            statistics,
            **close,
        ),
        case(
            "float-statistics",
            TILING + "SoftMax<half>(b, out, out[32], a, tmp, t);",
            (h, h * 0),
            two,
            np.concatenate([_blocks(total_h), _blocks(h.astype(np.float64).max(1, keepdims=True))]),
            **close,
        ),
        case(
            "log-10",
            "LogSoftMaxTiling t{};\n    t.srcM = 4; t.srcK = 32;\n    LogSoftMax(out, b, b[32], a, tmp, t);",
            (x, two),
            zero,
            np.log10(p),
            rtol=2e-6,
            atol=1e-6,
        ),
        case(
            "simple", TILING + "SimpleSoftMax(out, b, b[32], a, tmp, t);", (x, statistics), zero, p, **close
        ),
        case(
            "flash-first",
            "constexpr SoftMaxTiling t = SoftMaxFlashV2TilingFunc(SoftMaxShapeInfo{4, 32, 4, 32}, 4, 4, 4096);\n"
            "    static_assert(t.srcM == 4 && t.srcK == 32 && t.splitM == 4);\n"
            "    SoftmaxFlashV2<float>(out, b, b[32], a, b, b, b, tmp, t);",
            (x, two),
            zero,
            e,
            **close,
        ),
        case(
            "flash-update",
            TILING + "SoftmaxFlashV2<float, true>(c, out, out[32], a, out[64], b, b[32], tmp, t);",
            (x, old, zero),
            three,
            update,
            **close,
        ),
        case(
            "flash-narrow",
            NARROW + "SoftmaxFlashV2<float, true, false, false, false, narrow>"
            "(c, out, out[8], a, out[16], b, b[8], tmp, t);",
            (x, thin(old_sum, old_max), zero),
            np.zeros(32, F32),
            thin(new_sum, new_max, carried, 0 * top),
            **close,
        ),
        case(
            "flash-own-maximum",
            NARROW + "SoftmaxFlashV2<float, true, false, false, false, narrow>"
            "(c, out[24], out, out[8], a, out[16], b, b[8], tmp, t);",
            (x, thin(old_sum, old_max), zero),
            np.zeros(32, F32),
            thin(new_sum, new_max, carried, top),
            **close,
        ),
        case(
            "grad",
            TILING + "SoftmaxGrad(out, a, b, tmp, t);",
            (g, probabilities),
            zero,
            (g - front) * p,
            rtol=1e-5,
            atol=1e-6,
        ),
        case(
            "grad-front",
            TILING + "SoftmaxGradFront(out, a, b, tmp, t);",
            (g, probabilities),
            np.zeros((4, 8), F32),
            _blocks(front),
            rtol=1e-5,
            atol=1e-6,
        ),
        case(
            "adjust",
            "SoftMaxShapeInfo s{4, 32, 4, 32};\n    AdjustSoftMaxRes<float, float>(out, a, 0xFF7FFFFF, 0.0f, s);",
            (np.where(np.arange(4)[:, None] == 1, np.finfo(F32).min, 1.0).repeat(8, 1).astype(F32),),
            x,
            np.where(np.arange(4)[:, None] == 1, 0, x).astype(F32),
        ),
    ]
    results = bench.run(cases, tmp_path)
    for c in cases:
        try:
            c.check(results[c.name])
        except AssertionError as wrong:
            raise AssertionError(f"{c.name}: {wrong}") from None
