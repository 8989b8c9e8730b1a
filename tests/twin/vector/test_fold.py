"""Reductions along an axis, Mean and ReduceXorSum; Select, AscendDequant and GeGLU under their other names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(23)
F32 = np.float32
AR, RA = "Pattern::Reduce::AR", "Pattern::Reduce::RA"


def _cases(case: Any) -> list[Any]:
    out = []
    x = RNG.uniform(0.5, 1.5, (4, 16)).astype(F32)
    flags = (RNG.random((4, 32)) < 0.8).astype(np.uint8)
    flags[1] = 1
    flags[2] = 0
    for pattern, axis in ((AR, 1), (RA, 0)):
        kept = x.shape[1 - axis]
        call = "uint32_t shape[] = {{4, {}}}; {}<{}, {}>(out, a, {}shape, true);"
        out += [
            case(
                f"ReduceProd-{axis}",
                call.format(16, "ReduceProd", "float", pattern, "tmp, "),
                (x,),
                np.zeros(kept, F32),
                x.prod(axis),
                rtol=1e-5,
            ),
            case(
                f"ReduceMean-{axis}",
                call.format(16, "ReduceMean", "float", pattern, "tmp, "),
                (x,),
                np.zeros(kept, F32),
                x.mean(axis),
                rtol=1e-5,
            ),
            case(
                f"ReduceAny-{axis}",
                call.format(32, "ReduceAny", "uint8_t", pattern, "tmp, "),
                (flags,),
                np.zeros(flags.shape[1 - axis], np.uint8),
                flags.any(axis).astype(np.uint8),
            ),
            case(
                f"ReduceAll-{axis}",
                call.format(32, "ReduceAll", "uint8_t", pattern, ""),
                (flags,),
                np.zeros(flags.shape[1 - axis], np.uint8),
                flags.all(axis).astype(np.uint8),
            ),
        ]
    out.append(
        case(
            "Mean",
            "Mean(out, a, tmp, {4, 16, 10});",
            (x,),
            np.zeros(8, F32),
            np.r_[x[:, :10].mean(1), np.zeros(4)].astype(F32),
            rtol=1e-6,
        )
    )
    a, b = (RNG.integers(-900, 900, 40).astype(np.int16) for _ in range(2))
    total = np.zeros(16, np.int16)
    total[0] = int((a ^ b)[:37].astype(int).sum().clip(-32768, 32767))
    out.append(
        case("ReduceXorSum", "ReduceXorSum(out, a, b, tmp, 37);", (a, b), np.zeros(16, np.int16), total)
    )
    rows, mask = RNG.standard_normal((2, 16)).astype(F32), (RNG.random((2, 32)) < 0.5).astype(np.uint8)
    kept = np.where(mask[:, :16] != 0, 7.0, rows).astype(F32)
    out.append(
        case(
            "Select-bytes",
            "SelectWithBytesMaskShapeInfo info{2, 16, 32}; Select(out, a, 7.0f, b, tmp, info);",
            (rows, mask),
            rows * 0,
            kept,
        )
    )
    whole, scale = RNG.integers(-99, 99, 32).astype(np.int32), RNG.random(8).astype(F32)
    wanted = (whole * np.tile(scale, 4)).astype(F32)
    zero = np.zeros(32, F32)
    out += [
        case("Dequant-short", "AscendDequant(out, a, b, tmp);", (whole, scale), zero, wanted, rtol=1e-6),
        case("Dequant-count", "AscendDequant(out, a, b, 32);", (whole, scale), zero, wanted, rtol=1e-6),
        case(
            "Dequant-single-row",
            "AscendDequant(out, a, b, tmp, DequantParams{1, 32, 8});",
            (whole, scale),
            zero,
            wanted,
            rtol=1e-6,
        ),
        case("GeGLU-tmp", "GeGLU(out, a, b, tmp);", (x, x), x * 0, x * x * _phi(x), rtol=2e-3),
    ]
    return out


def _phi(x: Array) -> Array:
    wide = x.astype(np.float64)
    return 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))


@pytest.fixture(scope="module")
def cases(case: Any) -> list[Any]:
    return _cases(case)


def test_results(bench: Any, cases: list[Any], tmp_path: Path) -> None:
    got = bench.run(cases, tmp_path)
    for one in cases:
        one.check(got[one.name])
