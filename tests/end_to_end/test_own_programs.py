"""What people have already runs on the twin from the command line: CPU unit tests, scripts with their bindings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from akgen.tools.cann.trial import PROJECT as KNOWN_GOOD

Akgen = Callable[..., Any]
TESTS = Path(__file__).parents[1]
UNIT = TESTS / "twin" / "unit"


def test_a_unit_test_passes(akgen: Akgen, tmp_path: Path) -> None:
    sources = [str(UNIT / n) for n in ("add_test.cpp", "add_custom.cpp")]
    ended = akgen("unit", *sources, "--folder", str(tmp_path), "--json")
    assert ended.code == 0, ended.err
    assert [(k["kernel"], k["diagnostics"]) for k in ended.document["kernels"]] == [("add_custom", [])]
    assert "0 elements of 16384 are wrong" in ended.document["output"]


def test_a_unit_test_with_a_fault_fails_although_it_says_that_it_passes(akgen: Akgen, tmp_path: Path) -> None:
    ended = akgen("unit", str(UNIT / "faults_test.cpp"), "--folder", str(tmp_path))
    assert ended.code == 1
    assert "main ends well" in ended.out
    assert "the test fails (status 1)" in ended.out
    assert "faults_test.cpp:19: error:" in ended.err


def test_a_unit_test_that_is_not_there_is_bad_input(akgen: Akgen) -> None:
    assert akgen("unit", "no_such_test.cpp").code == 2


def test_the_compiler_line_is_one_line(akgen: Akgen) -> None:
    ended = akgen("twin-flags")
    assert ended.code == 0
    assert ended.out.startswith("-std=c++17 ") and ended.out.count("\n") == 1
    assert "-lakgen_twin_unit" in ended.out.split()


def test_a_script_calls_its_operators_through_its_own_binding(akgen: Akgen, tmp_path: Path) -> None:
    script = tmp_path / "check.py"
    script.write_text(
        "import sys, torch, kernel_gen_ops\n"
        "x = torch.randn(100, 100)\n"
        "y = kernel_gen_ops.scale_add(x, x, float(sys.argv[1]))\n"
        "print('same' if torch.equal(y, x + 3 * x) else 'other')\n"
    )
    binding, project = TESTS / "tools" / "binding" / "ops.cpp", KNOWN_GOOD
    ended = akgen("torch", str(script), "3", "--binding", str(binding), "--project", str(project))
    assert ended.code == 0, ended.err
    assert "same\n" in ended.out
    assert "ScaleAdd: " in ended.out
