"""Faults of host code that a project seldom has, each told by its own code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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


def test_a_tiling_function_that_is_there_only_when_the_library_is_described_is_told(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    set_tiling = ".SetTiling(optiling::TilingFunc)"
    whole = project("scale_add")
    (host,) = (text for text in whole.files.values() if set_tiling in text)
    (line,) = (line for line in host.splitlines() if set_tiling in line)
    # A process that is to tile has two files open to write into: one for its report, one for the tiling data.
    guarded = (
        "int files = 0; for (int fd = 3; fd < 16; ++fd) { const int mode = fcntl(fd, F_GETFL); "
        "files += mode >= 0 && (mode & O_ACCMODE) == O_WRONLY; }\n"
        f"if (files < 2) {{ {line.strip()} }} else {{ {line.strip().replace(set_tiling, '')} }}"
    )
    whole = project("scale_add", host=(line, guarded), host_2=("#include", "#include <fcntl.h>\n#include"))
    found = refused(twin, whole, calls, tmp_path)
    assert found.code == "NO_TILING"
    assert "ScaleAdd" in found.text


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("auto later = std::make_unique<int>(3);", "Use std::unique_ptr<T>(new T(...))."),
        ('std::string_view name = "x";', "Use const std::string &."),
        ('static_assert(std::is_same_v<int, int>, "");', "Use std::is_same<...>::value."),
        ("std::enable_if_t<true, int> n = 0;", "Use typename std::enable_if<...>::type."),
        ("int n = std::clamp(1, 2, 3);", "Use std::min(std::max(value, low), high)."),
        ("std::optional<int> maybe;", "Use the value and a bool beside it."),
    ],
)
def test_what_is_younger_than_cpp11_is_told(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path, line: str, remedy: str
) -> None:
    headers = "#include <algorithm>\n#include <memory>\n#include <string>\n#include <type_traits>\n"
    text = f"namespace optiling {{\nstatic int Young() {{ {line} return 0; }}"
    whole = project(
        "scale_add", host=("namespace optiling {", text), host_2=("#include", headers + "#include")
    )
    found = refused(twin, whole, calls, tmp_path)
    assert found.code == "UNDECLARED"
    assert "C++11" in found.text
    assert found.remedy == remedy


def test_where_a_tasks_own_build_takes_cpp14_the_twin_does(
    twin: TwinToolchain, project: Projects, calls: Any, tmp_path: Path
) -> None:
    young = "namespace optiling {\nstatic int Young() { return *std::make_unique<int>(3); }"
    whole = project(
        "scale_add", host=("namespace optiling {", young), host_2=("#include", "#include <memory>\n#include")
    )
    x = np.ones(8, np.float32)
    later = whole.model_copy(update={"host_standard": "c++14"})
    assert later.digest != whole.digest
    assert twin.compile(later, [calls.scale_add(x, x, tmp_path)], tmp_path / "later").outcome is None
    assert refused(twin, whole, calls, tmp_path).code == "UNDECLARED"
