"""Kernels that count on the first launch: what they keep for the next one makes that one wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

HOST = "op_host/scale_shift.cpp"
KERNEL = "op_kernel/scale_shift.cpp"
KEPT = "static float kept[8][1024]; static int32_t launched[64];"
LATER = "launched[GetBlockIdx()]++ > 0"
KEEPING = {
    "an answer in a static variable": (
        KEPT,
        f"__gm__ float *to = (__gm__ float *)y; const uint32_t from = GetBlockIdx() * t.perCore;"
        f" if ({LATER}) {{ for (uint32_t i = 0; i < t.perCore && from + i < t.total; ++i)"
        f" {{ to[from + i] = kept[GetBlockIdx()][i]; }} return; }}"
        " for (uint32_t i = 0; i < t.perCore && from + i < t.total; ++i)"
        " { kept[GetBlockIdx()][i] = ((__gm__ float *)x)[from + i] * 2.0f + 0.5f; }",
    ),
    "a launch that is done already": (KEPT, f"if ({LATER}) {{ return; }}"),
    "a counter in a namespace": (
        "namespace state { volatile int32_t calls[64]; }",
        "if (state::calls[GetBlockIdx()]++ > 0) { t.total = 8; }",
    ),
    "a counter that each thread has": ("static thread_local int32_t calls;", "if (calls++ > 0) { return; }"),
    "an object that is made once": (
        "struct Once { int32_t left = 1; };"
        " __aicore__ inline Once &once(int i) { static Once all[64]; return all[i]; }",
        "if (once(GetBlockIdx()).left-- <= 0) { return; }",
    ),
}


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[pytest.mark.slow] if n else []) for n, k in enumerate(KEEPING)]
)
def test_what_is_kept_in_variables(court: Any, codes: Callable[[Verdict], set[str]], kind: str) -> None:
    top, entry = KEEPING[kind]
    assert court.kernel(top=top, entry=entry).outcome == Outcome.CORRECT  # a first launch alone shows nothing
    verdict = court.kernel(top=top, entry=entry, trials=2)
    assert verdict.outcome == Outcome.WRONG
    assert "FIRST_LAUNCH_ONLY" in codes(verdict)


def test_an_answer_kept_in_the_workspace_under_a_mark(
    court: Any, codes: Callable[[Verdict], set[str]]
) -> None:
    mark = (
        "__gm__ uint32_t *mark = (__gm__ uint32_t *)GetUserWorkspace(workspace) + 64 * GetBlockIdx();"
        " if (mark[0] == 0x5ca1ab1eu && mark[1] == 0xdecafbadu) { return; }"
        " mark[0] = 0x5ca1ab1eu; mark[1] = 0xdecafbadu;"
    )
    text = court.honest.files[HOST]
    host = text.replace("workspaces[0] = 0", "workspaces[0] = (16 << 20) + 16384")
    assert host != text
    kernel = court._filled(KERNEL, {"entry": mark})
    verdict = court.files({KERNEL: kernel, HOST: host}, trials=2)
    assert verdict.outcome == Outcome.WRONG and "FIRST_LAUNCH_ONLY" in codes(verdict)


def test_variables_that_every_launch_sets_are_fine(court: Any, codes: Callable[[Verdict], set[str]]) -> None:
    verdict = court.kernel(
        top="static uint32_t share[64];",
        entry="share[GetBlockIdx()] = t.perCore; t.perCore = share[GetBlockIdx()];",
        trials=2,
    )
    assert verdict.outcome == Outcome.CORRECT and codes(verdict) == set()


def test_a_tiling_function_that_counts_its_calls(court: Any, codes: Callable[[Verdict], set[str]]) -> None:
    verdict = court.host(host="static int calls; if (calls++ > 0) { total = 8; }", trials=2)
    assert verdict.outcome == Outcome.WRONG and "FIRST_LAUNCH_ONLY" in codes(verdict)


def test_names_behind_the_vendors_interfaces(court: Any, codes: Callable[[Verdict], set[str]]) -> None:
    verdict = court.kernel(entry="akgen::twin::set_filler(7); if (akgen::twin::filler() != 7) { return; }")
    assert verdict.outcome == Outcome.CHEAT and codes(verdict) == {"SOURCE_SIMULATOR"}
