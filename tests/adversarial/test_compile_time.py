"""The compiler is an attack surface: what it may read, and how much it may use."""

from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict

Codes = Callable[[Verdict], set[str]]


def leaks(verdict: Verdict, secret: str) -> bool:
    return secret in verdict.model_dump_json()


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.CHEAT, '#include "/etc/passwd"'),
        (Outcome.CHEAT, '#include "../../../../../../../../etc/passwd"'),
        (Outcome.CHEAT, 'asm(".incbin \\"/etc/passwd\\"");'),
        # What the text filter cannot see, the compiler's sandbox stops.
        (Outcome.COMPILE_ERROR, '#define P "/etc/passwd"\n#include P'),
        (Outcome.COMPILE_ERROR, "#define P </proc/self/environ>\n#include P"),
        (
            Outcome.COMPILE_ERROR,
            '#define P(a, b) a##b\n#define G P(as, m)\nG(".incb" "in \\"/etc/passwd\\"");',
        ),
    ],
)
@pytest.mark.parametrize("place", ["kernel", "host"])
def test_files_of_the_machine_cannot_be_compiled_in(
    court: Any, outcome: Outcome, line: str, place: str
) -> None:
    path = f"op_{place}/scale_shift.cpp"
    verdict = court.files({path: line + "\n" + court.honest.files[path]})
    assert verdict.outcome == outcome
    assert not leaks(verdict, "root:")


PULLED_IN = (
    '#define P "/etc/passwd"\n#include P',
    "#define P </proc/self/environ>\n#include P",
    '#define P "../../../../../../../../../../../../etc/passwd"\n#include P',
    '#define P(a, b) a##b\n#define G P(as, m)\nG(".incb" "in \\"/etc/passwd\\"");',
    '#define P(a, b) a##b\n#define G P(as, m)\nG(".incl" "ude \\"/etc/passwd\\"");',
    '#define P "/etc/passwd"\nconstexpr const char *text =\n#include P\n;',
)


@pytest.mark.parametrize("line", PULLED_IN)
@pytest.mark.parametrize("place", ["kernel", "host"])
def test_without_landlock_what_the_compiler_read_decides(old_kernel: Any, line: str, place: str) -> None:
    path = f"op_{place}/scale_shift.cpp"
    verdict = old_kernel.files({path: line + "\n" + old_kernel.honest.files[path]})
    assert verdict.outcome == Outcome.COMPILE_ERROR
    assert not leaks(verdict, "root:x") and not leaks(verdict, "PATH=")


def test_without_landlock_honest_code_compiles_and_errors_keep_their_places(old_kernel: Any) -> None:
    assert old_kernel.kernel().outcome == Outcome.CORRECT
    verdict = old_kernel.kernel(entry="undeclared_name = 1;")
    assert verdict.outcome == Outcome.COMPILE_ERROR
    assert {(d.code, d.file) for d in verdict.diagnostics} == {("UNDECLARED", "op_kernel/scale_shift.cpp")}


@pytest.mark.parametrize("machine", ["court", "old_kernel"])
def test_the_reference_cannot_be_compiled_in(request: Any, machine: str) -> None:  # cheat 33
    court = request.getfixturevalue(machine)
    path = court.task.reference.path
    text = f'#define P "{path}"\n#include P\n' + court.honest.files["op_kernel/scale_shift.cpp"]
    verdict = court.files({"op_kernel/scale_shift.cpp": text})
    assert verdict.outcome == Outcome.COMPILE_ERROR
    assert not leaks(verdict, "torch.randn")


@pytest.mark.parametrize(
    "top",
    [
        "#include __FILE__",
        "template <int N> struct D { static constexpr int v = D<N + 1>::v; }; int d = D<0>::v;",
        "template <class T> struct R { R<R<T>> *p; auto f() { return p->f(); } }; auto r(R<int> x) { return x.f(); }",
        "constexpr int spin(int n) { int s = 0; while (true) { s += n; } return s; } constexpr int v = spin(1);",
        "static volatile char big[3ll << 30] = {1};",
    ],
)  # fmt: skip
def test_bombs_end_at_the_limits(court: Any, top: str) -> None:
    verdict = court.kernel(top=top)
    assert verdict.outcome == Outcome.COMPILE_ERROR
    assert verdict.diagnostics


def test_a_project_cannot_write_outside_its_folder(court: Any) -> None:
    verdict = court.files(
        {"CMakeLists.txt": "add_ops_compile_options(ALL OPTIONS -o/tmp/akgen-escaped -DX=1)"}
    )
    assert verdict.outcome == Outcome.CORRECT  # of the options only definitions are taken


def test_finished_operators_are_refused(court: Any, codes: Codes) -> None:  # cheat 1
    entry = "aclnnAddGetWorkspaceSize(x, y);"
    verdict = court.kernel(top='extern "C" int aclnnAddGetWorkspaceSize(GM_ADDR, GM_ADDR);', entry=entry)
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) == {"SOURCE_LIBRARY_CALL"}
