"""One tile through L1, L0, Mmad and Fixpipe, against NumPy: types, ragged sizes, bias, conversions."""

import struct

import numpy as np
import pytest

from tests.twin.cube.kernels import LOAD_B, QUEUES, TILE

PLAIN = "Mmad(c1, a2, b2, mm);"


def defines(**values: object) -> str:
    return "\n".join(f"#define {name} {' '.join(str(value).split())}" for name, value in values.items())


def draw(dtype: str, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    if dtype == "int8":
        return rng.integers(-9, 10, shape).astype(np.int8)
    return rng.uniform(-1, 1, shape).astype(dtype)


def brain(x: np.ndarray) -> np.ndarray:
    """Round to bfloat16, as words and as what they stand for."""
    word = x.astype(np.float32).view(np.uint32)
    return ((word + 0x7FFF + ((word >> 16) & 1)) >> 16).astype(np.uint16)


def widen(words: np.ndarray) -> np.ndarray:
    return (words.astype(np.uint32) << 16).view(np.float32)


def tile(probe, a, b, y, *, extra=(), body=TILE, **values):
    """Run the tile kernel for A (m, k) and B (k, n)."""
    (m, k), n = a.shape, b.shape[1]
    size = a.dtype.itemsize
    given = {
        "M": m, "N": n, "K": k, "SUM": "int32_t" if size == 1 else "float", "RESULT": "float", "MULTIPLY": PLAIN,
        "QUANT": "QuantMode_t::NoQuant", "RELU": "false", "SCALE": 0, "LOAD_B": LOAD_B[size],
        "N_MMAD": (n + 31) // 32 * 32 if size == 1 else n,
    }  # fmt: skip
    x = np.concatenate([a.ravel(), b.ravel(), *extra])
    return probe(body, x, y, before=defines(**{**given, **values}))


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (32, 48, 64), (19, 37, 50), (2, 1, 3)])
def test_half_times_half(probe, m, n, k):
    a, b = draw("float16", m, k), draw("float16", k, n)
    ran = tile(probe, a, b, np.zeros((m, n), np.float32))
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-5)


def test_brain_floats(probe):
    a, b = brain(draw("float32", 32, 48)), brain(draw("float32", 48, 32))
    ran = tile(probe, a, b, np.zeros((32, 32), np.float32))
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, widen(a) @ widen(b), atol=1e-5)


@pytest.mark.parametrize(("m", "n", "k"), [(16, 32, 32), (30, 64, 96), (33, 40, 70)])
def test_bytes_are_summed_in_int32(probe, m, n, k):
    a, b = draw("int8", m, k), draw("int8", k, n)
    ran = tile(probe, a, b, np.zeros((m, n), np.int32), RESULT="int32_t")
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, a.astype(np.int32) @ b.astype(np.int32))


def test_the_result_becomes_half_and_loses_its_sign(probe):
    a, b = draw("float16", 32, 32), draw("float16", 32, 32)
    ran = tile(
        probe, a, b, np.zeros((32, 32), np.float16), RESULT="half", QUANT="QuantMode_t::F322F16", RELU="true"
    )
    assert ran.codes == []
    np.testing.assert_allclose(
        ran.y, np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0), rtol=1e-3, atol=1e-3
    )


def test_int32_is_scaled_to_half(probe):
    a, b = draw("int8", 32, 32), draw("int8", 32, 32)
    scale = struct.unpack("<I", struct.pack("<f", 0.125))[0]
    ran = tile(
        probe, a, b, np.zeros((32, 32), np.float16), RESULT="half", QUANT="QuantMode_t::DEQF16", SCALE=scale
    )
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, (a.astype(np.int32) @ b.astype(np.int32)) * 0.125, rtol=1e-3)


BIAS = """{
        LocalTensor<T> bias1 = b1[64 * 1024 / sizeof(T)];
        LocalTensor<float> bias2 = table.Get<float>();
        DataCopy(bias1, in[M * K + K * N], N);
        SetFlag<HardEvent::MTE2_MTE1>(1); WaitFlag<HardEvent::MTE2_MTE1>(1);
        DataCopy(bias2, bias1, DataCopyParams{1, N / 32, 0, 0});
        SetFlag<HardEvent::MTE1_M>(1); WaitFlag<HardEvent::MTE1_M>(1);
        mm.cmatrixInitVal = false;
        START
    }"""
# With the tensor, or by word of cmatrixSource: then the sums start from the beginning of the bias table.
STARTS = ["Mmad(c1, a2, b2, bias2, mm);", "mm.cmatrixSource = true; Mmad(c1, a2, b2, mm);"]


@pytest.mark.parametrize("start", STARTS)
def test_a_bias_of_halves_starts_the_sums(probe, start):
    a, b, bias = draw("float16", 32, 32), draw("float16", 32, 64), draw("float16", 64)
    with_bias = BIAS.replace("START", start)
    ran = tile(probe, a, b, np.zeros((32, 64), np.float32), extra=[bias], MULTIPLY=with_bias)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32) + bias, atol=1e-5)


def test_a_source_beside_cleared_sums_is_none(probe):
    a, b, bias = draw("float16", 32, 32), draw("float16", 32, 64), draw("float16", 64)
    cleared = BIAS.replace("START", STARTS[1]).replace("mm.cmatrixInitVal = false;", "")
    ran = tile(probe, a, b, np.zeros((32, 64), np.float32), extra=[bias], MULTIPLY=cleared)
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-5)


def test_a_bias_table_that_nobody_filled_is_told(probe):
    a, b = draw("float16", 32, 32), draw("float16", 32, 64)
    bare = "mm.cmatrixInitVal = false; mm.cmatrixSource = true; Mmad(c1, a2, b2, mm); // HERE\n"
    ran = tile(probe, a, b, np.zeros((32, 64), np.float32), MULTIPLY=bare)
    assert "bias table" in ran.one("UNWRITTEN_DATA").text


@pytest.mark.parametrize(("forgotten", "memory"), [("LoadData(a2", "L0A"), ("LoadData(b2", "L0B")])
def test_factors_that_nobody_loaded_are_told(probe, forgotten, memory):
    a, b = draw("float16", 32, 32), draw("float16", 32, 64)
    skipped = "if (false) " + forgotten
    right = LOAD_B[2].replace(forgotten, skipped)
    ran = tile(
        probe, a, b, np.zeros((32, 64), np.float32), body=TILE.replace(forgotten, skipped), LOAD_B=right
    )
    assert memory in ran.one("UNWRITTEN_DATA").text


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("AscendCUtils::SetOverflow(1)", [np.inf, -np.inf, np.nan]),
        ("AscendCUtils::SetOverflow(0)", [65504, -65504, 0]),
    ],
)
def test_results_beyond_a_half_end_as_the_control_register_says(probe, mode, want):
    a, b = np.zeros((16, 16), np.float16), np.zeros((16, 16), np.float16)
    a[:2, 0], b[0], b[1] = (300, -300), 300, -300
    a[2, :2] = np.inf  # times 300 and -300
    ran = tile(
        probe, a, b, np.zeros((16, 16), np.float16), RESULT="half", QUANT="QuantMode_t::F322F16",
        MULTIPLY=f"{mode}; {PLAIN}",
    )  # fmt: skip
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y[:3, 0], np.array(want, np.float16))


def test_sums_go_on_where_they_stand(probe):
    a, b = draw("float16", 32, 32), draw("float16", 32, 32)
    twice = "Mmad(c1, a2, b2, mm); PipeBarrier<PIPE_M>(); mm.cmatrixInitVal = false; Mmad(c1, a2, b2, mm);"
    ran = tile(probe, a, b, np.zeros((32, 32), np.float32), MULTIPLY=twice)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, 2 * (a.astype(np.float32) @ b.astype(np.float32)), atol=1e-5)


def test_one_row_is_read_as_a_vector(probe):
    a, b = draw("float16", 1, 256), draw("float16", 256, 32)
    copied = TILE.replace(
        "for (uint32_t i = 0; i < mr / 16; ++i) {", "if (true) { const uint32_t i = 0;"
    ).replace("load.srcStride = mr / 16;", "load.repeatTimes = 1;")
    copied = copied.replace("DataCopy(a1, a, nz);", "DataCopy(a1, a, K);")
    x = np.concatenate([a.ravel(), b.ravel()])
    values = defines(M=1, N=32, K=256, SUM="float", RESULT="float", MULTIPLY=PLAIN, QUANT="QuantMode_t::NoQuant",
                     RELU="false", SCALE=0, LOAD_B=LOAD_B[2], N_MMAD=32)  # fmt: skip
    ran = probe(copied, x, np.zeros((1, 32), np.float32), before=values)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_queues_order_the_cube_side(probe):
    a, b = draw("float16", 32, 64), draw("float16", 64, 48)
    x = np.concatenate([a.ravel(), b.ravel()])
    ran = probe(QUEUES, x, np.zeros((32, 48), np.float32), before=defines(M=32, N=48, K=64))
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, a.astype(np.float32) @ b.astype(np.float32), atol=1e-5)


def test_a_larger_product_takes_more_steps_of_the_cube(probe):
    def busy(k: int) -> float:
        a, b = draw("float16", 64, k), draw("float16", k, 64)
        ran = tile(probe, a, b, np.zeros((64, 64), np.float32))
        assert ran.launch.profile is not None
        return {p.pipe: p.busy_us for p in ran.launch.profile.pipes}["M"]

    assert busy(128) > 1.5 * busy(64)
