"""The vendor's C interface: arrays in the Unified Buffer and calls on their addresses."""

import numpy as np
import pytest

INCLUDE = '#include "c_api/asc_simd.h"\n'
QUICK_START = """
    constexpr uint32_t n = 64;
    __gm__ float *x_gm = (__gm__ float *)x + block_idx * n, *y_gm = (__gm__ float *)y + block_idx * n;
    __ubuf__ float a[n];
    __ubuf__ half
        h[n];
    __ubuf__ float b[n];
    for (int round = 0; round < 3; ++round) { // HERE: an array is the same in each
        __ubuf__ float sum[n];
        if (round == 0) { asc_duplicate_sync(sum, 0.0f, n); }
        asc_copy_gm2ub(a, x_gm, n * sizeof(float));
        asc_sync_notify(PIPE_MTE2, PIPE_V, EVENT_ID0);
        WAIT
        asc_float2half_rn(h, a, n);
        asc_half2float(b, h, n);
        asc_mul_scalar(b, b, 2.0f, n);
        asc_add(sum, sum, b, n);
        asc_sync();
        if (round == 2) { asc_copy_ub2gm(y_gm, sum, n * sizeof(float)); }
    }
"""
WAIT = "asc_sync_wait(PIPE_MTE2, PIPE_V, EVENT_ID0);"
FORMS = """
    __ubuf__ float a[128];
    __ubuf__ float b[128];
    asc_copy_gm2ub_align(a, (__gm__ float *)x, 100 * sizeof(float));
    asc_sync();
    asc_duplicate(b, 0.0f, 128);
    asc_set_mask_norm();
    asc_set_vector_mask(0, 0xf);
    asc_add(b, a, a, 2, 1, 1, 1, 8, 8, 8);
    asc_exp_sync(a, a, 100);
    asc_max(b, b, a, 4);
    asc_sync_pipe(PIPE_ALL);
    asc_copy_ub2gm_align(((__gm__ float *)y), b, 100 * sizeof(float));
"""


def test_a_tile_goes_through_arrays(probe, numbers):
    x = numbers(128)
    ran = probe(QUICK_START.replace("WAIT", WAIT), x, x, before=INCLUDE, block_dim=2)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x.astype(np.float16).astype(np.float32) * 6)


def test_a_missing_flag_is_a_race(probe, numbers):
    x = numbers(128)
    assert "PIPE_RACE" in probe(QUICK_START.replace("WAIT", ""), x, x, before=INCLUDE, block_dim=2).codes


def test_counts_masks_and_lengths_in_bytes(probe, numbers):
    x = numbers(100)
    ran = probe(FORMS, x, x, before=INCLUDE)
    want = np.where(np.arange(100) % 64 < 4, x * 2, 0)
    want[:4] = np.maximum(want[:4], np.exp(x[:4]))
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, want, rtol=1e-6)


@pytest.mark.parametrize("count", [48 * 1024, 50 * 1024])
def test_arrays_must_fit(probe, numbers, count):
    x = numbers(64)
    ran = probe(
        f"__ubuf__ float a[{count}]; asc_duplicate(a, 1.0f, 64); // HERE", x, x, before=INCLUDE, zeroed=True
    )
    assert ("UB_OVERFLOW" in ran.codes) == (count * 4 > 192 * 1024)
