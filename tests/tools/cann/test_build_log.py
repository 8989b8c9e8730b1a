"""The first real error of a build's log. The samples are written after the forms of g++, clang, ld, CMake and opc."""

import pytest

from akgen.tools.cann.build_log import first_error, origin_of
from akgen.tools.core.outcome import InfraError

NAMES = origin_of(
    {"op_kernel/add_h12.cpp": "op_kernel/add.cpp", "op_host/add_h12.cpp": "op_host/add.cpp"},
    {"AddH12": "Add", "add_h12": "add"},
)


@pytest.mark.parametrize(
    ("log", "text", "place"),
    [
        (
            "cmake\n/x/op_kernel/a.cpp:12:3: error: no such name\nmake: *** failed",
            "no such name",
            ("a.cpp", 12),
        ),
        ("cmake\nno space left\n\n", "no space left", (None, None)),
        ("", "the build left no package", (None, None)),
    ],
)
def test_a_failed_build_is_told_by_its_first_error(
    log: str, text: str, place: tuple[str | None, int | None]
) -> None:
    found = first_error(log)
    assert (found.code, found.text, (found.file, found.line)) == ("BUILD_FAILED", text, place)


@pytest.mark.parametrize(
    ("log", "code", "place"),
    [
        # two folders have files of one name
        ("/w/op_host/add_h12.cpp:7:1: error: expected ';' before 'int'", "SYNTAX", ("op_host/add.cpp", 7)),
        ("[ERROR] opc: /w/op_kernel/add_h12.cpp:9:4: error: no matching function for call to 'DataCopy'",
         "WRONG_ARGUMENTS", ("op_kernel/add.cpp", 9)),
        # an error inside a header of CANN is placed where the candidate's code led there
        ("/cann/include/kernel_operator.h:300:5: error: static assertion failed: type\n"
         "/w/op_kernel/add_h12.cpp:21:9: note: in instantiation of function template",
         "BUILD_FAILED", ("op_kernel/add.cpp", 21)),
        ("a warning\nld.lld: error: undefined symbol: add_h12_helper(int)\n", "LINK", (None, None)),
        ("/usr/bin/ld: cannot find -lmine\ncollect2: error: ld returned 1 exit status", "LINK", (None, None)),
        ("[ERROR] opc compile AddH12_0 failed", "BUILD_FAILED", (None, None)),
    ],
)  # fmt: skip
def test_a_phase_tells_its_own_error_under_the_candidates_names(
    log: str, code: str, place: tuple[str | None, int | None]
) -> None:
    found = first_error(log, NAMES)
    assert (found.code, (found.file, found.line)) == (code, place)
    assert "h12" not in found.text.lower()


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("CMake 3.18 or higher is required.  You are running version 3.10", "Install cmake"),
        ("opc: error while loading shared libraries: libc_sec.so: cannot open", "set_env.sh"),
        ("/usr/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by opbuild)", "libstdc"),
        (
            "/w/op_host/a.cpp:1:1: fatal error: error writing to /tmp/a.s: No space left on device",
            "Free space",
        ),
        ("PermissionError: [Errno 1] Operation not permitted: socketpair", "AKGEN_NPU_CONFINED"),
    ],
)
def test_a_fault_of_the_machine_is_raised_with_a_remedy(log: str, said: str) -> None:
    with pytest.raises(InfraError) as raised:
        first_error(log)
    assert said in raised.value.remedy


def test_a_candidates_own_words_do_not_make_its_fault_the_machines() -> None:
    log = (
        '/w/op_kernel/add_h12.cpp:3:2: error: "No space left on device"\nNo space left on device in a warning'
    )
    assert first_error(log, NAMES).file == "op_kernel/add.cpp"
