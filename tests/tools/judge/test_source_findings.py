"""What the text filter tells of a finding: code, words, remedy, file and line, and which findings decide."""

import pytest

from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.judge.source_filter import MOST_CHARACTERS, look

KERNEL, HOST = "op_kernel/x.cpp", "op_host/x.cpp"
WRITE_IT = "Write the operator itself with Ascend C instructions."


def looked(files: dict[str, str]) -> tuple[Outcome | None, tuple[Diagnostic, ...]]:
    return look(KernelProject(op_type="X", kernel="x", files=files))


@pytest.mark.parametrize(
    ("file", "line", "code", "text", "remedy"),
    [
        (
            KERNEL, 'asm("nop");', "SOURCE_INLINE_ASM", "inline assembly: asm",
            "Write the operation with Ascend C instructions.",
        ),
        (
            HOST, "__attribute__ ((__constructor__)) void f();", "SOURCE_CONSTRUCTOR",
            "code that runs when the kernel is loaded: __attribute__ ((__constructor__",
            "Do the work inside the kernel's entry function.",
        ),
        (
            HOST, "long f() { return mmap\t (0); }", "SOURCE_SYSTEM_CALL", "a call of the operating system: mmap (",
            "A kernel computes; leave the system out.",
        ),
        (KERNEL, "aclnnAdd(x);", "SOURCE_LIBRARY_CALL", "a finished operator of a library: aclnnAdd", WRITE_IT),
        (
            HOST, "auto y = at::add (x);", "SOURCE_LIBRARY_CALL", "a finished operator of a library: at::add (",
            "The host code computes the tiling only.",
        ),
    ],
)  # fmt: skip
def test_a_forbidden_word_is_told_with_its_place_and_a_remedy(
    file: str, line: str, code: str, text: str, remedy: str
) -> None:
    outcome, found = looked({file: f"int a;\nint b;\n  {line}\n"})
    said = f"The source holds {text}"
    assert outcome == Outcome.CHEAT
    assert found == (
        Diagnostic(code=code, text=said, file=file, line=3, remedy=remedy, stage="compile"),
    )  # fmt: skip


def test_a_long_word_is_shown_by_its_first_forty_characters() -> None:
    _, (found,) = looked({KERNEL: f"aclnn{'A' * 60}(x);"})
    assert found.text == f"The source holds a finished operator of a library: aclnn{'A' * 35}"


def test_every_rule_that_a_file_breaks_is_told_once() -> None:
    _, found = looked({KERNEL: "asm(a);\nasm(b);\ndlopen(c);\naclnnAdd(d);\n"})
    assert [(d.code, d.line) for d in found] == [
        ("SOURCE_INLINE_ASM", 1), ("SOURCE_SYSTEM_CALL", 3), ("SOURCE_LIBRARY_CALL", 4),
    ]  # fmt: skip


def test_all_files_are_looked_at_in_the_order_of_their_names() -> None:
    _, found = looked({"op_kernel/b.h": "asm(a);", "op_kernel/a.h": "x", "op_host/c.cc": "\nasm(c);"})
    assert [(d.file, d.line) for d in found] == [("op_host/c.cc", 2), ("op_kernel/b.h", 1)]


@pytest.mark.parametrize("suffix", [".cpp", ".cc", ".h", ".hpp", ".inc"])
def test_every_kind_of_source_is_looked_at(suffix: str) -> None:
    assert looked({f"op_kernel/x{suffix}": "asm(a);"})[0] == Outcome.CHEAT


def test_what_is_no_source_is_not_looked_at_and_hides_no_source_behind_it() -> None:
    assert looked({"op_host/notes.txt": "asm(a);"}) == (None, ())
    assert looked({"op_host/notes.txt": "asm(a);", KERNEL: "asm(a);"})[0] == Outcome.CHEAT


def test_a_line_is_counted_as_it_stands_in_the_file_splices_included() -> None:
    _, found = looked({KERNEL: "int a\\\n;\nint \\\r\nb;\nas\\\nm(c);\n"})
    assert [d.line for d in found] == [5]
    _, found = looked({KERNEL: "asm(c);\nint a\\\n;\n"})
    assert [d.line for d in found] == [1]


def test_a_splice_just_before_a_word_belongs_to_its_line() -> None:
    _, (found,) = looked({KERNEL: "int a; \\\nasm(c);\n"})
    assert found.line == 2


# Includes


def test_an_include_from_outside_is_told_with_its_name_and_line() -> None:
    outcome, found = looked({KERNEL: '\n#include "in.h"\n#include "/etc/passwd"\n'})
    assert outcome == Outcome.CHEAT
    assert found == (
        Diagnostic(
            code="SOURCE_FOREIGN_INCLUDE",
            text="The included file /etc/passwd lies outside the project.",
            file=KERNEL,
            line=3,
            remedy="Include the vendor's headers and files of the project only.",
            stage="compile",
        ),
    )


def test_a_host_header_in_device_code_is_told_as_such() -> None:
    outcome, found = looked({KERNEL: "#include <sys/mman.h>\n#include <torch/extension.h>\n"})
    assert outcome == Outcome.COMPILE_ERROR
    assert [(d.text, d.line) for d in found] == [
        ("The included file sys/mman.h is not for device code.", 1),
        ("The included file torch/extension.h is not for device code.", 2),
    ]


@pytest.mark.parametrize(
    ("file", "name", "outcome"),
    [
        (HOST, "unistd.h", None),
        ("op_kernel/in/a.h", "../../b.h", None),
        ("op_kernel/in/a.h", "../../../b.h", Outcome.CHEAT),
        ("a.h", "../b.h", Outcome.CHEAT),
        (KERNEL, "a/../../op_kernel/b.h", None),
        (KERNEL, "b..h", None),
        (KERNEL, "my_torch/unistd.h", None),
    ],
)
def test_a_path_in_an_include_may_go_up_inside_the_project(
    file: str, name: str, outcome: Outcome | None
) -> None:
    assert looked({file: f'#include "{name}"\n'})[0] == outcome


def test_what_is_included_in_a_comment_or_a_text_is_not_included() -> None:
    commented = '/*\n#include "/etc/passwd"\n*/\n// x\n'
    assert looked({KERNEL: commented}) == (None, ())


def test_cheats_are_told_before_what_does_not_compile() -> None:
    outcome, found = looked({KERNEL: "#include <unistd.h>\n", "op_kernel/y.h": "asm(a);\n"})
    assert outcome == Outcome.CHEAT
    assert [d.code for d in found] == ["SOURCE_INLINE_ASM", "SOURCE_FOREIGN_INCLUDE"]


# The project as a whole


def test_a_project_of_just_the_most_characters_is_looked_at() -> None:
    half = " " * (MOST_CHARACTERS // 2)
    assert looked({KERNEL: half, HOST: half}) == (None, ())
    assert looked({KERNEL: half, HOST: half + " "}) == (
        Outcome.COMPILE_ERROR,
        (
            Diagnostic(
                code="SOURCE_SIZE",
                text="The project holds more than 8000000 characters.",
                remedy="Keep to the operator's own sources.",
                stage="compile",
            ),
        ),
    )


def test_every_bad_path_is_told_by_its_first_hundred_characters() -> None:
    long = "a b" * 50
    outcome, found = looked({long: "asm(a);", "../x.h": "", KERNEL: "asm(a);"})
    assert outcome == Outcome.CHEAT
    assert [(d.code, d.text) for d in found] == [
        ("SOURCE_PATH", "A file of the project is called '../x.h'."),
        ("SOURCE_PATH", f"A file of the project is called {long[:100]!r}."),
    ]


@pytest.mark.parametrize(
    ("path", "good"), [("op_kernel/a..b.h", True), ("op_kernel/..", False), ("a/./b.h", True)]
)
def test_only_a_path_with_two_dots_for_a_folder_leaves_the_project(path: str, good: bool) -> None:
    assert (looked({path: ""})[0] is None) is good
