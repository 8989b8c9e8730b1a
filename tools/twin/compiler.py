"""The machine's C++ compiler: which one, with what options for kernels (`kernel_flags.txt`), and how many at once.

There are as many slots as cores, whoever starts a compiler: threads, workers of a batch, other commands. A slot is a
locked file in the cache folder; the kernel unlocks it when its process ends, however it ends.
"""

import contextlib
import fcntl
import os
import platform
import shutil
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from akgen.tools.cache.content import digest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.program import Finished, run
from akgen.tools.twin.settings import TwinSettings

REMEDY = "Install one: `apt install g++` (Debian, Ubuntu) or `dnf install gcc-c++` (Fedora, openEuler)."


class Compiler(Frozen):
    """A C++17 compiler. `linker` is an option that picks a faster linker than the default, or nothing."""

    path: Path
    version: str  # the first line of --version
    identity: tuple[
        str, ...
    ]  # changes with any of the programs that make a library: compiler, assembler, linker
    linker: tuple[str, ...]
    addr2line: Path | None

    @property
    def is_clang(self) -> bool:
        return "clang" in self.version

    @property
    def seals(self) -> bool:
        """Say whether its assembly text can be sealed: g++'s on x86-64."""
        return not self.is_clang and platform.machine() == "x86_64"

    @property
    def kernel_options(self) -> tuple[str, ...]:
        """Return the options before the source of every kernel, precompiled headers included."""
        flags = kernel_flags()
        return (*flags.compile, *(flags.seal if self.seals else ()), *self.brief, *self.records)

    @property
    def brief(self) -> tuple[str, ...]:
        """Return the option that leaves the source's text out of messages."""
        return ("-fno-caret-diagnostics",) if self.is_clang else ("-fno-diagnostics-show-caret",)

    @property
    def records(self) -> tuple[str, ...]:
        """Return the option that makes line records of a form that every linker reads; ld.gold fails on clang's own."""
        return ("-gdwarf-4",) if self.is_clang else ()

    @property
    def code_apart(self) -> tuple[str, ...]:
        """Return the option that keeps a library's data out of the pages whose content can be run."""
        return ("-Wl,--rosegment",) if "-fuse-ld=gold" in self.linker else ("-Wl,-z,separate-code",)

    @property
    def objcopy(self) -> Path:
        """Return the binutils' tool, which only clang's objects need; it lies beside addr2line."""
        return self.addr2line.with_name("objcopy") if self.addr2line else Path("/usr/bin/objcopy")


def find_compiler(settings: TwinSettings) -> Compiler:
    """Find the compiler, or raise InfraError that says how to get one."""
    return _find(settings.compiler, settings.path, settings.cache / "compilers")


@cache
def _find(wanted: str | None, path: str, versions: Path) -> Compiler:
    for name in (wanted,) if wanted else ("g++", "clang++"):
        found = shutil.which(name, path=path)
        if found is None:
            continue
        version = _version(Path(found), versions)
        if version is not None:
            gold = shutil.which("ld.gold", path=path)
            addr2line = shutil.which("addr2line", path=path) or shutil.which("llvm-addr2line", path=path)
            return Compiler(
                path=Path(found),
                version=version,
                identity=(found, version, *_programs(found, path)),
                linker=("-fuse-ld=gold",) if gold else (),
                addr2line=Path(addr2line) if addr2line else None,
            )
    looked = wanted or "g++ or clang++"
    raise InfraError(f"No C++ compiler was found ({looked}).", REMEDY)


def _version(compiler: Path, versions: Path) -> str | None:
    """Return the first line of --version, asked once for each state of the file. None: it does not run."""
    known = versions / f"{digest(str(compiler), _state(compiler))}.txt"
    with contextlib.suppress(OSError):
        if text := known.read_text():
            return text
    said = run([compiler, "--version"], cwd=Path("/"), timeout_s=20)
    if not said.ok or not said.out:
        return None
    text = said.out.splitlines()[0]
    with contextlib.suppress(OSError):  # in a cache that cannot be written it is asked each time
        versions.mkdir(parents=True, exist_ok=True)
        part = known.with_suffix(f".{os.getpid()}")
        part.write_text(text)
        part.replace(known)
    return text


def _programs(compiler: str, path: str) -> Iterator[str]:
    for name in (compiler, "as", "ld", "ld.gold", "ld.bfd"):
        found = shutil.which(name, path=path)
        yield f"{name} {_state(Path(found)) if found else 'none'}"


def _state(program: Path) -> str:
    facts = program.stat()  # of what a link points to
    return f"{facts.st_size} {facts.st_mtime_ns}"


def must(finished: Finished, what: str) -> Finished:
    """Return a finished program that must not fail, or raise InfraError with the end of what it said."""
    if not finished.ok:
        said = "\n".join(line for line in finished.err.splitlines() if "error" in line.lower())[:600]
        raise InfraError(
            f"{what} failed ({finished.ending}): {said or finished.err[-600:]}", "Run `akgen doctor`."
        )
    return finished


_FEW_ERRORS = "-fmax-errors=20"


class KernelFlags(NamedTuple):
    """Options before the source, of code that is sealed, after the source, the include folders; unit tests' options."""

    compile: tuple[str, ...]
    seal: tuple[str, ...]
    link: tuple[str, ...]
    include: tuple[str, ...]  # below the runtime's folder
    unit: tuple[str, ...]  # for CPU unit tests


@cache
def kernel_flags() -> KernelFlags:
    text = Path(__file__).with_name("kernel_flags.txt").read_text()
    lines = text.splitlines()
    rows = dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))
    return KernelFlags(
        compile=(*rows["compile"].split(), _FEW_ERRORS),
        seal=tuple(rows["seal"].split()),
        link=tuple(rows["link"].split()),
        include=tuple(rows["include"].split()),
        unit=tuple(rows["unit"].split()),
    )


_POLL_S = 0.02  # a compile takes from a fifth of a second to a minute


class CompileSlots(Frozen):
    """`count` files below `folder`. Whoever starts a compiler or a linker holds one; nobody holds two."""

    folder: Path
    count: int

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Wait for a slot and hold it. Raises InfraError if the cache folder cannot be written."""
        handle = self._open()
        try:
            yield
        finally:
            os.close(handle)

    def _open(self) -> int:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            while True:
                for number in range(self.count):
                    handle = os.open(self.folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
                    try:
                        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        os.close(handle)
                    else:
                        return handle
                time.sleep(_POLL_S)
        except OSError as e:
            raise InfraError(
                f"The cache folder {self.folder} cannot be used: {e.strerror or e}.",
                "Free space or rights, or set XDG_CACHE_HOME to a folder that can be written.",
            ) from e


def compile_slots(cache: Path) -> CompileSlots:
    """Return this machine's slots: one for each core that this process may run on."""
    return CompileSlots(folder=cache / "compiling", count=max(1, len(os.sched_getaffinity(0))))
