"""What a wait between cores orders: what the others did before they set or arrived, and nothing later."""

import numpy as np
import pytest

WRITE = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<T> a = buf.Get<T>();
    auto write = [&](int slot) {
        Duplicate(a, T(1 + slot), 8);
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[slot * 8], a, 8);
        PipeBarrier<PIPE_ALL>();
    };
    auto read = [&](int slot) {
        DataCopy(a, out[slot * 8], 8);
        PipeBarrier<PIPE_ALL>();
    };
"""


@pytest.mark.parametrize("writer", [0, 2])
def test_what_a_core_writes_after_a_barrier_is_not_ordered_by_it(probe, numbers, writer):
    body = WRITE + (
        f"    SyncAll();\n    if (GetBlockIdx() == {writer}) {{ write(0); }}\n"
        f"    ORDER\n    if (GetBlockIdx() != {writer}) {{ read(0); }}\n    SyncAll();\n"
    )
    y = np.zeros(8, np.float32)
    assert probe(body.replace("ORDER", "SyncAll();"), numbers(8), y, block_dim=3).codes == []
    assert "GM_RACE" in probe(body.replace("ORDER", ""), numbers(8), y, block_dim=3).codes


def test_what_a_core_wrote_before_it_ended_early_is_ordered_by_the_barrier(probe, numbers):
    body = WRITE + "    if (GetBlockIdx() == 0) { write(0); return; }\n    SyncAll();\n    read(0);\n"
    ran = probe(body, numbers(8), np.zeros(8, np.float32), block_dim=3)
    assert ran.codes == ["SYNC_MISSING"]


@pytest.mark.parametrize(("slot", "codes"), [("2 * GetBlockIdx()", []), ("0", ["GM_RACE"])])
def test_a_flag_orders_the_cores_of_its_own_block(probe, numbers, slot, codes):
    body = (
        WRITE
        + f"""
    if ASCEND_IS_AIV {{
        write(GetBlockIdx());
        CrossCoreSetFlag<2, PIPE_MTE3>(4);
    }}
    if ASCEND_IS_AIC {{
        CrossCoreWaitFlag(4);
        GlobalTensor<T> theirs = out[8 * ({slot})];
        float seen = theirs.GetValue(0);
        out.SetValue(64 + 16 * GetBlockIdx(), seen);
    }}"""
    )
    task = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"
    ran = probe(body, numbers(8), np.zeros(96, np.float32), task=task, block_dim=2)
    assert [c for c in ran.codes if c == "GM_RACE"] == codes


@pytest.mark.parametrize(("waits", "codes"), [(1, ["GM_RACE"]), (2, [])])
def test_a_wait_is_answered_by_one_set(probe, numbers, waits, codes):
    body = (
        WRITE
        + f"""
    TBuf<> more;
    pipe.InitBuffer(more, 64);
    GlobalTensor<int32_t> steps;
    steps.SetGlobalBuffer((__gm__ int32_t *)GetUserWorkspace(workspace));
    LocalTensor<int32_t> scratch = more.Get<int32_t>();
    if (GetBlockIdx() == 0) {{
        InitOutput<int32_t>(steps, 8, 0);
        IBSet(steps, scratch, 0, 0);
        write(0);
        IBSet(steps, scratch, 0, 0);
    }} else {{
        for (int i = 0; i < {waits}; ++i) {{ IBWait(steps, scratch, 0, 0); }}
        read(0);
    }}"""
    )
    ran = probe(body, numbers(8), np.zeros(8, np.float32), block_dim=2, workspace_bytes=(16 << 20) + 4096)
    assert ran.codes == codes


def test_no_core_sets_a_flag_in_the_place_of_another(probe, numbers):
    body = """
    if (GetBlockIdx() == 0) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);
    }"""
    ran = probe(body, numbers(8), np.zeros(8, np.float32), block_dim=2)
    assert "DEADLOCK" in ran.codes


@pytest.mark.parametrize(
    ("who", "order", "codes"),
    [
        ("true", "", ["GM_RACE"]),  # what one core has written is cleared by the next
        ("true", "SyncAll();", []),
        ("GetBlockIdx() == GetBlockNum() - 1", "", ["GM_RACE"]),
        ("GetBlockIdx() == GetBlockNum() - 1", "SyncAll();", []),
    ],
)
def test_clearing_is_a_write_like_any_other(probe, numbers, who, order, codes):
    body = WRITE + (
        f"    if ({who}) {{ InitGlobalMemory(out, 24, T(0)); }}\n    {order}\n    write(GetBlockIdx());\n"
    )
    ran = probe(body, numbers(8), np.zeros(24, np.float32), block_dim=3)
    assert ran.codes == codes


@pytest.mark.parametrize(("early", "late", "codes"), [("write(0);", "", []), ("", "write(0);", ["GM_RACE"])])
def test_barriers_of_vector_cores_and_of_all_cores_are_counted_apart(probe, numbers, early, late, codes):
    body = (
        WRITE
        + f"""
    const bool writes = GetBlockIdx() == 0;
    if ASCEND_IS_AIV {{
        SyncAll();
        SyncAll();
        if (writes) {{ {early} }}
    }}
    SyncAll<false>();
    if ASCEND_IS_AIV {{
        if (writes) {{ {late} }}
    }}
    if ASCEND_IS_AIC {{
        out.SetValue(16 + 16 * GetBlockIdx(), out.GetValue(0));
    }}
    if ASCEND_IS_AIV {{ SyncAll(); }}
    SyncAll<false>();"""
    )
    task = "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"
    ran = probe(body, numbers(8), np.zeros(48, np.float32), task=task, block_dim=2)
    assert ran.codes == codes
