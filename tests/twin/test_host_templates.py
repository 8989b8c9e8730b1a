"""Kernels that are templates: the host picks the arguments, and the kernel is built for what it picked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Attr, Call, OutputMeta
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build
from akgen.tools.twin.lint import lint
from akgen.tools.twin.toolchain import TwinToolchain

Projects = Callable[..., KernelProject]


def built(
    twin: TwinToolchain, project: Projects, calls: Any, folder: Path, dtype: str, tiles: int, add_one: bool
) -> tuple[Build, Call]:
    x = calls.tensor(np.arange(640).astype(dtype), folder, "x")
    attrs = (Attr(name="tiles", value=tiles), Attr(name="add_one", value=add_one))
    call = Call(inputs=(x,), attrs=attrs, outputs=(OutputMeta(meta=x),))
    return twin.compile(project("template_scale"), [call], folder / "build"), call


@pytest.mark.parametrize(
    ("dtype", "tiles", "add_one"),
    [("float16", 1, False), ("float16", 10, True), ("float32", 4, True), ("float32", 5, True)],
)  # fmt: skip
def test_each_combination_gets_its_own_kernel(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, dtype: str, tiles: int, add_one: bool
) -> None:
    build, call = built(twin, project, calls, tmp_path, dtype, tiles, add_one)
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert (launch.outcome, launch.diagnostics) == (None, ())
    wanted = np.arange(640).astype(dtype) * np.dtype(dtype).type(2) + np.dtype(dtype).type(add_one)
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), wanted)
    instructions = {p.pipe: p.instructions for p in launch.profile.pipes} if launch.profile else {}
    assert instructions["MTE2"] == tiles


def test_keys_of_different_picks_differ(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    keys = set()
    for i, (tiles, add_one) in enumerate([(1, False), (1, True), (10, False), (10, True)]):
        build, call = built(twin, project, calls, tmp_path / str(i), "float16", tiles, add_one)
        keys.add(twin.run(build, call, tmp_path / str(i) / "run").tiling_key)
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("dtype", "tiles", "add_one", "text"),
    [
        ("float16", 3, True, "3 is given for TILES, which may be [0,1,2,4,5,10,12]"),
        ("float32", 4, False, "is none of the combinations in ASCENDC_TPL_SEL"),
    ],
)
def test_a_pick_that_was_not_declared_is_told(
    twin: TwinToolchain,
    project: Projects,
    calls: Any,
    tmp_path: Path,
    dtype: str,
    tiles: int,
    add_one: bool,
    text: str,
) -> None:
    build, _ = built(twin, project, calls, tmp_path, dtype, tiles, add_one)
    assert build.outcome is Outcome.TILING_ERROR
    assert build.diagnostics[0].code == "TILING_KEY"
    assert text in build.diagnostics[0].text


def test_a_fault_in_the_template_is_told_at_its_line(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    x = calls.tensor(np.zeros(640, np.float16), tmp_path, "x")
    call = Call(inputs=(x,), attrs=(Attr(name="tiles", value=1),), outputs=(OutputMeta(meta=x),))
    wrong = "DataCopy(to[i * part + 640], w, part);"
    edited = project("template_scale", kernel=("DataCopy(to[i * part], w, part);", wrong))
    build = twin.compile(edited, [call], tmp_path / "build")
    launch = twin.run(build, call, tmp_path / "run")
    assert [d.code for d in launch.diagnostics] == ["GM_OVERRUN"]
    lines = edited.files[edited.kernel_file].splitlines()
    assert launch.diagnostics[0].line == lines.index(f"        {wrong}") + 1


def test_lint_compiles_a_pick_of_each_combination(twin: TwinToolchain, project: Projects) -> None:
    def findings(candidate: KernelProject) -> list[tuple[str, int | None]]:
        found = lint(candidate, twin.runtime, twin.settings.cache, twin.chip_file, 1)
        return [(d.code, d.line) for d in found]

    assert findings(project("template_scale")) == []
    wrong = "Adds(w, w, no_such_value, part);"
    edited = project("template_scale", kernel=("Adds(w, w, static_cast<D_T_X>(1), part);", wrong))
    line = edited.files[edited.kernel_file].splitlines().index(f"            {wrong}") + 1
    assert findings(edited) == [("UNDECLARED", line)]


@pytest.mark.parametrize(("mixed", "added"), [(False, 0), (True, 2)])
def test_the_type_of_kernel_may_be_an_argument(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, mixed: bool, added: int
) -> None:
    types = "ASCENDC_TPL_AIV_ONLY, ASCENDC_TPL_MIX_AIC_1_2"
    edited = project(
        "template_scale",
        host=("GetBool(1) ? 1 : 0", "GetBool(1) ? ASCENDC_TPL_MIX_AIC_1_2 : ASCENDC_TPL_AIV_ONLY"),
        host_2=(
            "ASCENDC_TPL_SEL_PARAM(context, D_T_X, TILES, ADD_ONE);",
            "context->SetTilingKey(GET_TPL_TILING_KEY(D_T_X, TILES, ADD_ONE));",
        ),
        kernel=("    TPipe pipe;", "    if ASCEND_IS_AIC { return; }\n    TPipe pipe;"),
        kernel_2=("ADD_ONE == 1", "ADD_ONE == ASCENDC_TPL_MIX_AIC_1_2"),
        kernel_3=("static_cast<D_T_X>(1)", "static_cast<D_T_X>(static_cast<float>(GetSubBlockNum()))"),
    )
    keys = "op_kernel/template_scale_key.h"
    text = edited.files[keys].replace("ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),", "")
    for old, new in (
        ("BOOL_DECL(ADD_ONE, 0, 1)", f"KERNEL_TYPE_DECL(ADD_ONE, {types})"),
        ("BOOL_SEL(ADD_ONE, 0, 1)", f"SHARED_KERNEL_TYPE_SEL(ADD_ONE, {types})"),
        ("BOOL_SEL(ADD_ONE, 1)", "SHARED_KERNEL_TYPE_SEL(ADD_ONE, ASCENDC_TPL_AIV_ONLY)"),
    ):
        assert old in text
        text = text.replace(old, new)
    edited = edited.model_copy(update={"files": {**edited.files, keys: text}})
    x = calls.tensor(np.arange(640).astype("float16"), tmp_path, "x")
    attrs = (Attr(name="tiles", value=10), Attr(name="add_one", value=mixed))
    call = Call(inputs=(x,), attrs=attrs, outputs=(OutputMeta(meta=x),))
    build = twin.compile(edited, [call], tmp_path / "build")
    assert build.outcome is None, build.diagnostics
    launch = twin.run(build, call, tmp_path / "run")
    assert (launch.outcome, launch.diagnostics) == (None, ())
    np.testing.assert_array_equal(calls.read(launch.outputs[0]), np.arange(640).astype("float16") * 2 + added)
