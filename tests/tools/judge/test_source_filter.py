"""The text filter finds what no kernel needs and leaves honest sources alone."""

import pytest

from akgen.tools.judge.source_filter import look
from akgen.tools.outcome import Outcome
from akgen.tools.project import KernelProject

HONEST = """
#include "kernel_operator.h"
#include <type_traits>
#include "inner/add_base.h"
// asm is not used here; #include "/etc/passwd" neither
/* aclnnAdd */
const char *text = "syscall(asm) \\" asm";
extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t) {
    int opened = 0; /* open( */ (void)opened;
}
"""


def project(kernel: str = HONEST, host: str = "", **more: str) -> KernelProject:
    files = {"op_kernel/add.cpp": kernel, "op_host/add.cpp": host, **more}
    return KernelProject(op_type="Add", kernel="add", files=files)


def test_an_honest_project_passes() -> None:
    assert look(project()) == (None, ())
    inner = '#include "../add_tiling.h"\n'
    assert look(project(**{"op_kernel/inner/add_base.h": inner})) == (None, ())


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("SOURCE_INLINE_ASM", 'void f() { asm volatile("syscall"); }'),
        ("SOURCE_INLINE_ASM", '__asm__(".incbin \\"/etc/passwd\\"");'),
        ("SOURCE_INLINE_ASM", 'void f() { as\\\nm("int3"); }'),
        ("SOURCE_CONSTRUCTOR", "__attribute__((constructor)) void f() {}"),
        ("SOURCE_CONSTRUCTOR", "[[gnu::constructor]] void f() {}"),
        ("SOURCE_SYSTEM_CALL", "long f() { return syscall(57); }"),
        ("SOURCE_SYSTEM_CALL", 'void *f() { return dlopen("libc.so.6", 1); }'),
        ("SOURCE_LIBRARY_CALL", "int f() { return aclnnAddGetWorkspaceSize(0); }"),
        ("SOURCE_LIBRARY_CALL", "auto f() { return at::native::add(x, y); }"),
        ("SOURCE_LIBRARY_CALL", "void f() { EXEC_NPU_CMD(aclnnAdd, x, y); }"),
        ("SOURCE_FOREIGN_INCLUDE", '#include "/etc/passwd"'),
        ("SOURCE_FOREIGN_INCLUDE", '  #  include </proc/self/environ>'),
        ("SOURCE_FOREIGN_INCLUDE", '#include "../../secret.h"'),
        ("SOURCE_FOREIGN_INCLUDE", '#inc\\\nlude "/etc/passwd"'),
        ("SOURCE_FOREIGN_INCLUDE", '#embed "/etc/passwd"'),
    ],
)  # fmt: skip
def test_an_attack_is_a_cheat_with_its_line(code: str, line: str) -> None:
    outcome, findings = look(project(HONEST + "\n\n" + line + "\n"))
    assert outcome == Outcome.CHEAT
    assert findings[0].code == code
    assert findings[0].file == "op_kernel/add.cpp"
    assert findings[0].line is not None
    assert abs(findings[0].line - (HONEST.count("\n") + 3)) <= 1
    assert findings[0].remedy


def test_a_host_header_in_a_kernel_is_a_compile_error() -> None:
    outcome, findings = look(project(HONEST + "#include <unistd.h>\n"))
    assert outcome == Outcome.COMPILE_ERROR
    assert findings[0].code == "SOURCE_FOREIGN_INCLUDE"


def test_host_code_may_name_what_device_code_may_not() -> None:
    host = "#include <vector>\n// wraps aclnnAdd\nint aclnnAddGetWorkspaceSize(int);\n"
    assert look(project(host=host)) == (None, ())
