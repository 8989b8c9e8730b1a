"""What accesses of the scalar unit cost: its data cache, and the arithmetic around them."""

import numpy as np
import pytest

from akgen.knowledge.chip import DEFAULT_CHIP, chip, timing
from akgen.tools.twin.kernel.elf import variables_in

TENSOR = "float got = in.GetValue(at); keep += got;"
REFERENCE = "keep += in(at);"
POINTER = "keep += ((__gm__ float *)x)[at];"
LOOP = """
    float keep = 0;
    for (uint32_t round = 0; round < %(rounds)d; ++round) {
        %(before)s
        for (uint32_t i = 0; i < %(count)d; ++i) {
            uint32_t at = i * %(stride)d;
            %(access)s
        }
    }
    out.SetValue(0, keep);
"""


def cycles(probe, access, *, count=512, stride=1, rounds=1, before="", told=None):
    """Return the cycles of the scalar unit for these reads of float numbers, without the one write."""
    x = np.zeros(1 << 16, np.float32)
    ran = probe(
        LOOP % {"access": access, "count": count, "stride": stride, "rounds": rounds, "before": before},
        x,
        np.zeros(8, np.float32),
    )
    assert set(ran.codes) == {told} - {None}, ran.launch.diagnostics
    return ran.launch.time_us * chip(DEFAULT_CHIP).clock_mhz - timing()["scalar_gm_miss_cycles"]


def expected(hits, misses):
    return hits * timing()["scalar_gm_hit_cycles"] + misses * timing()["scalar_gm_miss_cycles"]


@pytest.mark.parametrize("access", [TENSOR, REFERENCE, POINTER])
def test_the_first_access_of_a_line_misses_and_the_others_hit(probe, access):
    assert cycles(probe, access) == pytest.approx(expected(480, 32), rel=0.02)


@pytest.mark.parametrize("access", [TENSOR, POINTER])
def test_a_stride_of_a_line_misses_always(probe, access):
    assert cycles(probe, access, stride=16) == pytest.approx(expected(0, 512), rel=0.02)


def test_what_fits_is_found_again(probe):
    lines = int(timing()["scalar_cache_bytes"] / timing()["scalar_cache_line_bytes"])
    again = cycles(probe, TENSOR, count=lines - 1, stride=16, rounds=2)
    assert again == pytest.approx(expected(lines - 1, lines - 1), rel=0.02)
    too_much = cycles(probe, TENSOR, count=2 * lines, stride=16, rounds=2)
    assert too_much == pytest.approx(expected(0, 4 * lines), rel=0.02)


@pytest.mark.parametrize(
    ("clean", "missed"), [("ENTIRE_DATA_CACHE", 128), ("SINGLE_CACHE_LINE", 65)], ids=["whole", "line"]
)
def test_cleaned_lines_miss_again(probe, clean, missed):
    before = f"DataCacheCleanAndInvalid<float, CacheLine::{clean}, DcciDst::CACHELINE_OUT>(in);"
    found = cycles(probe, TENSOR, count=64, stride=16, rounds=2, before=before)
    assert found == pytest.approx(expected(128 - missed, missed), rel=0.02)


def test_values_past_the_cache_take_the_whole_way(probe):
    access = "keep += ReadGmByPassDCache((__gm__ float *)x + at);"
    assert cycles(probe, access) == pytest.approx(expected(0, 512), rel=0.02)


def test_arithmetic_beside_an_access_is_counted(probe):
    plain = cycles(probe, TENSOR)
    much = cycles(probe, TENSOR + "for (int k = 0; k < 50; ++k) { keep = keep * 0.5f + got; }")
    assert much - plain > 512 * 50


def test_wide_loads_are_as_many_words(probe):
    wide = "struct Wide { int64_t a, b; } w = ((__gm__ Wide *)x)[at]; Wide c = w; keep += (float)(c.a + c.b);"
    assert cycles(probe, wide, count=128) == pytest.approx(expected(224, 32), rel=0.02)


def test_a_barrier_of_the_scalar_unit_brings_no_free_work(probe):
    work = "for (int k = 0; k < 10; ++k) { keep = keep * 0.5f + 1.0f; }"
    bare = cycles(probe, TENSOR + work * 4)
    between = cycles(probe, TENSOR + f"{work} PipeBarrier<PIPE_S>();" * 4, told="EVENT_ID")
    assert between > bare - 512 * 20


@pytest.mark.parametrize("kind", ["", "static"])
def test_what_a_kernel_keeps_from_call_to_call_is_known(probe, kind):
    """Else every large call would be launched twice."""
    ran = probe(
        f"{kind} volatile float kept[4]; kept[1] = 2.0f; out.SetValue(0, kept[1]);",
        *[np.zeros(8, np.float32)] * 2,
    )
    assert bool(variables_in(ran.launch.library)) == bool(kind)


def test_variables_that_outlive_a_call_lie_in_global_memory(probe):
    kept = cycles(probe, "table[at] = keep; keep += table[at];", before="static volatile float table[512];")
    assert kept == pytest.approx(expected(512 + 480, 32), rel=0.05)
    own = cycles(probe, "table[at] = keep; keep += table[at];", before="volatile float table[512];")
    assert own < kept / 2
