"""The timeline: what takes time, what overlaps, and what is called the bound. Cycles only, never wall time."""

import json
from itertools import pairwise

import numpy as np

STREAM = """
    TQue<QuePosition::VECIN, 1> qin;
    TQue<QuePosition::VECOUT, 1> qout;
    pipe.InitBuffer(qin, %(copies)d, 8192);
    pipe.InitBuffer(qout, %(copies)d, 8192);
    uint32_t share = %(total)d / GetBlockNum(), from = share * GetBlockIdx();
    for (uint32_t i = 0; i < share / 2048; ++i) {
        LocalTensor<T> a = qin.AllocTensor<T>();
        DataCopy(a, in[from + i * 2048], 2048);
        qin.EnQue(a);
        a = qin.DeQue<T>();
        LocalTensor<T> b = qout.AllocTensor<T>();
        Adds(b, a, 1.0f, 2048);
        %(more)s
        qout.EnQue(b);
        qin.FreeTensor(a);
        b = qout.DeQue<T>();
        DataCopy(out[from + i * 2048], b, 2048);
        qout.FreeTensor(b);
    }
"""


def stream(probe, tiles, *, copies=2, more="", **options):
    x = np.ones(tiles * 2048, np.float32)
    ran = probe(STREAM % {"copies": copies, "total": x.size, "more": more}, x, x, **options)
    assert ran.codes == []
    assert ran.launch.profile is not None
    return ran.launch.profile


def busy(profile, pipe):
    return next(p.busy_us for p in profile.pipes if p.pipe == pipe)


def test_bytes_are_counted(probe):
    profile = stream(probe, 16)
    assert profile.gm_read_bytes == profile.gm_write_bytes == 16 * 8192


def test_two_buffers_are_faster_than_one_and_slower_than_half(probe):
    single, double = stream(probe, 16, copies=1), stream(probe, 16, copies=2)
    assert 0.5 * single.time_us < double.time_us < 0.95 * single.time_us


def test_time_grows_with_the_work(probe):
    small, large = stream(probe, 32), stream(probe, 128)
    assert 3.0 < large.time_us / small.time_us < 4.2


def test_many_cores_share_the_memory_bandwidth(probe):
    """Forty-eight cores ask for more than memory gives: they gain less than forty-eightfold."""
    one, many = stream(probe, 480, block_dim=1), stream(probe, 480, block_dim=48)
    assert many.bound == "memory"
    assert one.time_us / many.time_us < 40
    assert many.gm_read_bytes / many.time_us < 1.48e6  # of memory; what is written stays in the cache


def test_much_vector_work_makes_the_vector_unit_the_bound(probe):
    profile = stream(probe, 16, more="for (int k = 0; k < 20; ++k) { Exp(b, b, 2048); }")
    assert profile.bound == "vector"
    assert busy(profile, "V") > 0.6 * profile.time_us


def test_uneven_cores_are_told(probe):
    x = np.ones(65536, np.float32)
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 8192);
    LocalTensor<T> a = buf.Get<T>();
    for (uint32_t i = 0; i < (GetBlockIdx() == 0 ? 200 : 10); ++i) { Adds(a, a, 1.0f, 2048); }"""
    ran = probe(body, x, x, block_dim=8)
    assert ran.launch.profile.bound == "imbalance"
    assert ran.launch.profile.core_imbalance > 4


def test_busy_stalled_and_idle_fill_the_duration(probe):
    profile = stream(probe, 16, block_dim=4)
    for pipe in profile.pipes:
        assert abs(pipe.busy_us + pipe.stalled_us + pipe.idle_us - profile.time_us) < 0.01 * profile.time_us


def test_the_trace_names_cores_pipes_and_lines(probe):
    profile = stream(probe, 8, block_dim=2, trace=True)
    trace = json.loads(profile.trace.read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert {e["name"] for e in events} >= {"DataCopy", "Adds"}
    assert {e["args"]["source"].split(":")[0] for e in events} == {"op_kernel/probe.cpp"}
    copies = [e for e in events if e["name"].startswith("DataCopy")]
    assert {e["args"]["tensor"] for e in copies} == {"input_0", "output_0"}
    assert not any("tensor" in e["args"] for e in events if e["tid"] == 1)  # the vector unit's
    names = {e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert names >= {"aiv0", "aiv1", "MTE2", "V", "MTE3"}
    for pid, tid in {(e["pid"], e["tid"]) for e in events}:
        lane = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if (e["pid"], e["tid"]) == (pid, tid))
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(lane)), "a pipe runs one at a time"


def test_blocks_beyond_the_cores_run_in_waves(probe):
    """Blocks of equal work: one more than the chip has vector cores waits for a whole round."""
    full, over, twice = (stream(probe, 4 * blocks, block_dim=blocks) for blocks in (48, 49, 96))
    assert full.cores == 48 and over.cores == 49
    assert 1.5 * full.time_us < over.time_us < 2.1 * full.time_us
    assert 1.8 * full.time_us < twice.time_us < 2.2 * full.time_us
    assert over.core_imbalance > 1.5 and twice.core_imbalance < 1.2
    for pipe in twice.pipes:
        assert pipe.busy_us + pipe.stalled_us + pipe.idle_us <= twice.time_us * 1.001


def traced(probe, tiles=8, **options):
    profile = stream(probe, tiles, trace=True, **options)
    return profile, json.loads(profile.trace.read_text())


def instructions(trace):
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and "cat" not in e]


def of_category(trace, category):
    return [e for e in trace["traceEvents"] if e.get("cat") == category]


def test_every_arrow_starts_in_an_instruction_and_ends_in_a_later_one(probe):
    _, trace = traced(probe, block_dim=2)
    starts, ends = ({e["id"]: e for e in of_category(trace, "flag") if e["ph"] == ph} for ph in "sf")
    assert starts.keys() == ends.keys()
    assert {e["name"] for e in starts.values()} == {"data", "buffer"}
    spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    for number, start in starts.items():
        end = ends[number]
        for e in (start, end):
            lane = [s for s in spans if (s["pid"], s["tid"]) == (e["pid"], e["tid"])]
            assert any(s["ts"] - 1e-6 <= e["ts"] <= s["ts"] + s["dur"] + 1e-6 for s in lane)
        assert start["tid"] != end["tid"] and start["ts"] <= end["ts"]


def test_arrows_go_where_the_data_goes(probe):
    """Each tile but the first two of two buffers: copied in, added to, copied out, each buffer given back."""
    _, trace = traced(probe, tiles=8)
    lanes = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e.get("name") == "thread_name"}
    ends = {e["id"]: e for e in of_category(trace, "flag") if e["ph"] == "f"}
    ways = [
        (e["name"], lanes[e["tid"]], lanes[ends[e["id"]]["tid"]])
        for e in of_category(trace, "flag")
        if e["ph"] == "s"
    ]
    assert ways.count(("data", "MTE2", "V")) == ways.count(("data", "V", "MTE3")) == 8
    assert ways.count(("buffer", "V", "MTE2")) == ways.count(("buffer", "MTE3", "V")) == 6


def test_buffers_in_use_are_never_more_than_there_are_and_all_come_back(probe):
    _, trace = traced(probe, block_dim=2)
    in_use = {}
    for e in trace["traceEvents"]:
        if e["ph"] == "C":
            in_use.setdefault((e["pid"], e["name"]), []).append((e["ts"], e["args"]["bytes"]))
    assert in_use.keys() == {(0, "UB in use"), (1, "UB in use")}
    for changes in in_use.values():
        assert changes == sorted(changes, key=lambda change: change[0])
        assert max(b for _, b in changes) == 4 * 8192 < trace["otherData"]["memories"]["UB"]
        assert changes[-1][1] == 0
    rows = {}
    for e in of_category(trace, "buffer"):
        rows.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
        assert e["args"]["bytes"] == 8192 and e["args"]["source"].startswith("op_kernel/probe.cpp:")
    assert len(rows) == 8
    for held in rows.values():
        assert len(held) == 2
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(sorted(held))), "one owner at a time"


def test_what_is_never_given_back_is_held_to_the_end(probe):
    x = np.ones(2048, np.float32)
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 8192);
    LocalTensor<T> a = buf.Get<T>();
    DataCopy(a, in, 2048);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, a, 2048);"""
    ran = probe(body, x, x, trace=True)
    trace = json.loads(ran.launch.profile.trace.read_text())
    (held,) = of_category(trace, "buffer")
    last = max(e["ts"] + e["dur"] for e in instructions(trace))
    assert held["ts"] < 0.1 and held["ts"] + held["dur"] >= last - 0.001


def test_costs_of_lines_sum_to_what_the_pipes_did(probe):
    profile, trace = traced(probe, tiles=16, block_dim=4, more="Exp(b, b, 2048);")
    cycles = trace["otherData"]["clock_mhz"] * profile.cores
    for pipe in profile.pipes:
        mine = [line for line in trace["lines"] if line["pipe"] == pipe.pipe]
        assert abs(sum(line["busy"] for line in mine) - pipe.busy_us * cycles) < 1.0
        assert abs(sum(line["stalled"] for line in mine) - pipe.stalled_us * cycles) < 1.0
        assert sum(line["instructions"] for line in mine) == pipe.instructions
    named = [line for line in trace["lines"] if line["pipe"] == "V" and line["instructions"]]
    assert len({line["source"] for line in named}) == 2  # Adds and Exp


def test_the_time_is_the_same_with_and_without_a_trace(probe):
    assert stream(probe, 16, block_dim=4).time_us == stream(probe, 16, block_dim=4, trace=True).time_us


def test_a_trace_of_many_instructions_shows_one_block_whole_and_the_begin_of_the_others(probe):
    x = np.ones(64, np.float32)
    body = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<T> a = buf.Get<T>();
    Duplicate(a, 0.0f, 64);
    for (uint32_t i = 0; i < 9000; ++i) { Adds(a, a, 1.0f, 64); }"""
    ran = probe(body, x, x, block_dim=4, trace=True)
    trace = json.loads(ran.launch.profile.trace.read_text())
    cuts = [e["args"].get("cut_at") for e in trace["traceEvents"] if e.get("name") == "process_name"]
    shown = [sum(e["pid"] == core for e in instructions(trace)) for core in range(4)]
    assert shown[0] > 9000 and cuts[0] is None
    for core in (1, 2, 3):
        last = max(e["ts"] + e["dur"] for e in instructions(trace) if e["pid"] == core)
        assert 5000 < shown[core] < 9000 and last <= cuts[core] + 0.001
    assert trace["otherData"]["events_left_out"] > 0
    vector = [line for line in trace["lines"] if line["pipe"] == "V"]
    assert sum(line["instructions"] for line in vector) == 4 * 9001  # costs are of all of them


ON_TILES = """
    TBuf<TPosition::VECCALC> memory;
    pipe.InitBuffer(memory, 98304);
    LocalTensor<float> a = memory.Get<float>(), b = a[8192], c = a[16384];
    LocalTensor<half> h = c.ReinterpretCast<half>();
    Duplicate(a, 1.0f, 8192);
    %s
    PipeBarrier<PIPE_ALL>();
"""


def test_a_conversion_takes_the_time_of_its_wider_type(probe):
    x = np.ones(64, np.float32)
    widening, narrowing = (
        probe(ON_TILES % f"Duplicate(h, half(1), 8192); Cast({way}, 8192);", x, x).launch.profile
        for way in ("b, h, RoundMode::CAST_NONE", "h, a, RoundMode::CAST_RINT")
    )
    assert busy(widening, "V") == busy(narrowing, "V")


def test_what_was_waited_for_once_is_not_waited_for_again(probe):
    """Sixteen sums that share an operand follow each other as if a barrier stood before the first."""
    x, sums = np.ones(64, np.float32), "for (int r = 0; r < 16; ++r) Add(b[r * 64], a[r * 64], c, 64);"
    alone, behind = (
        probe(ON_TILES % f"Duplicate(c, 1.0f, 64); {barrier} {sums}", x, x).launch.profile
        for barrier in ("", "PipeBarrier<PIPE_V>();")
    )
    assert busy(alone, "V") <= busy(behind, "V")
