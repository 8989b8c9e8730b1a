"""Several cores: identity, synchronisation, and the deadlock that nobody resolves."""

import numpy as np
import pytest

# What the scalar unit writes lies in its core's data cache until it is cleaned.
CLEAN = "DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);"
SHARE = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<T> a = buf.Get<T>(8);
    Duplicate(a, (float)GetBlockIdx(), 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[GetBlockIdx() * 8], a, 8);
"""


ONE_LINE = "out.SetValue(GetBlockIdx(), (float)(GetBlockIdx() + 1)); // HERE"


def test_of_cores_that_write_into_one_line_one_loses_its_values(probe, numbers):
    ran = probe(ONE_LINE, numbers(8), np.zeros(2, np.float32), block_dim=2, zeroed=True)
    assert "what one of them wrote at byte 2 of 'output_0' is lost" in ran.one("CACHE_LINE_SHARED").text


def test_cores_with_a_line_each_lose_nothing(probe, numbers):
    body = "out.SetValue(GetBlockIdx() * 16, (float)(GetBlockIdx() + 1));"
    ran = probe(body, numbers(8), np.zeros(32, np.float32), block_dim=2, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[::16], [1, 2])


def test_cores_that_write_one_line_in_turn_lose_nothing(probe, numbers):
    body = f"""
    for (int turn = 0; turn < GetBlockNum(); ++turn) {{
        if (turn == GetBlockIdx()) {{
            {ONE_LINE}
            {CLEAN}
        }}
        SyncAll();
    }}"""
    ran = probe(body, numbers(8), np.zeros(3, np.float32), block_dim=3, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, [1, 2, 3])


def test_a_variable_that_cores_share_is_warned_of(probe, numbers):
    body = "shared = (float)GetBlockIdx(); %s out.SetValue(GetBlockIdx() * 16, shared);"
    before = "static volatile float shared;"
    alone = probe(body % "", numbers(8), np.zeros(32, np.float32), block_dim=2, zeroed=True, before=before)
    assert alone.codes == []  # what a core reads it has written itself
    ran = probe(
        body % "SyncAll();", numbers(8), np.zeros(48, np.float32), block_dim=3, zeroed=True, before=before
    )
    assert ran.launch.outcome is None
    found = ran.one("CACHE_CLEAN")
    assert found.severity == "warning" and "the kernel's variables" in found.text


@pytest.mark.parametrize(("value", "severity"), [(5, "error"), (0, "warning")])  # 0: as its own cache has it
def test_what_another_core_left_in_a_variable_is_not_in_a_cores_own_cache(probe, numbers, value, severity):
    body = "if (GetBlockIdx() == 0) { shared = in.GetValue(0); } out.SetValue(GetBlockIdx() * 16, shared);"
    before = "static volatile float shared;"
    x = np.full(8, value, np.float32)
    ran = probe(body, x, np.zeros(32, np.float32), block_dim=2, zeroed=True, before=before)
    assert ran.one("GM_RACE").severity == severity


def test_the_systems_workspace_is_told_to_one_core(probe, numbers):
    body = """
    if (GetBlockIdx() == 0) { SetSysWorkspace((GM_ADDR)0x1000); }
    out.SetValue(GetBlockIdx() * 16, GetSysWorkSpacePtr() == (GM_ADDR)0x1000 ? 1.0f : 2.0f);"""
    ran = probe(body, numbers(8), np.zeros(32, np.float32), block_dim=2, zeroed=True)
    np.testing.assert_array_equal(ran.y[::16], [1, 2])


def test_parts_may_overlap_where_both_cores_write_the_same(probe, numbers):
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    LocalTensor<T> a = buf.Get<T>(256);
    DataCopy(a, in[GetBlockIdx() * 120], 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[GetBlockIdx() * 120], a, 256);"""
    x = numbers(496)
    ran = probe(body, x, np.zeros(496, np.float32), block_dim=3)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x)


def test_more_blocks_than_cores_are_watched_as_well(probe, numbers):
    body = SHARE + "DataCopy(a, out[(GetBlockIdx() + 299) % 300 * 8], 8);"
    assert "GM_RACE" in probe(body, numbers(8), np.zeros((300, 8), np.float32), block_dim=300).codes


def test_a_value_that_is_written_past_the_cache_shares_no_line(probe, numbers):
    body = "WriteGmByPassDCache((__gm__ float *)y + GetBlockIdx(), (float)(GetBlockIdx() + 1));"
    ran = probe(body, numbers(8), np.zeros(4, np.float32), block_dim=4, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, [1, 2, 3, 4])


@pytest.mark.parametrize("blocks", [6, 5000])
def test_every_block_knows_its_number(probe, numbers, blocks):
    ran = probe(SHARE, numbers(8), np.zeros((blocks, 8), np.float32), block_dim=blocks)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[:, 0], range(blocks))


def test_after_sync_all_each_core_sees_what_the_others_wrote(probe, numbers):
    body = (
        SHARE
        + """
    SyncAll();
    uint32_t next = (GetBlockIdx() + 1) % GetBlockNum();
    DataCopy(a, out[next * 8], 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[(GetBlockNum() + GetBlockIdx()) * 8], a, 8);"""
    )
    ran = probe(body, numbers(8), np.zeros((10, 8), np.float32), block_dim=5)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[5:, 0], [1, 2, 3, 4, 0])


def test_cores_that_wait_for_each_other_in_vain_are_named(probe, numbers):
    x = numbers(8)
    found = probe("CrossCoreWaitFlag(3); // HERE", x, x, block_dim=2).assert_stopped("DEADLOCK")
    assert "aiv0 in CrossCoreWaitFlag for id 3" in found.text


def test_a_core_that_leaves_before_the_barrier_is_told(probe, numbers):
    x = numbers(8)
    ran = probe("if (GetBlockIdx() == 1) { return; }\n SyncAll(); // HERE", x, x, block_dim=3)
    assert ran.one("SYNC_MISSING").severity == "warning"


ON_EACH = """
__aicore__ inline void OnCube(uint16_t flag) { CrossCoreSetFlag<2, PIPE_FIX>(flag); }
__aicore__ inline void OnVector(GM_ADDR x, GM_ADDR y, uint16_t flag)
{
    CrossCoreWaitFlag(flag);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<float> a = buf.Get<float>();
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x + GetSubBlockIdx() * 8);
    out.SetGlobalBuffer((__gm__ float *)y + GetSubBlockIdx() * 8);
    DataCopy(a, in, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, a, 8);
}"""


def test_a_function_is_called_on_the_kind_of_core_that_is_named(probe, numbers):
    x = numbers(16)
    body = "pipe.Destroy(); Async<EngineType::AIC, OnCube>(5); Async<EngineType::AIV, OnVector>(x, y, 5);"
    ran = probe(body, x, x, before=ON_EACH, task="KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);")
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, x)


MARKED = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    GlobalTensor<int32_t> marks;
    marks.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    InitOutput<int32_t>(marks[GetBlockIdx() * 8], 8, 0);
    if (GetBlockIdx() == LEAVES) { return; }
    SyncAll(marks, buf.Get<int32_t>(), USED); // HERE"""


@pytest.mark.parametrize(
    ("leaves", "used", "said"), [(0, 0, ["DEADLOCK"]), (2, 3, ["DEADLOCK"]), (2, 0, ["DEADLOCK"]), (2, 2, [])]
)
def test_marks_in_memory_are_waited_for_whoever_has_ended(probe, numbers, leaves, used, said):
    x = numbers(8)
    body = MARKED.replace("LEAVES", str(leaves)).replace("USED", str(used))
    ran = probe(body, x, x, block_dim=3, workspace_bytes=(16 << 20) + 4096)
    assert ran.codes == said
    if said:
        assert "whether each of 3 cores has come" in ran.one("DEADLOCK").text


def test_marks_that_nobody_has_cleared_are_told(probe, numbers):
    body = MARKED.replace("LEAVES", "9").replace("USED", "0").replace("InitOutput", "if (false) InitOutput")
    x = numbers(8)
    probe(body, x, x, block_dim=3, workspace_bytes=(16 << 20) + 4096).assert_warned("UNWRITTEN_DATA")


def test_a_block_waits_for_the_block_before_it(probe, numbers):
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    GlobalTensor<int32_t> steps;
    steps.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    InitOutput<int32_t>(steps[GetBlockIdx() * 8], 8, 0);
    LocalTensor<int32_t> scratch = buf.Get<int32_t>();
    int32_t me = GetBlockIdx();
    float before = 0;
    if (me > 0) {
        IBWait(steps, scratch, me - 1, 0);
        before = out.GetValue(me - 1);
    }
    out.SetValue(me, before + 1);
    CLEAN
    IBSet(steps, scratch, me, 0);"""
    body = body.replace("CLEAN", CLEAN)
    ran = probe(body, numbers(8), np.zeros(4, np.float32), block_dim=4, workspace_bytes=(16 << 20) + 4096)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, [1, 2, 3, 4])


MIX = """
    constexpr int64_t LINE = 16; // floats: a line of a data cache for each value
    if ASCEND_IS_AIC {
        out.SetValue(LINE * GetBlockIdx(), 10 + GetSubBlockNum());
        CLEAN
        CrossCoreSetFlag<2, PIPE_FIX>(4);
        CrossCoreWaitFlag(5);
        const int64_t first = 2 + 2 * GetBlockIdx();
        out.SetValue(LINE * (6 + GetBlockIdx()), out.GetValue(LINE * first) + out.GetValue(LINE * (first + 1)));
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(4);
        out.SetValue(LINE * (2 + GetBlockIdx()), out.GetValue(LINE * get_block_idx()) + GetSubBlockIdx());
        CLEAN
        CrossCoreSetFlag<2, PIPE_MTE3>(5);
    }"""


@pytest.mark.parametrize(
    "task",
    [
        "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);",
        "KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIV_ONLY); KERNEL_TASK_TYPE(0, KERNEL_TYPE_MIX_AIC_1_2);",
        "KERNEL_TASK_TYPE(0, KERNEL_TYPE_MIX_AIC_1_2); KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);",
        "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2); KERNEL_TASK_TYPE(7, KERNEL_TYPE_AIV_ONLY);",
    ],
)
def test_a_cube_core_and_its_vector_cores_take_turns(probe, numbers, task):
    x = numbers(8)
    ran = probe(MIX.replace("CLEAN", CLEAN), x, np.zeros(128, np.float32), task=task, block_dim=2)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[::16], [12, 12, 12, 13, 12, 13, 25, 25])


MEETINGS = """
    GlobalTensor<int32_t> steps;
    steps.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    TBuf<> buf;
    pipe.InitBuffer(buf, 48 * 32 + 32);
    LocalTensor<int32_t> scratch = buf.Get<int32_t>();
    const float which = in.GetValue(0);
    if (which == 0) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3); // FLAG
        CrossCoreWaitFlag(3);
    } else if (which == 1) {
        InitOutput<int32_t>(steps[GetBlockIdx() * 8], 8, 0);
        if (GetBlockIdx() == 0) { IBWait(steps, scratch, GetBlockNum() - 1, 0); } // IBWait
        if (GetBlockIdx() == GetBlockNum() - 1) { IBSet(steps, scratch, GetBlockIdx(), 0); }
    } else if (which == 2) {
        InitDetermineComputeWorkspace(steps, scratch); // TURNS
        WaitPreBlock(steps, scratch);
        NotifyNextBlock(steps, scratch);
    } else if (which == 3) {
        SyncAll<false>(); // MIXED
    } else {
        SyncAll(); // ALL
    }"""


@pytest.mark.parametrize(("which", "line"), [(0, "// FLAG"), (1, "// IBWait"), (2, "// TURNS")])
def test_blocks_beyond_the_cores_begin_when_others_end(probe, which, line):
    """Cores that wait for all blocks wait for ever: documented for each of these interfaces."""
    x = np.full(8, which, np.float32)
    room = (16 << 20) + 8192
    probe(MEETINGS, x, x, block_dim=49, workspace_bytes=room).assert_stopped("DEADLOCK", line)
    assert probe(MEETINGS, x, x, block_dim=48, workspace_bytes=room, zeroed=True).codes == []


@pytest.mark.parametrize(("which", "line"), [(0, "// FLAG"), (3, "// MIXED"), (4, "// ALL")])
def test_a_type_of_vector_cores_alone_has_no_flags_between_cores(probe, which, line):
    x = np.full(8, which, np.float32)
    alone, mixed = (f"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{t});" for t in ("AIV_ONLY", "MIX_AIV_1_0"))
    stopped = probe(MEETINGS, x, x, task=alone, block_dim=2).assert_stopped("DEADLOCK", line)
    assert "KERNEL_TYPE_MIX_AIV_1_0" in stopped.text
    if which == 3:  # which waits for cube cores, and there are none
        probe(MEETINGS, x, x, task=mixed, block_dim=2).assert_stopped("DEADLOCK", line)
    else:
        assert probe(MEETINGS, x, x, task=mixed, block_dim=2, zeroed=True).codes == []


def test_a_kernel_marked_vector_has_barriers_and_no_flags(probe):
    task = "KERNEL_TASK_TYPE_DEFAULT(AKGEN_TYPE_OF_VECTOR_MARK);"
    flags, barriers = (np.full(8, which, np.float32) for which in (0, 4))
    probe(MEETINGS, flags, flags, task=task, block_dim=2).assert_stopped("DEADLOCK", "// FLAG")
    probe(MEETINGS, barriers, barriers, task=task, block_dim=2, zeroed=True).assert_warned(
        "DEADLOCK", "// ALL"
    )


def test_a_flag_that_piles_up_is_told(probe, numbers):
    x = numbers(8)
    body = "for (int i = 0; i < 17; ++i) {\n CrossCoreSetFlag<0, PIPE_MTE3>(1); // HERE\n }"
    probe(body, x, x).assert_stopped("FLAG_TWICE")


def test_two_runs_say_the_same(probe, numbers):
    x = numbers(64)
    first, second = (
        probe(SHARE + "SyncAll();", x, np.zeros((9, 8), np.float32), block_dim=9, trace=True)
        for _ in range(2)
    )
    assert first.launch.profile is not None
    assert second.launch.profile is not None
    same = {"trace": None}
    assert first.launch.profile.model_copy(update=same) == second.launch.profile.model_copy(update=same)
    assert first.launch.profile.trace.read_text() == second.launch.profile.trace.read_text()


@pytest.mark.parametrize("blocks", [1, 40, 700])  # the last: more than there are threads
def test_block_local_variables_belong_to_one_core(probe, numbers, blocks):
    body = "counter += 1; out.SetValue(GetBlockIdx() * 16, counter);"
    ran = probe(
        body,
        numbers(8),
        np.zeros((blocks, 16), np.float32),
        before="__BLOCK_LOCAL__ int counter;",
        block_dim=blocks,
    )
    np.testing.assert_array_equal(ran.y[:, 0], np.ones(blocks))


def test_blocks_pass_the_turn_on_round_after_round(probe, numbers):
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    GlobalTensor<int32_t> steps;
    steps.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    LocalTensor<int32_t> scratch = buf.Get<int32_t>();
    InitDetermineComputeWorkspace(steps, scratch);
    for (int round = 0; round < 2; ++round) {
        WaitPreBlock(steps, scratch);
        const float before = out.GetValue(0);
        out.SetValue(1 + round * 4 + GetBlockIdx(), before);
        out.SetValue(0, before + 1);
        CLEAN
        NotifyNextBlock(steps, scratch);
    }"""
    zeros = np.zeros(9, np.float32)
    body = body.replace("CLEAN", CLEAN)
    ran = probe(body, numbers(8), zeros, block_dim=4, workspace_bytes=(16 << 20) + 4096, zeroed=True)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, [8, *range(8)])


def test_what_passes_by_the_data_cache_needs_no_cleaning(probe, numbers):
    body = """
    WriteGmByPassDCache<float>((__gm__ float *)y + GetBlockIdx(), 3.0f + GetBlockIdx());
    SyncAll();
    const float other = ReadGmByPassDCache<float>((__gm__ float *)y + 1 - GetBlockIdx());
    SyncAll();
    WriteGmByPassDCache<float>((__gm__ float *)y + 2 + GetBlockIdx(), other);"""
    ran = probe(body, numbers(8), np.zeros(4, np.float32), block_dim=2)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, [3, 4, 4, 3])


@pytest.mark.parametrize("inputs", [300, 1020])
def test_a_kernel_takes_as_many_arguments_as_a_network_has_weights(probe, numbers, inputs):
    x = numbers(8)
    room = "volatile float room[7000]; room[6999] = in.GetValue(1);"  # beside the arguments the stack is the kernel's
    last = f"GlobalTensor<T> last; last.SetGlobalBuffer((__gm__ T *)x{inputs - 1});"
    ran = probe(f"{room} {last} out.SetValue(0, last.GetValue(3) + room[6999]);", x, x, inputs=inputs)
    assert ran.launch.outcome is None and ran.y[0] == x[3] + x[1]


def test_more_arguments_than_a_kernel_can_have_are_told(probe, numbers):
    x = numbers(8)
    ran = probe("out.SetValue(0, in.GetValue(3));", x, x, inputs=1030)
    assert "at most 1024 arguments" in str(ran.launch.diagnostics)


@pytest.mark.parametrize("blocks", [3, 700])  # the last: more than there are threads
def test_a_core_finds_no_register_as_another_core_left_it(probe, blocks):
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<T> a = buf.Get<T>();
    if (GetBlockIdx() == 0) {
        SetPadValue<float>(7.0f);
    }
    DataCopyPad(a, in, {1, 4, 0, 0, 0}, {false, 0, 0, 0}); // without SetPadValue its first element fills the row
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[GetBlockIdx() * 8], a, 8);
"""
    ran = probe(body, np.full(1, 3, np.float32), np.zeros((blocks, 8), np.float32), block_dim=blocks)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y[0], [3, *[7] * 7])
    np.testing.assert_array_equal(ran.y[1:], np.full((blocks - 1, 8), 3))
