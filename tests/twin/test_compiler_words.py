"""g++ and clang++ say the same in different words; the findings are the same."""

import shutil
from pathlib import Path

import pytest

from akgen.tools.process.program import run
from akgen.tools.twin.compiler import find_compiler
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.diagnostics import explain
from akgen.tools.twin.settings import TwinSettings
from tests.twin.compilers import CLANG, NEEDS_CLANG

DECLARED = """#define EACH(v) v
struct Tile { int size; void Set(int v); };
template <class T> struct Tensor { T value; void Put(const Tensor<T> &); };
template <class T> void Sum(const Tensor<T> &, const Tensor<T> &, int);
template <class T> void Sum(const Tensor<T> &, int);
enum class Mode { slow, fast };
namespace Api { void Go(int); }
void Move(int, int);
template <int N> void Check() { static_assert(N < 4, "AKGEN:DTYPE_UNSUPPORTED: Check takes less."); }
void f(Tile p, Tensor<float> x, Tensor<int> y, float number, const char *text, int *at)
{
"""
LINE = DECLARED.count("\n") + 1
ASSERTED = DECLARED[: DECLARED.index("static_assert")].count("\n") + 1


@pytest.mark.parametrize(
    "compiler",
    [
        pytest.param(
            "g++",
            marks=pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++: `apt install g++`"),
        ),
        pytest.param(CLANG, id="clang++", marks=NEEDS_CLANG),
    ],
)
@pytest.mark.parametrize(
    ("statement", "code", "part"),
    [
        ("Sum(x);", "WRONG_ARITY", "Sum takes 2 or 3 arguments, 1 are given"),
        ("Sum(x, y, 1);", "WRONG_ARGUMENTS", "No form of Sum takes these arguments"),
        ("Sum(x, 1.0f, 1);", "WRONG_ARGUMENTS", "No form of Sum takes these arguments"),
        ("Move(1);", "WRONG_ARITY", "Move"),
        ("p.Set(1, 2);", "WRONG_ARITY", "Set"),
        ("Api::Went(1);", "UNKNOWN_API", "Went: no such API"),
        ("p.length = 1;", "UNKNOWN_MEMBER", "Tile has no member length"),
        ("Tide q;", "UNKNOWN_API", "Tide: no such API"),
        ("using namespace Apis;", "UNKNOWN_API", "Apis: no such API"),
        ("count = 1;", "UNDECLARED", "count is not declared"),
        ("int k = text;", "TYPE_MISMATCH", "invalid conversion from 'const char*' to 'int'"),
        ("at = number;", "TYPE_MISMATCH", "cannot convert"),
        ("float z = p;", "TYPE_MISMATCH", "'Tile' to"),
        ("x.Put(y);", "TYPE_MISMATCH", "Tensor<int>"),
        ("x + y;", "TYPE_MISMATCH", "Tensor<float>"),
        ("int k = static_cast<int>(text);", "TYPE_MISMATCH", "invalid"),
        ("int k[2] = {number, 1};", "TYPE_MISMATCH", "narrowed to int inside braces"),
        ("Check<5>();", "DTYPE_UNSUPPORTED", "Check takes less."),
        ("int k = 12abc;", "SYNTAX", "starts with a digit"),
        ("int k = ;", "SYNTAX", "expected"),
        ("int k; int k;", "REDEFINITION", "k is defined twice"),
        ("EACH(p.size;", "SYNTAX", "parenthesis that EACH opens"),
        ('#include "no_such.h"', "INCLUDE_MISSING", "no_such.h does not exist"),
    ],
)
def test_a_fault_has_one_code_whatever_the_compiler_says(
    compiler: str, statement: str, code: str, part: str, tmp_path: Path
) -> None:
    found = find_compiler(TwinSettings(cache=tmp_path, compiler=compiler))
    text = f"{DECLARED}{statement}\n}}\n"
    (tmp_path / "kernel.cpp").write_text(text)
    options = ("-std=c++17", "-fsyntax-only", "-Werror=narrowing", *found.brief)
    ended = run([found.path, *options, "kernel.cpp"], cwd=tmp_path, timeout_s=60)
    finding = explain(ended.err, Code(side="device", files={"kernel.cpp": text}))[0]
    assert finding.code == code, (ended.err, finding)
    assert part in finding.text.replace("‘", "'").replace("’", "'").replace("char *", "char*")
    assert finding.line == (ASSERTED if code == "DTYPE_UNSUPPORTED" else LINE)


@pytest.mark.parametrize("compiler", ["g++", pytest.param(CLANG, id="clang++", marks=NEEDS_CLANG)])
def test_a_brace_that_is_never_closed_is_told_where_it_is_missed(compiler: str, tmp_path: Path) -> None:
    text = "void f()\n{\n    if (true) {\n        f();\n}\nvoid g() {}\n"
    (tmp_path / "kernel.cpp").write_text(text)
    found = find_compiler(TwinSettings(cache=tmp_path, compiler=compiler))
    ended = run(
        [found.path, "-std=c++17", "-fsyntax-only", *found.brief, "kernel.cpp"], cwd=tmp_path, timeout_s=60
    )
    finding = explain(ended.err, Code(side="device", files={"kernel.cpp": text}))[0]
    assert (finding.code, finding.line) == ("SYNTAX", 6), ended.err


@pytest.mark.parametrize(
    ("call", "types", "remedy"),
    [
        ("Ceil(n, 8)", "int32_t&, int", "(a + b - 1) / b"),
        ("Min(n, m)", "const uint32_t&, uint32_t&", "a < b ? a : b"),
    ],
)
def test_an_instruction_on_numbers_alone_is_told_what_plain_cpp_has(
    call: str, types: str, remedy: str
) -> None:
    text = f"void f()\n{{\n    auto k = {call};\n}}\n"
    name = call.split("(")[0]
    said = (
        f"kernel.cpp:3:14: error: no matching function for call to ‘{name}({types})’\n"
        "kernel.cpp:3:14: note:   mismatched types ‘const LocalTensor<T>’ and ‘int32_t’ {aka ‘int’}\n"
    )
    finding = explain(said, Code(side="device", files={"kernel.cpp": text}))[0]
    assert finding.code == "WRONG_ARGUMENTS" and "has numbers only" in finding.text
    assert remedy in str(finding.remedy)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        (
            "the address of ‘cfg’ is not a valid template argument because it does not have static storage duration",
            "Declare cfg static constexpr",
        ),
        ("the value of ‘rows’ is not usable in a constant expression", "Make rows constexpr"),
        ("‘rows’ is not a constant expression", "TILING_KEY_IS"),
    ],
)
def test_what_must_be_constant_is_told_how_it_becomes_one(said: str, remedy: str) -> None:
    finding = explain(f"kernel.cpp:1:3: error: {said}\n", Code(side="device", files={"kernel.cpp": "a;\n"}))[
        0
    ]
    assert finding.code == "WRONG_ARGUMENTS" and remedy in str(finding.remedy)
