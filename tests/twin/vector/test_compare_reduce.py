"""Compare, Select and the reductions, with indices, orders, masks and the accumulator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(3)
F32, F16 = np.float32, np.float16
MODES = {
    "LT": np.less,
    "GT": np.greater,
    "EQ": np.equal,
    "LE": np.less_equal,
    "GE": np.greater_equal,
    "NE": np.not_equal,
}


def _ints(dtype: Any, n: int) -> Array:
    return RNG.integers(-3, 4, n).astype(dtype)


def _bits(flags: Array) -> Array:
    return np.packbits(flags, bitorder="little")


def _tree(x: Array, dtype: Any) -> Any:
    """Sum as the chip does: neighbours first, rounded to the type after every level."""
    lanes = 128 if dtype == F16 else 64
    values = x.astype(dtype)
    while values.size > 1:
        rows = np.pad(values, (0, -values.size % lanes)).reshape(-1, lanes)
        while rows.shape[1] > 1:
            rows = (rows[:, ::2].astype(F32) + rows[:, 1::2].astype(F32)).astype(dtype)
        values = rows.ravel()
    return values[0]


def _compare(case: Any) -> list[Any]:
    out = []
    for dtype, n in ((F32, 192), (F16, 256), (np.int32, 64)):
        a, b = _ints(dtype, n), _ints(dtype, n)
        modes = {"EQ": MODES["EQ"]} if dtype is np.int32 else MODES  # the chip compares integers for equality
        for mode, f in modes.items():
            cpp = {"float32": "float", "float16": "half", "int32": "int32_t"}[np.dtype(dtype).name]
            zero = np.zeros(n // 8, np.uint8)
            out.append(
                case(
                    f"{mode}-{cpp}",
                    f"Compare(out, a, b, CMPMODE::{mode}, {n});",
                    (a, b),
                    zero,
                    _bits(f(a, b)),
                )
            )
            out.append(
                case(
                    f"{mode}-{cpp}-scalar",
                    f"CompareScalar(out, a, ({cpp})1, CMPMODE::{mode}, {n});",
                    (a,),
                    zero,
                    _bits(f(a, 1)),
                )
            )
            lanes = 256 // np.dtype(dtype).itemsize
            code = f"Compare(out, a, b, CMPMODE::{mode}, {lanes}, {n // lanes}, {{1, 1, 1, 8, 8, 8}});"
            out.append(case(f"{mode}-{cpp}-repeat", code, (a, b), zero, _bits(f(a, b))))
    return out


def _select(case: Any) -> list[Any]:
    a, b = RNG.random(200).astype(F32), RNG.random(200).astype(F32)
    flags = RNG.integers(0, 2, 256).astype(bool)
    bits = _bits(flags)
    tt, ts, spr = (
        "SELMODE::VSEL_TENSOR_TENSOR_MODE",
        "SELMODE::VSEL_TENSOR_SCALAR_MODE",
        "SELMODE::VSEL_CMPMASK_SPR",
    )
    repeated = np.tile(flags[:64], 4)[:200]
    rows = RNG.random((3, 16)).astype(F16)
    mask = RNG.integers(0, 2, (3, 32)).astype(np.uint8)
    info = (
        "SelectWithBytesMaskShapeInfo info;\n"
        "    info.firstAxis = 3; info.srcLastAxis = 16; info.maskLastAxis = 32;\n    "
    )
    chosen = mask[:, :16].astype(bool)
    return [
        case(
            "tensors", f"Select(out, c, a, b, {tt}, 200);", (a, b, bits), a * 0, np.where(flags[:200], a, b)
        ),
        case(
            "scalar",
            f"Select(out, b, a, 2.0f, {ts}, 200);",
            (a, bits),
            a * 0,
            np.where(flags[:200], a, F32(2)),
        ),
        case("register", f"Select(out, c, a, b, {spr}, 200);", (a, b, bits), a * 0, np.where(repeated, a, b)),
        case(
            "repeat",
            f"Select(out, c, a, b, {tt}, (uint64_t)64, 3, {{1, 1, 1, 8, 8, 8}});",
            (a, b, bits),
            a * 0,
            np.r_[np.where(flags[:192], a[:192], b[:192]), a[192:] * 0],
        ),
        case(
            "compared",
            "Compare(a, b, CMPMODE::LT, (uint64_t)64, {1, 1, 1, 8, 8, 8});\n"
            "    Select<float, SELMODE::VSEL_CMPMASK_SPR>(out, a, b, 1, {1, 1, 1, 8, 8, 8});",
            (a, b),
            np.zeros(64, F32),
            np.minimum(a, b)[:64],
        ),
        case(
            "bytes",
            info + "SelectWithBytesMask(out, a, (half)2, b, tmp, info);",
            (rows, mask),
            rows * 0,
            np.where(chosen, F16(2), rows),
        ),
        case(
            "bytes-scalar-first",
            info + "SelectWithBytesMask(out, (half)2, a, b, tmp, info);",
            (rows, mask),
            rows * 0,
            np.where(chosen, rows, F16(2)),
        ),
    ]


def _reduce(case: Any) -> list[Any]:
    out = []
    for dtype, cpp in ((F32, "float"), (F16, "half")):
        x = RNG.permutation(1000).astype(dtype) / dtype(8)
        lanes = 256 // np.dtype(dtype).itemsize
        rows = x[: 4 * lanes].reshape(4, lanes)
        work = f"tmp.ReinterpretCast<{cpp}>()"
        index = np.uint32 if dtype == F32 else np.uint16
        one, two = np.zeros(1, dtype), np.zeros(2, dtype)

        def pair(value: Any, at: int, index: Any = index, dtype: Any = dtype) -> Array:
            return np.array([value, np.array([at], index).view(dtype)[0]], dtype)

        out += [
            case(
                f"sum-{cpp}",
                f"ReduceSum(out, a, {work}, 900);",
                (x,),
                one,
                np.array([_tree(x[:900], dtype)], dtype),
            ),
            case(f"max-{cpp}", f"ReduceMax(out, a, {work}, 900);", (x,), one, x[:900].max(keepdims=True)),
            case(
                f"max-index-{cpp}",
                f"ReduceMax(out, a, {work}, 900, true);",
                (x,),
                two,
                pair(x[:900].max(), x[:900].argmax()),
            ),
            case(
                f"min-index-{cpp}",
                f"ReduceMin(out, a, {work}, 900, true);",
                (x,),
                two,
                pair(x[:900].min(), x[:900].argmin()),
            ),
            case(
                f"min-repeat-{cpp}",
                f"ReduceMin(out, a, {work}, 3, 4, 8, true);",
                (x,),
                two,
                pair(
                    rows[:, :3].min(), int(rows[:, :3].argmin()) // 3 * lanes + int(rows[:, :3].argmin()) % 3
                ),
            ),
            case(
                f"whole-sum-{cpp}",
                f"WholeReduceSum(out, a, {lanes}, 4, 1, 1, 8);",
                (x,),
                np.zeros(4, dtype),
                np.array([_tree(r, dtype) for r in rows], dtype),
            ),
            case(
                f"whole-sum-masked-{cpp}",
                "WholeReduceSum(out, a, 5, 4, 2, 1, 8);",
                (x,),
                np.zeros(8, dtype),
                np.stack([[_tree(r[:5], dtype) for r in rows], np.zeros(4)], 1).ravel().astype(dtype),
            ),
            case(
                f"whole-max-{cpp}",
                f"WholeReduceMax(out, a, {lanes}, 4, 1, 1, 8);",
                (x,),
                np.zeros(8, dtype),
                np.concatenate([pair(r.max(), r.argmax()) for r in rows]),
            ),
            case(
                f"whole-min-value-{cpp}",
                f"WholeReduceMin(out, a, {lanes}, 4, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
                (x,),
                np.zeros(4, dtype),
                rows.min(1),
            ),
            case(
                f"newer-names-{cpp}",
                f"ReduceRepeat<ReduceType::SUM, {cpp}, {cpp}>(out, a, {lanes}, 4, 1, 1, 8);\n"
                f"ReduceRepeat<ReduceType::MIN, {cpp}, {cpp}>(out[32], a, {lanes}, 4, 1, 1, 8, "
                "ReduceOrder::ORDER_ONLY_VALUE);\n"
                f"ReduceDataBlock<ReduceType::MAX, {cpp}, {cpp}>(out[64], a, {lanes}, 2, 1, 1, 8);\n"
                f"ReducePairElem<ReduceType::SUM, {cpp}, {cpp}>(out[96], a, 16, 1, 1, 1, 8);",
                (x,),
                np.zeros(104, dtype),
                np.concatenate(
                    [
                        *(
                            np.concatenate([v, np.zeros(32 - len(v))]).astype(dtype)
                            for v in (
                                np.array([_tree(r, dtype) for r in rows]),
                                rows.min(1),
                                x[: 2 * lanes].reshape(16, -1).max(1),
                            )
                        ),
                        x[:16:2] + x[1:16:2],
                    ]
                ),
            ),
            case(
                f"block-sum-{cpp}",
                f"BlockReduceSum(out, a, 2, {lanes}, 1, 1, 8);",
                (x,),
                np.zeros(16, dtype),
                np.array([_tree(r, dtype) for r in x[: 2 * lanes].reshape(16, -1)], dtype),
            ),
            case(
                f"block-max-{cpp}",
                f"BlockReduceMax(out, a, 2, {lanes}, 1, 1, 8);",
                (x,),
                np.zeros(16, dtype),
                x[: 2 * lanes].reshape(16, -1).max(1),
            ),
            case(
                f"block-min-{cpp}",
                f"BlockReduceMin(out, a, 2, {lanes}, 1, 1, 8);",
                (x,),
                np.zeros(16, dtype),
                x[: 2 * lanes].reshape(16, -1).min(1),
            ),
            case(
                f"pair-sum-{cpp}",
                f"PairReduceSum(out, a, 2, {lanes}, 1, 1, 8);",
                (x,),
                np.zeros(lanes, dtype),
                (x[: 2 * lanes : 2].astype(F32) + x[1 : 2 * lanes : 2]).astype(dtype),
            ),
            case(
                f"repeat-sum-{cpp}",
                f"RepeatReduceSum(out, a, 4, {lanes}, 1, 1, 1, 8);",
                (x,),
                np.zeros(4, dtype),
                np.array([_tree(r, dtype) for r in rows], dtype),
            ),
            case(
                f"Sum-{cpp}",
                "Sum(out, a, tmp, {4, 64, 50});",
                (x,),
                np.zeros(32 // np.dtype(dtype).itemsize, dtype),
                np.r_[
                    [_tree(r[:50], dtype) for r in x[:256].reshape(4, 64)],
                    np.zeros(32 // np.dtype(dtype).itemsize - 4),
                ].astype(dtype),
            ),
        ]
    y = RNG.random(200).astype(F32)
    out += [
        case(
            "accumulator",
            "SetMaskNorm(); SetVectorMask<float>(FULL_MASK, FULL_MASK);\n"
            "    vcadd(nullptr, (__ubuf__ float *)a.GetPhyAddr(), 2, 1, 1, 8, true);\n"
            "    SetFlag<HardEvent::V_S>(EVENT_ID0); WaitFlag<HardEvent::V_S>(EVENT_ID0);\n"
            "    uint64_t word = GetAccVal();\n    out.SetValue(0, *reinterpret_cast<float *>(&word));",
            (y,),
            np.zeros(8, F32),
            np.r_[_tree(y[:64], F32) + _tree(y[64:128], F32), np.zeros(7)].astype(F32),
        ),
        case(
            "extreme-register",
            "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, 150);\n"
            "    WholeReduceMax<float, false>(b, a, MASK_PLACEHOLDER, 1, 1, 1, 8);\n    SetMaskNorm(); ResetMask();\n"
            "    SetFlag<HardEvent::V_S>(EVENT_ID0); WaitFlag<HardEvent::V_S>(EVENT_ID0);\n"
            "    float value = 0, at = 0;\n    GetReduceMaxMinCount<float>(value, at);\n"
            "    out.SetValue(0, value);\n    out.SetValue(1, at);",
            (y, np.zeros(8, F32)),
            np.zeros(2, F32),
            np.array([y[:150].max(), np.array([y[:150].argmax()], np.uint32).view(F32)[0]], F32),
        ),
        case(
            "pattern-AR",
            "uint32_t s[2] = {4, 48};\n    ReduceMax<float, Pattern::Reduce::AR>(out, a, tmp, s, true);",
            (y,),
            np.zeros(8, F32),
            np.r_[y[:192].reshape(4, 48).max(1), np.zeros(4)].astype(F32),
        ),
        case(
            "pattern-RA",
            "uint32_t s[2] = {4, 48};\n    ReduceSum<float, Pattern::Reduce::RA>(out, a, tmp, s, true);",
            (y,),
            np.zeros(48, F32),
            y[:192].reshape(4, 48).sum(0),
            1e-6,
        ),
    ]
    return out


@pytest.mark.parametrize("group", [_compare, _select, _reduce], ids=["compare", "select", "reduce"])
def test_instructions(bench: Any, case: Any, tmp_path: Path, group: Any) -> None:
    cases = group(case)
    results = bench.run(cases, tmp_path)
    for c in cases:
        try:
            c.check(results[c.name])
        except AssertionError as wrong:
            raise AssertionError(f"{c.name}: {wrong}") from None
