"""Cores that wait for numbers in global memory which others write, past the data cache or by cleaning its lines."""

import numpy as np
import pytest

# Core 2 sends a row and then a number; the others look for the number and take the row.
BODY = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<T> a = buf.Get<T>();
    GlobalTensor<int32_t> flag;
    flag.SetGlobalBuffer((__gm__ int32_t *)workspace + 1024);
    if (GetBlockIdx() == 2) {
        DataCopy(a, in, 8);
        PipeBarrier<PIPE_ALL>();
        DataCopy(out, a, 8);
        WAIT
        SET
    } else {
        while (true) {
            LOOK
            if (seen == 7) {
                break;
            }
        }
        DataCopy(a, out, 8); // HERE
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[8 + GetBlockIdx() * 8], a, 8);
    }
"""
LINE = "DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag);"
WAYS = {
    "past-the-cache": (
        "__gm__ int32_t *at = (__gm__ int32_t *)flag.GetPhyAddr(); WriteGmByPassDCache<int32_t>(at, 7);",
        "int32_t seen = ReadGmByPassDCache<int32_t>((__gm__ int32_t *)flag.GetPhyAddr());",
    ),
    "by-cleaning": (f"flag.SetValue(0, 7); {LINE}", f"{LINE} int32_t seen = flag.GetValue(0);"),
}
WAIT = "SetFlag<HardEvent::MTE3_S>(0); WaitFlag<HardEvent::MTE3_S>(0);"


def run(probe, numbers, way: str, wait: str = WAIT):
    x = numbers(8)
    body = BODY.replace("WAIT", wait).replace("SET\n", WAYS[way][0] + "\n").replace("LOOK", WAYS[way][1])
    ran = probe(body, x, np.zeros(24, np.float32), block_dim=3, workspace_bytes=65536, zeroed=True)
    return x, ran


@pytest.mark.parametrize("way", WAYS)
def test_a_number_in_memory_orders_what_came_before_it(probe, numbers, way):
    x, ran = run(probe, numbers, way)
    assert ran.codes == [], ran.launch.diagnostics
    np.testing.assert_array_equal(ran.y, np.tile(x, 3))


@pytest.mark.parametrize("way", WAYS)
def test_it_orders_no_copy_that_is_under_way(probe, numbers, way):
    x = numbers(8)
    body = BODY.replace("WAIT", "").replace("SET\n", WAYS[way][0] + "\n").replace("LOOK", WAYS[way][1])
    ran = probe(body, x, np.zeros(24, np.float32), block_dim=3, workspace_bytes=65536, auto_sync=False)
    assert "GM_RACE" in ran.codes


def test_what_is_read_once_through_the_cache_is_ordered_by_nothing(probe, numbers):
    x = numbers(8)
    body = """
    if (GetBlockIdx() == 0) {
        out.SetValue(0, 1.0f);
        DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(out);
    } else {
        out.SetValue(16, out.GetValue(0)); // HERE
    }
    """
    ran = probe(body, x, np.zeros(24, np.float32), block_dim=2)
    assert ran.one("GM_RACE").line == next(i for i, t in enumerate(ran.source.splitlines(), 1) if "HERE" in t)
