"""Queues: the cycle of a buffer, what it may not do, and how much memory there is."""

import numpy as np
import pytest

QUEUES = """
    TQue<QuePosition::VECIN, 2> qin;
    TQue<QuePosition::VECOUT, 2> qout;
    pipe.InitBuffer(qin, 2, 256);
    pipe.InitBuffer(qout, 2, 256);
"""
ROUND = """
    for (int i = 0; i < 4; ++i) {
        LocalTensor<T> a = qin.AllocTensor<T>();
        DataCopy(a, in[i * 64], 64);
        qin.EnQue(a);
        a = qin.DeQue<T>();
        LocalTensor<T> b = qout.AllocTensor<T>();
        Adds(b, a, 1.0f, 64);
        qout.EnQue(b);
        qin.FreeTensor(a);
        b = qout.DeQue<T>();
        DataCopy(out[i * 64], b, 64);
        qout.FreeTensor(b);
    }
"""


def test_a_tile_goes_round_without_a_finding(probe, numbers):
    x = numbers(256)
    ran = probe(QUEUES + ROUND, x, x)
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x + 1)


def test_a_queue_without_room_is_harmless_until_it_is_used(probe, numbers):
    x = numbers(256)
    unused = "TQue<QuePosition::VECIN, 1> q, p; pipe.InitBuffer(q, 1, 0); pipe.InitBuffer(p, 0, 32);"
    assert probe(QUEUES + unused + ROUND, x, x).codes == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("LocalTensor<T> a = qin.DeQue<T>(); // HERE", "no tensor was enqueued"),
        ("qin.AllocTensor<T>(); qin.AllocTensor<T>();\n qin.AllocTensor<T>(); // HERE", "in use"),
        ("auto a = qin.AllocTensor<T>(); qin.FreeTensor(a);\n qin.FreeTensor(a); // HERE", "is free"),
        ("auto a = qin.AllocTensor<T>(); qin.EnQue(a);\n qin.FreeTensor(a); // HERE", "is enqueued"),
        ("auto a = qin.AllocTensor<T>(); qin.FreeTensor(a);\n qin.EnQue(a); // HERE", "is free"),
        (
            "TBuf<> t; pipe.InitBuffer(t, 64);\n qin.EnQue(t.Get<T>()); // HERE",
            "was not allocated from a queue",
        ),
        ("TQue<QuePosition::VECIN, 1> bare;\n bare.AllocTensor<T>(); // HERE", "not given buffers"),
        (
            "TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 0, 64);\n q.AllocTensor<T>(); // HERE",
            "gave the VECIN queue no buffer",
        ),
        (
            "TQue<QuePosition::VECIN, 1> q; pipe.InitBuffer(q, 2, 0);\n q.AllocTensor<T>(); // HERE",
            "gave the VECIN queue buffers of 0 bytes",
        ),
        ("pipe.Reset();\n qin.AllocTensor<T>(); // HERE", "since the pipe was reset"),
    ],
)
def test_a_wrong_order_is_told_at_its_line(probe, numbers, body, sentence):
    x = numbers(256)
    assert sentence in probe(QUEUES + body, x, x).assert_stopped("QUEUE_STATE").text


def test_a_buffer_that_nobody_frees_is_told(probe, numbers):
    x = numbers(256)
    found = probe(QUEUES + "auto a = qin.AllocTensor<T>(); // HERE\n" + ROUND, x, x).one("TENSOR_LEAK")
    assert (found.severity, found.file) == ("warning", "op_kernel/probe.cpp")


def test_a_queue_may_hand_a_copy_straight_to_the_copy_out(probe, numbers):
    x = numbers(256)
    ran = probe(
        """
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q;
    pipe.InitBuffer(q, 2, 512);
    for (int i = 0; i < 2; ++i) {
        auto a = q.AllocTensor<T>();
        DataCopy(a, in[i * 128], 128);
        q.EnQue(a);
        a = q.DeQue<T>();
        DataCopy(out[i * 128], a, 128);
        q.FreeTensor(a);
    }""",
        x,
        x,
    )
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x)


def test_queues_may_be_reset_and_given_memory_again(probe, numbers):
    x = numbers(256)
    body = QUEUES + ROUND + "    pipe.Reset();" + QUEUES.replace("TQue<", "// TQue<") + ROUND
    assert probe(body, x, x).codes == []


def test_using_memory_that_is_not_there_is_an_overflow(probe, numbers):
    x = numbers(64)
    ran = probe(
        """
    TBuf<> big, small;
    pipe.InitBuffer(big, 196608);
    pipe.InitBuffer(small, 256);
    Duplicate(small.Get<T>(), 0.0f, 64); // HERE""",
        x,
        x,
    )
    assert "196608" in ran.assert_stopped("UB_OVERFLOW").text


def test_memory_that_is_asked_for_and_never_used_is_no_fault(probe, numbers):
    x = numbers(64)
    body = "TBuf<> big, small; pipe.InitBuffer(big, 196608); pipe.InitBuffer(small, 256); auto t = small.Get<T>();"
    assert probe(body, x, x).codes == []


def test_a_part_of_a_buffer_must_lie_in_it(probe, numbers):
    x = numbers(64)
    body = """
    TBuf<> b, next;
    pipe.InitBuffer(b, 256);
    pipe.InitBuffer(next, 256);
    auto t = b.GetWithOffset<T>(32, 160);
    Duplicate(t, 0.0f, 16);
    Duplicate(t, 0.0f, 32); // HERE"""
    probe(body, x, x).assert_warned("TENSOR_RANGE")


def test_a_vector_instruction_may_read_lanes_that_nobody_looks_at(probe, numbers):
    x = numbers(64)
    body = """
    TBuf<> to, b, next;
    pipe.InitBuffer(to, 512);
    pipe.InitBuffer(b, 256);
    pipe.InitBuffer(next, 512);
    Duplicate(b.Get<T>(), 0.0f, 64);
    Adds(to.Get<T>(), b.Get<T>(), 1.0f, 128);"""
    assert probe(body, x, x).codes == []


NINE_IDS = "for (int i = 0; i < 9; ++i) {\n pipe.AllocEventID<HardEvent::MTE2_V>(); // HERE\n }"


def test_a_ninth_event_id_is_one_of_the_eight_again(probe, numbers):
    x = numbers(64)
    found = probe(NINE_IDS, x, x).one("EVENT_IDS_EXHAUSTED")
    assert found.severity == "warning" and "id 0 serves twice" in found.text


def test_in_strict_mode_a_ninth_event_id_is_an_error(probe, numbers):
    x = numbers(64)
    probe(NINE_IDS, x, x, strict=True).assert_stopped("EVENT_IDS_EXHAUSTED")


def test_fetched_event_ids_are_free_and_allocated_ones_are_not(probe, numbers):
    x = numbers(8)
    ran = probe(
        """
    int a = pipe.FetchEventID(HardEvent::V_S), b = pipe.FetchEventID(HardEvent::V_S);
    int c = pipe.AllocEventID<HardEvent::V_S>(), d = pipe.FetchEventID(HardEvent::V_S);
    pipe.ReleaseEventID<HardEvent::V_S>(c);
    int e = pipe.FetchEventID(HardEvent::V_S);
    out.SetValue(0, a); out.SetValue(1, b); out.SetValue(2, c); out.SetValue(3, d); out.SetValue(4, e);""",
        x,
        x,
        zeroed=True,
    )
    np.testing.assert_array_equal(ran.y[:5], [0, 0, 0, 1, 0])


def test_buffers_of_a_pool_share_its_memory(probe, numbers):
    x = numbers(64)
    ran = probe(
        """
    TBufPool<TPosition::VECCALC> pool;
    pipe.InitBufPool(pool, 512);
    TBuf<> a, b;
    pool.InitBuffer(a, 256);
    pool.InitBuffer(b, 256);
    uint64_t first = (uint64_t)a.Get<T>().GetPhyAddr(), second = (uint64_t)b.Get<T>().GetPhyAddr();
    pool.Reset();
    TBuf<> c;
    pool.InitBuffer(c, 512);
    out.SetValue(0, second - first);
    out.SetValue(1, (uint64_t)c.Get<T>().GetPhyAddr() - first);
    pool.InitBuffer(a, 32); // HERE""",
        x,
        x,
    )
    ran.assert_stopped("UB_OVERFLOW")


def test_a_pool_that_is_reset_has_waited_and_its_queues_go_on(probe, numbers):
    x = numbers(64)
    ran = probe(
        """
    TBufPool<TPosition::VECCALC> whole, first, second;
    pipe.InitBufPool(whole, 1024);
    whole.InitBufPool(first, 1024);
    whole.InitBufPool(second, 1024, first);
    TQue<TPosition::VECIN, 1> from, other;
    first.InitBuffer(from, 1, 256);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<T> t = from.AllocTensor<T>();
        DataCopy(t, in, 64);
        from.EnQue(t);
        t = from.DeQue<T>();
        Adds(t, t, (T)i, 64);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(out, t, 64);
        SetFlag<HardEvent::MTE3_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
        from.FreeTensor(t);
        first.Reset();
        if (i == 0) {
            second.InitBuffer(other, 1, 256);
            second.Reset();
        }
    }""",
        x,
        x,
    )
    assert ran.codes == []
    np.testing.assert_array_equal(ran.y, x + 1)


def test_a_pipe_keeps_64_buffers(probe, numbers):
    x = numbers(8)
    body = """
    TBuf<> parts[65];
    for (int i = 0; i < 65; ++i) {
        pipe.InitBuffer(parts[i], 32); // HERE
    }
    """
    assert "keeps 64" in probe(body, x, x).assert_stopped("BUFFER_COUNT").text
    again = body.replace("65", "60") + "pipe.Reset();" + body.replace("65", "4").replace("parts", "more")
    assert probe(again, x, x, zeroed=True).codes == []
