"""DataCopy and DataCopyPad between global memory and the chip; atomics."""

import numpy as np
import pytest

LOAD = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    LocalTensor<T> a = buf.Get<T>();
"""
IN_OUT = """
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
"""


def test_whole_blocks_of_a_count_are_moved_and_the_rest_is_told(probe, numbers):
    x = numbers(64)
    ran = probe(LOAD + "DataCopy(a, in, 64);" + IN_OUT + "DataCopy(out, a, 12); // HERE", x, x, zeroed=True)
    found = ran.one("COPY_LENGTH")
    assert found.severity == "warning" and "12 elements of float are 48 bytes" in found.text
    np.testing.assert_array_equal(ran.y[:8], x[:8])
    assert not ran.y[8:].any()


def test_in_strict_mode_a_count_must_be_whole_blocks(probe, numbers):
    x = numbers(64)
    found = probe(LOAD + "DataCopy(a, in, 12); // HERE", x, x, strict=True).assert_stopped("COPY_LENGTH")
    assert "12 elements of float are 48 bytes" in found.text


def test_an_on_chip_operand_must_be_aligned(probe, numbers):
    x = numbers(64)
    probe(LOAD + "DataCopy(a[3], in, 16); // HERE", x, x).assert_stopped("UB_ALIGNMENT")


def test_global_memory_may_start_anywhere(probe, numbers):
    x = numbers(64)
    ran = probe(LOAD + "DataCopy(a, in[3], 32);" + IN_OUT + "DataCopy(out[1], a, 32);", x, x, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[1:33], x[3:35])


def test_blocks_are_copied_with_gaps_from_end_to_start(probe, numbers):
    x = numbers(64)
    ran = probe(
        LOAD
        + "DataCopy(a, in, DataCopyParams{3, 1, 1, 0});"
        + IN_OUT
        + "DataCopy(out, a, DataCopyParams{3, 1, 0, 2});",
        x,
        x,
        zeroed=True,
    )
    assert ran.codes == []
    want = np.zeros((8, 8), np.float32)
    want[[0, 3, 6]] = x.reshape(8, 8)[[0, 2, 4]]
    np.testing.assert_array_equal(ran.y, want.ravel())


def test_ragged_rows_are_padded_on_the_chip_and_cut_on_the_way_out(probe, numbers):
    x = numbers(3, 5)
    ran = probe(
        LOAD
        + "DataCopyPad(a, in, DataCopyExtParams{3, 20, 0, 0, 0}, DataCopyPadExtParams<T>{true, 0, 3, 2.5f});"
        + IN_OUT
        + "DataCopyPad(out, a, DataCopyExtParams{3, 20, 0, 4, 0}); DataCopy(out[24], a, 24);",
        x,
        np.zeros(48, np.float32),
        zeroed=True,
    )
    assert ran.codes == []
    spaced = np.zeros((3, 6), np.float32)
    spaced[:, :5] = x
    np.testing.assert_array_equal(ran.y[:18], spaced.ravel())
    np.testing.assert_array_equal(ran.y[24:].reshape(3, 8), np.pad(x, ((0, 0), (0, 3)), constant_values=2.5))


def test_without_a_padding_value_the_first_element_fills_the_block(probe, numbers):
    x = numbers(5)
    ran = probe(
        LOAD
        + "DataCopyPad(a, in, DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<T>{false, 0, 0, 0});"
        + IN_OUT
        + "DataCopy(out, a, 8);",
        x,
        np.zeros(8, np.float32),
    )
    np.testing.assert_array_equal(ran.y, np.append(x, [x[0]] * 3))


def test_padding_goes_left_as_well_and_at_most_a_block(probe, numbers):
    x = numbers(5)
    pad = "DataCopyPad(a, in, DataCopyExtParams{1, 20, 0, 0, 0}, DataCopyPadExtParams<T>{true, %d, 1, 9.0f}); // HERE\n"
    ran = probe(LOAD + pad % 2 + IN_OUT + "DataCopy(out, a, 8);", x, np.zeros(8, np.float32))
    np.testing.assert_array_equal(ran.y, [9, 9, *x, 9])
    probe(LOAD + pad % 9, x, x).assert_stopped("COPY_PADDING")


def test_a_strided_copy_skips_bytes_of_global_memory(probe, numbers):
    x = numbers(4, 7)
    ran = probe(
        LOAD
        + "DataCopyPad(a, in, DataCopyExtParams{4, 12, 16, 1, 0}, DataCopyPadExtParams<T>{});"
        + IN_OUT
        + "DataCopyPad(out, a, DataCopyExtParams{4, 12, 1, 0, 0});",
        x,
        np.zeros((4, 3), np.float32),
    )
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x[:, :3])


def test_a_slice_of_a_matrix_is_copied_by_its_corners(probe, numbers):
    x = numbers(4, 32)
    ran = probe(
        LOAD
        + """
    SliceInfo from[] = {{8, 23, 0, 2, 32}, {1, 2, 0, 1, 4}};
    SliceInfo to[] = {{0, 15, 0, 2, 16}, {0, 1, 0, 1, 2}};
    DataCopy(a, in, to, from, 2);"""
        + IN_OUT
        + "DataCopy(out, a, 32);",
        x,
        np.zeros((2, 16), np.float32),
    )
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x[1:3, 8:24])


def test_a_slice_leaves_out_rows_and_bytes_between_its_bursts(probe, numbers):
    x = numbers(3, 87)
    ran = probe(
        LOAD
        + """
    SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
    SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    DataCopy(a, in, to, from, 2);"""
        + IN_OUT
        + "DataCopy(out, a, to, to, 2);",
        x,
        np.zeros((2, 48), np.float32),
    )
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, np.hstack([x[::2, 16:40], x[::2, 47:71]]))


def test_nothing_is_copied_for_a_length_of_zero(probe, numbers):
    x = numbers(8)
    body = (
        LOAD
        + "DataCopy(a, in, 0); DataCopyPad(a, in, DataCopyExtParams{1, 0, 0, 0, 0}, DataCopyPadExtParams<T>{});"
    )
    assert probe(body, x, x).codes == []


def test_writing_past_a_tensor_is_an_overrun(probe, numbers):
    x = numbers(64)
    found = probe(
        LOAD + "Duplicate(a, 0.0f, 512);\n PipeBarrier<PIPE_ALL>();\n DataCopy(out, a, 512); // HERE", x, x
    )
    assert "'output_0', which has 256 bytes" in found.assert_stopped("GM_OVERRUN").text


def test_reading_outside_of_every_tensor_is_an_overrun(probe, numbers):
    x = numbers(64)
    probe(LOAD + "DataCopy(a, in[4096], 64); // HERE", x, x).assert_stopped("GM_OVERRUN")


def test_what_lies_behind_a_tensor_reads_as_nan(probe, numbers):
    x = numbers(10)
    ran = probe(LOAD + "DataCopy(a, in, 16);" + IN_OUT + "DataCopy(out, a, 16);", x, np.zeros(16, np.float32))
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[:10], x)
    assert np.isnan(ran.y[10:]).all()


@pytest.mark.parametrize(("dtype", "set_atomic", "want"), [
    ("float32", "SetAtomicAdd<float>()", 4.0), ("float16", "SetAtomicAdd<half>()", 4.0),
    ("int32", "SetAtomicAdd<int32_t>()", 4), ("float32", "SetAtomicMax<float>()", 1.0),
    ("int32", "SetAtomicMin<int32_t>()", 0),
])  # fmt: skip
def test_cores_accumulate_in_global_memory(probe, dtype, set_atomic, want):
    x = np.ones(64, dtype)
    body = LOAD + "DataCopy(a, in, 64);" + IN_OUT + set_atomic + "; DataCopy(out, a, 64); SetAtomicNone();"
    ran = probe(body, x, x, block_dim=4, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, np.full(64, want, dtype))


def test_global_memory_is_filled_with_a_value(probe, numbers):
    x = numbers(100)
    ran = probe("InitGlobalMemory(out, 100, 3.5f);", x, x)
    np.testing.assert_array_equal(ran.y, np.full(100, 3.5, np.float32))


def test_a_row_of_a_vector_copy_keeps_to_its_mask(probe, numbers):
    x = numbers(128)
    ran = probe(
        LOAD
        + """
    LocalTensor<T> b = buf.GetWithOffset<T>(128, 1024);
    DataCopy(a, in, 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(b, 0.0f, 128);
    Copy(b, a, 20, 2, {1, 1, 8, 8});
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 128);""",
        x,
        x,
    )
    want = x.reshape(2, 64).copy()
    want[:, 20:] = 0
    np.testing.assert_array_equal(ran.y, want.ravel())


def test_in_counter_mode_each_repeat_of_a_vector_copy_moves_as_many_elements_as_the_mask_says(probe, numbers):
    x = numbers(160)
    ran = probe(
        LOAD
        + """
    LocalTensor<T> b = buf.GetWithOffset<T>(320, 1024);
    DataCopy(a, in, 160);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(b, 0.0f, 320);
    SetMaskCount();
    SetVectorMask<T, MaskMode::COUNTER>(76);
    Copy<T, false>(b, a, MASK_PLACEHOLDER, 2, {1, 1, 10, 10});
    Copy<T, false>(b[160], a, MASK_PLACEHOLDER, 2, {1, 0, 10, 1});
    SetMaskNorm();
    ResetMask();
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, b, 320);""",
        x,
        np.zeros(320, np.float32),
    )
    assert ran.codes == []
    want = np.zeros((4, 80), np.float32)
    want[:2, :76] = x.reshape(2, 80)[:, :76]
    want[2:, :76] = np.tile(x[:16].reshape(2, 8), 10)[:, :76]
    np.testing.assert_array_equal(ran.y, want.ravel())


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_aligned_copies_of_the_compiler_pad_and_cut(probe, bits):
    dtype = {8: np.int8, 16: np.float16, 32: np.float32}[bits]
    x = np.arange(40).astype(dtype)
    unit = bits // 8
    body = f"""
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    LocalTensor<T> a = buf.Get<T>();
    set_mov_pad_val(0);
    __ubuf__ void *on_chip = (__ubuf__ void *)a.GetPhyAddr();
    copy_gm_to_ubuf_align_b{bits}(on_chip, (__gm__ void *)x, 0, 4, {7 * unit}, 1, 0, {3 * unit}, 0);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    copy_ubuf_to_gm_align_b{bits}((__gm__ void *)y, on_chip, 0, 4, {8 * unit}, 0, 0, 0, {unit});"""
    ran = probe(body, x, np.zeros(36, dtype), zeroed=True)
    assert ran.codes == []
    want = np.zeros((4, 9), dtype)
    want[:, 1:8] = x.reshape(4, 10)[:, :7]
    np.testing.assert_array_equal(ran.y, want.ravel())


@pytest.mark.parametrize("ask", ["", "SetPadValue(5.0f);"])
def test_what_fills_a_block_behind_a_row(probe, numbers, ask):
    body = f"""
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    LocalTensor<T> a = buf.Get<T>();
    {ask}
    DataCopyPad(a, in, DataCopyExtParams(2, 20, 0, 0, 0), DataCopyPadExtParams<T>(false, 0, 0, 0));
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(out, a, 16);"""
    x = numbers(10)
    ran = probe(body, x, np.zeros(16, np.float32))
    assert ran.codes == []
    rows = x.reshape(2, 5)
    filler = np.full((2, 3), 5, np.float32) if ask else np.repeat(rows[:, :1], 3, axis=1)
    np.testing.assert_array_equal(ran.y, np.concatenate([rows, filler], 1).ravel())


def test_what_was_spilled_comes_back_after_what_computed_it(probe, numbers):
    x = numbers(64)
    body = """
    TQue<TPosition::VECIN, 1> que;
    pipe.InitBuffer(que, 2, 256);
    pipe.InitSpmBuffer(out, 512);
    LocalTensor<T> a = que.AllocTensor<T>();
    DataCopy(a, in, 64);
    que.EnQue(a);
    a = que.DeQue<T>();
    Adds(a, a, 1.0f, 64);
    pipe.WriteSpmBuffer(a, 64, 256);
    Duplicate(a, 0.0f, 64);
    pipe.ReadSpmBuffer(a, DataCopyParams(2, 2, 2, 0), 288);
    Muls(a, a, 2.0f, 32);
    pipe.WriteSpmBuffer(a, 64);
    que.FreeTensor(a);
"""
    ran = probe(body, x, np.zeros(128, np.float32))
    assert ran.codes == []
    want = np.zeros(64, np.float32)
    want[:32] = 2 * (x + 1).reshape(8, 8)[[1, 2, 5, 6]].ravel()
    np.testing.assert_array_equal(ran.y, np.concatenate([want, x + 1]))


def test_the_compilers_own_names_write_a_data_cache_back(probe, numbers):
    x = numbers(8)
    body = """
    __gm__ float *to = (__gm__ float *)y;
    *to = 3.0f;
    %s
    dsb((mem_dsb_t)0);
    if (x[0] != 0) { dsb(DSB_DDR); }
    LocalTensor<float> a(TPosition::VECCALC, 0, 8);
    DataCopy(a, out, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, a, 8);"""
    for call in ("dcci(to, SINGLE_CACHE_LINE, CACHELINE_OUT);", "dcci(to, cache_line_t::ENTIRE_DATA_CACHE);"):
        ran = probe(body % call, x, x, zeroed=True)
        assert ran.codes == []
        assert ran.y[0] == 3.0
