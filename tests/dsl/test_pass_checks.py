"""Each pass is checked after it ran, and so is what somebody else makes of its result."""

from collections.abc import Callable

import pytest

from akgen.tools.core.outcome import InputError
from akgen.tools.dsl import Passes, Program
from akgen.tools.dsl.code import Line
from akgen.tools.dsl.pass_checks import after_alignment, after_compute, after_host, after_init
from akgen.tools.dsl.take_over import read_scope, take_over
from tests.dsl.test_lowering import passes

Find = Callable[[str], Program]
KERNEL, HOST, HEADER = "op_kernel/dsl_test.cpp", "op_host/dsl_test.cpp", "op_host/dsl_test_tiling.h"
# what is broken in which file, and the check that says so
BROKEN = {
    "a path leaves a field unset": (HOST, "    tiling.set_perCore(perCore);\n", "", "PASS_FIELD"),
    "the struct lacks a field": (HEADER, "TILING_DATA_FIELD_DEF(int64_t, tile);\n", "", "PASS_FIELD"),
    "a key without a kernel": (HOST, "Launch(context, tiling, 1,", "Launch(context, tiling, 3,", "PASS_LAUNCH"),
    "init reads what there is not": (KERNEL, "rows_ = tiling.rows;", "rows_ = tiling.rowCount;", "PASS_FIELD"),
    "no memory": (KERNEL, "        pipe_->InitBuffer(cBuf_, TileBytes(tile_, sizeof(float)));\n", "", "PASS_BUFFER"),
    "memory for nothing": (KERNEL, "pipe->InitBuffer(sBuf_,", "pipe->InitBuffer(pBuf_,", "PASS_BUFFER"),
    "a queue without buffers": (KERNEL, "pipe->InitBuffer(tIn_, 2,", "pipe->InitBuffer(tIn_, 0,", "PASS_QUEUE"),
    "too many events": (KERNEL, "pipe->InitBuffer(tIn_, 2,", "pipe->InitBuffer(tIn_, 9,", "PASS_QUEUE"),
    "no address": (
        KERNEL, "        wsGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(ws));\n", "", "PASS_GLOBAL"
    ),
    "never freed": (KERNEL, "        qIn_.FreeTensor(q);\n", "", "PASS_CYCLE"),
    "never handed over": (KERNEL, "        qIn_.EnQue(q);\n", "", "PASS_CYCLE"),
    "element by element": (
        KERNEL, "        Add(total, total, c, count);",
        "        for (int32_t k = 0; k < count; ++k) {\n"
        "            total.SetValue(k, total.GetValue(k) + c.GetValue(k));\n        }",
        "PASS_ELEMENTS",
    ),
    "a destination between blocks": (
        KERNEL, "        Add(total, total, c, count);", "        Add(total[3], total, c, count);", "PASS_DESTINATION"
    ),
    "a copy is gone": (
        KERNEL, "        TileStoreRows(wsGm_[r * cols_], tOut, n, cols_, cols_, RowStride(cols_));\n", "",
        "PASS_COPY_LOST",
    ),
    "a ragged length": (
        KERNEL, "        TileStore(outGm_[j], totalOut, m);", "        DataCopy(outGm_[j], totalOut, m);",
        "PASS_COPY_LENGTH",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def lowered(program: Find) -> Passes:
    return passes(program("softmax_mean"))


def changed(made: Passes, file: str, old: str, new: str) -> Passes:
    """Return the passes with a project in which one text is another."""
    text = made.project.files[file]
    assert text.count(old) == 1, (old, text.count(old))
    files = {**made.project.files, file: text.replace(old, new)}
    return made.model_copy(update={"project": made.project.model_copy(update={"files": files})})


@pytest.mark.parametrize("broken", BROKEN)
def test_each_broken_invariant_is_found(lowered: Passes, broken: str) -> None:
    file, old, new, code = BROKEN[broken]
    given = changed(lowered, file, old, new).project
    scope = ("kernel:*",) if file == KERNEL else ("pass:host",)
    taken = take_over(lowered, given, scope)
    assert {d.code for d in taken.diagnostics} == {code} and taken.parts
    assert taken.diagnostics[0].remedy


def test_every_pass_is_checked_by_what_it_made(lowered: Passes) -> None:
    host = lowered.host.model_copy(
        update={"host_cpp": lowered.host.host_cpp.replace("set_cols(", "get_cols(")}
    )
    assert [d.code for d in after_host(host)] == ["PASS_FIELD"]
    init = lowered.init[0].model_copy(update={"later": ()})
    assert {d.code for d in after_init(init, lowered.host)} == {"PASS_BUFFER"}
    first, *others = lowered.compute[0].functions
    copy_in = others[0].model_copy(update={"lines": others[0].lines[:-1]})
    code = lowered.compute[0].model_copy(update={"functions": (first, copy_in, *others[1:])})
    assert {d.code for d in after_compute(code)} == {"PASS_CYCLE"}
    assert after_alignment(lowered.compute[0], lowered.aligned[0]) == ()
    more = lowered.compute[0].functions[1]
    copies = tuple(x for x in more.lines if not isinstance(x.content, str))
    alone = lowered.aligned[0].model_copy(update={"functions": ()})
    only = lowered.compute[0].model_copy(update={"functions": (more.model_copy(update={"lines": copies}),)})
    assert isinstance(copies[0], Line)
    assert [d.code for d in after_alignment(only, alone)] == ["PASS_COPY_LOST"]


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        ("pass:host", {HOST}),
        ("pass:init", {"SoftmaxMeanKernel"}),
        ("pass:compute", {"SoftmaxMeanKernel::ComputeOut", "SoftmaxMeanKernel::CopyOutOut"}),
        ("pass:align", {"SoftmaxMeanKernel::CopyOutOut"}),
        ("stage:compute", {"SoftmaxMeanKernel::ComputeOut"}),
        ("stage:copyin", set()),
        (
            "kernel:SoftmaxMeanKernel",
            {"SoftmaxMeanKernel", "SoftmaxMeanKernel::ComputeOut", "SoftmaxMeanKernel::CopyOutOut"},
        ),
    ],
)  # fmt: skip
def test_what_is_not_taken_over_stays_as_the_passes_made_it(
    lowered: Passes, scope: str, kept: set[str]
) -> None:
    given = lowered
    for file, old in (
        (HOST, "SetBlockDim("), (KERNEL, "pipe->InitBuffer(sBuf_, "), (KERNEL, "Muls(totalNew, "),
        (KERNEL, "TileStore(outGm_[j], "),
    ):  # fmt: skip
        given = changed(given, file, old, f"{old} ")
    taken = take_over(lowered, given.project, read_scope((scope,)))
    assert set(taken.parts) == kept and taken.diagnostics == ()
    if not kept:
        assert taken.project == lowered.project


def test_functions_that_a_stage_needs_come_with_it(lowered: Passes) -> None:
    head = "    __aicore__ inline void ComputeOut("
    fresh = "    __aicore__ inline void Halve(LocalTensor<float>& t, int32_t n)\n    {\n"
    fresh += "        Muls(t, t, 0.5f, n);\n    }\n\n"
    given = changed(lowered, KERNEL, head, fresh + head)
    taken = take_over(lowered, given.project, ("stage:compute",))
    assert "SoftmaxMeanKernel::Halve" in taken.parts and "Muls(t, t, 0.5f, n);" in taken.project.files[KERNEL]


@pytest.mark.parametrize("scope", ["pass:tiling", "stage:loop", "init", "kernel:"])
def test_a_scope_is_a_pass_a_stage_or_a_kernel(scope: str) -> None:
    with pytest.raises(InputError, match="taken over"):
        read_scope((scope,))
