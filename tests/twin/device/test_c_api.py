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


COMPARED = """
    __ubuf__ float a[128];
    __ubuf__ float b[128];
    __ubuf__ uint8_t bits[32];
    asc_copy_gm2ub(a, (__gm__ float *)x, 512);
    asc_sync();
    asc_set_mask_norm();
    asc_set_vector_mask(-1, -1);
    asc_duplicate(b, 1, 2, 1, 8);
    asc_gt_scalar(bits, a, 0, 2, 1, 1, 8, 8);
    asc_set_cmp_mask(bits);
    asc_select_sync(a, a, b, 64); // leaves 64 in the mask register
    asc_set_vector_mask(-1, -1);
    asc_lt(a, b, 1, 1, 1, 1, 8, 8, 8);
    asc_select(b, a, b, 1, 1, 1, 1, 8, 8, 8);
    asc_sub_scalar(b, b, 1, 64);
    asc_axpy(b, a, 2, 64);
    asc_fma(b, a, a, 64);
    asc_sync();
    asc_copy_ub2gm((__gm__ float *)y, b, 256);
"""


@pytest.mark.parametrize("lanes", [64, 1])
def test_comparisons_choose(probe, numbers, lanes):
    x = numbers(128)
    again = "    asc_set_vector_mask(-1, -1);\n    asc_lt("
    body = COMPARED if lanes == 64 else COMPARED.replace(again, "    asc_lt(")
    ran = probe(body, x, x[:64], before=INCLUDE)
    a = np.where(x > 0, x, 1)[:64]
    least = np.minimum(a, 1)
    if lanes == 1:  # the bits of the number 64
        least = np.where(np.arange(64) == 6, least, 1)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y, least - 1 + 2 * a + a * a, rtol=1e-5, atol=1e-6)


# Of 128 numbers: what is reduced, and where its results lie among the 64 that are copied out.
REDUCED = """
    __ubuf__ float a[128];
    __ubuf__ float r[64];
    __ubuf__ uint32_t at[64];
    asc_copy_gm2ub(a, (__gm__ float *)x, 512);
    asc_sync();
    asc_duplicate(r, 0, 64);
    asc_repeat_reduce_sum(r, a, 128);
    asc_datablock_reduce_max(r + 8, a, 128);
    asc_pair_reduce_sum_sync(r + 24, a, 16);
    asc_set_mask_norm();
    asc_set_vector_mask(0, 0xffff);
    asc_repeat_reduce_min_only_value(r + 32, a, 2, 1, 1, 8);
    asc_repeat_reduce_max_value_index(r + 40, a, 1, 1, 1, 8);
    float most = 0;
    uint32_t place = 0;
    asc_get_reduce_max_cnt(most, place);
    asc_duplicate(at, place * 4, 64);
    asc_gather_sync(r + 48, a, at, 8);
    asc_brcb((__ubuf__ uint32_t *)a, (__ubuf__ uint32_t *)r, 1, 8, 1);
    asc_sync();
    asc_copy_ub2ub(r + 56, a + 8, 32);
    asc_sync();
    asc_copy_ub2gm((__gm__ float *)y, r, 256);
"""


def test_reductions_and_gathering(probe, numbers):
    x = numbers(128)
    ran = probe(REDUCED, x, x[:64], before=INCLUDE)
    halves, blocks = x.reshape(2, 64), x.reshape(16, 8)
    assert ran.codes == []
    np.testing.assert_allclose(ran.y[:2], halves.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(ran.y[8:24], blocks.max(1))
    np.testing.assert_allclose(ran.y[24:32], x[:16].reshape(8, 2).sum(1), rtol=1e-6)
    np.testing.assert_array_equal(ran.y[32:34], halves[:, :16].min(1))
    assert ran.y[40] == x[:16].max() and ran.y[41:42].view(np.uint32) == x[:16].argmax()
    np.testing.assert_array_equal(ran.y[48:56], np.full(8, x[:16].max()))
    np.testing.assert_array_equal(ran.y[56:64], np.full(8, ran.y[1]))


SORTED = """
    __ubuf__ float a[64];
    __ubuf__ uint32_t index[64];
    __ubuf__ float two[128];
    __ubuf__ float all[128];
    asc_copy_gm2ub(a, (__gm__ float *)x, 256);
    asc_duplicate(index, 0, 64);
    asc_sync();
    asc_bitsort_sync(two, a, index, 2);
    __ubuf__ float *lists[ASC_C_API_MRGSORT_ELEMENT_LEN] = {two, two + 64, two, two};
    asc_mrgsort4_sync(all, lists, 1, 32, 32, 0, 0, false, 3);
    asc_reduce((__ubuf__ uint32_t *)a, (__ubuf__ uint32_t *)all, (__ubuf__ uint32_t *)all, 2, 1, 1, 8, 0);
    asc_sync();
    if (asc_get_rsvd_count() == 64) { asc_copy_ub2gm((__gm__ float *)y, a, 256); }
"""


def test_sorting(probe, numbers):
    x = numbers(64)
    ran = probe(SORTED, x, x, before=INCLUDE)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, np.sort(x)[::-1])


SYSTEM = """
    __ubuf__ int32_t a[8];
    uint64_t word = asc_clear_nthbit(asc_set_nthbit(0xf0, 2), 7);
    int64_t bits[8] = {asc_popc(word), asc_zero_bits_cnt(word), asc_clz(word), asc_ffs(word), asc_ffz(word),
                       asc_sflbits(0x000f00ff0ff0ffff), asc_ffs(0), asc_ffz(33)};
    __ubuf__ int8_t nibbles[32];
    __ubuf__ half wide[32];
    asc_duplicate_sync(wide, (half)5.7, 32);
    asc_half2int4_rz_sync((__ubuf__ int4b_t *)nibbles, wide, 32);
    bits[5] += nibbles[15];
    asc_int42half(wide, (__ubuf__ int4b_t *)nibbles, 32);
    asc_sync();
    if (*(__ubuf__ uint16_t *)(wide + 31) != 0x4500) { bits[0] = 0; }
    for (int i = 0; i < 8; ++i) { a[i] = bits[i] + asc_get_block_idx(); }
    asc_sync();
    asc_set_atomic_max_int();
    asc_copy_ub2gm((__gm__ int32_t *)y, a, 32);
    asc_set_atomic_none();
    asc_sync_inter_arrive(PIPE_MTE3, 3);
    asc_sync_inter_wait(PIPE_S, 3);
    asc_dcci_single((__gm__ int32_t *)y);
"""


def test_bits_atomic_copies_caches_and_flags_between_cores(probe):
    y = np.zeros(8, np.int32)
    ran = probe(
        SYSTEM, y, y, before=INCLUDE, block_dim=2, task="KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);"
    )
    assert ran.codes == []
    assert ran.y.tolist() == [v + 1 for v in (4, 60, 57, 2, 0, 11 + 0x55, -1, 1)]


MOVED = """
    __ubuf__ int16_t a[256];
    __ubuf__ int16_t turned[256];
    __ubuf__ int16_t part[256];
    asc_copy_gm2ub(a, (__gm__ int16_t *)x, 512);
    asc_sync();
    asc_duplicate_sync(part, 0, 256);
    asc_transpose_sync(turned, a);
    asc_copy_sync(part, turned, 100);
    asc_set_vector_mask(0, 0xff);
    asc_copy_sync(part + 128, turned, 2, 1, 1, 4, 8);
    asc_copy_ub2gm((__gm__ int16_t *)y, part, 512);
"""


def test_moving_within_the_unified_buffer(probe):
    x = np.arange(256, dtype=np.int32).astype(np.int16).view(np.int32)
    ran = probe(MOVED, x, x, before=INCLUDE)
    assert ran.codes == []
    turned = np.arange(256).reshape(16, 16).T.ravel()
    want = np.zeros(256, np.int16)
    want[:100], want[128:136], want[192:200] = turned[:100], turned[:8], turned[128:136]
    np.testing.assert_array_equal(ran.y.view(np.int16), want)
