"""Operators' own CPU unit tests (tikicpulib.h) build and run as they stand; what the checks find makes them fail."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from akgen.tools.process.program import run
from akgen.tools.twin.toolchain import TwinToolchain
from akgen.tools.twin.unit_test import UnitResult, UnitTest, run_unit_test, unit_flags

HERE = Path(__file__).parent / "unit"


def run_test(twin: TwinToolchain, work: Path, *names: str, **extra: tuple[str, ...]) -> UnitResult:
    test = UnitTest(sources=tuple(HERE / n for n in names), folder=work, **extra)
    return run_unit_test(test, twin.runtime, twin.chip_file, work / "build")


def line_of(name: str, mark: str) -> int:
    lines = (HERE / name).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if mark in line)


@pytest.mark.slow
def test_a_test_with_its_kernel_in_another_source_runs_and_may_write_its_folder(
    twin: TwinToolchain, tmp_path: Path
) -> None:
    result = run_test(twin, tmp_path, "add_test.cpp", "add_custom.cpp", arguments=("output_z.bin",))
    assert result.passed, result
    assert [(k.kernel, k.blocks, k.diagnostics) for k in result.kernels] == [("add_custom", 8, ())]
    assert (tmp_path / "output_z.bin").stat().st_size == 8 * 2048 * 4


def test_tiling_keys_and_kernel_modes_are_the_tests(twin: TwinToolchain, tmp_path: Path) -> None:
    result = run_test(twin, tmp_path, "modes_test.cpp")
    assert result.passed, result
    assert "wrong: 0 float, 0 half, 0 cube, 0 mixed" in result.output
    assert "6 6 \n" in result.output  # the kernel's Print, and its ToFile
    assert np.fromfile(tmp_path / "scaled.bin", np.float16).tolist() == [6.0] * 512
    assert all(k.time_us is not None for k in result.kernels)


def test_faults_are_told_at_their_lines_and_in_the_exit_status(twin: TwinToolchain, tmp_path: Path) -> None:
    result = run_test(twin, tmp_path, "faults_test.cpp")
    assert "main ends well" in result.output
    assert "first value 0" in result.output  # the kernel's PRINTF
    assert (result.passed, result.ending) == (False, "status 1")
    racing, overrunning, correct = result.kernels
    assert {d.code for d in racing.diagnostics} == {"PIPE_RACE"}
    found = [(d.file, d.line) for d in (racing.diagnostics[0], *overrunning.diagnostics)]
    file = str(HERE / "faults_test.cpp")
    assert found == [(file, line_of("faults_test.cpp", m)) for m in ("[race]", "[overrun]")]
    assert [d.code for d in overrunning.diagnostics] == ["GM_OVERRUN"]
    assert correct.diagnostics == ()
    assert re.search(r"faults_test\.cpp:\d+: error: .*\[GM_OVERRUN, overrunning on aiv1\]", result.errors)


@pytest.mark.slow
def test_a_matmul_object_takes_a_tiling_that_the_same_program_makes(
    twin: TwinToolchain, tmp_path: Path
) -> None:
    result = run_test(twin, tmp_path, "matmul_test.cpp", "matmul_tiling.cpp")
    assert result.passed, result
    assert re.search(r"[1-9]\d* bytes of tiling, 0 wrong", result.output)


def test_a_kernel_that_does_not_end_is_told_at_its_line(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "endless_test.cpp"
    source.write_text(
        '#include "tikicpulib.h"\n'
        'extern "C" __global__ __aicore__ void endless(GM_ADDR x)\n{\n'
        "    while (true) {\n        AscendC::PipeBarrier<PIPE_ALL>();\n    }\n}\n"
        "int main() { AscendC::SetKernelMode(KernelMode::AIV_MODE); ICPU_RUN_KF(endless, 1, nullptr); return 0; }\n"
    )
    test = UnitTest(sources=(source,), folder=tmp_path)
    result = run_unit_test(test, twin.runtime, twin.chip_file, tmp_path / "build", timeout_s=1.5)
    assert not result.passed
    (found,) = result.kernels[0].diagnostics
    assert (found.code, found.line) == ("TIMEOUT", 5)


def test_a_test_that_does_not_build_says_where(twin: TwinToolchain, tmp_path: Path) -> None:
    source = tmp_path / "broken_test.cpp"
    source.write_text('#include "tikicpulib.h"\nint main() { ICPU_RUN_KF(no_such_kernel, 1, nullptr); }\n')
    test = UnitTest(sources=(source,), folder=tmp_path)
    result = run_unit_test(test, twin.runtime, twin.chip_file, tmp_path / "build")
    assert (result.passed, result.built) == (False, False)
    assert result.diagnostics[0].line == 2
    assert "no_such_kernel" in result.diagnostics[0].text


def test_the_program_has_no_files_beyond_its_folder(twin: TwinToolchain, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    source = inside / "reading_test.cpp"
    source.write_text(
        "#include <fstream>\n#include <iostream>\n"
        '#include "tikicpulib.h"\n'
        f'int main() {{ std::string s = "nothing"; std::ifstream("{outside}") >> s; std::cout << s; }}\n'
    )
    test = UnitTest(sources=(source,), folder=inside)
    result = run_unit_test(test, twin.runtime, twin.chip_file, inside / "build")
    assert (result.passed, result.output) == (True, "nothing")


def test_one_compiler_line_serves_without_akgen(twin: TwinToolchain, tmp_path: Path) -> None:
    flags = unit_flags(twin.runtime, twin.chip_file)
    sources = [HERE / "add_test.cpp", HERE / "add_custom.cpp"]
    built = run([twin.runtime.compiler.path, *sources, *flags, "-o", "t"], cwd=tmp_path, timeout_s=120)
    assert built.ok, built.err
    assert run([tmp_path / "t"], cwd=tmp_path, timeout_s=60).out == "0 elements of 16384 are wrong\n"


@pytest.mark.skipif(shutil.which("g++") is None or not Path("/usr/include/gtest/gtest.h").is_file(),
                    reason="no gtest on this machine")  # fmt: skip
def test_with_gtest_a_fault_fails_its_case(twin: TwinToolchain, tmp_path: Path) -> None:
    result = run_test(twin, tmp_path, "gtest_test.cpp", options=("-lgtest", "-lgtest_main"))
    assert not result.passed
    assert "[       OK ] Copy.fits" in result.output
    assert "[  FAILED  ] Copy.reaches_too_far" in result.output
