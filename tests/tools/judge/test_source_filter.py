"""The text filter finds what no kernel needs and leaves honest sources alone."""

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.judge.source_filter import MOST_CHARACTERS, blank, look
from tests.sampled import sampled

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
    ("code", "header", "line"),
    [
        ("SOURCE_INLINE_ASM", "#define V volatile", 'void f() { asm V("nop"); }'),
        ("SOURCE_INLINE_ASM", "#define E\n#define ASM asm", 'void f() { ASM E("nop"); }'),
        ("SOURCE_INLINE_ASM", "#define V no\n#undef V\n#define V volatile", 'void f() { asm V("nop"); }'),
        ("SOURCE_SIMULATOR", "#define A akgen\n#define T twin", "void f() { A::T::keep_shape(0, 0); }"),
        ("SOURCE_SIMULATOR", "#define B akgen::T\n#define T twin", "void f() { B::keep_shape(0, 0); }"),
        ("SOURCE_SYSTEM_CALL", "#define CALL syscall\n#define GO CALL", "long f() { return GO(57); }"),
        ("SOURCE_CONSTRUCTOR", '#define S ".init_array"', "__attribute__((section(S))) void *f = 0;"),
    ],
)  # fmt: skip
def test_a_word_behind_a_macro_is_found_at_its_use(code: str, header: str, line: str) -> None:
    outcome, findings = look(project(HONEST + "\n\n" + line + "\n", **{"op_kernel/names.h": header}))
    assert outcome == Outcome.CHEAT
    at = HONEST.count("\n") + 3
    assert any((f.code, f.file, f.line) == (code, "op_kernel/add.cpp", at) for f in findings), findings


@pytest.mark.parametrize("name", ["evil.ipp", "evil", "evil.cuh", "evil.txt", "evil.md"])
@pytest.mark.parametrize(
    "include", ['#include "inner/{}"', "#/**/inclu\\\nde <{}>", "#define M <{}>\n#include M"]
)
def test_what_is_included_is_looked_at_whatever_it_is_called(name: str, include: str) -> None:
    kernel = HONEST + include.format(name) + "\n"
    outcome, findings = look(project(kernel, **{f"op_kernel/inner/{name}": '\nvoid f() { asm("nop"); }\n'}))
    assert outcome == Outcome.CHEAT
    assert [(f.code, f.file, f.line) for f in findings] == [
        ("SOURCE_INLINE_ASM", f"op_kernel/inner/{name}", 2)
    ]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("SOURCE_INLINE_ASM", 'void f() { as??/\nm("nop"); }'),
        ("SOURCE_FOREIGN_INCLUDE", '??=include "/etc/passwd"'),
        ("SOURCE_INLINE_ASM", '// is it??/\nvoid f() { asm("nop"); }'),  # a comment of one line, or of two
    ],
)
def test_trigraphs_are_read_as_the_host_codes_standard_does_and_as_later_ones(code: str, line: str) -> None:
    outcome, findings = look(project(HONEST + line + "\n"))
    assert outcome == Outcome.CHEAT and [f.code for f in findings] == [code]
    asked = HONEST + 'const char *text = "what??!";\n'
    assert look(project(asked)) == (None, ())


def test_a_direct_files_host_part_may_call_libraries_but_nothing_assembles() -> None:
    host = "#include <torch/extension.h>\nvoid launch_add() { at::empty(1); aclnnAdd(1); }\n"
    direct = KernelProject(op_type="Add", kernel="add", files={"op_kernel/add.asc": host})
    assert look(direct) == (None, ())
    for line in ('void f() { asm("nop"); }', "void f() { akgen::twin::x(); }"):
        attack = direct.model_copy(update={"files": {"op_kernel/add.asc": host + line}})
        assert look(attack)[0] == Outcome.CHEAT


def test_what_is_not_code_is_not_looked_at() -> None:
    told = "# How it works\nasm(nop) is not used; akgen::twin is the simulator.\n"
    assert look(project(**{"op_kernel/README.md": told, "CMakeLists.txt": told})) == (None, ())


def test_a_macro_that_no_forbidden_word_stands_behind_is_no_finding() -> None:
    header = "#define MMAP mapped\n#define V volatile\n#define TWICE(x) x x\n"
    header += "namespace my { int mmap(int n) { return n; } }"
    kernel = HONEST + "V int asm_count = 0;\nint section = my::mmap(MMAP);\n"
    assert look(project(kernel, **{"op_kernel/names.h": header})) == (None, ())


def test_macros_that_grow_without_end_take_no_time() -> None:
    doubled = "\n".join(f"#define A{n} A{n + 1} A{n + 1}" for n in range(64)) + "\n#define A64 section\n"
    assert (
        look(project(HONEST + doubled + "int x = A0;\n#define L L2\n#define L2 L\nint y = L;\n"))[0] is None
    )


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("SOURCE_INLINE_ASM", 'void f() { asm volatile("syscall"); }'),
        ("SOURCE_INLINE_ASM", '__asm__(".incbin \\"/etc/passwd\\"");'),
        ("SOURCE_INLINE_ASM", 'void f() { as\\\nm("int3"); }'),
        ("SOURCE_CONSTRUCTOR", "__attribute__((constructor)) void f() {}"),
        ("SOURCE_CONSTRUCTOR", "__attribute__((__constructor__)) void f() {}"),
        ("SOURCE_CONSTRUCTOR", "__attribute__((__destructor__(101))) void f() {}"),
        ("SOURCE_CONSTRUCTOR", "[[gnu::constructor]] void f() {}"),
        ("SOURCE_CONSTRUCTOR", "[[gnu::__constructor__]] void f() {}"),
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
        ("SOURCE_FOREIGN_INCLUDE", '#/* */include /* */ "/etc/passwd"'),
        ("SOURCE_SYSTEM_CALL", "long f() { return syscall/* */(57); }"),
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


@pytest.mark.parametrize(
    "path",
    ["../evil.cpp", "op_kernel/../../evil.cpp", "/tmp/evil.cpp", "op_kernel/-o x.cpp", "op_host/a\nb.h", ""],
)
def test_a_path_that_leaves_the_project_is_a_cheat(path: str) -> None:
    outcome, findings = look(project(**{path: "int x;"}))
    assert outcome == Outcome.CHEAT
    assert findings[0].code == "SOURCE_PATH"


def test_a_project_beyond_all_measure_is_refused() -> None:
    outcome, findings = look(project(**{"op_kernel/big.inc": "x" * 9_000_000}))
    assert outcome == Outcome.COMPILE_ERROR
    assert findings[0].code == "SOURCE_SIZE"


@pytest.mark.parametrize(
    "piece", sampled(['R"(', "/*", '\\"', "'", '"', "//", "\\\n", '#include "', "(("], 2)
)
def test_a_text_made_to_be_slow_is_read_in_one_pass(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert len(blank(text)) == len(text)  # quadratic work would take minutes
    look(project(kernel='asm #include "/' + text))


def test_literals_and_comments_are_blanked_and_nothing_else() -> None:
    source = "a 1'000'000 u8'x' \"b//c\" R\"d(e\"f)d\" /*g\nh*/ i //j\n'\\'' k \"open\nl"
    assert blank(source).split() == ["a", "1'000'000", "u8", "i", "k", "l"]
    assert blank(source).count("\n") == source.count("\n")
    assert len(blank(source)) == len(source)
    assert '"b//c"' in blank(source, strings=False)


@pytest.mark.parametrize(
    ("files", "code", "remedy"),
    [
        ({"../x.cpp": ""}, "SOURCE_PATH", "Use relative paths below op_host and op_kernel"),
        (
            {"op_kernel/x.cpp": " " * (MOST_CHARACTERS + 1)},
            "SOURCE_SIZE",
            "Keep to the operator's own sources.",
        ),
    ],
)
def test_a_finding_on_the_project_is_of_the_compile_stage_and_has_a_remedy(
    files: dict[str, str], code: str, remedy: str
) -> None:
    _, (found,) = look(KernelProject(op_type="X", kernel="x", files=files))
    assert (found.code, found.stage) == (code, "compile")
    assert found.remedy is not None and found.remedy.startswith(remedy)
