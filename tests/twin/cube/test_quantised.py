"""Integers of 4 and 8 bits through the cube core: Mmad, the ways into L0, and scales on the way out of L0C."""

import struct

import numpy as np
import pytest

from tests.sampled import sampled
from tests.twin.cube.kernels import LOAD_B, TILE
from tests.twin.cube.test_tiles import PLAIN, defines, draw, tile

# A (M x K) and B (K x N, or N x K with FROM_B) hold two numbers to a byte; the copy into fractal order moves bytes.
NIBBLES = """
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 256 * 1024);
    pipe.InitBuffer(l0a, 64 * 1024);
    pipe.InitBuffer(l0b, 64 * 1024);
    pipe.InitBuffer(l0c, 128 * 1024);
    constexpr uint16_t mr = (M + 15) / 16 * 16;
    LocalTensor<T> left = l1.Get<T>(), right = left[64 * 1024];
    LocalTensor<int4b_t> a1 = left.ReinterpretCast<int4b_t>(), b1 = right.ReinterpretCast<int4b_t>();
    LocalTensor<int4b_t> a2 = l0a.Get<int4b_t>(), b2 = l0b.Get<int4b_t>();
    LocalTensor<int32_t> c1 = l0c.Get<int32_t>();
    DataCopy(left, in, Nd2NzParams{1, M, K / 2, 0, K / 2, mr, 1, 0});
    DataCopy(right, in[M * K / 2], Nd2NzParams{1, ROWS_B, COLUMNS_B / 2, 0, COLUMNS_B / 2, ROWS_B, 1, 0});
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    for (uint32_t i = 0; i < mr / 16; ++i) {
        LoadData(a2[i * 16 * K], a1[i * 16 * 64], LoadData2DParams{0, K / 64, mr / 16, 0, 0, false, 0});
    }
    FROM_B
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c1, a2, b2, MmadParams{M, N, K, 0, false, true});
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    GlobalTensor<int32_t> c;
    c.SetGlobalBuffer((__gm__ int32_t *)y);
    Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(c, c1, FixpipeParamsV220{N, M, mr, N, false});
"""
FROM_B = {
    # N x K as it stands has the order of L0B, but for the order of its fractals.
    "transposed": """for (uint32_t k = 0; k < K / 64; ++k) {
        LoadData(b2[k * 64 * N], b1[k * 64 * N], LoadData2DParams{0, N / 16, 1, 0, 0, false, 0});
    }""",
    # K x N: squares of four fractals, one below the other.
    "plain": """for (uint32_t k = 0; k < K / 64; ++k) {
        LoadDataWithTranspose(b2[k * 64 * N], b1[k * 64 * 64], LoadData2dTransposeParams{0, N / 64, K / 64, 3, 0});
    }""",
}


# The same copies, of nibbles under their own name: sizes count bytes all the same.
OWN_NAME = {
    "DataCopy(left, in,": "GlobalTensor<int4b_t> pairs;\n    pairs.SetGlobalBuffer((__gm__ int4b_t *)x);\n"
    "    DataCopy(a1, pairs,",
    "DataCopy(right, in[M * K / 2],": "DataCopy(b1, pairs[M * K],",
}


def nibbles(values: np.ndarray) -> np.ndarray:
    """Pack rows of int4 values, the lower half of a byte first."""
    low, high = values[..., 0::2] & 15, values[..., 1::2] & 15
    return (low | high << 4).astype(np.uint8).view(np.int8)


def small(*shape: int) -> np.ndarray:
    return np.random.default_rng(6).integers(-8, 8, shape).astype(np.int32)


@pytest.mark.parametrize("named", ["as bytes", "as nibbles"])
@pytest.mark.parametrize("stored", ["plain", "transposed"])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 64, 64), (35, 128, 192)])
def test_nibbles_are_summed_in_int32(probe, stored, m, n, k, named):
    a, b = small(m, k), small(k, n)
    right = b if stored == "plain" else b.T
    x = np.concatenate([nibbles(a).ravel(), nibbles(right).ravel()])
    rows, columns = right.shape
    values = defines(M=m, N=n, K=k, ROWS_B=rows, COLUMNS_B=columns, FROM_B=FROM_B[stored])
    body = NIBBLES
    for before, after in OWN_NAME.items() if named == "as nibbles" else ():
        body = body.replace(before, after)
    ran = probe(body, x, np.zeros((m, n), np.int32), before=values)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, a @ b)


def test_nibbles_are_transposed_on_the_way_to_l0b_only(probe):
    a, b = small(16, 64), small(64, 64)
    wrong = NIBBLES.replace(
        "FROM_B", "LoadDataWithTranspose(a2, b1, LoadData2dTransposeParams{0, 1, 1, 3, 0}); // HERE"
    )
    x = np.concatenate([nibbles(a).ravel(), nibbles(b).ravel()])
    ran = probe(
        wrong, x, np.zeros((16, 64), np.int32), before=defines(M=16, N=64, K=64, ROWS_B=64, COLUMNS_B=64)
    )
    ran.assert_stopped("DTYPE_SUPPORT")


def test_nibbles_take_half_the_steps_of_bytes(probe):
    def busy(ran) -> float:
        assert ran.codes == [] and ran.launch.profile is not None
        return {p.pipe: p.busy_us for p in ran.launch.profile.pipes}["M"]

    a, b = small(64, 512), small(512, 64)
    x = np.concatenate([nibbles(a).ravel(), nibbles(b).ravel()])
    values = defines(M=64, N=64, K=512, ROWS_B=512, COLUMNS_B=64, FROM_B=FROM_B["plain"])
    four = busy(probe(NIBBLES, x, np.zeros((64, 64), np.int32), before=values))
    eight = busy(
        tile(probe, a.astype(np.int8), b.astype(np.int8), np.zeros((64, 64), np.int32), RESULT="int32_t")
    )
    assert four < 0.75 * eight


def word(scale: float, offset: int = 0, signed: bool = True) -> int:
    """Return the 64-bit word of a scale of 19 bits, an offset of 9 and the sign of the result."""
    bits = struct.unpack("<I", struct.pack("<f", scale))[0] & 0xFFFFE000
    return bits | (offset & 0x1FF) << 37 | int(signed) << 46


SCALES = [2.0 ** -(i % 5) for i in range(32)]
# The table of scales is built by the scalar unit in L1; DataCopy from L0C wants it beside L0C.
TABLE = """
    TBuf<TPosition::C2PIPE2GM> beside;
    pipe.InitBuffer(beside, 256);
    LocalTensor<uint64_t> in_l1 = a1[100 * 1024 / sizeof(T)].template ReinterpretCast<uint64_t>();
    LocalTensor<uint64_t> kept = beside.Get<uint64_t>();
    GlobalTensor<uint64_t> words;
    words.SetGlobalBuffer((__gm__ uint64_t *)(x + (M * K + K * N) * sizeof(T)));
    DataCopy(in_l1, words, N);
    SetFlag<HardEvent::MTE2_FIX>(1);
    WaitFlag<HardEvent::MTE2_FIX>(1);
    DataCopy(kept, in_l1, DataCopyParams{1, N * 8 / 128, 0, 0});
    PipeBarrier<PIPE_FIX>();
"""
LEAVE = "Fixpipe<RESULT, SUM, CFG_ROW_MAJOR>(c, c1, fix);"
OLDER = """DataCopyCO12DstParams older(N, M, N, mr, QUANT, 0, false, true);
    SetFixpipeNz2ndFlag(1, 0, 0);
    """
WAYS = {
    "Fixpipe": "Fixpipe<RESULT, SUM, CFG_ROW_MAJOR>(c, c1, in_l1, fix);",
    "one tensor": OLDER + "SetFixPipeConfig(kept); DataCopy(c, c1, older);",
    "two tensors": OLDER
    + "LocalTensor<uint64_t> none; SetFixPipeConfig(none, kept, false); DataCopy(c, c1, older);",
}


def by_column(probe, way: str, a, b, y, quant: str, words: list[int], result: str):
    body = TILE.replace(LEAVE, TABLE + WAYS[way])
    assert body != TILE
    table = np.array(words, np.uint64).view(a.dtype)
    given = {"M": 32, "N": 32, "K": 32, "SUM": "int32_t" if a.dtype == np.int8 else "float", "RESULT": result,
             "MULTIPLY": PLAIN, "QUANT": f"QuantMode_t::{quant}", "RELU": "false", "SCALE": 0,
             "LOAD_B": LOAD_B[a.dtype.itemsize], "N_MMAD": 32}  # fmt: skip
    return probe(body, np.concatenate([a.ravel(), b.ravel(), table]), y, before=defines(**given))


@pytest.mark.parametrize("way", sampled(WAYS, 3))
@pytest.mark.parametrize("quant", ["VDEQF16", "VREQ8", "VQF322B8_PRE"])
def test_each_column_has_its_scale(probe, way, quant):
    kind = "float16" if quant == "VQF322B8_PRE" else "int8"
    a, b = draw(kind, 32, 32), draw(kind, 32, 32)
    sums = a.astype(np.float32) @ b.astype(np.float32)
    scaled = sums * np.array(SCALES, np.float32)
    if quant == "VDEQF16":
        ran = by_column(
            probe, way, a, b, np.zeros((32, 32), np.float16), quant, [word(s) for s in SCALES], "half"
        )
        want = scaled.astype(np.float16)
    else:
        words = [word(s, offset=3) for s in SCALES]
        ran = by_column(probe, way, a, b, np.zeros((32, 32), np.int8), quant, words, "int8_t")
        want = np.clip(np.rint(scaled) + 3, -128, 127).astype(np.int8)
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, want)


def test_scales_of_a_copy_lie_beside_l0c(probe):
    body = TILE.replace(LEAVE, TABLE + OLDER + "SetFixPipeConfig(in_l1); DataCopy(c, c1, older); // HERE")
    a, b = draw("int8", 32, 32), draw("int8", 32, 32)
    given = {"M": 32, "N": 32, "K": 32, "SUM": "int32_t", "RESULT": "half", "MULTIPLY": PLAIN, "RELU": "false",
             "QUANT": "QuantMode_t::VDEQF16", "SCALE": 0, "LOAD_B": LOAD_B[1], "N_MMAD": 32}  # fmt: skip
    x = np.concatenate([a.ravel(), b.ravel(), np.zeros(256, np.int8)])
    ran = probe(body, x, np.zeros((32, 32), np.float16), before=defines(**given))
    assert ran.assert_stopped("WRONG_MEMORY").text.count("SetFixPipeConfig") == 1


# From L0C into L1, in fractal order, and from there to global memory.
BACK = """
    LocalTensor<half> kept_in_l1 = a1[100 * 1024 / sizeof(T)].template ReinterpretCast<half>();
    %s
    SetFlag<HardEvent::FIX_MTE3>(1);
    WaitFlag<HardEvent::FIX_MTE3>(1);
    DataCopy(c, kept_in_l1, M * N);
"""
INTO_L1 = {
    "Fixpipe": "fix.dstStride = M; Fixpipe<half, SUM, CFG_NZ>(kept_in_l1, c1, fix);",
    "DataCopy": "SetFixpipePreQuantFlag(SCALE); "
    "DataCopy(kept_in_l1, c1, DataCopyCO12DstParams(N, M, M, mr, QUANT, 0, false, false));",
}


@pytest.mark.parametrize("way", INTO_L1)
def test_results_go_back_into_l1(probe, way):
    a, b = draw("int8", 32, 32), draw("int8", 32, 32)
    body = TILE.replace(LEAVE, BACK % INTO_L1[way])
    given = {"M": 32, "N": 32, "K": 32, "SUM": "int32_t", "RESULT": "half", "MULTIPLY": PLAIN,
             "QUANT": "QuantMode_t::DEQF16", "RELU": "false", "SCALE": word(0.125), "LOAD_B": LOAD_B[1],
             "N_MMAD": 32}  # fmt: skip
    x = np.concatenate([a.ravel(), b.ravel()])
    ran = probe(body, x, np.zeros((2, 32, 16), np.float16), before=defines(**given))
    assert ran.codes == [], ran.launch.diagnostics
    want = (a.astype(np.int32) @ b.astype(np.int32)) * 0.125
    np.testing.assert_array_equal(ran.y, want.astype(np.float16).reshape(32, 2, 16).transpose(1, 0, 2))


FRAME = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling)
{
    %s
}
"""


@pytest.mark.parametrize(
    ("code", "list_of_types"),
    [
        ("LocalTensor<half> a; LocalTensor<int32_t> c; Mmad(c, a, a, MmadParams{});", "int32_t x int4b_t x int4b_t"),
        ("LocalTensor<int8_t> a; LocalTensor<int32_t> c; LocalTensor<float> b; Mmad(c, a, a, b, MmadParams{});",
         "the type of dst"),
        ("LocalTensor<int64_t> a; LoadData(a, a, LoadData2DParams{});", "int4b_t, int8_t"),
        ("LocalTensor<int4b_t> a; GlobalTensor<int4b_t> g; LoadData(a, g, LoadData2DParams{});", "supported from GM"),
        ("LocalTensor<int16_t> a; LoadDataWithTranspose(a, a, LoadData2dTransposeParams{});", "int4b_t (to L0B)"),
        ("LocalTensor<int16_t> a; LoadData(a, a, LoadData3DParamsV2<int16_t>{});", "int8_t, uint8_t (to L0A)"),
        ("LocalTensor<int4b_t> a; DataCopy(a, a, Nd2NzParams{});", "two go as one int8_t"),
        ("LocalTensor<int64_t> a; GlobalTensor<int64_t> g; DataCopy(a, g, Nd2NzParams{});", "int4b_t (from GM)"),
        ("LocalTensor<float> c; GlobalTensor<int4b_t> g; Fixpipe(g, c, FixpipeParamsV220{});", "float as float, half"),
        ("LocalTensor<int32_t> c; GlobalTensor<bfloat16_t> g; DataCopy(g, c, DataCopyCO12DstParams{});",
         "int32_t as int32_t, half"),
    ],
)  # fmt: skip
def test_types_that_the_cube_core_has_not_are_refused_when_compiled(probe, code, list_of_types):
    built = probe.build(FRAME % code)
    assert [d.code for d in built.diagnostics] == ["DTYPE_UNSUPPORTED"], built.diagnostics
    assert list_of_types in built.diagnostics[0].text
