"""What msSanitizer's reports become. Samples after the forms that the vendor's pages show."""

import pytest

from akgen.tools.cann.build_log import origin_of
from akgen.tools.cann.device_check import checks_named, finding, reports
from akgen.tools.core.outcome import InputError

ORIGIN = origin_of({"op_kernel/scale_add_h1.cpp": "op_kernel/scale_add.cpp"}, {"scale_add_h1": "scale_add"})
WRITE = """====== ERROR: illegal write of size 224
======    at 0x12c0c002ef00 on GM in scale_add_h1_kernel
======    in block aiv(7)
======    code in pc current 0x1644 (serialNo:2342)
======    #0 /cann/impl/dav_c220/kernel_operator_data_copy_impl.h:107:9
======    #1 /w/op_kernel/scale_add_h1.cpp:65:9
"""
RACE = """some words of the program
========= ERROR: Potential RAW hazard detected at core0 in UB :
=========     PIPE_V Write at RAW()+0xf280 in scale_add_h1.cpp:520
=========     PIPE_MTE3 Read at RAW()+0xf280 in scale_add_h1.cpp:498
"""


@pytest.mark.parametrize(
    ("text", "code", "line", "word"),
    [
        (WRITE, "GM_OVERRUN", 65, "block aiv(7)"),
        (RACE, "PIPE_RACE", 520, "PIPE_MTE3 Read"),
        (WRITE.replace("on GM", "on UB"), "UB_OVERFLOW", 65, "size 224"),
        (RACE.replace("core0 in UB", "GM"), "GM_RACE", 520, "RAW"),
        (
            "====== ERROR: misaligned access of size 13\n======    at 0x6 on UB\n",
            "UB_ALIGNMENT",
            None,
            "size 13",
        ),
        ("====== ERROR: something of a later version\n", "DEVICE_EXCEPTION", None, "later version"),
    ],
)
def test_a_report_becomes_a_finding_at_the_candidates_own_line(
    text: str, code: str, line: int | None, word: str
) -> None:
    (report,) = reports(text)
    found = finding("memcheck", report, ORIGIN)
    assert (found.code, found.line) == (code, line)
    assert found.file == ("op_kernel/scale_add.cpp" if line else None)
    assert word in found.text and "scale_add_h1" not in found.text


def test_each_report_counts_and_other_words_do_not() -> None:
    assert len(list(reports(WRITE + RACE + "done\n"))) == 2
    assert list(reports("[mssanitizer] start\n== 12 passed ==\n")) == []


def test_checks_are_those_of_the_tool() -> None:
    assert checks_named("racecheck, memcheck") == ("memcheck", "racecheck")
    assert checks_named(None) == ()
    with pytest.raises(InputError, match="leakcheck"):
        checks_named("leakcheck")
