"""What the four passes make of a program."""

import re
from collections.abc import Callable

import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.dsl import DslError, Passes, Program, lower, lower_passes
from akgen.tools.dsl.code import CopyCall
from akgen.tools.dsl.parse import parse
from tests.dsl.running import FLOATS, documented, op_spec

Find = Callable[[str], Program]


def passes(program: Program, *, types: tuple[DType, ...] = FLOATS) -> Passes:
    integers = (DType.INT64,) * len(types)
    inputs = [integers if name == "index" else types for name in program.host.inputs]
    outputs = [integers if name == "places" else types for name in program.host.outputs]
    op = op_spec(program, inputs, outputs)
    return lower_passes(program, op, "dsl_test")


@pytest.mark.parametrize(
    "name", [*sorted(documented()), "mean", "middle_axis", "broadcast", "adam", "optional"]
)
def test_every_intermediate_result_can_be_printed_and_read_back(program: Find, name: str) -> None:
    types = (DType.FLOAT16,) if "float16)" in program(name).text else FLOATS  # of its workspace
    made = passes(program(name), types=types)
    assert Passes.model_validate_json(made.model_dump_json()) == made


def test_lowering_is_deterministic(program: Find) -> None:
    assert passes(program("softmax")).project.digest == passes(program("softmax")).project.digest


def test_the_project_has_the_msopgen_layout(program: Find) -> None:
    files = passes(program("softmax")).project.files
    assert set(files) == {
        "op_host/dsl_test.cpp",
        "op_host/dsl_test_tiling.h",
        "op_kernel/dsl_test.cpp",
        "op_kernel/tile_ops.h",
    }


def test_ragged_copies_are_padded_and_whole_blocks_are_not(program: Find) -> None:
    text = documented()["add"]
    whole = text.replace("len = min(tile, last - i)", "len = align_up(tile, 64)").replace(
        ", len)", ", align_up(tile, 64))"
    )
    copies = {}
    for kind, source in (("ragged", text), ("whole", whole)):
        made = passes(parse(source))
        copies[kind] = [
            x.content for f in made.compute[0].functions for x in f.lines if isinstance(x.content, CopyCall)
        ]
        lines = "\n".join(x for f in made.aligned[0].functions for x in f.lines)
        assert ("DataCopy(" in lines) == (kind == "whole")
        assert ("TileLoad(" in lines) == (kind == "ragged")
    assert {c.blocks for c in copies["ragged"]} == {False}
    assert {c.blocks for c in copies["whole"] if c.direction == "in"} == {True}


def test_functions_have_different_names() -> None:
    """The first of two that move `x1` is not called as the one that moves `x11`."""
    text = documented()["add"].replace("x,", "x1,").replace("x:", "x1:").replace("x.", "x1.")
    text = text.replace(" y,", " x11,").replace(" y:", " x11:")
    load = "with copyin():\n            load({}, {}, i, len)\n        "
    one = "with copyin():\n            load(a, x1, i, len)\n            load(b, x11, i, len)\n        "
    assert one in text
    sum_ = "with compute():\n            add(a, a, b)\n        "
    several = load.format("a", "x1") + load.format("b", "x11") + sum_ + load.format("b", "x1")
    made = passes(parse(text.replace(one, several)))
    names = [f.name for f in made.compute[0].functions]
    assert len(set(names)) == len(names) and {"CopyInX1_1", "CopyInX1_2", "CopyInX11"} <= set(names)


def test_transfer_buffers_in_loops_are_doubled_and_resident_ones_are_not(program: Find) -> None:
    init = "\n".join(passes(program("layer_norm")).init[0].init)
    assert re.search(r"InitBuffer\(tIn_, 2,", init) and re.search(r"InitBuffer\(tOut_, 2,", init)
    assert re.search(r"InitBuffer\(gIn_, 1,", init) and re.search(r"InitBuffer\(bIn_, 1,", init)


def test_double_buffering_can_be_switched_off(program: Find) -> None:
    text = documented()["add"].replace(
        "a = alloc_ub(tile, float32)", "a = alloc_ub(tile, float32, buffers=1)"
    )
    init = "\n".join(passes(parse(text)).init[0].init)
    assert "InitBuffer(aIn_, 1," in init and "InitBuffer(aOut_, 1," in init and "InitBuffer(bIn_, 2," in init


def test_double_buffering_ends_where_the_chip_has_no_more_events(program: Find) -> None:
    init = "\n".join(passes(program("many_inputs")).init[0].init)
    assert len(re.findall(r"In_, 2,", init)) == 3 and len(re.findall(r"In_, 1,", init)) == 2


def test_cores_wait_for_each_other_only_where_the_author_says_so(program: Find) -> None:
    assert passes(program("mean")).project.files["op_kernel/dsl_test.cpp"].count("SyncAll()") == 1
    assert "SyncAll" not in passes(program("softmax")).project.files["op_kernel/dsl_test.cpp"]


def test_every_dequeued_tensor_is_freed(program: Find) -> None:
    for name in ("layer_norm", "softmax", "adam", "mean", "optional", "resident"):
        for code in passes(program(name)).aligned:
            text = "\n".join(x for f in code.functions for x in f.lines)
            assert text.count("DeQue<") == text.count("FreeTensor(")
            assert text.count("AllocTensor<") == text.count("EnQue(")


def test_float_tiles_of_float_tensors_are_not_converted(program: Find) -> None:
    """A workspace of float32 is known to be float32: no conversion is written for it."""
    kernel = passes(program("mean")).aligned[0]
    text = "\n".join(x for f in kernel.functions for x in f.lines)
    assert "TileLoaded<float>(tRaw" in text and "TileLoaded<float>(pRaw" not in text


def test_one_tiling_key_per_kernel(program: Find) -> None:
    files = passes(program("softmax")).project.files
    assert files["op_kernel/dsl_test.cpp"].count("TILING_KEY_IS(") == 2
    assert files["op_host/dsl_test.cpp"].count("return Launch(context, tiling, 1,") == 1
    assert files["op_host/dsl_test.cpp"].count("return Launch(context, tiling, 2,") == 1


def test_only_the_library_sections_that_are_called_are_written(program: Find) -> None:
    text = passes(program("add")).project.files["op_kernel/dsl_test.cpp"]
    assert "TileReduce" not in text and "TileColumnOp" not in text and "TileExpm1" not in text


def test_a_program_that_does_not_fit_the_operator_is_refused(program: Find) -> None:
    softmax = program("softmax")
    with pytest.raises(DslError, match="1 parameters where the operator has 2"):
        lower(softmax, op_spec(program("add"), [FLOATS] * 2, [FLOATS]), "dsl_test")


def test_an_unsound_program_is_refused() -> None:
    text = documented()["add"].replace("add(a, a, b)", "add(a, a, b[:, None])")
    with pytest.raises(DslError, match="view"):
        passes(parse(text))


def test_what_is_found_in_a_kernel_is_found_once_and_anew_in_a_changed_one(program: Find) -> None:
    kernel = program("softmax").kernels[0]
    assert kernel.allocs is kernel.allocs
    assert kernel.phases is kernel.phases
    assert kernel.phase_of.keys() == kernel.allocs.keys()
    changed = kernel.model_copy(update={"body": kernel.body[:1]})
    assert len(changed.allocs) < len(kernel.allocs)
    assert changed.phases == ((kernel.body[0],),)


def _process(text: str) -> str:
    kernel = passes(parse(text)).project.files["op_kernel/dsl_test.cpp"]
    return kernel[kernel.index("void Process()") : kernel.index("private:")]


@pytest.mark.parametrize(
    ("old", "new", "ahead"),
    [
        ("", "", True),
        ("alloc_ub((row_tile, lane_tile), float32)", "alloc_ub((row_tile, lane_tile), float32, buffers=1)", False),
        ("load(t, x, r * cols + j,", "load(t, out, r * cols + j,", False),  # it may hold what is stored
    ],
)  # fmt: skip
def test_a_loop_over_rows_asks_for_the_next_tile_before_it_computes_this_one(
    program: Find, old: str, new: str, ahead: bool
) -> None:
    text = program("resident").text
    assert old in text
    process = _process(text.replace(old, new, 1) if old else text)
    inner = process[process.index("for (int64_t r") :]
    assert ("const int64_t next = " in inner) is ahead
    if ahead:
        assert inner.index("if (next < ") < inner.index("CopyInX(j, next, ") < inner.index("Compute")
    before = process[: process.index("for (int64_t r")]
    assert ("CopyInX(" in before) is ahead


def test_one_word_of_the_cube_core_is_taken_for_each_product() -> None:
    """A product is waited for before the next one of its object is asked for."""
    text = next(t for t in documented().values() if "wait=False" in t)
    kernel = passes(parse(text), types=(DType.FLOAT16,)).project.files["op_kernel/dsl_test.cpp"]
    asked = re.findall(r"if \((\w+)Asked_\) \{\s*\1_\.WaitIterateAll\(\);\s*\1Asked_ = false;", kernel)
    told = re.findall(r"(\w+)_\.template IterateAll<false>\(.*true\);\s*\1Asked_ = true;", kernel)
    assert told and len(asked) > len(told)
    assert kernel.count("WaitIterateAll()") == len(asked)


def test_a_product_that_is_waited_for_waits_first_for_one_that_is_under_way() -> None:
    text = next(t for t in documented().values() if "wait=False" in t)
    head, tail = text.rsplit(", accumulate=True, wait=False)", 1)
    changed = f"{head}, accumulate=True){tail}"
    kernel = passes(parse(changed), types=(DType.FLOAT16,)).project.files["op_kernel/dsl_test.cpp"]
    before, _ = re.split(r"(?<=\n)\s*\w+_\.IterateAll\(", kernel)
    waits = re.findall(
        r"if \((\w+)Asked_\) \{\s*\1_\.WaitIterateAll\(\);", before[before.rindex(".template IterateAll") :]
    )
    assert waits and waits[-1] == re.search(r"(\w+)_\.IterateAll\(", kernel)[1]


def test_each_field_of_the_tiling_struct_says_what_it_is_set_to(program: Find) -> None:
    header = passes(program("resident")).project.files["op_host/dsl_test_tiling.h"]
    assert "TILING_DATA_FIELD_DEF(int64_t, rows); // x.shape[0]" in header
    assert "TILING_DATA_FIELD_DEF(int64_t, cols); // x.shape[1]" in header
