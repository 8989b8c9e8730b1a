"""Code that reaches for the machine, the judge or its own report is stopped, and says so."""

import platform
from collections.abc import Callable
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.verdict import Verdict
from akgen.tools.judge.judge import Judge
from akgen.tools.twin.toolchain import TwinToolchain
from tests.sampled import sampled

Codes = Callable[[Verdict], set[str]]
on_x86 = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the attack is written in x86-64 machine code"
)


@pytest.fixture
def toolchain(open_toolchain: TwinToolchain) -> TwinToolchain:
    """Do not seal kernels: these tests are about the wall behind the seal."""
    return open_toolchain


# System calls without the C library and without a word that a text filter knows.
RAW = """
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
#define ASM GLUE(as, m)
static inline long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
    long r;
    register long r10 ASM("r10") = d;
    register long r8 ASM("r8") = e;
    ASM volatile("sysc" "all" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                         : "rcx", "r11", "memory");
    return r;
}
"""


@on_x86
@pytest.mark.parametrize(
    ("code", "call"),
    sampled(
        [
            ("SANDBOX_FILE", 'raw(2, (long)"/etc/passwd", 0)'),
            ("SANDBOX_FILE", 'raw(257, -100, (long)"/proc/self/mem", 2)'),
            ("SANDBOX_FILE", 'raw(257, -100, (long)"/proc/self/fd", 0)'),
            ("SANDBOX_FILE", 'raw(82, (long)"/tmp/a", (long)"/tmp/b")'),
            ("SANDBOX_NETWORK", "raw(41, 2, 1, 0)"),
            ("SANDBOX_FORK", "raw(57)"),
            ("SANDBOX_FORK", "raw(56, 0x50f00, 0)"),  # a thread: there are as many as cores
            ("SANDBOX_FORK", 'raw(59, (long)"/bin/sh", 0, 0)'),
            ("SANDBOX_SIGNAL", "raw(62, raw(110), 9)"),
            ("SANDBOX_SIGNAL", "raw(62, -1, 9)"),
            ("SANDBOX_PTRACE", "raw(101, 16, raw(110))"),
            ("SANDBOX_PTRACE", "raw(310, raw(110), 0, 0, 0, 0)"),
            ("SANDBOX_SYSCALL", "raw(425, 8, 0)"),
            ("SANDBOX_SYSCALL", "raw(272, 0x10000000)"),
        ],
        2,
    ),
)
def test_a_kernel_that_calls_the_system(
    court: Any, codes: Codes, code: str, call: str
) -> None:  # 17, 20, 30, 34
    verdict = court.kernel(top=RAW, entry=f"if (GetBlockIdx() == 0) {{ {call}; }}")
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) == {code}


@on_x86
def test_a_kernel_that_wants_memory_for_code_of_its_own(court: Any, codes: Codes) -> None:
    readable_writable_executable, private_anonymous = 7, 0x22
    wish = f"raw(9, 0, 4096, {readable_writable_executable}, {private_anonymous}, -1);"
    verdict = court.kernel(top=RAW, entry=wish)
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) == {"SANDBOX_SYSCALL"}


@on_x86
def test_a_kernel_that_ends_the_process(court: Any, hurried: Judge) -> None:  # cheat 15
    court.judge = hurried
    for entry in (
        "raw(231, 0);",
        "raw(231, 2);",
        "raw(231, 70);",
        "raw(231, 125);",
        "raw(60, 0); raw(231, 0);",
        "raw(62, raw(39), 9);",
    ):
        verdict = court.kernel(top=RAW, entry=entry)
        assert verdict.outcome not in (Outcome.CORRECT, Outcome.CHEAT)


@on_x86
def test_a_kernel_that_writes_its_own_report(court: Any, codes: Codes) -> None:  # cheats 16, 27
    end = '{\\"kind\\":\\"end\\"}\\n'
    forge = 'static const char l[] = "\\n%s"; for (int fd = 1; fd < 4; ++fd) { raw(1, fd, (long)l, sizeof l - 1); }'
    verdict = court.kernel(top=RAW, entry=forge % end + " raw(231, 0);")
    assert verdict.outcome == Outcome.WRONG  # the report says that all went well; the outputs do not
    launch = (
        '{\\"kind\\":\\"launch\\",\\"cores\\":8,\\"at_once\\":8,'
        '\\"cycles\\":1,\\"cold_cycles\\":1,\\"warm_cycles\\":1,\\"clock_mhz\\":1800,\\"gm_read_bytes\\":1,\\"gm_write_bytes\\":1,'
        '\\"pipes\\":{},\\"bound\\":\\"memory\\",\\"roofline_share\\":1.0,\\"core_imbalance\\":1.0}\\n'
    )
    report = forge.replace("fd = 1", "fd = 3") % launch
    verdict = court.kernel(top=RAW, entry=f"if (GetBlockIdx() == 0) {{ {report} }}")
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) & {"SANDBOX_REPORT", "FASTER_THAN_MEMORY"}


def test_a_verdict_that_is_printed_counts_for_nothing(court: Any) -> None:  # cheats 15, 36
    verdict = court.kernel(entry='printf("PASS {\\"outcome\\":\\"correct\\"}"); return;')
    assert verdict.outcome in (Outcome.WRONG, Outcome.COMPILE_ERROR)


# Lines in the form of a report, and others; as C++ string literals.
LINES = [
    '{\\"kind\\":\\"launch\\"}',
    '{\\"kind\\":\\"diagnostic\\"}',
    '{\\"kind\\":[],\\"status\\":\\"x\\"}',
    '{\\"signal\\":\\"x\\"}',
    '{\\"error\\":{}}',
    "[1,2",
    "7",
    "\\xff\\xfe",
    '{\\"kind\\":' + "9" * 6000 + "}",
    "[" * 100_000,
]


@on_x86
@pytest.mark.parametrize("line", sampled(LINES, 3))
def test_a_broken_report_does_not_break_the_judge(court: Any, line: str) -> None:
    say = f'static const char l[] = "\\n{line}\\n";'
    forge = say + " raw(1, 3, (long)l, sizeof l - 1);"
    verdict = court.kernel(top=RAW, entry=f"if (GetBlockIdx() == 0) {{ {forge} }}")
    assert verdict.outcome in (Outcome.CORRECT, Outcome.WRONG, Outcome.TRAP, Outcome.CHEAT)


@on_x86
def test_a_broken_trace_does_not_break_the_judge(court: Any) -> None:
    forge = "for (int fd = 3; fd < 5; ++fd) { raw(1, fd, (long)l, sizeof l - 1); }"
    top = RAW + 'static const char l[] = "\\n[[{]";'
    kernel = court._filled("op_kernel/scale_shift.cpp", {"top": top, "entry": forge})
    verdict = court.files({"op_kernel/scale_shift.cpp": kernel}, trace=True)
    assert verdict.cases[0].profile is None or verdict.cases[0].profile.trace is None


@on_x86
def test_a_report_that_fills_the_disk_is_not_read(court: Any, codes: Codes) -> None:
    top = RAW + "static char block[1 << 20];"
    fill = (
        "if (GetBlockIdx() == 0) { for (int i = 0; i < 32; ++i) { raw(1, 3, (long)block, sizeof block); } }"
    )
    verdict = court.kernel(top=top, entry=fill)
    assert verdict.outcome in (Outcome.CHEAT, Outcome.WRONG)


@pytest.mark.parametrize("line", sampled(LINES, 3))
def test_a_broken_report_of_host_code_does_not_either(court: Any, line: str) -> None:
    forge = (
        f'static const char l[] = "\\n{line}\\n"; for (int fd = 3; fd < 5; ++fd) write(fd, l, sizeof l - 1);'
        " _Exit(0);"
    )
    text = court.honest.files["op_host/scale_shift.cpp"].replace("// HOST\n", forge + "\n")
    top = '#include <cstdlib>\nextern "C" long write(int, const void *, unsigned long);\n'
    verdict = court.files({"op_host/scale_shift.cpp": top + text})
    assert verdict.outcome in (Outcome.TILING_ERROR, Outcome.CHEAT)


@pytest.mark.parametrize(
    "entry",
    ["_exit(0);", "exit(0);", "abort();", 'system("true");', "fork();"],
)
def test_the_c_library_is_not_there(court: Any, entry: str) -> None:  # cheats 15, 1
    name = entry.split("(")[0]
    declared = f'extern "C" int {name}(...);'
    verdict = court.kernel(top=declared, entry=entry)
    assert verdict.outcome in (Outcome.COMPILE_ERROR, Outcome.CHEAT)


@pytest.mark.parametrize(
    "top",
    [
        "__attribute__((constructor)) void early() {}",
        "struct Early { Early(); int v; }; Early::Early() { v = GetBlockNum(); } Early early;",
        "#define C_(a) __attribute__((a##ctor)) void early() { static volatile int v; v = 1; }\nC_(constru)",
    ],
)
def test_code_that_runs_at_load_time(court: Any, top: str) -> None:
    verdict = court.kernel(top=top)
    assert verdict.outcome in (Outcome.CHEAT, Outcome.COMPILE_ERROR)


HOST_ATTACKS = [
    ("SANDBOX_FILE", "#include <fstream>", 'std::ifstream in("/etc/passwd"); '),
    ("SANDBOX_FILE", "#include <cstdio>", 'std::remove("/tmp/akgen-nothing");'),
    ("SANDBOX_NETWORK", 'extern "C" int socket(int, int, int);', "socket(2, 1, 0);"),
    ("SANDBOX_FORK", 'extern "C" int fork();', "while (true) { fork(); }"),
    ("SANDBOX_FORK", "#include <cstdlib>", 'std::system("id");'),
    ("SANDBOX_SIGNAL", 'extern "C" int kill(int, int); extern "C" int getppid();', "kill(getppid(), 9);"),
    ("SANDBOX_PTRACE", 'extern "C" long ptrac\\\ne(int, ...);', "PTRACE(16, 1, 0, 0);"),
]


@pytest.mark.parametrize(("code", "top", "call"), sampled(HOST_ATTACKS, 2))
def test_a_tiling_function_that_calls_the_system(
    court: Any, codes: Codes, code: str, top: str, call: str
) -> None:
    if code == "SANDBOX_PTRACE":
        top = 'extern "C" long trace_me(int, ...) __asm_("ptrace");'.replace("__asm_", "A0")
        top = "#define A1(x, y) x##y\n#define A0 A1(a, sm)\n" + top
        call = "trace_me(16, 1, 0, 0);"
    text = court.honest.files["op_host/scale_shift.cpp"]
    host = top + "\n" + text.replace("// HOST\n", call + "\n")
    verdict = court.files({"op_host/scale_shift.cpp": host})
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) == {code}


def test_host_code_in_a_static_constructor_is_locked_down_too(court: Any, codes: Codes) -> None:
    text = court.honest.files["op_host/scale_shift.cpp"]
    early = '#include <fstream>\nstatic const bool early = std::ifstream("/etc/shadow").good();\n'
    verdict = court.files({"op_host/scale_shift.cpp": early + text})
    assert verdict.outcome == Outcome.CHEAT
    assert codes(verdict) == {"SANDBOX_FILE"}


def test_a_tiling_function_that_ends_the_process_or_eats_the_memory(court: Any) -> None:
    for call in (
        "_Exit(0);",
        "_Exit(70);",
        "abort();",
        "for (;;) { char *p = (char *)malloc(64 << 20); *(volatile char *)p = 1; }",
    ):
        text = court.honest.files["op_host/scale_shift.cpp"].replace("// HOST\n", call + "\n")
        verdict = court.files({"op_host/scale_shift.cpp": "#include <cstdlib>\n" + text})
        assert verdict.outcome == Outcome.TILING_ERROR, call


def test_a_tiling_function_cannot_reach_the_reference(court: Any, codes: Codes) -> None:  # cheat 20
    path = court.task.reference.path
    before = path.read_text()
    attack = f'FILE *f = fopen("{path}", "a"); if (f) {{ fputs("x = 1", f); }}'
    text = court.honest.files["op_host/scale_shift.cpp"].replace("// HOST\n", attack + "\n")
    verdict = court.files({"op_host/scale_shift.cpp": "#include <cstdio>\n" + text})
    assert verdict.outcome == Outcome.CHEAT
    assert path.read_text() == before


def test_an_endless_kernel_is_stopped(court: Any, hurried: Judge) -> None:
    court.judge = hurried
    verdict = court.kernel(entry="for (volatile int i = 0;; i = i + 1) { }")
    assert verdict.outcome == Outcome.TIMEOUT
    assert "TIMEOUT" in {d.code for d in verdict.cases[0].diagnostics}


@on_x86
def test_a_memory_bomb_in_a_kernel(court: Any) -> None:
    bomb = (
        "for (int i = 0; i < 4096; ++i) { long p = raw(9, 0, 64 << 20, 3, 0x22, -1);"
        " if (p < 0) { ((__gm__ float *)x)[1 << 22] = 0; } }"
    )
    verdict = court.kernel(top=RAW, entry=bomb)
    assert verdict.outcome in (Outcome.TRAP, Outcome.WRONG)


@on_x86
def test_a_kernel_without_landlock_and_namespaces(old_kernel: Any, codes: Codes) -> None:
    assert old_kernel.kernel().outcome == Outcome.CORRECT
    for code, call in (
        ("SANDBOX_FILE", "raw(72, 3, 4, 0x2000)"),  # fcntl: signals to whom the candidate likes
        ("SANDBOX_FILE", "raw(77, 3, 0)"),  # ftruncate: the report
        ("SANDBOX_FILE", 'raw(262, -100, (long)"/etc/passwd", (long)&raw, 0x1000)'),
        ("SANDBOX_NETWORK", "raw(41, 1, 1, 0)"),
        ("SANDBOX_SYSCALL", "raw(157, 1, 0)"),  # prctl: to outlive the parent
    ):
        verdict = old_kernel.kernel(top=RAW, entry=f"if (GetBlockIdx() == 0) {{ {call}; }}")
        assert (verdict.outcome, codes(verdict)) == (Outcome.CHEAT, {code})


def test_host_code_without_landlock_and_namespaces(old_kernel: Any, codes: Codes) -> None:
    for code, top, call in HOST_ATTACKS[:-1]:
        text = old_kernel.honest.files["op_host/scale_shift.cpp"]
        verdict = old_kernel.files(
            {"op_host/scale_shift.cpp": top + "\n" + text.replace("// HOST\n", call + "\n")}
        )
        assert (verdict.outcome, codes(verdict)) == (Outcome.CHEAT, {code})


@on_x86
def test_a_status_without_a_report_is_an_attempt_too(court: Any, codes: Codes) -> None:
    verdict = court.kernel(top=RAW, entry="raw(231, 86);")
    assert (verdict.outcome, codes(verdict)) == (Outcome.CHEAT, {"SANDBOX_SYSCALL"})
