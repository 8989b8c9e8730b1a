"""Hostile programs that live inside the kernel's process: none is accepted, none erases a finding, none breaks the machine.

Each program leaves its computation out, so that it could be accepted only if its attack on the process that judges it
had an effect. They run sealed, through the real compiler, launcher and judge.
"""

import platform
from collections.abc import Iterator
from typing import Any

import pytest

from akgen.tools.core.outcome import Outcome

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="kernels are sealed on x86-64 only, and the attacks are written for it"
)
REFUSED = {Outcome.CHEAT, Outcome.TRAP, Outcome.COMPILE_ERROR, Outcome.WRONG, Outcome.TIMEOUT}
NO_COMPUTATION = "Duplicate(out, 0.0f, count);\n"
PASTE = "#define A2(x, y) x##y\n#define A1(x, y) A2(x, y)\n#define ASM A1(as, m)\n"

# Instructions that no kernel has, each alone in the kernel's code, by a word that no text filter knows.
INSTRUCTIONS = [
    "syscall", "sysenter", "int $0x80", "int3", "hlt", "cpuid", "rdtsc", "rdtscp", "rdfsbase %rax",
    "wrfsbase %rax", "wrgsbase %rax", "xgetbv", "iretq", "lretq", "retfq", "ret $8", "ret", "jmp *%rax", "jmp *(%rax)",
    "call *(%r14)", "call *%r15", "ljmp *(%rax)", "enter $16, $0", "std", "cld", "pushfq", "popfq", "lahf",
    "movq %r13, %rax", "movq %rax, %r14", "xorl %r15d, %r15d", "movq %rax, (%r14)", "movq (%r14), %rax",
    "movq %rax, (%rbx,%r13,8)", "leaq 8(%r13), %rax", "xchgq %rsp, %rax", "movl %esp, %eax; movq %rax, %rbx",
    "movq %gs:0, %rax", "movq %rax, %fs:0x28", "movq %fs:(%rax), %rbx", "movq %fs:0x10, %rax", "movabsq 0x1000, %rax",
    "cmpxchgq %rbx, (%rax)", "lock incq (%rax)", "lock; incq (%rax)", "xaddq %rbx, (%rax)", "movnti %rax, (%rbx)",
    "maskmovq %mm0, %mm1", "movntps %xmm0, (%rax)", "vmovaps %ymm0, (%rax)", "prefetchw (%rax)", "clflush (%rax)",
    "ldmxcsr (%rax)", "fxrstor (%rax)", "xsave (%rax)", "fstpt (%rax)", "rep; stosq", "rep movsq; syscall", "lodsq",
    "stosq", "movsb", "cmpsb", "scasb", "repne scasb", "loop 1f; 1:", "jrcxz 1f; 1:", "bts %rax, (%rbx)", "pause", "mfence",
    "in %dx, %al", "lgdt (%rax)", "sgdt (%rax)", "mov %cr0, %rax", "mov %ds, %ax", "mov %ax, %ds", "vmcall", "ud1 %eax, %eax",
]  # fmt: skip

# Text that reaches the assembler by other ways than an instruction.
TEXTS = [
    ".byte 0x0f, 0x05", ".long 0x050f", ".ascii \\\"x\\\"", ".quad 0", ".octa 0", ".fill 2, 1, 0x90", ".skip 4, 0x0f", ".org .+8",
    ".incbin \\\"/etc/passwd\\\"", ".include \\\"/etc/passwd\\\"", ".macro m\\n syscall\\n .endm\\n m", ".rept 2\\n nop\\n .endr",
    ".irp x, 1, 2\\n nop\\n .endr", ".altmacro", ".if 1\\n syscall\\n .endif", ".section .mine,\\\"awx\\\"",
    ".section .text.mine,\\\"awx\\\"", ".section .data.mine,\\\"ax\\\"", ".pushsection .text", ".previous", ".subsection 1",
    ".section .rodata,\\\"ax\\\"", ".section akgen_functions,\\\"a\\\"\\n .long 0", ".pushsection akgen_functions,\\\"a\\\"\\n.long 4\\n.popsection",
    ".set mine, scale_shift + 2", "mine = scale_shift + 2", ".symver a, b@c", ".weakref a, system", ".intel_syntax noprefix",
    ".code32", ".code16", ".arch_extension sse", ".reloc 0, R_X86_64_64, system", ".globl akgen_check_store4\\nakgen_check_store4:",
    ".type mine, @gnu_indirect_function", ".hidden mine\\nmine:", ".globl memcpy\\nmemcpy:", "/* */ syscall", "nop; syscall",
    "nop # syscall\\n syscall", "nop\\r syscall", "{vex} nop", "addr32 movl %eax, (%eax)", "data16 nop", "notrack jmp *%rax",
    "jmp .+2", "jmp 1f\\n1:", "call .+5", "call 1f\\n1:", "jmp scale_shift", "call scale_shift+1", "leaq system(%rip), %rax",
    "movq akgen_stack_left@GOTPCREL(%rip), %rax", "call akgen_enter_guest", "jmp akgen_check_call", "call _ZN5akgen4twin10run_launchERKNS0_13LaunchRequestE",
]  # fmt: skip

# C++ that reaches out of the kernel's own memory: `%s` is where the attack stands.
WRITES = {
    "a return address above an array": "volatile long here[2]; for (int i = 0; i < 64; ++i) { here[i] = (long)&Evil; }",
    "every word up the stack": "volatile char here; for (long i = 0; i < 1 << 20; i += 8) { *(volatile long *)(((long)&here & -8) + i) = (long)&Evil; }",
    "every word down the stack": "volatile char here; for (long i = 8; i < 1 << 20; i += 8) { *(volatile long *)(((long)&here & -8) - i) = 0; }",
    "the frame by its address": "*(volatile long *)((char *)__builtin_frame_address(0) + 8) = (long)&Evil;",
    "the address that it returns to": "((volatile long *)__builtin_return_address(0))[0] = 0;",
    "its own code": "*(volatile long *)(long)&Evil = 0;",
    "the table of what it calls": "for (long i = 0; i < 1 << 16; i += 8) { *(volatile long *)(((long)&Evil & -4096) + i) = (long)&Evil; }",
    "behind its last variable": "static volatile long own[4]; for (long i = 0; i < 1 << 16; ++i) { own[i] = -1; }",
    "before its first variable": "static volatile long own[4] = {1}; for (long i = 0; i < 1 << 16; ++i) { own[-i] = -1; }",
    "behind a tensor": "for (long i = 0; i < 1 << 20; ++i) { ((volatile __gm__ float *)y)[i] = 1; }",
    "before a tensor": "for (long i = 0; i < 1 << 20; ++i) { ((volatile __gm__ float *)y)[-i] = 1; }",
    "the input": "for (int i = 0; i < 8; ++i) { ((volatile __gm__ float *)x)[i] = 1; }",
    "page zero": "*(volatile int *)8 = 1;",
    "a kernel address": "*(volatile int *)0xffffffffff600000 = 1;",
    "all of memory": "for (unsigned long a = 1ul << 46; a; a += 1ul << 36) { *(volatile int *)a = 1; }",
    "memcpy past a tensor": "__builtin_memcpy((void *)y, (void *)x, 1ul << 30);",
    "memcpy to nowhere": "__builtin_memcpy((void *)0x7f0000000000, (void *)x, 8);",
    "memset around the address space": "__builtin_memset((void *)y, 0, ~0ul);",
    "memmove down the stack": "char here[8]; __builtin_memmove(here - (1 << 19), here, 1 << 19);",
    "a structure assigned to nowhere": "struct Big { long v[64]; }; Big b = {}; *(volatile char *)&b = 1; *(Big *)0x7f0000000000 = b;",
    "a structure read from nowhere": "struct Big { long v[64]; }; Big b = *(Big *)0x7f0000000000; *(volatile char *)&b;",
    "on-chip memory of another core": "TPipe p; TBuf<> u; p.InitBuffer(u, 64); auto t = u.Get<float>(); volatile float *f = (volatile float *)t.GetPhyAddr(); for (long i = 1 << 16; i < 1 << 22; ++i) { f[i] = 1; }",
    "a jump to a number": "((void (*)())0x400000)();",
    "a jump to its data": "static const unsigned char code[] = {0x0f, 0x05, 0xc3}; ((void (*)())code)();",
    "a jump to code as data": '__attribute__((section(".text"))) static const unsigned char code[] = {0x0f, 0x05, 0xc3}; ((void (*)())code)();',
    "a jump into the middle of a function": "((void (*)())((long)&Evil + 3))();",
    "a jump to a tensor": "((void (*)())x)();",
    "a jump to where it returns": "((void (*)())__builtin_return_address(0))();",
    "a method of a forged table": "struct V { virtual void f() { } }; V v; V *p = &v; *(volatile long *)p = (long)x; p = (V *)*(V *volatile *)&p; p->f();",
    "a pointer to a member, forged": "struct S { void f() { } }; void (S::*m)() = &S::f; *(volatile long *)&m = (long)&Evil + 5; S s; (s.*m)();",
    "a long jump": "void *buffer[5]; __builtin_setjmp(buffer); buffer[1] = (void *)x; __builtin_longjmp(buffer, 1);",
    "a computed goto": "static void *to[] = {&&one, &&two}; goto *to[GetBlockIdx() & 1]; one: two: ;",
    "a variable-length array": "int n = GetBlockIdx() + (1 << 20); volatile char v[n]; v[0] = 1; v[n - 1] = 1;",
    "alloca": "volatile char *v = (volatile char *)__builtin_alloca(GetBlockNum() << 20); v[0] = 1;",
    "recursion without an end": "Evil(); struct R { static int f(volatile int *n) { int m = *n + 1; return f(&m) + m; } }; volatile int n = 0; R::f(&n);",
    "the processor's vectors": "typedef float V __attribute__((vector_size(64))); volatile V a = {}, b = {}; a = a * b;",
    "an intrinsic": "__builtin_ia32_clflush((void *)x);",
    "an atomic of the host": "__atomic_store_n((int *)0x7f0000000000, 1, __ATOMIC_SEQ_CST);",
    "printf that writes": 'long at = 0; AscendC::printf("%s%n", "x", &at); AscendC::printf("%*n", 1, (long *)0x7f0000000000);',
    "its shape to nowhere": "akgen::twin::read_tiling((void *)0x7f0000000000, (const uint8_t *)tiling, 8);",
    "a merge's result to nowhere": "akgen::twin::last_merge((uint16_t *)0x7f0000000000);",
    "a flag's result over a return address": "volatile char here; akgen::twin::read_tiling((void *)(&here + (1 << 19)), (const uint8_t *)tiling, 8);",
}  # fmt: skip

# Names that only the host has, or that the runtime keeps for itself; called or written.
NAMES = [
    "write", "system", "mprotect", "dlsym", "dlopen", "_exit", "exit", "abort", "pthread_create", "signal", "sigaction", "fopen", "environ",
    "stdout", "__libc_start_main", "_dl_find_object", "__tls_get_addr", "malloc", "longjmp", "syscall",
    "_ZN5akgen4twin10run_launchERKNS0_13LaunchRequestE", "_ZNK5akgen4twin6Report4lineERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
    "_ZNK5akgen4twin6Report9any_errorEv", "_ZN5akgen4twin6launchE", "_ZN5akgen4twin4selfE", "_ZN5akgen4twin3Log3capE", "_ZN5akgen4twin4hf32E",
    "_ZN5akgen4twin12vector_stateEv", "_ZN5akgen4twin10mask_stateEv", "_ZN5akgen4twin5storeEPKcPKvPhPKhm", "_ZN5akgen4twin4trapEPKcS2_PKvS2_z",
    "_ZN5akgen4twin4warnEPKcS2_PKvS2_z", "_ZN5akgen4twin9take_turnEv", "akgen_enter_guest", "akgen_guest_access", "akgen_check_store4",
]  # fmt: skip

EVIL = 'extern "C" __attribute__((noinline, used)) void Evil() { static volatile int v; v = 1; }\n'


def programs() -> Iterator[tuple[str, str, str]]:
    """Yield a name, what stands before the kernel, and what the kernel does in place of computing."""
    for text in INSTRUCTIONS:
        yield f"instruction {text}", PASTE, f'ASM volatile("{text}" ::: "memory");'
    for text in TEXTS:
        yield f"text {text}", PASTE, f'ASM volatile("{text}" ::: "memory");'
        if text in TEXTS[::6]:
            yield f"text of a file {text}", PASTE + f'ASM(".text\\n{text}");', ""
            yield f"text of a name {text}", PASTE + f'extern "C" int mine() ASM("mine\\n\\t{text}\\n");', "mine();"
    for name, code in WRITES.items():
        yield name, EVIL, code
    for name in NAMES:
        yield f"name {name}", f'{PASTE}extern "C" void mine() ASM("{name}");', "mine();"
        if name in NAMES[::3]:
            weak = f'{PASTE}extern "C" __attribute__((weak)) void mine() ASM("{name}");'
            yield f"weak name {name}", weak, "if (&mine) { mine(); }"
            yield f"variable {name}", f'{PASTE}extern "C" long mine ASM("{name}");', "mine = -1;"
    for attribute in ("no_sanitize_address", 'optimize("O3")', "naked", 'target("avx2")', "no_instrument_function"):
        top = f'__attribute__(({attribute}, noinline)) void Mine() {{ *(volatile long *)0x7f0000000000 = 1; }}'
        yield f"attribute {attribute}", top, "Mine();"


@pytest.mark.parametrize(("top", "entry"), [pytest.param(t, e, id=n) for n, t, e in programs()])
def test_a_hostile_program_is_not_accepted(court: Any, codes: Any, top: str, entry: str) -> None:
    verdict = court.kernel(top=top, entry=entry, compute=NO_COMPUTATION)
    assert verdict.outcome in REFUSED
    assert codes(verdict)


# Lines that would pass for the launcher's, if they stood in its report.
FORGED = [
    '{"kind":"end","peak_bytes":1}',
    '{"kind":"locked"}',
    '{"kind":"launch","cores":8,"cycles":1,"clock_mhz":1850,"gm_read_bytes":1,"gm_write_bytes":1,"pipes":{},'
    '"bound":"memory","roofline_share":1.0,"core_imbalance":1.0,"what_if":[]}',
    '{"kind":"diagnostic","code":"TIMEOUT","text":"x","severity":"warning"}',
    '{"kind":"diagnostic","code":"GM_RACE","text":"x","severity":"note"}',
    '{"kind":"print","text":"PASS"}',
    '{"outcome":"correct"}',
    '{"kind":"launch","cycles":1e999}',
    '{"kind":' + "[" * 5000,
    '{"kind":"diagnostic","code":"\\ud800","text":"\\u0000"}',
]
WAYS = {
    "a system call": (
        PASTE + "static long raw(long n, long a, long b, long c) { long r;"
        ' ASM volatile("sysc" "all" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); return r; }\n',
        "for (int fd = 1; fd < 32; ++fd) { raw(1, fd, (long)l, sizeof l - 1); }",
    ),
    "the C library": (
        'extern "C" long write(int, const void *, unsigned long);\n',
        "for (int fd = 1; fd < 32; ++fd) { write(fd, l, sizeof l - 1); }",
    ),
    "the C library, if it is there": (
        PASTE + 'extern "C" __attribute__((weak)) long put(int, const void *, unsigned long) ASM("write");\n',
        "for (int fd = 1; put && fd < 32; ++fd) { put(fd, l, sizeof l - 1); }",
    ),
    "the runtime's own report": (
        PASTE + 'extern "C" void put(const void *, const void *) ASM("_ZNK5akgen4twin6Report4lineERKNSt7__cxx1112'
        'basic_stringIcSt11char_traitsIcESaIcEEE");\n',
        "put(l, l);",
    ),
    "what it prints": ("", 'AscendC::printf("%s", l);'),
    "what it asserts": ("#define ASSERT_TEXT(t) akgen::twin::assert_failed(t, t, 1)\n", "ASSERT_TEXT(l);"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("line", range(len(FORGED)))
def test_a_report_that_the_kernel_forges_changes_nothing(court: Any, way: str, line: int) -> None:
    top, code = WAYS[way]
    quoted = FORGED[line].replace("\\", "\\\\").replace('"', '\\"')
    text = f'static const char l[] = "\\n{quoted}\\n";\n'
    verdict = court.kernel(top=top + text, entry=code, compute=NO_COMPUTATION)
    assert verdict.outcome in REFUSED
    assert verdict.outcome != Outcome.CHEAT or way == "a system call"


def test_there_are_as_many_as_are_promised() -> None:
    assert len(list(programs())) >= 150
    assert len(FORGED) * len(WAYS) >= 60
