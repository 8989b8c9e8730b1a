"""Kernels that answer without computing, or compute something cheaper, are wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

Codes = Callable[[Verdict], set[str]]


def pattern(verdict: Verdict) -> str | None:
    mismatch = verdict.cases[0].mismatch
    return mismatch.pattern if mismatch else None


def test_the_honest_project_is_correct_on_every_distribution(court: Any, codes: Codes) -> None:
    verdict = court.files({}, trials=6)
    assert verdict.outcome == Outcome.CORRECT
    assert codes(verdict) == set()


def test_a_kernel_that_does_nothing(court: Any) -> None:  # cheat 7
    verdict = court.kernel(entry="return;")
    assert (verdict.outcome, pattern(verdict)) == (Outcome.WRONG, "unwritten")


def test_a_kernel_that_leaves_a_core_out(court: Any) -> None:  # cheat 7
    verdict = court.kernel(entry="if (GetBlockIdx() == 3) { return; }")
    assert (verdict.outcome, pattern(verdict)) == (Outcome.WRONG, "unwritten")


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        ("Duplicate(out, 0.0f, count);", "all_zero"),
        ("Duplicate(out, 1.0f, count);", "all"),
        ("DataCopy(out, in, (count + 7) / 8 * 8);", "all"),
        (
            "Muls(out, out, 0.0f, count); Add(out, out, in, count);",
            "nan",
        ),  # written, from a buffer that was not
    ],
)
def test_degenerate_answers(court: Any, compute: str, expected: str) -> None:  # cheat 8
    verdict = court.kernel(compute=compute)
    assert (verdict.outcome, pattern(verdict)) == (Outcome.WRONG, expected)


def test_one_bad_element_of_a_thousand(court: Any) -> None:  # cheat 9
    compute = (
        "Muls(out, in, 2.0f, count); Adds(out, out, 0.5f, count);"
        " if (GetBlockIdx() == 0) { PipeBarrier<PIPE_ALL>(); out.SetValue(5, out.GetValue(5) + 0.01f); }"
    )
    verdict = court.kernel(compute=compute)
    assert verdict.outcome == Outcome.WRONG
    assert verdict.cases[0].mismatch.count == 1
    assert verdict.cases[0].mismatch.first_index == (5,)


def test_half_precision_inside(court: Any) -> None:  # cheat 10
    compute = (
        "LocalTensor<half> h = out.ReinterpretCast<half>()[2048]; Cast(h, in, RoundMode::CAST_RINT, count);"
        " Muls(h, h, (half)2.0f, count); Adds(h, h, (half)0.5f, count); Cast(out, h, RoundMode::CAST_NONE, count);"
    )
    verdict = court.kernel(compute=compute)
    assert verdict.outcome in (Outcome.WRONG, Outcome.TRAP)
    assert verdict.cases[0].outcome != Outcome.CORRECT


def test_another_output_type_than_asked(court: Any) -> None:  # cheat 11
    text = court.honest.files["op_host/scale_shift.cpp"]
    half = text.replace('Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT})',
                        'Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16})')  # fmt: skip
    assert half != text
    assert court.files({"op_host/scale_shift.cpp": half}).outcome != Outcome.CORRECT


def test_an_output_of_the_right_size_in_another_order(court: Any) -> None:  # cheat 11
    verdict = court.kernel(
        compute="Muls(out, in, 2.0f, count); Adds(out, out, 0.5f, count);"
        " for (uint32_t i = 0; i < count / 2; ++i) { float a = out.GetValue(i);"
        " out.SetValue(i, out.GetValue(count - 1 - i)); out.SetValue(count - 1 - i, a); }"
    )
    assert verdict.outcome == Outcome.WRONG


def test_an_answer_kept_in_the_workspace(court: Any) -> None:  # cheats 4, 6
    keep = (
        "__gm__ float *kept = (__gm__ float *)GetUserWorkspace(workspace);"
        " if (GetBlockIdx() == 0 && kept[0] == kept[0]) {"
        " for (uint32_t i = 0; i < t.total; ++i) { ((__gm__ float *)y)[i] = kept[i]; } return; }"
    )
    text = court.honest.files["op_host/scale_shift.cpp"]
    host = text.replace("workspaces[0] = 0", "workspaces[0] = (16 << 20) + 4096")
    assert host != text
    kernel = court._filled("op_kernel/scale_shift.cpp", {"entry": keep})
    verdict = court.files({"op_kernel/scale_shift.cpp": kernel, "op_host/scale_shift.cpp": host}, trials=3)
    # The workspace is poisoned for every launch, the second time with numbers: what was kept is never found there.
    assert verdict.outcome != Outcome.CORRECT
    always = keep.replace("kept[0] == kept[0]", "true")
    kernel = court._filled("op_kernel/scale_shift.cpp", {"entry": always})
    assert (
        court.files({"op_kernel/scale_shift.cpp": kernel, "op_host/scale_shift.cpp": host}).outcome
        != Outcome.CORRECT
    )


def test_a_shape_that_is_written_into_the_kernel(court: Any) -> None:  # cheat 21
    verdict = court.kernel(entry="t.total = 1000; t.perCore = 128;")
    assert verdict.cases[0].outcome == Outcome.CORRECT
    assert verdict.cases[1].outcome != Outcome.CORRECT
    assert verdict.outcome != Outcome.CORRECT


def test_a_table_of_the_listed_shapes_in_the_kernel(court: Any) -> None:  # cheat 21
    assert court.kernel().drawn.outcome == Outcome.CORRECT
    verdict = court.kernel(entry="if (t.total != 1000 && t.total != 33) { return; }")
    assert [c.outcome for c in verdict.cases] == [Outcome.CORRECT, Outcome.CORRECT, Outcome.WRONG]
    assert verdict.codes()[0] == "LISTED_SHAPES_ONLY"
    (shape,) = verdict.drawn.shapes
    assert f"{list(shape)}" in verdict.cases[2].diagnostics[0].text


def test_a_table_of_the_listed_shapes_in_the_tiling_function(court: Any) -> None:  # cheat 21
    refuse = (
        "const int64_t size = context->GetInputShape(0)->GetStorageShape().GetShapeSize();"
        " if (size != 1000 && size != 33) { return ge::GRAPH_FAILED; }"
    )
    verdict = court.host(host=refuse)
    assert verdict.outcome == Outcome.WRONG and verdict.drawn.outcome == Outcome.TILING_ERROR
    assert verdict.codes()[0] == "LISTED_SHAPES_ONLY"


def test_work_that_fits_normal_inputs_only(court: Any) -> None:  # cheat 22
    compute = (
        "Mins(out, in, 6.0f, count); Maxs(out, out, -6.0f, count);"
        " Muls(out, out, 2.0f, count); Adds(out, out, 0.5f, count);"
    )
    verdict = court.kernel(compute=compute, trials=6)
    assert verdict.outcome == Outcome.WRONG
    assert all(c.trials >= 2 for c in verdict.cases)  # the task's own inputs alone would have let it pass


def test_reading_what_was_never_written(court: Any) -> None:  # cheat 31
    compute = "Muls(out, in, 2.0f, count); Adds(out, out, 0.5f, count); Max(out, out, in[1024], 8);"
    assert court.kernel(compute=compute).outcome in (Outcome.WRONG, Outcome.TRAP)


@pytest.mark.parametrize(
    "entry",
    [
        "((__gm__ float *)y)[0] = ((__gm__ float *)x)[t.total + (1 << 20)];",
        "((__gm__ float *)y)[0] = ((__gm__ float *)x)[-4096];",
        "((__gm__ float *)x)[1 << 22] = 0.0f;",
    ],
)
def test_memory_outside_of_the_arguments(court: Any, entry: str) -> None:  # cheats 6, 31
    assert court.kernel(entry=entry).outcome == Outcome.TRAP


def test_the_honest_project_is_timed_and_nothing_hidden_is_left(court: Any, tmp_path: Any) -> None:
    build = court.judge.compile(court.honest, court.task, tmp_path / "build")
    profile = court.judge.profile(build, court.task, tmp_path / "profile", 1)
    assert profile is not None and profile.trace is not None and profile.trace.is_file()
    assert not (tmp_path / "profile" / "expected").exists()
