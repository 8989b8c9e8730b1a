"""Ways past the checks of accesses and times: entry points that take addresses, work that is charged to nobody."""

from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case
from akgen.tools.core.verdict import Verdict

KERNEL, HOST = "op_kernel/scale_shift.cpp", "op_host/scale_shift.cpp"
LARGE = 40_000  # elements: more than SMALL_CALL bytes
LOOP = (
    "volatile uint32_t mixed = 1; for (int i = 0; i < {count}; ++i) {{ {between}"
    " uint32_t m = mixed; m = (m ^ 61u) * 9u + 7u; m ^= m >> 4; m *= 668265261u; m ^= m >> 15; mixed = m; }}"
)
FLAGS = "SetFlag<HardEvent::S_V>(EVENT_ID0); WaitFlag<HardEvent::S_V>(EVENT_ID0);"


@pytest.mark.parametrize("where", ["(uint64_t)y", "(uint64_t)&t", "0x10000u"])
def test_elements_of_four_bits_lie_in_on_chip_memory(court: Any, codes: Any, where: str) -> None:
    entry = (
        f"TBuffAddr a{{}}; a.logicPos = (uint8_t)TPosition::VECCALC; a.data = (uint8_t *)({where}); a.limit = 0;"
        " LocalTensor<int4b_t> nibbles(a); nibbles.SetValue(3, 5);"
    )
    verdict = court.kernel(entry=entry)
    assert verdict.outcome == Outcome.TRAP and "TENSOR_RANGE" in codes(verdict)


def test_tensors_that_are_read_as_tiling_data_count(court: Any) -> None:
    entry = "{ float s = 0; for (int i = 0; i < 64; ++i) { %s s += f.v; } if (s == 12345.0f) { return; } }"
    whole = "struct One { float v; };"
    cost = {}
    for name, read in {
        "tiling": "GET_TILING_DATA_WITH_STRUCT(One, f, tiling);",
        "tensor": "GET_TILING_DATA_WITH_STRUCT(One, f, x + i * 64 % 128);",
    }.items():
        verdict = court.kernel(top=whole, entry=entry % read)
        assert verdict.outcome == Outcome.CORRECT, verdict.why()
        cost[name] = verdict.cases[0].time_us
    assert cost["tensor"] > cost["tiling"]


def test_flags_hide_no_arithmetic(court: Any) -> None:
    def time_us(count: int, between: str) -> float:
        verdict: Verdict = court.kernel(entry=LOOP.format(count=count, between=between))
        assert verdict.outcome == Outcome.CORRECT, verdict.why()
        found = verdict.cases[0].time_us
        assert found is not None
        return found

    plain = time_us(2000, "") - time_us(1, "")
    hidden = time_us(2000, FLAGS) - time_us(1, FLAGS)
    assert hidden > 0.9 * plain


def test_arithmetic_behind_the_last_instruction_takes_time(court: Any) -> None:
    text = court.honest.files[KERNEL]
    end = text.rindex("}")
    late = LOOP.format(count=5000, between="")
    verdict = court.files({KERNEL: f"{text[:end]} {late} }}{text[end + 1 :]}"})
    honest = court.kernel()
    assert verdict.outcome == Outcome.CORRECT, verdict.why()
    assert verdict.cases[0].time_us > honest.cases[0].time_us + 2


@pytest.mark.parametrize("of", ["kernel", "host"])
def test_large_calls_are_not_the_first_ones(court: Any, of: str) -> None:
    """Nothing is launched twice for its own sake where that takes long; what counts launches shows all the same."""
    court.task = court.task.model_copy(update={"cases": (Case(id="large", params={"n": LARGE}),)})
    text = court.honest.files[HOST]
    count = "if (launched[GetBlockIdx()]++ > 0) { return; }"
    hostile = {
        "kernel": {KERNEL: court._filled(KERNEL, {"top": "static int32_t launched[64];", "entry": count})},
        "host": {HOST: text.replace("// HOST", "static int calls; if (calls++ > 0) { total = 8; }")},
    }
    assert court.files({}).outcome == Outcome.CORRECT
    assert court.files(hostile[of]).outcome == Outcome.WRONG
