"""Forbidden words in honest places, and forbidden calls in disguise: rules accuse calls, not words."""

import pytest

from akgen.tools.core.outcome import Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.judge.source_filter import look

KERNEL, HOST = "op_kernel/x.cpp", "op_host/x.cpp"

INNOCENT = [
    "// asm volatile: not here; syscall(59)",
    "/* __attribute__((constructor)) would run at load time */",
    'const char *why = "mmap(0) failed, dlopen() too";',
    'const char *raw = R"(asm("int3"); execve(0))";',
    "struct mmap { int pages; }; mmap m{3};",
    "class Execv { public: void execv(int n) { n_ = n; } int n_; };",
    "struct T { int mmap(int a) { return a; } }; int f(T t) { return t.mmap(1); }",
    "int f(Pool *pool) { return pool->mprotect(3); }",
    "namespace tile { inline int mmap(int a) { return a; } } int f() { return tile::mmap(4); }",
    "template <typename T> inline T execl(T a) { return a; } int f() { return execl(2); }",
    "enum class Call { syscall, vfork, ptrace }; Call c = Call::vfork;",
    "enum Mode { plain, mmap }; int f(Mode m) { return m == mmap; }",
    "uint32_t mmap = 3; uint32_t next = mmap + 1;",
    "void f(uint32_t dlsym) { uint32_t a = dlsym; }",
    "void f(const Plan &execv) { g(execv, 1); }",
    "auto mmap = [](int a) { return a; }; int b = mmap(2);",
    "using syscall = uint32_t; syscall number = 3; auto s = syscall(4);",
    "typedef uint32_t ptrace; ptrace p;",
    "#define mmap(x) ((x) + 1)\nint f() { return mmap(2); }",
    "#ifdef mprotect\n#undef mprotect\n#endif",
    "#error \nint dlopen_count = 0; int my_syscall(int); int f() { return my_syscall(dlopen_count); }",
    "#pragma message no mmap (here)",
    "int disasm = 1; int asm_lines = disasm; int basm(int); int c = basm(2);",
    "struct Node { Node *alias; int constructor; }; int f(Node n) { return n.constructor; }",
    "void constructor(int a) { } void g() { constructor(3); }",
    "__attribute__((always_inline)) void destructor() { }",
    '__attribute__((section(".text.hot"))) void f() { }',
    '__attribute__((visibility("default"))) int alias = 3;',
    "[[gnu::always_inline]] inline int ifunc(int a) { return a; } int b = ifunc(1);",
    "[[maybe_unused]] int constructor = 0;",
    "using Half = at::Half; at::Half h;",
    "c10::optional<int> n; c10::BFloat16 b; constexpr auto k = at::kFloat;",
    "at::Tensor *t = nullptr; torch::Tensor *u = nullptr;",
    "namespace at { inline int place(int a) { return a; } } int f() { return at::place(1); }",
    "struct cat { static int add(int); }; int f() { return cat::add(1); }",
    "aclnnStatus status = 0; aclOpExecutor *executor = nullptr;",
    "struct aclnnTiling { int rows; }; aclnnTiling t{3};",
    "uint32_t aclnnOutputs = 3; uint32_t n = aclnnOutputs * 2;",
    "#define JOIN(a, b) a##b\nint JOIN(row, sum) = 0; int JOIN(mm, ap_tiles) = 1;",
    "#define KEY(n) TILING_KEY_##n\n#define NAME(x) x##_asm_count\nint NAME(a) = KEY(3);",
    "int torch = 1; int at = torch + 1; int f(int c10) { return c10; }",
    "goto syscall; syscall: return;",
]  # fmt: skip

EVASIONS = [
    ("SOURCE_SYSTEM_CALL", "auto f = syscall; long r = f(59);"),
    ("SOURCE_SYSTEM_CALL", "auto f = &syscall; long r = f(59);"),
    ("SOURCE_SYSTEM_CALL", "auto f = &::syscall; long r = f(59);"),
    ("SOURCE_SYSTEM_CALL", "long r = (syscall)(59);"),
    ("SOURCE_SYSTEM_CALL", "long r = (*syscall)(59);"),
    ("SOURCE_SYSTEM_CALL", "long r = ::syscall(59);"),
    ("SOURCE_SYSTEM_CALL", "long r = :: /* x */ syscall /* y */ (59);"),
    ("SOURCE_SYSTEM_CALL", "long r = sys\\\ncall(59);"),
    ("SOURCE_SYSTEM_CALL", "#define S syscall\nlong r = S(59);"),
    ("SOURCE_SYSTEM_CALL", "#define S(n) syscall(n)\nlong r = S(59);"),
    ("SOURCE_SYSTEM_CALL", "#define CAT(a, b) a##b\nlong r = CAT(sys, call)(59);"),
    ("SOURCE_SYSTEM_CALL", "#define CAT(a, b) a %:%: b\nlong r = CAT(mm, ap)(0);"),
    ("SOURCE_SYSTEM_CALL", "#define C_(a, b) a##b\n#define C(a, b) C_(a, b)\n#define H sys\nlong r = C(H, call)(59);"),
    ("SOURCE_SYSTEM_CALL", "#define RUN(n) dl##n(0, 1)\nvoid *p = RUN(open);"),
    ("SOURCE_SYSTEM_CALL", "namespace p { using ::mmap; } void *q = p::mmap(0);"),
    ("SOURCE_SYSTEM_CALL", "using ::execve; int r = execve(0, 0, 0);"),
    ("SOURCE_SYSTEM_CALL", "extern \"C\" long syscall(long, ...); long f() { return syscall(39); }"),
    ("SOURCE_SYSTEM_CALL", "decltype(&dlsym) f; void *p = f(0, 0);"),
    ("SOURCE_SYSTEM_CALL", "std::invoke(ptrace, 0, 0);"),
    ("SOURCE_SYSTEM_CALL", "long (*table[])(long, ...) = {syscall}; long r = table[0](59);"),
    ("SOURCE_SYSTEM_CALL", "void f(bool b) { auto g = b ? vfork : vfork; g(); }"),
    ("SOURCE_SYSTEM_CALL", "auto get() { return dlopen; }"),
    ("SOURCE_SYSTEM_CALL", "struct T { int mmap; }; void *f() { return ::mmap(0, 0); }"),
    ("SOURCE_SYSTEM_CALL", "int mmap = 1; void *f() { return mmap(0, 0); }"),
    ("SOURCE_SYSTEM_CALL", "long r = std::syscall(59);"),
    ("SOURCE_SYSTEM_CALL", "bool b = true && syscall; long r = syscall(59);"),
    ("SOURCE_SYSTEM_CALL", "auto r = process_vm_writev(1, 0, 0, 0, 0, 0); posix_spawnp(0, 0, 0, 0, 0, 0);"),
    ("SOURCE_INLINE_ASM", "#define A asm\nvoid f() { A(\"nop\"); }"),
    ("SOURCE_INLINE_ASM", "void f() { asm\n goto (\"\" : : : : l); l:; }"),
    ("SOURCE_INLINE_ASM", "void f() { __asm__ __volatile__ (\"nop\"); }"),
    ("SOURCE_INLINE_ASM", "#define P(x) __##x##__\nvoid f() { P(asm)(\"nop\"); }"),
    ("SOURCE_INLINE_ASM", "extern long sc(long, ...) __asm__(\"syscall\");"),
    ("SOURCE_CONSTRUCTOR", "__attribute__((used, constructor)) void f() { }"),
    ("SOURCE_CONSTRUCTOR", "__attribute__((visibility(\"default\"), constructor(101))) void f() { }"),
    ("SOURCE_CONSTRUCTOR", "[[gnu::used, gnu::constructor]] void f() { }"),
    ("SOURCE_CONSTRUCTOR", "[[using gnu: used, constructor]] void f() { }"),
    ("SOURCE_CONSTRUCTOR", "__attribute__((section(\".init_array\"), used)) void (*p)() = f;"),
    ("SOURCE_CONSTRUCTOR", "[[gnu::section(\".preinit_array\")]] void (*p)() = f;"),
    ("SOURCE_LIBRARY_CALL", "namespace t = torch; auto y = t::relu(x);"),
    ("SOURCE_LIBRARY_CALL", "using namespace at; auto y = relu(x);"),
    ("SOURCE_LIBRARY_CALL", "using at::relu; auto y = relu(x);"),
    ("SOURCE_LIBRARY_CALL", "auto f = &at::relu; auto y = f(x);"),
    ("SOURCE_LIBRARY_CALL", "auto y = torch :: nn :: Linear(3, 4)(x);"),
    ("SOURCE_LIBRARY_CALL", "auto f = aclnnAdd; f(x, y);"),
    ("SOURCE_LIBRARY_CALL", "#define OP(n) aclnn##n(x)\nauto y = OP(Add);"),
    ("SOURCE_LIBRARY_CALL", "#define RUN EXEC_NPU_CMD\nvoid f() { RUN(x); }"),
]  # fmt: skip


@pytest.mark.parametrize("file", [KERNEL, HOST])
@pytest.mark.parametrize("text", INNOCENT)
def test_a_word_in_an_honest_place_is_no_finding(text: str, file: str) -> None:
    assert look(KernelProject(op_type="X", kernel="x", files={file: f"int a;\n{text}\n"})) == (None, ())


@pytest.mark.parametrize(("code", "text"), EVASIONS)
def test_a_call_in_disguise_is_found_on_its_line(code: str, text: str) -> None:
    files = {KERNEL: f"int a;\n\n{text}\n"}
    outcome, findings = look(KernelProject(op_type="X", kernel="x", files=files))
    assert outcome == Outcome.CHEAT
    assert code in {f.code for f in findings}
    assert all(f.line is not None and 3 <= f.line <= 3 + text.count("\n") for f in findings)


def test_there_are_forty_of_each() -> None:
    assert len(set(INNOCENT)) >= 40 and len(set(EVASIONS)) >= 40
