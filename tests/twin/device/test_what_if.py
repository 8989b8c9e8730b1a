"""What a launch would gain if it were written otherwise, simulated, and what it gains once it is written so."""

from typing import Any

import numpy as np
import pytest

from akgen.tools.core.profile import Prediction, Profile

Array = np.ndarray[Any, Any]

# Each core takes whole tiles; `core % 1` and the like give cores different numbers of them.
TILES = """
    constexpr uint32_t TILE = @TILE@;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> workBuf;
    pipe.InitBuffer(inQueue, @BUFFERS@, TILE * sizeof(float));
    pipe.InitBuffer(outQueue, @BUFFERS@, TILE * sizeof(float));
    pipe.InitBuffer(workBuf, TILE * sizeof(float));
    const uint32_t begin = @BEGIN@, end = @END@;
    for (uint32_t i = begin; i < end; ++i) {
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopy(a, in[i * TILE], TILE);
        inQueue.EnQue(a);
        a = inQueue.DeQue<float>();
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        @COMPUTE@
        outQueue.EnQue(b);
        inQueue.FreeTensor(a);
        b = outQueue.DeQue<float>();
        DataCopy(out[i * TILE], b, TILE);
        outQueue.FreeTensor(b);
    }
"""
CHAIN = (
    """Muls(b, a, 2.0f, TILE); Exp(b, b, TILE); Adds(b, b, 1.0f, TILE); Ln(b, b, TILE); Mul(b, b, a, TILE);"""
)
THROUGH_HALF = """{
        LocalTensor<half> h = workBuf.Get<half>();
        Cast(h, a, RoundMode::CAST_RINT, TILE); Cast(b, h, RoundMode::CAST_NONE, TILE);
        Adds(b, b, 1.0f, TILE); Muls(b, b, 2.0f, TILE); }"""
DIRECT = """Adds(b, a, 1.0f, TILE); Muls(b, b, 2.0f, TILE);"""


def body(
    *,
    tile: int,
    tiles: int,
    cores: int,
    buffers: int = 1,
    compute: str = CHAIN,
    begin: str = "",
    end: str = "",
) -> str:
    each = tiles // cores
    values = {
        "TILE": str(tile),
        "BUFFERS": str(buffers),
        "COMPUTE": compute,
        "BEGIN": begin or f"GetBlockIdx() * {each}",
        "END": end or f"(GetBlockIdx() + 1) * {each}",
    }
    text = TILES
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


@pytest.fixture
def profile(probe: Any) -> Any:
    def run(text: str, elements: int, cores: int, before: str = "") -> Profile:
        x = np.abs(np.random.default_rng(3).standard_normal(elements)).astype(np.float32)
        ran = probe(text, x, x, block_dim=cores, what_if=True, before=before)
        assert ran.launch.outcome is None and ran.launch.profile is not None, ran.launch.diagnostics
        assert ran.codes == []
        return ran.launch.profile

    return run


def predicted(of: Profile, change: str) -> Prediction:
    return next(p for p in of.what_if if p.change == change)


def gained(before: Profile, after: Profile) -> float:
    return 1.0 - after.time_us / before.time_us


@pytest.mark.parametrize(("tile", "cores", "tiles"), [(2048, 8, 128), (4096, 48, 48 * 8), (512, 1, 40)])
def test_double_buffering(profile: Any, tile: int, cores: int, tiles: int) -> None:
    now = profile(body(tile=tile, tiles=tiles, cores=cores), tile * tiles, cores)
    then = profile(body(tile=tile, tiles=tiles, cores=cores, buffers=2), tile * tiles, cores)
    said = predicted(now, "double_buffer")
    assert said.fits and said.gain == pytest.approx(gained(now, then), abs=0.02)
    assert not any(p.change == "double_buffer" for p in then.what_if)


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize(("tile", "cores", "tiles"), [(256, 8, 256), (1024, 48, 48 * 6), (2048, 4, 8)])
def test_larger_tiles(profile: Any, buffers: int, tile: int, cores: int, tiles: int) -> None:
    now = profile(body(tile=tile, tiles=tiles, cores=cores, buffers=buffers), tile * tiles, cores)
    then = profile(body(tile=2 * tile, tiles=tiles // 2, cores=cores, buffers=buffers), tile * tiles, cores)
    said = predicted(now, "larger_tiles")
    assert said.gain == pytest.approx(gained(now, then), abs=0.02)


def test_fewer_casts(profile: Any) -> None:
    now = profile(body(tile=4096, tiles=64, cores=8, buffers=2, compute=THROUGH_HALF), 4096 * 64, 8)
    then = profile(body(tile=4096, tiles=64, cores=8, buffers=2, compute=DIRECT), 4096 * 64, 8)
    said = predicted(now, "casts")
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)
    assert not any(p.change == "casts" for p in then.what_if)


# What core 0 has of 32 tiles; the seven others share the rest as evenly as it goes.
@pytest.mark.parametrize("first", [17, 25, 11])
def test_balance(profile: Any, first: int) -> None:
    rest = 32 - first
    start = f"(GetBlockIdx() == 0 ? 0 : {first} + (GetBlockIdx() - 1) * {rest} / 7)"
    end = f"({first} + GetBlockIdx() * {rest} / 7)"
    now = profile(body(tile=2048, tiles=32, cores=8, buffers=2, begin=start, end=end), 2048 * 32, 8)
    then = profile(body(tile=2048, tiles=32, cores=8, buffers=2), 2048 * 32, 8)
    said = predicted(now, "balance")
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)


# Sources whose distance is a multiple of 512 bytes lie in the same bank groups, and 256 bytes more part them; a
# destination 64 KB away lies in another bank.
LAYOUT = """
    constexpr uint32_t COUNT = 2048;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, 128 * 1024);
    LocalTensor<float> a = all.Get<float>(), b = a[@B@], c = a[@C@];
    Duplicate(a, 1.0f, COUNT);
    Duplicate(b, 2.0f, COUNT);
    for (int i = 0; i < 100; ++i) {
        Add(c, a, b, COUNT);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, c, COUNT);
"""


def test_a_layout_without_bank_conflicts(profile: Any) -> None:
    now = profile(LAYOUT.replace("@B@", "2048").replace("@C@", "4096"), 2048, 1)
    then = profile(LAYOUT.replace("@B@", "2048 + 64").replace("@C@", "16384"), 2048, 1)
    said = predicted(now, "bank_conflicts")
    assert said.gain > 0.1
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)


ROWS = """
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 2, 1024 * sizeof(float));
    for (uint32_t i = 0; i < 32; ++i) {
        const uint32_t row = GetBlockIdx() * 32 + i;
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopyPad(a, in[row * @STRIDE@ + @START@], {1, 1024 * sizeof(float), 0, 0, 0}, {false, 0, 0, 0});
        inQueue.EnQue(a);
        a = inQueue.DeQue<float>();
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        if (i == 31) {
            DataCopy(out[GetBlockIdx() * 1024], a, 1024);
            SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
            WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        }
        inQueue.FreeTensor(a);
    }
"""


def test_rows_that_start_on_lines_of_memory(profile: Any) -> None:
    elements = 48 * 32 * 1088
    now = profile(ROWS.replace("@STRIDE@", "1032").replace("@START@", "8"), elements, 48)
    then = profile(ROWS.replace("@STRIDE@", "1024").replace("@START@", "0"), elements, 48)
    said = predicted(now, "aligned_rows")
    assert said.gain > 0.03
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)


# The kernel's own flags, and buffers that it takes in turn.
FLAGS = """
    constexpr uint32_t TILE = 4096, TILES = 24, TURNS = @TURNS@;
    TBuf<TPosition::VECCALC> aBuf, bBuf;
    pipe.InitBuffer(aBuf, TURNS * TILE * sizeof(float));
    pipe.InitBuffer(bBuf, TURNS * TILE * sizeof(float));
    for (uint32_t t = 0; t < TURNS; ++t) {
        SetFlag<HardEvent::V_MTE2>(static_cast<event_t>(t));
        SetFlag<HardEvent::MTE3_V>(static_cast<event_t>(t));
    }
    for (uint32_t i = 0; i < TILES; ++i) {
        const event_t id = static_cast<event_t>(i % TURNS);
        LocalTensor<float> a = aBuf.Get<float>()[i % TURNS * TILE], b = bBuf.Get<float>()[i % TURNS * TILE];
        WaitFlag<HardEvent::V_MTE2>(id);
        DataCopy(a, in[(GetBlockIdx() * TILES + i) * TILE], TILE);
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE3_V>(id);
        Exp(b, a, TILE);
        Muls(b, b, 0.5f, TILE);
        SetFlag<HardEvent::V_MTE2>(id);
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
        DataCopy(out[(GetBlockIdx() * TILES + i) * TILE], b, TILE);
        SetFlag<HardEvent::MTE3_V>(id);
    }
    for (uint32_t t = 0; t < TURNS; ++t) {
        WaitFlag<HardEvent::V_MTE2>(static_cast<event_t>(t));
        WaitFlag<HardEvent::MTE3_V>(static_cast<event_t>(t));
    }
"""


def test_a_second_buffer_behind_flags_of_the_kernels_own(profile: Any) -> None:
    elements = 8 * 24 * 4096
    now = profile(FLAGS.replace("@TURNS@", "1"), elements, 8)
    then = profile(FLAGS.replace("@TURNS@", "2"), elements, 8)
    said = predicted(now, "double_buffer")
    assert said.gain > 0.2
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)


# A row at a time, whose sum the scalar unit reads: with two rows in a tile the copies are shared, the sums are not.
SUMS = """
    constexpr uint32_t WIDTH = 512, ROWS = @ROWS@;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> workBuf;
    pipe.InitBuffer(inQueue, 2, ROWS * WIDTH * sizeof(float));
    pipe.InitBuffer(outQueue, 2, ROWS * WIDTH * sizeof(float));
    pipe.InitBuffer(workBuf, WIDTH * sizeof(float));
    LocalTensor<float> work = workBuf.Get<float>();
    for (uint32_t i = 0; i < 32 / ROWS; ++i) {
        const uint32_t at = (GetBlockIdx() * 32 + i * ROWS) * WIDTH;
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        DataCopy(a, in[at], ROWS * WIDTH);
        inQueue.EnQue(a);
        a = inQueue.DeQue<float>();
        LocalTensor<float> b = outQueue.AllocTensor<float>();
        for (uint32_t r = 0; r < ROWS; ++r) {
            ReduceSum<float>(work, a[r * WIDTH], work, WIDTH);
            SetFlag<HardEvent::V_S>(EVENT_ID0);
            WaitFlag<HardEvent::V_S>(EVENT_ID0);
            const float sum = work.GetValue(0);
            Muls(b[r * WIDTH], a[r * WIDTH], 1.0f / sum, WIDTH);
        }
        outQueue.EnQue(b);
        inQueue.FreeTensor(a);
        b = outQueue.DeQue<float>();
        DataCopy(out[at], b, ROWS * WIDTH);
        outQueue.FreeTensor(b);
    }
"""


def test_larger_tiles_of_rows_that_are_summed_one_by_one(profile: Any) -> None:
    elements = 48 * 32 * 512
    now = profile(SUMS.replace("@ROWS@", "1"), elements, 48)
    then = profile(SUMS.replace("@ROWS@", "2"), elements, 48)
    said = predicted(now, "larger_tiles")
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)


def test_waits_have_causes(profile: Any) -> None:
    one = profile(body(tile=4096, tiles=64, cores=8), 4096 * 64, 8)
    waits = {p.pipe: p.waits for p in one.pipes}
    assert waits["V"].data_us > 5 * waits["V"].issue_us
    assert waits["MTE2"].buffer_us > 0.3 * one.time_us and waits["MTE2"].data_us == 0
    assert waits["MTE3"].data_us > 0.5 * one.time_us
    for pipe in one.pipes:
        whole = pipe.busy_us + pipe.stalled_us + pipe.idle_us
        assert whole == pytest.approx(one.time_us, rel=0.01)
        assert pipe.waits.data_us + pipe.waits.buffer_us <= pipe.stalled_us * 1.001 + 1e-6


def test_more_cores(profile: Any) -> None:
    now = profile(body(tile=2048, tiles=96, cores=4, buffers=2), 2048 * 96, 4)
    then = profile(body(tile=2048, tiles=96, cores=48, buffers=2), 2048 * 96, 48)
    said = predicted(now, "more_cores")
    assert said.cores == 48 and said.gain == pytest.approx(gained(now, then), abs=0.03)


def test_more_cores_that_share_a_core_s_only_tile(profile: Any) -> None:
    now = profile(body(tile=6144, tiles=8, cores=8), 6144 * 8, 8)
    then = profile(body(tile=1024, tiles=48, cores=48), 6144 * 8, 48)
    said = predicted(now, "more_cores")
    assert said.gain == pytest.approx(gained(now, then), abs=0.03)
