"""What kernels compute without tensors: AscendC::Std, layouts, bits, conversions, allocators, system variables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]

BEFORE = """#include "utils/std/tuple.h"
#include "lib/select/selectwithbytesmask.h"
#include "adv_api/filter/dropout.h"
template <size_t n> using Imm = AscendC::Std::integral_constant<size_t, n>;
using Constant = Layout<Shape<Imm<4>, Imm<16>>, Stride<Imm<16>, Imm<1>>>;
template <typename T, typename AscendC::Std::enable_if<AscendC::Std::is_floating_point<T>::value, bool>::type = true>
__aicore__ inline int KindOf(T) { return 1; }
template <typename T, typename AscendC::Std::enable_if<AscendC::Std::is_integral_v<T>, bool>::type = true>
__aicore__ inline int KindOf(T) { return 2; }
template <typename T> __aicore__ inline float Number(T value)
{
    if constexpr (AscendC::Std::is_floating_point_v<T>) { return static_cast<float>(value); }
    else { return static_cast<float>(static_cast<int32_t>(value)); }
}
template <size_t... n> __aicore__ inline int SumOf(AscendC::Std::index_sequence<n...>)
{
    return (static_cast<int>(n) + ... + 0);
}
"""
SETUP = """
    auto layout = MakeLayout(MakeShape(10, 20, 30), MakeStride(1, 100, 200));
    Layout<Shape<int, int>, Stride<int, int>> plain(MakeShape(3, 4), MakeStride(4, 1));
    auto trait = MakeTensorTrait<half, TPosition::VECIN>(plain);
    AscendC::Std::tuple<int, half, float> three{1, (half)2, 3.5f};
    AscendC::Std::get<0>(three) = 7;
    int first = 0; float second = 0;
    AscendC::Std::tie(first, second) = AscendC::Std::make_tuple(5, 2.5f);
    LocalMemAllocator<> memory;
    LocalTensor<float> a = memory.Alloc<float, 64>();
    LocalTensor<half> b = memory.Alloc<TPosition::VECIN, half>(32);
    auto c = memory.Alloc<TensorTrait<int32_t, TPosition::VECCALC, Constant>>();
    uint32_t arch = 0;
    GetArchVersion(arch);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_F16, AtomicOp::ATOMIC_SUM>();
    uint16_t atomic_type = 0, atomic_op = 9;
    GetStoreAtomicConfig(atomic_type, atomic_op);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();
    a.SetUserTag(1000);
    asc_dump_ubuf((__ubuf__ float *)a.GetPhyAddr(), 7, 8);
    asc_prof_start();
    asc_time_stamp(11);
    asc_prof_stop();
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    LocalTensor<float> q = queue.AllocTensor<float>();
    const TBufState allocated = queue.GetState(q);
    queue.FreeTensor(q);
"""
VALUES: dict[str, float] = {
    "AscendC::Std::max(3, 5) + AscendC::Std::min(3, 5) + AscendC::Std::abs(-7)": 15,
    "AscendC::Std::sqrt(6.25f)": 2.5,
    "abs(-7) + abs((int64_t)-3) + abs(-2.5f) + abs(4.0f) + sqrt(6.25f)": 19,
    "in(3) == in.GetValue(3) && in(3) != in(4)": 1,  # a reference to an element of an input may be read
    "(a(5) = 2.5f, a.GetValue(5) + a(5))": 5,
    "AscendC::Std::get<0>(three) + AscendC::Std::get<2>(three)": 10.5,
    "first + second": 7.5,
    "AscendC::Std::tuple_size<decltype(three)>::value": 3,
    "AscendC::Std::is_same<AscendC::Std::tuple_element<1, decltype(three)>::type, half>::value": 1,
    "KindOf((half)1) * 10 + KindOf(1u)": 12,
    "SumOf(AscendC::Std::make_index_sequence<5>())": 10,
    "AscendC::Std::is_base_of<int, int>::value + AscendC::Std::is_convertible_v<int, float>": 1,
    "AscendC::Std::get<2>(layout.GetShape()) + AscendC::Std::get<1>(layout.GetStride())": 130,
    "layout(MakeCoord(1, 2, 3))": 801,
    "Crd2Idx(MakeCoord(2, 3), plain)": 11,
    "Crd2Idx(MakeCoord(1, 1), MakeShape(3, 4), MakeStride(4, 1))": 5,
    "is_layout_v<decltype(plain)> + is_layout_v<int> + is_tensorTrait_v<decltype(trait)>": 2,
    "trait.GetLayout()(MakeCoord(1, 1))": 5,
    "memory.GetCurAddr()": 64 * 4 + 32 * 2 + 64 * 4,
    "b.GetPhyAddr() == a.GetPhyAddr() + 256": 1,
    "c.GetSize()": 64,
    "a.GetUserTag()": 1000,
    "arch": 0x220,
    "atomic_type * 10 + atomic_op": 20,
    "allocated == TBufState::OCCUPIED": 1,
    "queue.GetState(q) == TBufState::FREE": 1,
    "GetBitCount<1>(7) + ScalarGetCountOfValue<0>(7)": 64,
    "CountLeadingZero(1) + GetSFFValue<1>(8) + CountBitsCntSameAsSignBit(-1)": 63 + 3 + 63,
    "ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(1.25f)": 2,
    "2.0f * AscendC::Cast(AscendC::Cast(3.14159f))": 6.28125,  # to bfloat16_t and back
    "ScalarCast<float, half, RoundMode::CAST_ODD>(2049.0f)": 2050,
    "ScalarCast<float, half, RoundMode::CAST_ODD>(2051.0f)": 2050,
    "GetUBSizeInBytes()": 196608,
    "GetProgramCounter() > 0": 1,
}


def test_values_of_expressions(probe: Any, numbers: Callable[..., Array]) -> None:
    lines = [f"    out.SetValue({i}, Number({e}));" for i, e in enumerate(VALUES)]
    body = (
        SETUP
        + "\n".join(lines)
        + "\n    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);"
    )
    ran = probe(body, numbers(8), np.zeros(len(VALUES), np.float32), before=BEFORE)
    assert ran.launch.outcome is None, ran.launch.diagnostics
    got = dict(zip(VALUES, ran.y.tolist(), strict=True))
    wrong = {e: (got[e], want) for e, want in VALUES.items() if got[e] != want}
    assert not wrong


def test_a_trait_is_a_type_of_element(probe: Any, numbers: Callable[..., Array]) -> None:
    x = numbers(64)
    ran = probe(
        """
    using Trait = TensorTrait<float, TPosition::VECCALC>;
    TBuf<> memory;
    pipe.InitBuffer(memory, 1024);
    LocalTensor<Trait> a = memory.GetWithOffset<Trait>(64, 0), b = memory.GetWithOffset<Trait>(64, 256);
    GlobalTensor<Trait> from, to;
    from.SetGlobalBuffer((__gm__ float *)x);
    to.SetGlobalBuffer((__gm__ float *)y);
    DataCopy(a, from, 64);
    TQueSync<PIPE_MTE2, PIPE_V> arrived;
    arrived.SetFlag(0);
    arrived.WaitFlag(0);
    Duplicate(b, 1.0f, 64);
    Add(b, a, b, 64);
    Muls(b, b, 2.0f, 64);
    TQueSync<PIPE_V, PIPE_MTE3> done;
    done.SetFlag(0);
    done.WaitFlag(0);
    DataCopy(to, b, 64);
    """,
        x,
        x * 0,
    )
    assert ran.launch.outcome is None, ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, (x + 1) * 2)


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_group_waits_for_all_of_another(probe: Any, numbers: Callable[..., Array], rounds: int) -> None:
    """Two cores write, two read what both wrote; each round once more."""
    x = numbers(32)
    ran = probe(
        f"""
    GroupBarrier<PipeMode::MTE3_MODE> barrier(workspace, 2, 2);
    TBuf<> memory;
    pipe.InitBuffer(memory, 128);
    LocalTensor<float> t = memory.Get<float>();
    GlobalTensor<float> between;
    between.SetGlobalBuffer((__gm__ float *)(workspace + 4096));
    const int64_t me = GetBlockIdx();
    for (int round = 0; round < {rounds}; ++round) {{
        if (me < 2) {{
            DataCopy(t, in[me * 16], 16);
            PipeBarrier<PIPE_ALL>();
            DataCopy(between[round * 32 + me * 16], t, 16);
            PipeBarrier<PIPE_ALL>();
            barrier.Arrive(me);
        }} else {{
            barrier.Wait(me - 2);
            DataCopy(t, between[round * 32 + (3 - me) * 16], 16);
            PipeBarrier<PIPE_ALL>();
            DataCopy(out[(me - 2) * 16], t, 16);
            PipeBarrier<PIPE_ALL>();
        }}
    }}
    """,
        x,
        x * 0,
        block_dim=4,
        workspace_bytes=16 * 1024 * 1024 + 8192,
    )
    assert ran.launch.outcome is None, ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, np.r_[x[16:], x[:16]])


def test_columns_of_sixteen_become_rows(probe: Any, numbers: Callable[..., Array]) -> None:
    rows = numbers(16, 64)
    x = rows.reshape(16, 4, 16).transpose(1, 0, 2).ravel().copy()
    ran = probe(
        """
    TBuf<> memory;
    pipe.InitBuffer(memory, 4096);
    LocalTensor<float> t = memory.Get<float>();
    DataCopy(t, in, 1024);
    PipeBarrier<PIPE_ALL>();
    Nz2NdParamsFull params(1, 16, 64, 1, 16, 64, 1);
    DataCopy(out, t, params);
    """,
        x,
        x * 0,
    )
    assert ran.launch.outcome is None, ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y.reshape(16, 64), rows)
