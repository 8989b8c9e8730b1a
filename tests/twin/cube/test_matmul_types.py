"""Integer products through Matmul objects: int32 as it is, scaled to half or int8, and factors of 4 bits."""

import numpy as np
import pytest

from tests.twin.cube.test_mixed import ALL, INCLUDE
from tests.twin.cube.test_quantised import nibbles, small, word
from tests.twin.cube.test_tiles import defines, draw

ROWS, COLUMNS, DEPTH = 64, 64, 96
# Like kernels.OBJECT, with factors of type FACTOR in a tensor of bytes, and `words` behind them.
OBJECT = """
    using A = MatmulType<TPosition::GM, CubeFormat::ND, FACTOR>;
    using B = MatmulType<TPosition::GM, CubeFormat::ND, FACTOR, TRANS_B>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, RESULT>;
    Matmul<A, B, C> mm;
    TCubeTiling cut{};
    cut.M = ROWS;
    cut.N = COLUMNS;
    cut.Ka = cut.Kb = cut.singleCoreK = DEPTH;
    cut.singleCoreM = ROWS / 4;
    cut.singleCoreN = COLUMNS;
    cut.baseM = 16;
    cut.baseN = 32;
    cut.baseK = 32;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &cut);
    constexpr uint32_t to_a_byte = std::is_same_v<FACTOR, int4b_t> ? 2 : 1;
    const uint32_t row = GetBlockIdx() * (ROWS / 4);
    GlobalTensor<FACTOR> a, b;
    a.SetGlobalBuffer((__gm__ FACTOR *)(x + row * DEPTH / to_a_byte));
    b.SetGlobalBuffer((__gm__ FACTOR *)(x + ROWS * DEPTH / to_a_byte));
    GlobalTensor<uint64_t> words;
    words.SetGlobalBuffer((__gm__ uint64_t *)(x + (ROWS + COLUMNS) * DEPTH / to_a_byte));
    GlobalTensor<RESULT> c;
    c.SetGlobalBuffer((__gm__ RESULT *)y);
    mm.SetTensorA(a);
    mm.SetTensorB(b, TRANS_B);
    RUN
    mm.End();
"""
CPP = {"float16": "half", "int8": "int8_t", "int32": "int32_t"}
BLOCKS = "while (mm.Iterate()) { mm.GetTensorC(c[row * COLUMNS]); }"


def product(
    probe, factors: list[np.ndarray], result: str, run: str, factor: str = "int8_t", transposed: bool = False
):
    values = {
        "ROWS": ROWS,
        "COLUMNS": COLUMNS,
        "DEPTH": DEPTH,
        "FACTOR": factor,
        "RESULT": CPP[result],
        "RUN": run,
    }
    before = INCLUDE + defines(**values, TRANS_B=str(transposed).lower())
    x = np.concatenate([f.ravel().view(np.int8) for f in factors])
    return probe(OBJECT, x, np.zeros((ROWS, COLUMNS), result), before=before, block_dim=2)


@pytest.mark.parametrize("run", [ALL, BLOCKS])
@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("result", ["float16", "int8"])
def test_sums_of_bytes_are_scaled(probe, result, by_column, run):
    a, b = draw("int8", ROWS, DEPTH), draw("int8", DEPTH, COLUMNS)
    scales = np.array([2.0 ** -(2 + i % 4) for i in range(COLUMNS)], np.float32)
    if not by_column:
        scales[:] = 0.25
    words = np.array([word(float(s)) for s in scales], np.uint64)
    setting = "mm.SetQuantVector(words); " if by_column else f"mm.SetQuantScalar({int(words[0])}ull); "
    ran = product(probe, [a, b, words], result, setting + run)
    assert ran.codes == []
    scaled = (a.astype(np.int32) @ b.astype(np.int32)) * scales
    want = scaled if result == "float16" else np.clip(np.rint(scaled), -128, 127)
    np.testing.assert_array_equal(ran.y, want.astype(result))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("run", [ALL, BLOCKS])
def test_factors_of_four_bits(probe, run, transposed):
    a, b = small(ROWS, DEPTH), small(DEPTH, COLUMNS)
    factors = [nibbles(a), nibbles(b.T if transposed else b)]
    ran = product(probe, factors, "int32", run, "int4b_t", transposed)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, a @ b)


def test_rows_of_four_bits_begin_at_whole_bytes(probe):
    factors = [nibbles(small(ROWS, DEPTH)), nibbles(small(DEPTH, COLUMNS))]
    ran = product(probe, factors, "int32", "mm.SetOrgShape(ROWS, COLUMNS, 95); " + ALL, "int4b_t")
    assert "CUBE_RANGE" in ran.codes
