"""Kernels that count on the first launch: what they keep for the next one makes that one wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.task import Case, Reference, Task
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.trials import MOST_BEFORE, nonce, plan

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
    for trials in (1, 2):
        verdict = court.kernel(top=top, entry=entry, trials=trials)
        assert verdict.outcome in (Outcome.WRONG, Outcome.TRAP)
        assert "FIRST_LAUNCH_ONLY" in codes(verdict)


@pytest.fixture
def seed_of_many(court: Any) -> Callable[[int], int]:
    """Return a seed whose verdict launches the first case's second trial after the most launches."""

    def found(trials: int) -> int:
        case = court.task.cases[0 if trials > 1 else 1]  # with one trial, the smallest
        return next(
            seed
            for seed in range(100)
            if plan(court.task, case, 2, nonce(seed))[1].launches_before == MOST_BEFORE
        )

    return found


@pytest.mark.parametrize("trials", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_counters_that_begin_later(
    court: Any, codes: Callable[[Verdict], set[str]], seed_of_many: Callable[[int], int], trials: int
) -> None:
    host, later = court.honest.files[HOST], f"> {MOST_BEFORE - 1}"
    files = {
        "kernel": {
            KERNEL: court._filled(
                KERNEL, {"top": KEPT, "entry": f"if ({LATER.replace('> 0', later)}) {{ return; }}"}
            )
        },
        "host": {HOST: host.replace("// HOST", f"static int calls; if (calls++ {later}) {{ total = 8; }}")},
    }
    for hostile in files.values():
        verdict = court.files(hostile, trials=trials, seed=seed_of_many(trials))
        assert verdict.outcome == Outcome.WRONG and "FIRST_LAUNCH_ONLY" in codes(verdict)


def test_how_many_launches_come_before_is_drawn() -> None:
    task = Task(
        name="t", suite="file", op_type="T", kernel="t", cases=(Case(id="1"),),
        reference=Reference(loader="akgen.tools.reference.module_loader", path=Path("r.py")),
    )  # fmt: skip
    drawn = {plan(task, task.cases[0], 2, nonce(seed))[1].launches_before for seed in range(200)}
    assert drawn == set(range(1, MOST_BEFORE + 1))


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
    hidden = {
        "": "akgen::twin::set_filler(7); if (akgen::twin::filler() != 7) { return; }",
        'extern "C" int64_t _ZN5akgen4twin9block_idxEv();': "if (_ZN5akgen4twin9block_idxEv() < 0) { return; }",
        'extern "C" int64_t mine();\n_Pragma("redefine_extname mine _ZN5akgen4twin9block_idxEv")': "mine();",
        'extern "C" int64_t mine();\n#pragma redefine_extname mine other\n': "mine();",
    }
    for top, entry in hidden.items():
        verdict = court.kernel(top=top, entry=entry)
        assert verdict.outcome == Outcome.CHEAT and codes(verdict) == {"SOURCE_SIMULATOR"}
