"""What an OpDef declares is what every room sees of the operator."""

from collections.abc import Callable
from pathlib import Path

import pytest

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.toolchain import TwinToolchain

Projects = Callable[..., KernelProject]


def test_parameters_columns_and_attributes_are_read(
    twin: TwinToolchain, project: Projects, tmp_path: Path
) -> None:
    spec, found = twin.read_spec(project("kinds"), tmp_path)
    assert spec is not None and not found
    x, bias = spec.inputs
    assert (x.kind, bias.kind) == ("required", "optional")
    assert x.dtypes == (DType.FLOAT16, DType.INT64)
    assert spec.outputs[0].dtypes == (DType.BOOL, DType.INT8)
    assert [(a.name, a.type, a.required, a.default) for a in spec.attrs] == [
        ("axis", "int", True, None),
        ("mode", "str", False, "plain"),
        ("sizes", "list_int", False, (1, 2, 3)),
        ("scale", "float", False, 0.25),
    ]


def test_lists_and_value_dependence_are_read(twin: TwinToolchain, project: Projects, tmp_path: Path) -> None:
    spec, _ = twin.read_spec(project("list_scale"), tmp_path)
    assert spec is not None
    assert [p.kind for p in (*spec.inputs, *spec.outputs)] == ["dynamic", "required", "dynamic"]
    assert [p.value_depend for p in spec.inputs] == [False, True]
    assert spec.has_tiling


_NEXT = "\n            "  # line of the known-good project's OpDef


@pytest.mark.parametrize(
    ("edit", "part"),
    [
        (("OP_ADD(ScaleAdd);", ""), "No OpDef named ScaleAdd is registered"),
        (('.AddConfig("ascend910b")', '.AddConfig("ascend310p")'), "it names ascend310p"),
        (
            (
                f'Output("y"){_NEXT}.ParamType(REQUIRED){_NEXT}.DataType({{ge::DT_FLOAT, ge::DT_FLOAT16}})',
                'Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT})',
            ),
            "x 2, z 2, y 1",
        ),
        ((".SetTiling(optiling::TilingFunc)", ""), "registers no tiling function"),
        (
            (".Format({ge::FORMAT_ND, ge::FORMAT_ND})", ".Format({ge::FORMAT_ND})"),
            "x has 2 types and 1 formats",
        ),
    ],
)
def test_what_is_not_registered_is_told(
    twin: TwinToolchain, project: Projects, tmp_path: Path, edit: tuple[str, str], part: str
) -> None:
    finding = _findings(twin, project("scale_add", host=edit), tmp_path)[0]
    assert finding.code == "REGISTRATION"
    assert part in finding.text
    assert finding.remedy


def test_keys_without_a_kernel_type_beside_others_are_told(
    twin: TwinToolchain, project: Projects, tmp_path: Path
) -> None:
    some = "    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);\n    if (TILING_KEY_IS(1)) {"
    finding = _findings(twin, project("scale_add", kernel=("    if (TILING_KEY_IS(1)) {", some)), tmp_path)[0]
    assert finding.code == "TILING_KEY" and "for tiling key 2" in finding.text
    whole = some.replace("(1, KERNEL", "(2, KERNEL_TYPE_AIV_ONLY);\n    KERNEL_TASK_TYPE(1, KERNEL", 1)
    assert not _findings(twin, project("scale_add", kernel=("    if (TILING_KEY_IS(1)) {", whole)), tmp_path)


def test_a_nested_struct_must_be_registered(twin: TwinToolchain, project: Projects, tmp_path: Path) -> None:
    edited = project("kinds", host=("REGISTER_TILING_DATA_CLASS(InnerDataOp, InnerData)", ""))
    finding = _findings(twin, edited, tmp_path)[0]
    assert finding.code == "TILING_STRUCT"
    assert "InnerData is a field of another one" in finding.text


def _findings(twin: TwinToolchain, whole: KernelProject, folder: Path) -> tuple[Diagnostic, ...]:
    return twin.compile(whole, [], folder).diagnostics
