"""Write an operator project for CMake's package ASC, which newer CANN brings: no msopgen, no scripts of a template.

Source: vendor page "Operator Project Build Extension" (npu_op_package, npu_op_code_gen, npu_op_library,
npu_op_kernel_library, npu_op_kernel_options, npu_op_package_add; the targets `binary` and `package`). Not covered: the
library for graphs (GRAPH) and tiling on the device, which a call through aclnn does not need.
"""

import platform
import re
from pathlib import Path

from akgen.tools.cann.environment import CannSettings
from akgen.tools.core.outcome import InfraError

_CONFIGS = ("ASCConfig.cmake", "asc-config.cmake")
# the first as the page has it; the others are where CMake itself looks below a prefix
_PLACES = ("compiler/tikcpp/ascendc_kernel_cmake", "*/tikcpp/ascendc_kernel_cmake", "tikcpp/ascendc_kernel_cmake",
           "lib64/cmake", "lib64/cmake/*", "lib/cmake", "lib/cmake/*", "cmake", "share/cmake/*")  # fmt: skip
_UNIT = re.compile(r"(?i)ascend(?:910b|910_93|910|310p|310b)")

_TOP = """cmake_minimum_required(VERSION 3.16.0)
project(opp)
set(CMAKE_CXX_STANDARD 17)
set(vendor_name {vendor})
set(ASCEND_COMPUTE_UNIT {unit})
set(ASCEND_CANN_PACKAGE_PATH {home})
find_package(ASC REQUIRED HINTS {asc})
set(package_name ${{vendor_name}})
npu_op_package(${{package_name}}
    TYPE RUN
    CONFIG
        ENABLE_SOURCE_PACKAGE True
        ENABLE_BINARY_PACKAGE True
        INSTALL_PATH ${{CMAKE_BINARY_DIR}}/
)
if(NOT ASCEND_AUTOGEN_PATH)
    set(ASCEND_AUTOGEN_PATH ${{CMAKE_BINARY_DIR}}/autogen)
endif()
add_subdirectory(op_host)
add_subdirectory(op_kernel)
"""
_HOST = """aux_source_directory(${CMAKE_CURRENT_SOURCE_DIR} ops_srcs)
npu_op_code_gen(
    SRC ${ops_srcs}
    PACKAGE ${package_name}
    COMPILE_OPTIONS -std=c++17
    OUT_DIR ${ASCEND_AUTOGEN_PATH}
)
file(GLOB autogen_aclnn_src ${ASCEND_AUTOGEN_PATH}/aclnn_*.cpp)
set_source_files_properties(${autogen_aclnn_src} PROPERTIES GENERATED TRUE)
npu_op_library(cust_opapi ACLNN ${autogen_aclnn_src})
target_compile_options(cust_opapi PRIVATE -fvisibility=hidden)
npu_op_library(cust_optiling TILING ${ops_srcs})
target_compile_options(cust_optiling PRIVATE -fvisibility=hidden -std=c++17)
npu_op_package_add(${package_name} LIBRARY cust_optiling cust_opapi)
"""
_KERNEL = """npu_op_kernel_library(ascendc_kernels
    SRC_BASE ${CMAKE_SOURCE_DIR}/op_kernel/
    TILING_LIBRARY cust_optiling
)
npu_op_package_add(${package_name} LIBRARY ascendc_kernels)
"""
_SCRIPT = """#!/bin/bash
cd "$(dirname "$0")" || exit 1
cmake -S . -B build_out && cmake --build build_out --target binary && cmake --build build_out --target package
"""


def asc_package(settings: CannSettings) -> Path | None:
    """Return the folder of CMake's package ASC; None if this CANN has none where its page, or CMake, says."""
    if settings.home is None:
        return None
    for base in (settings.home, settings.home / f"{platform.machine()}-linux"):
        for place in _PLACES:
            for folder in sorted(base.glob(place)):
                if any((folder / name).is_file() for name in _CONFIGS):
                    return folder
    return None


def write_project(settings: CannSettings, vendor: str, into: Path) -> None:
    """Write the build files; sources belong into op_host and op_kernel. Raises InfraError without the package."""
    asc = asc_package(settings)
    if asc is None:
        raise InfraError(
            "Neither msopgen nor CMake's package ASC was found below CANN's home.",
            "They come with the CANN toolkit: install it whole, or see `akgen doctor --npu`.",
        )
    texts = {
        "CMakeLists.txt": _TOP.format(
            vendor=vendor, unit=compute_unit(settings.soc), home=settings.usable_home, asc=asc.resolve()
        ),
        "op_host/CMakeLists.txt": _HOST,
        "op_kernel/CMakeLists.txt": _KERNEL,
        "build.sh": _SCRIPT,
    }
    for name, text in texts.items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_text(text)


def compute_unit(soc: str) -> str:
    """Return what CMake's functions call a chip: Ascend910B2 is of `ascend910b`."""
    found = _UNIT.match(soc)
    return (found[0] if found else soc).lower()
