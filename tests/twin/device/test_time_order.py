"""Ways to write one operator, from slow to fast: the predicted times are in the order that a device has them in.

Only the order is tested, and by what: each step names what it mends.
"""

import struct
from typing import NamedTuple

import numpy as np
import pytest

from akgen.knowledge.chip import timing

COUNT = 1 << 18

# y = x + 1. The tiling holds the way, the tile and the number of buffers (the row, where rows are copied one by one).
ADD = """
    const uint32_t way = ((__gm__ uint32_t *)tiling)[0], tile = ((__gm__ uint32_t *)tiling)[1];
    const uint32_t third = ((__gm__ uint32_t *)tiling)[2], n = @COUNT@ / GetBlockNum();
    GlobalTensor<float> from = in[n * GetBlockIdx()], to = out[n * GetBlockIdx()];
    if (way == 0) {
        for (uint32_t i = 0; i < n; ++i) {
            to.SetValue(i, from.GetValue(i) + 1.0f);
        }
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
        return;
    }
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, way == 4 ? 2 : third, tile * sizeof(float));
    pipe.InitBuffer(outQueue, way == 4 ? 2 : third, tile * sizeof(float));
    const uint32_t row = way == 4 ? third : tile;
    for (uint32_t i = 0; i < n; i += tile) {
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        for (uint32_t r = 0; r < tile; r += row) {
            DataCopy(a[r], from[i + r], row);
        }
        inQueue.EnQue(a);
        if (way == 3) {
            PipeBarrier<PIPE_ALL>();
        }
        a = inQueue.DeQue<float>();
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        if (way == 1) {
            for (uint32_t k = 0; k < tile; ++k) {
                b.SetValue(k, a.GetValue(k) + 1.0f);
            }
        } else {
            for (uint32_t r = 0; r < tile; r += row) {
                Adds(b[r], a[r], 1.0f, row);
            }
        }
        if (way == 3) {
            PipeBarrier<PIPE_ALL>();
        }
        outQueue.EnQue(b);
        inQueue.FreeTensor(a);
        b = outQueue.DeQue<float>();
        for (uint32_t r = 0; r < tile; r += row) {
            DataCopy(to[i + r], b[r], row);
        }
        if (way == 3) {
            PipeBarrier<PIPE_ALL>();
        }
        outQueue.FreeTensor(b);
    }
""".replace("@COUNT@", str(COUNT))


class Way(NamedTuple):
    """One way to write it, and what is better about it than about the one before."""

    better: str
    cores: int
    words: tuple[int, int, int]


SCALAR_GM, SCALAR_UB, PLAIN, BARRIERS, ROWS = range(5)
SLOW_TO_FAST = (
    Way("one core, element by element in global memory", 1, (SCALAR_GM, 8, 1)),
    Way("the elements are copied to the Unified Buffer", 1, (SCALAR_UB, 4096, 1)),
    Way("a vector instruction for each 64 of them", 1, (PLAIN, 64, 1)),
    Way("32 cores, though element by element", 32, (SCALAR_UB, 4096, 1)),
    Way("one core again, but tiles of 4096 with a barrier behind each step", 1, (BARRIERS, 4096, 1)),
    Way("no barriers", 1, (PLAIN, 4096, 1)),
    Way("32 cores, though with tiles of 128", 32, (PLAIN, 128, 1)),
    Way("tiles of 512, with barriers", 32, (BARRIERS, 512, 1)),
    Way("no barriers", 32, (PLAIN, 512, 1)),
    Way("two buffers, tiles of 4096", 32, (PLAIN, 4096, 2)),
)


@pytest.fixture
def time_of(launched):
    x, y = np.zeros(COUNT, np.float32), np.zeros(COUNT, np.float32)

    def of(way):
        ran = launched(ADD, x, y, block_dim=way.cores, tiling=struct.pack("3I", *way.words))
        assert ran.codes == [] and (ran.y == 1).all()
        return ran.launch.time_us

    return of


def test_each_way_is_faster_than_the_one_before(time_of):
    times = [time_of(way) for way in SLOW_TO_FAST]
    for before, now, way in zip(times, times[1:], SLOW_TO_FAST[1:], strict=False):
        assert now < before, (way.better, [f"{t:.1f}" for t in times])
    assert times[0] > 200 * times[-1]


def test_a_block_for_each_tile_is_slower_than_a_loop_over_tiles(time_of):
    blocks, loop = (time_of(Way("", cores, (PLAIN, 512, 1))) for cores in (512, 32))
    assert blocks > 1.1 * loop


def test_copies_row_by_row_are_slower_than_one_for_all_rows(time_of):
    rows, whole = (time_of(Way("", 32, words)) for words in ((ROWS, 4096, 32), (ROWS, 4096, 4096)))
    assert rows > 1.2 * whole


COPY = "TBuf<TPosition::VECCALC> room; pipe.InitBuffer(room, 256); DataCopy(room.Get<float>(), in, 64);"
NUMBERS = (np.zeros(64, np.float32), np.zeros(64, np.float32))


def test_a_launch_takes_the_longer_the_more_cores_it_begins(launched):
    one, all_of_them = (launched(COPY, *NUMBERS, block_dim=n).launch.profile for n in (1, 48))
    known = timing()
    assert one.start_us == pytest.approx(known["launch_us"])
    assert all_of_them.start_us == pytest.approx(known["launch_us"] + 47 * known["launch_core_us"])
    assert all_of_them.time_us > one.time_us + 11


def test_blocks_behind_the_first_ones_begin_later(launched):
    all_at_once, many = (launched(COPY, *NUMBERS, block_dim=n).launch.profile for n in (48, 144))
    assert many.start_us == all_at_once.start_us
    alone = all_at_once.time_us - all_at_once.start_us
    again = 2 * timing()["block_start_us"]
    assert many.time_us - many.start_us == pytest.approx(3 * alone + again, rel=0.1)


def test_a_queue_costs_more_than_flags(probe):
    queue = """
        TQue<TPosition::VECIN, 1> queue;
        pipe.InitBuffer(queue, 2, 256);
        for (int i = 0; i < 100; ++i) {
            LocalTensor<float> a = queue.AllocTensor<float>();
            DataCopy(a, in, 64);
            queue.EnQue(a);
            a = queue.DeQue<float>();
            Adds(a, a, 1.0f, 64);
            queue.FreeTensor(a);
        }
    """
    flags = """
        TBuf<TPosition::VECCALC> room;
        pipe.InitBuffer(room, 512);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
        for (int i = 0; i < 100; ++i) {
            LocalTensor<float> a = room.Get<float>()[i % 2 * 64];
            const event_t id = i % 2 ? EVENT_ID1 : EVENT_ID0;
            WaitFlag<HardEvent::V_MTE2>(id);
            DataCopy(a, in, 64);
            SetFlag<HardEvent::MTE2_V>(id);
            WaitFlag<HardEvent::MTE2_V>(id);
            Adds(a, a, 1.0f, 64);
            SetFlag<HardEvent::V_MTE2>(id);
        }
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
    """
    by_queue, by_flag = (probe(body, *NUMBERS).launch.profile for body in (queue, flags))
    scalar = [next(p.busy_us for p in q.pipes if p.pipe == "S") for q in (by_queue, by_flag)]
    # Four operations of a round, but for the first two buffers, which nobody waits for.
    more = (4 * 100 - 2) * (timing()["queue_op_cycles"] - timing()["scalar_op_cycles"])
    assert scalar[0] - scalar[1] == pytest.approx(more / 1800, rel=0.05)
    assert by_queue.time_us > 1.2 * by_flag.time_us
