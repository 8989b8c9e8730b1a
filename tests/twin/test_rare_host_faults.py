"""Faults of host code that a project seldom has, each told by its own code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject
from akgen.tools.twin.toolchain import TwinToolchain

Projects = Callable[..., KernelProject]


def refused(twin: TwinToolchain, whole: KernelProject, calls: Any, folder: Path) -> Diagnostic:
    x = np.ones(8, np.float32)
    build = twin.compile(whole, [calls.scale_add(x, x, folder)], folder / "build")
    assert build.outcome is not None
    return build.diagnostics[0]


def test_host_code_that_the_loader_refuses_is_told(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    much = '__attribute__((tls_model("initial-exec"))) thread_local char much[1 << 26];\nchar *some() { return much; }'
    text = f"namespace optiling {{\n{much}"
    found = refused(twin, project("scale_add", host=("namespace optiling {", text)), calls, tmp_path)
    assert found.code == "HOST_LOAD"
    assert "static TLS" in found.text


def test_a_parse_function_that_fails_is_told(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    parse = (
        "struct Info {};\nstatic ge::graphStatus Parse(gert::TilingParseContext *) { return ge::GRAPH_FAILED; }\n"
        "IMPL_OP_OPTILING(ScaleAdd).Tiling(TilingFunc).TilingParse<Info>(Parse);\n} // namespace optiling"
    )
    whole = project(
        "scale_add", host=("} // namespace optiling", parse), host_2=(".SetTiling(optiling::TilingFunc)", "")
    )
    found = refused(twin, whole, calls, tmp_path)
    assert found.code == "TILING_PARSE"
    assert "returned" in found.text
