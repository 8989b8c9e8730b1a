"""Projects for CMake's package ASC: where it is looked for, and what is written for it."""

from pathlib import Path

import pytest

from akgen.tools.cann.asc_project import asc_package, compute_unit, write_project
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.project import instrument_template
from akgen.tools.core.outcome import InfraError

DOCUMENTED = "compiler/tikcpp/ascendc_kernel_cmake/ASCConfig.cmake"


@pytest.mark.parametrize("place", [DOCUMENTED, "lib64/cmake/ASC/asc-config.cmake"])
def test_the_package_is_found_where_its_page_or_cmake_says(tmp_path: Path, place: str) -> None:
    settings = CannSettings(home=tmp_path)
    with pytest.raises(InfraError, match="Neither msopgen nor"):
        write_project(settings, "customize", tmp_path / "project")
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    assert asc_package(settings) == (tmp_path / place).parent
    write_project(settings, "customize", tmp_path / "project")
    top = (tmp_path / "project/CMakeLists.txt").read_text()
    assert f"HINTS {(tmp_path / place).parent}" in top and "ASCEND_COMPUTE_UNIT ascend910b)" in top


@pytest.mark.parametrize(
    ("soc", "unit"),
    [("Ascend910B2", "ascend910b"), ("Ascend910_9391", "ascend910_93"), ("Ascend310P3", "ascend310p")],
)
def test_a_chip_is_called_by_its_series(soc: str, unit: str) -> None:
    assert compute_unit(soc) == unit


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", "add_ops_compile_options(ALL OPTIONS -sanitizer)"),
        (
            "npu_op_kernel_library( kernels\n SRC_BASE x)",
            "npu_op_kernel_options(kernels ALL OPTIONS -sanitizer)",
        ),
    ],
)
def test_kernels_are_instrumented_by_the_function_that_the_project_knows(
    tmp_path: Path, text: str, first: str
) -> None:
    (tmp_path / "op_kernel").mkdir()
    lists = tmp_path / "op_kernel/CMakeLists.txt"
    lists.write_text(text)
    instrument_template(tmp_path)
    assert lists.read_text() == f"{first}\n{text}"
