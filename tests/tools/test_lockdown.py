"""Code loaded into a locked-down process computes, and can do nothing else; each attempt is named."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from akgen.tools.process.program import Finished, ResourceLimits, run, run_sandboxed

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools" / "twin" / "src"


def compiled(target: Path, *arguments: str | Path) -> Path:
    done = run(["g++", "-std=c++17", "-o", target, *arguments], cwd=target.parent, timeout_s=120)
    assert done.ok, done.err
    return target


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("lockdown_probe.cpp")
    folder = tmp_path_factory.mktemp("probe")
    return compiled(folder / "probe", "-I", SOURCES, source, SOURCES / "lockdown.cpp", "-ldl", "-pthread")


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sandbox")
    return compiled(folder / "akgen_sandbox", SOURCES / "sandbox" / "main.cpp", SOURCES / "lockdown.cpp")


def attack(
    probe: Path, folder: Path, body: str, *, seal: bool = False, before: str = ""
) -> tuple[Finished, list[str]]:
    """Run `body` as attack() in the probe; return how it ended and the codes that were reported."""
    source = folder / "attack.cpp"
    source.write_text(
        "#include <cerrno>\n#include <csignal>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
        "#include <cstring>\n#include <dlfcn.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <sched.h>\n"
        "#include <spawn.h>\n"
        "#include <sys/mman.h>\n#include <sys/prctl.h>\n#include <sys/ptrace.h>\n#include <sys/socket.h>\n"
        "#include <sys/stat.h>\n#include <sys/syscall.h>\n#include <sys/uio.h>\n#include <unistd.h>\n"
        f'{before}\nextern "C" int attack() {{ {body} }}\n'
    )
    library = compiled(folder / "attack.so", "-shared", "-fPIC", source)
    report = folder / "report"
    done = run([probe, library, report, "seal" if seal else "open"], cwd=folder, timeout_s=20)
    lines = [json.loads(line) for line in report.read_text().splitlines() if line]
    return done, [line["code"] for line in lines]


def test_computing_with_threads_passes(probe: Path, tmp_path: Path) -> None:
    done, codes = attack(
        probe, tmp_path, "void *p = malloc(1 << 22); memset(p, 1, 1 << 22); free(p); return 7;"
    )
    assert done.out.startswith("back 7 threads 42")
    assert codes == []


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("SANDBOX_FORK", "return fork();"),
        ("SANDBOX_FORK", "char *none[] = {nullptr}; return execve(\"/bin/true\", none, none);"),
        ("SANDBOX_FORK", "return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);"),
        ("SANDBOX_NETWORK", "return socket(AF_INET, SOCK_STREAM, 0);"),
        ("SANDBOX_NETWORK", "return socket(AF_UNIX, SOCK_STREAM, 0);"),
        ("SANDBOX_FILE", "return open(\"/etc/passwd\", O_RDONLY);"),
        ("SANDBOX_FILE", "return open(\"/tmp/akgen-probe\", O_WRONLY | O_CREAT, 0600);"),
        ("SANDBOX_FILE", "return fopen(\"/proc/self/maps\", \"r\") != nullptr;"),
        ("SANDBOX_FILE", "return open(\"/proc/self/mem\", O_RDWR);"),
        ("SANDBOX_FILE", "return unlink(\"/tmp/akgen-probe\");"),
        ("SANDBOX_FILE", "return mkdir(\"/tmp/akgen-probe\", 0700);"),
        ("SANDBOX_FILE", "return syscall(SYS_memfd_create, \"x\", 0);"),
        ("SANDBOX_FILE", "return dlopen(\"libz.so.1\", RTLD_NOW) != nullptr;"),
        ("SANDBOX_SIGNAL", "return kill(getppid(), SIGTERM);"),
        ("SANDBOX_SIGNAL", "return kill(-1, 0);"),
        ("SANDBOX_PTRACE", "return ptrace(PTRACE_ATTACH, getppid(), 0, 0);"),
        ("SANDBOX_PTRACE", "iovec v{}; return process_vm_readv(getppid(), &v, 1, &v, 1, 0);"),
        ("SANDBOX_SYSCALL", "return syscall(425, 8, 0);"),
        ("SANDBOX_SYSCALL", "return syscall(SYS_bpf, 0, 0, 0);"),
        ("SANDBOX_SYSCALL", "return unshare(CLONE_NEWUSER);"),
        ("SANDBOX_SYSCALL", "return syscall(SYS_perf_event_open, 0, 0, 0, 0, 0);"),
    ],
)  # fmt: skip
def test_an_attempt_ends_the_process_and_is_named(probe: Path, tmp_path: Path, code: str, body: str) -> None:
    done, codes = attack(probe, tmp_path, body)
    assert codes == [code]
    assert "back" not in done.out
    assert done.rc == 86


@pytest.mark.parametrize(
    "body",
    [
        'return system("true");',
        'char *n[] = {nullptr}; return posix_spawn(nullptr, "/bin/true", 0, 0, n, n);',
    ],
)
def test_a_program_started_through_the_library_is_named_too(probe: Path, tmp_path: Path, body: str) -> None:
    # The C library blocks all signals while it starts a program; a report must get through all the same.
    _, codes = attack(probe, tmp_path, body)
    assert codes == ["SANDBOX_FORK"]


def test_a_static_constructor_is_locked_down_too(probe: Path, tmp_path: Path) -> None:
    early = '__attribute__((constructor)) static void early() { fopen("/etc/hostname", "r"); }'
    _, codes = attack(probe, tmp_path, "return 0;", before=early)
    assert codes == ["SANDBOX_FILE"]


def test_the_handler_cannot_be_replaced(probe: Path, tmp_path: Path) -> None:
    done, codes = attack(probe, tmp_path, "signal(SIGSYS, SIG_IGN); fork(); return 0;")
    assert "back" not in done.out
    assert codes == ["SANDBOX_SIGNAL"]


def test_blocking_the_signal_does_not_let_a_call_through(probe: Path, tmp_path: Path) -> None:
    body = "sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, nullptr); fork(); return 0;"
    assert attack(probe, tmp_path, body)[1] == ["SANDBOX_FORK"]


def test_a_path_cannot_break_the_report(probe: Path, tmp_path: Path) -> None:
    _, codes = attack(probe, tmp_path, 'return open("/x\\"},{\\"kind\\":\\n\\x01", O_RDONLY);')
    assert codes == ["SANDBOX_FILE"]


def test_a_memory_bomb_hits_the_limit(probe: Path, tmp_path: Path) -> None:
    body = (
        "long n = 0; while (void *p = malloc(16 << 20)) { memset(p, 1, 4096); ++n; } return n < 64 ? 5 : 6;"
    )
    done, codes = attack(probe, tmp_path, body)
    assert done.out.startswith("back 5")
    assert codes == []


def test_a_disk_bomb_hits_the_limit(probe: Path, tmp_path: Path) -> None:
    body = (
        "static char b[1 << 16]; for (int i = 0; i < 4096; ++i)"
        " { ssize_t n = write(3, b, sizeof b); (void)n; } return 0;"
    )
    with pytest.raises(ValueError):  # the report holds the zeros that were written to it
        attack(probe, tmp_path, body)
    assert (tmp_path / "report").stat().st_size == 1 << 20


def test_cpu_time_is_limited(probe: Path, tmp_path: Path) -> None:
    done, _ = attack(probe, tmp_path, "for (volatile long i = 0;; ++i) {} return 0;", before="")
    assert done.signal is not None or done.timed_out
    assert done.cpu_s < 10


def test_after_the_seal_no_thread_and_no_executable_page(probe: Path, tmp_path: Path) -> None:
    start = "pthread_t t; pthread_create(&t, nullptr, [](void *) -> void * { return nullptr; }, nullptr); return 1;"
    (tmp_path / "1").mkdir()
    assert attack(probe, tmp_path / "1", start, seal=True)[1] == ["SANDBOX_FORK"]
    page = (
        "void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
        " return p == MAP_FAILED ? 5 : 6;"
    )
    (tmp_path / "2").mkdir()
    assert attack(probe, tmp_path / "2", page, seal=True)[1] == ["SANDBOX_SYSCALL"]


def test_metadata_of_files_is_hidden(probe: Path, tmp_path: Path) -> None:
    body = 'struct stat s; return stat("/etc/passwd", &s) == 0 || access("/etc/passwd", R_OK) == 0 ? 6 : 5;'
    assert attack(probe, tmp_path, body)[1] == ["SANDBOX_FILE"]


def sandboxed(sandbox: Path, folder: Path, script: str, limits: ResourceLimits | None = None) -> Finished:
    return run_sandboxed(
        ["sh", "-c", script],
        sandbox=sandbox,
        read=(),
        write=(folder,),
        limits=limits or ResourceLimits(),
        cwd=folder,
        timeout_s=20,
    )


def test_the_wrapper_lets_a_compiler_work(sandbox: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "#include <vector>\nint main() { return (int)std::vector<int>(3).size(); }\n"
    )
    done = sandboxed(sandbox, tmp_path, "g++ a.cpp -o a && ./a")
    assert done.rc == 3, done.err


@pytest.mark.parametrize(
    "script",
    [
        "cat /etc/passwd",
        "echo x > /tmp/akgen-outside",
        "ls /root",
        "setsid true",
        "kill -TERM 1",
        "cat /proc/1/environ",
    ],
)
def test_the_wrapper_refuses_what_a_compiler_does_not_need(
    sandbox: Path, tmp_path: Path, script: str
) -> None:
    done = sandboxed(sandbox, tmp_path, script)
    assert not done.ok
    assert "denied" in done.err or "not permitted" in done.err


def test_including_a_foreign_file_is_refused(sandbox: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text('#include "/etc/passwd"\n')
    (tmp_path / "b.cpp").write_text('asm(".incbin \\"/etc/passwd\\"");\n')
    for name in ("a", "b"):
        done = sandboxed(sandbox, tmp_path, f"g++ -c {name}.cpp -o {name}.o")
        assert not done.ok
        assert "root:" not in done.err + done.out


def test_a_compiler_bomb_hits_the_limits(sandbox: Path, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "template <int N> struct F { static constexpr long v = F<N - 1>::v + F<N - 2>::v; };\n"
        "template <class... T> struct L {}; template <int N, class T> struct G : G<N - 1, L<T, T>> {};\n"
        "template <class T> struct G<0, T> {}; G<60, int> g; long f() { return F<800>::v; }\n"
    )
    done = sandboxed(
        sandbox,
        tmp_path,
        "g++ -c a.cpp -o a.o",
        ResourceLimits(cpu_s=3, address_bytes=1 << 30, file_bytes=1 << 20),
    )
    assert not done.ok
    assert done.cpu_s < 10


def test_a_disk_bomb_of_a_compiler_hits_the_limit(sandbox: Path, tmp_path: Path) -> None:
    done = sandboxed(sandbox, tmp_path, "head -c 5000000 /dev/zero > big", ResourceLimits(file_bytes=1 << 20))
    assert not done.ok
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_the_sandbox_works_where_namespaces_are_refused(sandbox: Path, tmp_path: Path) -> None:
    # Inside a first sandbox, which refuses unshare as a container does.
    done = run_sandboxed(
        [sandbox, "--state"],
        sandbox=sandbox,
        read=(sandbox,),
        write=(tmp_path,),
        limits=ResourceLimits(),
        cwd=tmp_path,
        timeout_s=20,
    )
    state = json.loads(done.out)
    assert state["seccomp"] and state["no_new_privs"] and state["landlock_abi"] > 0
    assert not state["network_namespace"]
    assert "namespaces" in state["missing"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_the_sandbox_works_for_an_unprivileged_user(probe: Path, sandbox: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(probe, folder / "probe")
        shutil.copy(sandbox, folder / "akgen_sandbox")
        source = folder / "attack.cpp"
        source.write_text(
            '#include <fcntl.h>\nextern "C" int attack() { return open("/etc/passwd", O_RDONLY); }'
        )
        compiled(folder / "attack.so", "-shared", "-fPIC", source)
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, 65534, 65534)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        run(
            [*nobody, folder / "probe", folder / "attack.so", folder / "report", "open"],
            cwd=folder,
            timeout_s=20,
        )
        assert json.loads((folder / "report").read_text())["code"] == "SANDBOX_FILE"
        front = [*nobody, folder / "akgen_sandbox", "--read", "/usr", "--read", "/bin", "--read", "/lib"]
        front += ["--read", "/lib64", "--write", folder, "--", "sh", "-c"]
        done = run([*front, "echo x > a; cat a; cat /etc/passwd"], cwd=folder, timeout_s=20)
        assert done.out == "x\n"
        assert "denied" in done.err
