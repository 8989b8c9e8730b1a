"""Cast: every pair of dtypes of Ascend910B under every rounding mode that it takes, with halves, extremes and NaN."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

Array = np.ndarray[Any, Any]
HALVES = np.array(
    [0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1.2, -1.2, 1.8, -1.8, 7.5, -8.5, 100.25, -100.75, 3.0], np.float32
)
FAR = np.array(
    [40000.0, -40000.0, 3e9, -3e9, 1e19, -1e19, np.inf, -np.inf, np.nan, 65519.0, 70000.0, 300.0], np.float32
)
MODES = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")


def _integral(x: Array, mode: str) -> Array:
    if mode == "ROUND":
        return np.copysign(np.floor(np.abs(x) + 0.5), x)
    return {"RINT": np.rint, "NONE": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}[mode](x)


def _saturated(x: Array, dtype: Any, mode: str) -> Array:
    """Round in float64, clip in exact integers; NaN is 0."""
    limits = np.iinfo(dtype)
    whole = [0 if np.isnan(v) else v for v in _integral(x.astype(np.float64), mode)]
    return np.array(
        [limits.max if v > limits.max else limits.min if v < limits.min else int(v) for v in whole], dtype
    )


def _bfloat(x: Array) -> Array:
    return torch.from_numpy(x).to(torch.bfloat16).view(torch.uint16).numpy()


def _from_bfloat(bits: Array) -> Array:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _toward(x: Array, mode: str, bits: int) -> Array:
    """Drop `bits` low mantissa bits of normal floats in a direction."""
    word = x.view(np.uint32)
    down = (word >> bits << bits).astype(np.uint32)
    up = np.where(down == word, down, down + np.uint32(1 << bits)).astype(np.uint32)
    away = {"FLOOR": x < 0, "CEIL": x > 0, "TRUNC": np.zeros_like(x, bool)}.get(mode)
    if mode == "ROUND":
        away = (word - down) >= np.uint32(1 << (bits - 1))
    if mode == "ODD":
        away = (down >> bits & 1) == 0
    return np.where(away, up, down).astype(np.uint32).view(np.float32)


def _cast(case: Any, name: str, mode: str, x: Array, want: Array, types: tuple[str, ...] = ()) -> Any:
    code = f"Cast(out, a, RoundMode::CAST_{mode}, {want.size});"
    return case(f"{name}-{mode}", code, (x,), np.zeros_like(want), want, types=types)


@pytest.fixture(scope="module")
def cases(case: Any) -> list[Any]:
    x = np.r_[HALVES, FAR].astype(np.float32)
    h = np.r_[HALVES, [40000.0, -40000.0, np.inf, -np.inf, np.nan, 300.0]].astype(np.float16)
    real = x[~np.isnan(x)]
    b = _bfloat(real)
    i16 = np.array([0, 1, -1, 2047, 2049, 2051, -2049, 32767, -32768], np.int16)
    i32 = np.array([0, 1, -1, 16777217, 16777219, -16777217, 2**31 - 1, -(2**31), 70000, -70000], np.int32)
    i64 = np.array([0, 1, -1, 16777217, 2**40 + 1, -(2**40) - 1, 2**31, -(2**31) - 1, 77], np.int64)
    out = []
    for mode in MODES:
        out.append(_cast(case, "float->float", mode, x, _integral(x, mode)))
        for dtype in (np.int16, np.int32, np.int64):
            out.append(_cast(case, f"float->{np.dtype(dtype).name}", mode, x, _saturated(x, dtype, mode)))
        for dtype in (np.int8, np.uint8, np.int16, np.int32):
            out.append(_cast(case, f"half->{np.dtype(dtype).name}", mode, h, _saturated(h, dtype, mode)))
        out.append(
            _cast(case, "bf16->int32", mode, b, _saturated(_from_bfloat(b), np.int32, mode), ("bfloat16_t",))
        )
        exact = i64.astype(np.float64)
        near = i64.astype(np.float32)
        if mode == "FLOOR":
            near = np.where(near > exact, np.nextafter(near, np.float32(-np.inf)), near)
        elif mode == "CEIL":
            near = np.where(near < exact, np.nextafter(near, np.float32(np.inf)), near)
        if mode in ("RINT", "FLOOR", "CEIL"):
            out.append(_cast(case, "int64->float", mode, i64, near))
    fine = np.array([1.0001, -1.0001, 2.00061, 3.14159, -2.71828, 1000.3, -0.3333], np.float32)
    for mode in (*MODES[1:], "ODD"):
        out.append(_cast(case, "float->half", mode, fine, _toward(fine, mode, 13).astype(np.float16)))
        if mode != "ODD":
            out.append(
                _cast(case, "float->bf16", mode, fine, _bfloat(_toward(fine, mode, 16)), ("", "bfloat16_t"))
            )
    with np.errstate(over="ignore"):
        halves = x.astype(np.float16)
        scaled = (i32.astype(np.float32) * np.float32(0.5)).astype(np.float16)
    out += [
        _cast(case, "float->half", "NONE", x, halves),
        _cast(case, "float->half", "RINT", x, halves),
        _cast(case, "float->bf16", "RINT", real, _bfloat(real), ("", "bfloat16_t")),
        _cast(case, "half->float", "NONE", h, h.astype(np.float32)),
        _cast(case, "bf16->float", "NONE", b, _from_bfloat(b), ("bfloat16_t",)),
        _cast(case, "half->int8", "NONE", h, _saturated(h, np.int8, "RINT")),
        _cast(
            case,
            "int8->half",
            "NONE",
            np.arange(-128, 128, dtype=np.int8),
            np.arange(-128, 128).astype(np.float16),
        ),
        _cast(case, "uint8->half", "NONE", np.arange(256, dtype=np.uint8), np.arange(256).astype(np.float16)),
        _cast(case, "int16->half", "NONE", i16, i16.astype(np.float16)),
        _cast(case, "int16->float", "NONE", i16, i16.astype(np.float32)),
        _cast(case, "int32->float", "NONE", i32, i32.astype(np.float32)),
        _cast(case, "int32->int16", "NONE", i32, np.clip(i32, -32768, 32767).astype(np.int16)),
        _cast(case, "int32->int64", "NONE", i32, i32.astype(np.int64)),
        _cast(case, "int64->int32", "NONE", i64, np.clip(i64, -(2**31), 2**31 - 1).astype(np.int32)),
        *(
            case(
                f"int32->half-deq-{mode}",
                f"SetDeqScale((half)0.5);\n    Cast(out, a, RoundMode::CAST_{mode}, 10);",
                (i32,),
                np.zeros(10, np.float16),
                scaled,
            )
            for mode in ("NONE", "ROUND", "TRUNC")  # the mode has no effect
        ),
        case(
            "half->int4->half",
            "LocalTensor<int4b_t> packed = tmp.ReinterpretCast<int4b_t>();\n"
            "    Cast(packed, a, RoundMode::CAST_RINT, 16);\n"
            "    Cast(out, packed, RoundMode::CAST_NONE, 16);",
            (HALVES.astype(np.float16),),
            np.zeros(16, np.float16),
            np.clip(np.rint(HALVES), -8, 7).astype(np.float16),
        ),
        case(
            "strided",
            "Cast(out, a, RoundMode::CAST_NONE, 64, 2, {1, 1, 8, 4});",
            (np.arange(128).astype(np.float16),),
            np.zeros(128, np.float32),
            np.arange(128, dtype=np.float32),
        ),
        case(
            "widen-in-place",
            "Cast(out, out.ReinterpretCast<half>()[208], RoundMode::CAST_NONE, 208);",
            (),
            np.r_[np.zeros(208), np.arange(208)].astype(np.float16).view(np.float32),
            np.arange(208, dtype=np.float32),
        ),
    ]
    return out


def test_pairs_and_modes(bench: Any, cases: list[Any], tmp_path: Path) -> None:
    results = bench.run(cases, tmp_path)
    assert len(results) == len(cases)
    for c in cases:
        try:
            c.check(results[c.name])
        except AssertionError as wrong:
            raise AssertionError(f"{c.name}: {wrong}") from None


def test_saturation_flags(bench: Any, case: Any, tmp_path: Path) -> None:
    far = np.tile(np.array([70000.0, -1e6, np.inf, -np.inf, np.nan, 1.5, 300.0, -40000.0], np.float32), 16)
    with np.errstate(over="ignore"):
        half = far.astype(np.float16)
        ended = np.where(np.isnan(far), 0, np.clip(far, -65504, 65504)).astype(np.float16)
    wide = np.tile(np.array([0x12345678, -1, 70000, -70001, 40000, 5, 0x7FFFFFFF, -0x80000000], np.int32), 16)
    zero = np.zeros_like(ended)
    on, off = (f"SetSaturationFlag<SaturationMode::FLOAT>({v}); " for v in ("true", "false"))
    cut, end = (f"SetSaturationFlag<SaturationMode::CAST>({v}); " for v in ("false", "true"))
    tests = [
        case(
            "cast",
            f"{on}Cast(out, a, RoundMode::CAST_NONE, 128); {off}",
            (far,),
            zero,
            ended,
        ),
        case("adds", f"{on}Adds(out, a, (half)0, 128); {off}", (half,), zero, ended),
        case(
            "bit",
            "SetCtrlSpr<48, 48>(0); Adds(out, a, (half)0, 128); SetCtrlSpr<48, 48>(1);",
            (half,),
            zero,
            ended,
        ),
        case("off", f"{off}Adds(out, a, (half)0, 128);", (half,), zero, half),
        case(
            "low-bits",
            f"{cut}Cast(out, a, RoundMode::CAST_NONE, 128); {end}",
            (wide,),
            np.zeros(128, np.int16),
            wide.astype(np.int16),
        ),
        case(
            "low-bits-of-float",
            f"{cut}Cast(out, a, RoundMode::CAST_RINT, 128); {end}",
            (np.tile(np.array([300.0, -70001.0, 1e6, 2.5], np.float32), 32),),
            np.zeros(128, np.int16),
            np.tile(np.array([300, -70001 + 65536 * 2, 1000000 % 65536, 2]), 32).astype(np.int16),
        ),
        case(
            "asked",
            "bool floats = GetSaturationFlag<SaturationMode::FLOAT>();\n    "
            "bool casts = GetSaturationFlag<SaturationMode::CAST>();\n    "
            "out.SetValue(0, floats + 2 * casts + GetCtrlSpr<48, 48>());",
            (np.zeros(8, np.int32),),
            np.zeros(8, np.int32),
            np.array([3, 0, 0, 0, 0, 0, 0, 0], np.int32),
        ),
    ]
    results = bench.run(tests, tmp_path)
    for c in tests:
        np.testing.assert_array_equal(results[c.name], c.want, c.name)
