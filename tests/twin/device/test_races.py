"""Flags, barriers and the races that their absence makes."""

import pytest

TWO = """
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    LocalTensor<T> a = buf.Get<T>(), b = buf.GetWithOffset<T>(64, 1024);
"""


def flag(event: str, number: int = 0) -> str:
    return f"    SetFlag<HardEvent::{event}>({number}); WaitFlag<HardEvent::{event}>({number});\n"


GOOD = (
    TWO
    + "    DataCopy(a, in, 64);\n"
    + flag("MTE2_V")
    + "    Adds(b, a, 1.0f, 64);\n"
    + flag("V_MTE3")
    + "    DataCopy(out, b, 64);\n"
)


def test_flags_between_the_pipes_make_it_right(probe, numbers):
    x = numbers(64)
    ran = probe(GOOD, x, x)
    assert ran.codes == []
    assert (ran.y == x + 1).all()


@pytest.mark.parametrize(("missing", "at"), [("MTE2_V", "Adds(b"), ("V_MTE3", "DataCopy(out")])
def test_a_missing_flag_is_a_race_at_the_second_access(probe, numbers, missing, at):
    x = numbers(64)
    ran = probe(GOOD.replace(flag(missing), ""), x, x)
    found = ran.assert_stopped("PIPE_RACE", at)
    assert ("DataCopy" if missing == "MTE2_V" else "Adds") in found.text


def test_overwriting_what_another_pipe_still_reads_is_a_race(probe, numbers):
    x = numbers(128)
    body = GOOD + "    DataCopy(a, in[64], 64); // HERE\n"
    assert "reads the same" in probe(body, x, x).assert_stopped("PIPE_RACE").text
    assert probe(GOOD + flag("V_MTE2") + "    DataCopy(a, in, 64);\n", x, x).codes == []


def test_the_end_of_a_pipe_is_a_barrier_unless_it_says_otherwise(probe, numbers):
    x = numbers(64)
    again = (
        "    pipe.%s();\n    pipe.Init();\n    TBuf<TPosition::VECCALC> c;\n    pipe.InitBuffer(c, 256);\n"
        "    DataCopy(c.Get<float>(), in, 64);\n"
    )
    assert probe(GOOD + again % "Destroy", x, x).codes == []
    assert probe(GOOD + again % "DestroyWithoutPipeAll", x, x).codes == ["PIPE_RACE"]


@pytest.mark.parametrize("order", ["", "    PipeBarrier<PIPE_MTE2>();\n"])
def test_copies_to_one_place_need_a_barrier(probe, numbers, order):
    x = numbers(128)
    again = f"    DataCopy(a, in[64], 64);\n{order}    DataCopy(a, in, 64); // HERE\n"
    ran = probe(GOOD.replace("    DataCopy(a, in, 64);\n", again), x, x[:64])
    assert ran.codes == ([] if order else ["PIPE_RACE"])
    assert order or (ran.one("PIPE_RACE").severity, "PipeBarrier" in ran.one("PIPE_RACE").text) == (
        "warning",
        True,
    )


FIRSTS = (
    TWO
    + "    Duplicate(a, 2.0f, 64);\n"
    + flag("V_MTE3")
    + "    DataCopyPad(out, a, {8, 4, 0, 0});\n"  # the first of each eight
    + "    uint64_t lanes[2] = {%s, 0};\n"
    + "    Adds(a, a, %s, lanes, 1, {1, 1, 8, 8}); // HERE\n"
    + flag("V_MTE3", 1)
)


@pytest.mark.parametrize(("lanes", "add"), [("0xfefefefefefefefe", "1.0f"), ("0xffffffffffffffff", "0.0f")])
def test_overwriting_what_is_read_with_what_it_holds_is_a_warning(probe, numbers, lanes, add):
    x = numbers(8)
    ran = probe(FIRSTS % (lanes, add), x, x)
    assert ran.one("PIPE_RACE").severity == "warning"
    assert (ran.y == 2).all()


def test_overwriting_one_byte_of_what_is_read_is_a_race(probe, numbers):
    x = numbers(8)
    probe(FIRSTS % ("0x0100000000000000", "1.0f"), x, x).assert_stopped("PIPE_RACE")


def test_a_race_with_more_than_one_copy_is_judged_by_all_of_them(probe, numbers):
    x = numbers(16)
    twice = (FIRSTS % ("0xfefefefefefefefe", "1.0f")).replace(
        "    uint64_t", "    DataCopy(out[8], a[8], 8);\n    uint64_t"
    )
    probe(twice, x, x).assert_stopped("PIPE_RACE")


def test_a_barrier_on_all_pipes_orders_everything(probe, numbers):
    x = numbers(64)
    body = GOOD.replace(flag("MTE2_V"), "PipeBarrier<PIPE_ALL>();").replace(
        flag("V_MTE3"), "pipe_barrier(PIPE_ALL);"
    )
    assert probe(body, x, x).codes == []


def test_order_passes_through_the_scalar_unit(probe, numbers):
    """The scalar unit waits for the vector unit to read its result; the copy is issued after that."""
    x = numbers(64)
    body = GOOD.replace(flag("V_MTE3"), "    if (b.GetValue(0) > 100.0f) { return; }\n")
    assert probe(body, x, x).codes == []


def test_disjoint_halves_of_a_buffer_do_not_race(probe, numbers):
    x = numbers(64)
    assert probe(TWO + "DataCopy(a, in, 64); Duplicate(b, 0.0f, 64);", x, x).codes == []


def test_vector_instructions_need_a_barrier_only_without_automatic_synchronisation(probe, numbers):
    x = numbers(64)
    chain = TWO + "    Duplicate(a, 1.0f, 64);\n%s    Adds(b, a, 1.0f, 64); // HERE\n"
    assert probe(chain % "", x, x).codes == []
    probe(chain % "", x, x, auto_sync=False).assert_stopped("PIPE_RACE")
    assert probe(chain % "    PipeBarrier<PIPE_V>();\n", x, x, auto_sync=False).codes == []
    assert probe(chain % flag("MTE2_V"), x, x, auto_sync=False).codes == []


def test_waiting_for_a_flag_that_nobody_sets_is_told(probe, numbers):
    x = numbers(64)
    probe("WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); // HERE", x, x).assert_stopped("FLAG_UNPAIRED")


def test_a_flag_counts_its_sets(probe, numbers):
    """Two fetched ids are the same id; public kernels set it twice and wait twice."""
    x = numbers(64)
    once = "    SetFlag<HardEvent::MTE2_V>(1);\n"
    twice = once + once + "    WaitFlag<HardEvent::MTE2_V>(1);\n"
    assert probe(twice + "    WaitFlag<HardEvent::MTE2_V>(1);\n", x, x).codes == []
    assert probe(twice, x, x).codes == ["FLAG_LEFT"]
    many = "for (int i = 0; i < 16; ++i) {\n SetFlag<HardEvent::MTE2_V>(1); // HERE\n }"
    probe(many, x, x).assert_stopped("FLAG_TWICE")


def test_the_first_wait_knows_only_what_the_first_set_knew(probe, numbers):
    x = numbers(64)
    body = (
        TWO
        + """
    DataCopy(a, in, 64);
    SetFlag<HardEvent::MTE2_V>(0);
    DataCopy(b, in, 64);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(a, a, 1.0f, 64);
    Adds(b, b, 1.0f, 64); // HERE
    WaitFlag<HardEvent::MTE2_V>(0);"""
    )
    probe(body, x, x).assert_stopped("PIPE_RACE")


def test_a_flag_that_stays_set_is_told(probe, numbers):
    x = numbers(64)
    assert probe("SetFlag<HardEvent::MTE2_V>(EVENT_ID1);", x, x).one("FLAG_LEFT").severity == "warning"


@pytest.mark.parametrize("number", [8, -1])
def test_event_ids_are_zero_to_seven(probe, numbers, number):
    x = numbers(64)
    probe(f"SetFlag<HardEvent::MTE2_V>({number}); // HERE", x, x).assert_stopped("EVENT_ID")
