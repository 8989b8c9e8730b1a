"""The machine's C++ compiler."""

import shutil
from functools import cache
from pathlib import Path

from akgen.tools.frozen import Frozen
from akgen.tools.outcome import InfraError
from akgen.tools.process import Finished, run
from akgen.tools.twin.settings import TwinSettings

REMEDY = "Install one: `apt install g++` (Debian, Ubuntu) or `dnf install gcc-c++` (Fedora, openEuler)."


class Compiler(Frozen):
    """A C++17 compiler. `linker` is an option that picks a faster linker than the default, or nothing."""

    path: Path
    version: str  # the first line of --version
    linker: tuple[str, ...]
    addr2line: Path | None

    @property
    def is_clang(self) -> bool:
        return "clang" in self.version

    @property
    def brief(self) -> tuple[str, ...]:
        """Return the option that leaves the source's text out of messages."""
        return ("-fno-caret-diagnostics",) if self.is_clang else ("-fno-diagnostics-show-caret",)

    @property
    def records(self) -> tuple[str, ...]:
        """Return the option that makes line records of a form that every linker reads; ld.gold fails on clang's own."""
        return ("-gdwarf-4",) if self.is_clang else ()

    @property
    def objcopy(self) -> Path:
        """Return the binutils' tool, which only clang's objects need; it lies beside addr2line."""
        return self.addr2line.with_name("objcopy") if self.addr2line else Path("/usr/bin/objcopy")


def find_compiler(settings: TwinSettings) -> Compiler:
    """Find the compiler, or raise InfraError that says how to get one."""
    return _find(settings.compiler, settings.path)


@cache
def _find(wanted: str | None, path: str) -> Compiler:
    for name in (wanted,) if wanted else ("g++", "clang++"):
        found = shutil.which(name, path=path)
        if found is None:
            continue
        said = run([found, "--version"], cwd=Path("/"), timeout_s=20)
        if said.ok and said.out:
            gold = shutil.which("ld.gold", path=path)
            addr2line = shutil.which("addr2line", path=path) or shutil.which("llvm-addr2line", path=path)
            return Compiler(
                path=Path(found),
                version=said.out.splitlines()[0],
                linker=("-fuse-ld=gold",) if gold else (),
                addr2line=Path(addr2line) if addr2line else None,
            )
    looked = wanted or "g++ or clang++"
    raise InfraError(f"No C++ compiler was found ({looked}).", REMEDY)


def must(finished: Finished, what: str) -> Finished:
    """Return a finished program that must not fail, or raise InfraError with the end of what it said."""
    if not finished.ok:
        said = "\n".join(line for line in finished.err.splitlines() if "error" in line.lower())[:600]
        raise InfraError(
            f"{what} failed ({finished.ending}): {said or finished.err[-600:]}", "Run `akgen doctor`."
        )
    return finished
