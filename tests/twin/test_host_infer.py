"""InferShape and InferDataType are run for each call, and what they say is compared with the call's outputs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch
from akgen.tools.twin.toolchain import TwinToolchain

Projects = Callable[..., KernelProject]

RIGHT = """
static ge::graphStatus InferShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}
static ge::graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}
"""
COPY = "*context->GetOutputShape(0) = *context->GetInputShape(0);"
TYPE = "context->GetInputDataType(0));"


def launched(
    twin: TwinToolchain, project: Projects, calls: Any, folder: Path, functions: str, *, by_impl: bool = False
) -> Launch:
    register = "this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);\n        "
    impl = "IMPL_OP_INFERSHAPE(ScaleAdd).InferShape(ge::InferShape).InferDataType(ge::InferDataType);\n"
    edited = project(
        "scale_add",
        host=("namespace ops {", f"namespace ge {{{functions}}}\nnamespace ops {{"),
        host_2=("this->AICore()", f"{'' if by_impl else register}this->AICore()"),
        host_3=("OP_ADD(ScaleAdd);", f"OP_ADD(ScaleAdd);\n{impl if by_impl else ''}"),
    )
    x = np.ones((3, 20), np.float32)
    call = calls.scale_add(x, x, folder, alpha=1.0)
    build = twin.compile(edited, [call], folder / "build")
    assert build.outcome is None, build.diagnostics
    return twin.run(build, call, folder / "run")


@pytest.mark.parametrize("by_impl", [False, True])
def test_right_functions_say_nothing(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, by_impl: bool
) -> None:
    launch = launched(twin, project, calls, tmp_path, RIGHT, by_impl=by_impl)
    assert (launch.outcome, launch.diagnostics) == (None, ())


@pytest.mark.parametrize(
    ("old", "new", "code", "text"),
    [
        (COPY, "*context->GetOutputShape(0) = {20, 3};", "INFER_SHAPE", "gives y (20, 3); the call"),
        (COPY, "", "INFER_SHAPE", "gives y no shape"),
        (COPY, "return ge::GRAPH_FAILED;", "INFER_SHAPE", "returns a failure"),
        (COPY, "context->GetOutputShape(7)->SetDim(0, 1);", "INFER_SHAPE", "crashed"),
        (COPY, "throw 3;", "INFER_SHAPE", "failed: host code threw"),
        (TYPE, "ge::DT_INT32);", "INFER_DATA_TYPE", "gives y DT_INT32; the call's output is DT_FLOAT"),
    ],
    ids=["another shape", "nothing", "failure", "crash", "exception", "another type"],
)  # fmt: skip
def test_wrong_ones_are_a_warning_and_the_call_runs(
    twin: TwinToolchain,
    project: Projects,
    calls: Any,
    tmp_path: Path,
    old: str,
    new: str,
    code: str,
    text: str,
) -> None:
    assert old in RIGHT
    launch = launched(twin, project, calls, tmp_path, RIGHT.replace(old, new))
    assert launch.outcome is None
    (found,) = launch.diagnostics
    assert (found.code, found.severity) == (code, "warning")
    assert text in found.text
