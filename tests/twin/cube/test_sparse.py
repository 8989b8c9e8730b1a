"""Products with a B that keeps two of every four values along k, against NumPy."""

import numpy as np
import pytest

from tests.twin.cube.test_tiles import defines

BODY = """
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    LocalTensor<T> a1(TPosition::A1, 0, M * K), a2(TPosition::A2, 0, M * K);
    LocalTensor<T> b1(TPosition::B1, 32768, K * N), b2(TPosition::B2, 0, K * N / 2);
    LocalTensor<uint8_t> i1(TPosition::B1, 65536, K * N);
    LocalTensor<int32_t> c1(TPosition::CO1, 0, M * N);
    GlobalTensor<uint8_t> bits;
    GlobalTensor<int32_t> c;
    bits.SetGlobalBuffer((__gm__ uint8_t *)x + M * K + K / 2 * N);
    c.SetGlobalBuffer((__gm__ int32_t *)y);
    DataCopy(a1, in, Nd2NzParams{1, M, K, 0, K, M, 1, 0});
    DataCopy(b1, in[M * K], K / 2 * N);
    DataCopy(i1, bits, K / 8 * N);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    for (int row = 0; row < M / 16; ++row) {
        LoadData2DParams p;
        p.repeatTimes = K / 32;
        p.srcStride = M / 16;
        LoadData(a2[row * 16 * K], a1[row * 512], p);
    }
    LoadData2dParams p;
    p.repeatTimes = K / 64 * (N / 16);
    LoadDataWithSparse(b2, b1, i1, p);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams mm;
    mm.m = M;
    mm.n = N;
    mm.k = K;
    MmadWithSparse(c1, a2, b2, mm); // HERE
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(c, c1, {N, M, M, N, false});
"""


def thinned(rng: np.random.Generator, k: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a B of which at most two of every four values are not 0, those values, and their indices."""
    whole, kept, index = np.zeros((k, n), np.int8), np.zeros((k // 2, n), np.int8), np.zeros((k // 2, n), int)
    codes = {(2, 3): (2, 2), (1, 3): (1, 2), (0, 3): (0, 2), (1, 2): (1, 1), (0, 2): (0, 1), (0, 1): (0, 0)}
    alone = {3: (0, 2), 2: (2, 0), 1: (1, 0), 0: (0, 0)}
    for group in range(k // 4):
        for column in range(n):
            places = tuple(sorted(rng.choice(4, rng.integers(1, 3), replace=False)))
            values = rng.integers(1, 9, len(places)).astype(np.int8)
            whole[group * 4 + np.array(places), column] = values
            pair = (*values, 0) if len(places) == 1 and places[0] < 3 else (0, *values)[-2:]
            kept[group * 2 : group * 2 + 2, column] = pair
            index[group * 2 : group * 2 + 2, column] = codes[places] if len(places) == 2 else alone[places[0]]
    return whole, kept, index


def fractals(rows: np.ndarray) -> np.ndarray:
    """Return 32 x 16 blocks, one row of blocks after the other, columns inside."""
    high, wide = rows.shape
    return rows.reshape(high // 32, 32, wide // 16, 16).transpose(0, 2, 3, 1).ravel()


def launch(probe, index_bits: int = 0, m: int = 32, n: int = 48, k: int = 128):
    rng = np.random.default_rng(3)
    a = rng.integers(-9, 10, (m, k)).astype(np.int8)
    whole, kept, index = thinned(rng, k, n)
    places = fractals(index) | index_bits
    packed = (places.reshape(-1, 4) << np.array([0, 2, 4, 6])).sum(axis=1).astype(np.uint8)
    x = np.concatenate([a.ravel(), fractals(kept), packed.view(np.int8)])
    ran = probe(BODY, x, np.zeros((m, n), np.int32), before=defines(M=m, N=n, K=k))
    return ran, a.astype(np.int32) @ whole.astype(np.int32)


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 64), (32, 48, 128)])
def test_b_is_taken_as_the_whole_one_that_it_stands_for(probe, m, n, k):
    ran, want = launch(probe, m=m, n=n, k=k)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, want)


def test_an_index_that_names_no_place_is_refused(probe):
    ran, _ = launch(probe, index_bits=3)
    assert "an index is 0, 1 or 2" in ran.assert_stopped("CUBE_RANGE").text
