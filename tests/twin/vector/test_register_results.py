"""What an instruction leaves in a register, and the calls that read it; calls under a second name; global memory that
one call fills."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

RNG = np.random.default_rng(11)
F32 = np.float32
TO_SCALAR = "SetFlag<HardEvent::V_S>(EVENT_ID0); WaitFlag<HardEvent::V_S>(EVENT_ID0);\n    "


def _comparisons(case: Any) -> list[Any]:
    a, b = RNG.random(64).astype(F32), RNG.random(64).astype(F32)
    less = a < b
    bits = np.r_[np.packbits(less, bitorder="little"), np.zeros(8, np.uint8)]
    return [
        case(
            "GetCmpMask",
            "Compare<float>(a, b, CMPMODE::LT, (uint64_t)64, {1, 1, 1, 8, 8, 8});\n    GetCmpMask(out);",
            (a, b),
            np.zeros(16, np.uint8),
            bits,
        ),
        case(
            "SetCmpMask",
            "SetCmpMask(c);\n    PipeBarrier<PIPE_V>();\n"
            "    Select<float, SELMODE::VSEL_CMPMASK_SPR>(out, a, b, 1, {1, 1, 1, 8, 8, 8});",
            (a, b, np.r_[bits, np.zeros(16, np.uint8)]),
            np.zeros(64, F32),
            np.where(less, a, b),
        ),
        case(
            "SetCmpMask-scalar",
            "Duplicate(b, 7.0f, 8);\n    SetCmpMask(b);\n    SetVectorMask<float>(64);\n"
            "    Select(out, c, a, (uint8_t)1, {1, 1, 1, 8, 8, 8});",
            (a, b, np.r_[bits, np.zeros(16, np.uint8)]),
            np.zeros(64, F32),
            np.where(less, a, F32(7)),
        ),
        case(
            "SetCmpMask-address",
            "Duplicate(tmp.ReinterpretCast<uint32_t>(), (uint32_t)(uint64_t)c.GetPhyAddr(), 8);\n"
            "    SetCmpMask(tmp.ReinterpretCast<int64_t>());\n    SetVectorMask<float>(64);\n"
            "    Select<float, SELMODE::VSEL_TENSOR_TENSOR_MODE>(out, a, b, 1, {1, 1, 1, 8, 8, 8});",
            (a, b, np.r_[bits, np.zeros(16, np.uint8)]),
            np.zeros(64, F32),
            np.where(less, a, b),
        ),
    ]


def _reductions(case: Any) -> list[Any]:
    x = RNG.integers(-50, 50, 128).astype(F32)
    first = np.array([x.argmax()], np.uint32).view(F32)[0]
    counter = "SetMaskCount(); SetVectorMask<float, MaskMode::COUNTER>(0, 128);\n    "
    return [
        case(
            "GetReduceRepeatMaxMinSpr",
            counter
            + "WholeReduceMax<float, false>(b, a, MASK_PLACEHOLDER, 1, 1, 1, 8);\n    SetMaskNorm(); ResetMask();\n"
            "    "
            + TO_SCALAR
            + "float value = 0, at = 0, alone = 0;\n    GetReduceRepeatMaxMinSpr<float>(value, at);\n"
            "    GetReduceRepeatMaxMinSpr<float>(alone);\n"
            "    out.SetValue(0, value); out.SetValue(1, at); out.SetValue(2, alone);",
            (x, np.zeros(8, F32)),
            np.zeros(3, F32),
            np.array([x.max(), first, x.max()], F32),
        ),
        case(
            "GetReduceRepeatSumSpr-ReduceSum",
            "ReduceSum(b, a, tmp.ReinterpretCast<float>(), 128);\n    "
            + TO_SCALAR
            + "out.SetValue(0, GetReduceRepeatSumSpr<float>()); out.SetValue(1, GetAccVal<float>());",
            (x, np.zeros(8, F32)),
            np.zeros(2, F32),
            np.array([x.sum(), x.sum()], F32),
        ),
        case(
            "GetReduceRepeatSumSpr-half",
            "ReduceSum(b, a, tmp.ReinterpretCast<half>(), 128);\n    "
            + TO_SCALAR
            + "out.SetValue(0, (float)GetReduceRepeatSumSpr<half>());",
            (x.astype(np.float16), np.zeros(16, np.float16)),
            np.zeros(1, F32),
            np.array([x.sum()], F32),
        ),
        case(
            "GetReduceMaxMinCount-ReduceMin",
            "ReduceMin(b, a, tmp.ReinterpretCast<float>(), 128, false);\n    "
            + TO_SCALAR
            + "float value = 0, at = 0;\n    GetReduceRepeatMaxMinSpr<float>(value, at);\n"
            "    out.SetValue(0, value); out.SetValue(1, at);",
            (x, np.zeros(8, F32)),
            np.zeros(2, F32),
            np.array([x.min(), np.array([x.argmin()], np.uint32).view(F32)[0]], F32),
        ),
        case(
            "GetReduceRepeatSumSpr",
            "SetMaskNorm(); ResetMask();\n"
            "    vcadd(nullptr, (__ubuf__ float *)a.GetPhyAddr(), 2, 1, 1, 8, true);\n"
            "    " + TO_SCALAR + "out.SetValue(0, GetReduceRepeatSumSpr<float>());",
            (x,),
            np.zeros(1, F32),
            np.array([x.sum()], F32),
        ),
        case(
            "GetGatherMaskRemainCount",
            "uint64_t kept = 0;\n    GatherMask(b, a, (uint8_t)6, true, 100, {1, 1, 8, 0}, kept);\n    "
            + TO_SCALAR
            + "out.SetValue(0, (int32_t)GetGatherMaskRemainCount()); out.SetValue(1, (int32_t)kept);",
            (x, np.zeros(128, F32)),
            np.zeros(2, np.int32),
            np.array([25, 25], np.int32),
        ),
    ]


def _merge(case: Any) -> list[Any]:
    """Stop the merge of two lists when the first is exhausted: 8 records of it, and 3 of the other, went by then."""
    ours = np.arange(28, 12, -2).astype(F32)  # 28 to 14
    other = np.r_[np.array([27, 25, 15]), np.arange(10, 5, -1)].astype(F32)
    records = np.zeros((2, 8, 2), F32)
    records[..., 0] = ours, other
    code = (
        "uint16_t n[4] = {8, 8, 0, 0};\n    uint16_t taken[4];\n"
        "    LocalTensor<float> merged = tmp.ReinterpretCast<float>();\n"
        "    MrgSort(merged, MrgSortSrcList<float>(a, a[GetSortOffset<float>(8)], a, a), "
        "MrgSort4Info(n, true, 3, 1));\n    "
        + TO_SCALAR
        + "GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);\n"
        "    out.SetValue(0, (int32_t)taken[0]); out.SetValue(1, (int32_t)taken[1]);\n"
        "    out.SetValue(2, (int32_t)GetSortLen<float>(8)); out.SetValue(3, (int32_t)GetSortLen<half>(8));"
    )
    return [
        case(
            "GetMrgSortResult",
            code,
            (records.ravel(),),
            np.zeros(4, np.int32),
            np.array([8, 3, 16, 32], np.int32),
        )
    ]


def _later_names(case: Any) -> list[Any]:
    x = RNG.integers(-9, 9, 64).astype(F32)
    at = np.arange(64, dtype=np.uint32)
    order = np.argsort(-x, kind="stable")
    wide = RNG.integers(-400, 400, 64).astype(np.int16)
    narrow = np.full((4, 2, 16), 9, np.int8)
    narrow[:, 1] = np.clip(np.rint(wide * 0.5 + 3), -128, 127).reshape(4, 16)
    return [
        case(
            "Compares",
            "Compares(out, a, 1.0f, CMPMODE::GE, 64);",
            (x,),
            np.zeros(8, np.uint8),
            np.packbits(x >= 1, bitorder="little"),
        ),
        case(
            "Arange",
            "Arange(out, 5, -3, 40);",
            (),
            np.zeros(40, np.int32),
            5 - 3 * np.arange(40, dtype=np.int32),
        ),
        case(
            "Concat",
            "LocalTensor<float> scores, work = tmp.ReinterpretCast<float>();\n    Concat(scores, a, work, 2);\n"
            "    LocalTensor<float> sorted = work[1024];\n    Sort<float, true>(sorted, scores, b, work, 2);\n"
            "    Extract(out, work.ReinterpretCast<uint32_t>(), sorted, 2);",
            (x, at),
            np.zeros(64, F32),
            x[order],
        ),
        case(
            "CastDequant",
            "SetDeqScale(0.5f, 3, true);\n    CastDequant<int8_t, int16_t, false, true>(out, a, 64);",
            (wide,),
            np.full(128, 9, np.int8),
            narrow.ravel(),
        ),
    ]


def _softmax(case: Any) -> list[Any]:
    x = RNG.random((4, 32)).astype(F32)
    top = x.max(1, keepdims=True)
    e = np.exp(x - top)
    code = (
        "SoftMaxTiling t{};\n    t.srcM = 4; t.srcK = 32;\n    LocalTensor<float> y = tmp.ReinterpretCast<float>();\n"
        "    SoftmaxFlash<float>(out, b, b[32], a, b, b, b, tmp, t, false);"
    )
    want = e / e.sum(1, keepdims=True)
    return [case("SoftmaxFlash", code, (x, np.zeros(64, F32)), x * 0, want, rtol=2e-6, atol=1e-7)]


def test_what_a_register_holds(bench: Any, case: Any, tmp_path: Path) -> None:
    cases = [*_comparisons(case), *_reductions(case), *_merge(case)]
    results = bench.run(cases, tmp_path)
    for c in cases:
        c.check(results[c.name])


def test_other_names_of_an_instruction(bench: Any, case: Any, tmp_path: Path) -> None:
    cases = [*_later_names(case), *_softmax(case)]
    results = bench.run(cases, tmp_path)
    for c in cases:
        c.check(results[c.name])


@pytest.mark.parametrize(
    "call", ["Fill(g, 64, 3.0f)", "InitGlobalMemory(g, 64, 3.0f)", "InitOutput<float>(g, 64, 3.0f)"]
)
def test_a_copy_adds_to_what_one_call_wrote(bench: Any, case: Any, tmp_path: Path, call: str) -> None:
    x = RNG.integers(-9, 9, 64).astype(F32)
    code = (
        f"GlobalTensor<float> g;\n    g.SetGlobalBuffer((__gm__ float *)y);\n    {call};\n"
        "    PipeBarrier<PIPE_ALL>();\n"
        "    SetAtomicAdd<int32_t>();\n    SetAtomicType<float>();\n    DataCopy(g, a, 64);\n    DisableDmaAtomic();\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCachePreload(g, 0);\n    DataCopy(out, g, 64);"
    )
    added = case("added", code, (x,), x * 0, x + 3)
    added.check(bench.run([added], tmp_path)["added"])
