"""Run the compiler on candidate code: it may read the runtime and its own folder, and write that folder only.

On kernels without Landlock, which lets a compiler read only what it is named, it is looked up which files a compile
read. The text of a source does not say which files it includes, since macros put names together. What g++ and its
assembler tell of themselves does: `-H` names each included file, in a compile that fails too, and `--MD` what assembly
text does. A compile that read another file than it may has failed, and what it said is not passed on: it may quote
that. Not covered: clang++'s own assembler, and `__has_include`, which says whether a file exists.
"""

import re
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.core.untrusted import FileRefused, read_bytes
from akgen.tools.process.disk import takes_files
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import SYSTEM_READ, Finished, ResourceLimits, run, run_sandboxed
from akgen.tools.twin.runtime_build import Runtime

COMPILE_LIMITS = ResourceLimits(cpu_s=120, address_bytes=4 << 30, file_bytes=256 << 20, open_files=256)
COMPILE_TIMEOUT_S = 120.0
PROGRAM_TIMEOUT_S = 300.0  # of many sources in one compile
_SANDBOX_STATUS = 86  # of a locked-down process that reported an attempt
SANDBOX_TEXT = "Candidate code was stopped at a system call."
MOST_NAMES_BYTES = 1 << 20
_INCLUDED = re.compile(r"(?:\.+|[!x]) (?P<name>.+)")
_GUARDS = "Multiple include guards may be useful for:"


def stopped_by_sandbox(done: Finished) -> bool:
    """Say whether the filter of system calls ended a program; its own report may have been lost."""
    return done.rc == _SANDBOX_STATUS or done.signal == signal.SIGSYS


class SandboxState(Frozen):
    """What of the sandbox is in force on this machine, as `akgen_sandbox --state` says."""

    no_new_privs: bool
    seccomp: bool
    landlock_abi: int  # 0: none
    user_namespace: bool
    network_namespace: bool
    ipc_namespace: bool
    missing: str  # names of what the machine refuses, by blanks

    @property
    def refused(self) -> tuple[str, ...]:
        return tuple(self.missing.split())

    @property
    def in_words(self) -> str:
        """List what is in force, for people."""
        active = [name.replace("_", " ") for name, value in self if value is True]
        if self.landlock_abi:
            active.append(f"Landlock {self.landlock_abi}")
        return ", ".join(active) + (f"; refused here: {self.missing}" if self.missing else "")


@lru_cache(maxsize=4)
def sandbox_state(runtime: Runtime) -> SandboxState:
    """Ask the built akgen_sandbox. Raises InfraError if this machine has no seccomp."""
    env = {**MINIMAL_ENV, **runtime.sandbox_env}
    done = run([runtime.sandbox, "--state"], cwd=Path("/"), timeout_s=20, env=env)
    if not done.ok:
        raise InfraError(
            f"The sandbox failed: {done.err.strip()[-200:]}.", "Linux 3.17 or later with seccomp is needed."
        )
    return SandboxState.model_validate_json(done.stdout)


def compile_in(
    runtime: Runtime,
    arguments: Sequence[str | Path],
    folder: Path,
    read: tuple[Path, ...] = (),
    program: Path | None = None,
    timeout_s: float = COMPILE_TIMEOUT_S,
) -> Finished:
    """Wait for a slot and run the compiler, or another program of the toolchain, in `folder`.

    `timeout_s` holds for wall and processor. Raises InfraError when the compiler itself breaks, not the code.
    """
    names: tuple[str, ...] = ()
    listing = folder / f"{threading.get_ident()}.d"  # sources of one folder are compiled side by side
    if program is None and not sandbox_state(runtime).landlock_abi:
        names = options(is_clang=runtime.compiler.is_clang, listing=listing.name)
    with runtime.slots.one():
        finished = run_sandboxed(
            [program or runtime.compiler.path, *names, *arguments],
            sandbox=runtime.sandbox,
            read=(runtime.folder, *read),
            write=(folder,),
            limits=COMPILE_LIMITS.model_copy(update={"cpu_s": int(timeout_s)}),
            cwd=folder,
            timeout_s=timeout_s,
            env={
                "PATH": str(runtime.compiler.path.parent) + ":/usr/bin:/bin",
                "LC_ALL": "C",
                **runtime.sandbox_env,
            },
            output_limit_bytes=1 << 20,
        )
    if names:
        finished = checked(finished, folder, (runtime.folder, *SYSTEM_READ, *read), listing)
    if finished.rc == 1 or finished.ok or finished.timed_out:
        return finished
    if not takes_files(folder):
        raise InfraError("The disk is full.", "Free space below the cache folder.")
    return finished


class UsersProgram(Frozen):
    """A program that a user wrote. Paths are absolute; it may read and write below `folder`, where it runs."""

    sources: tuple[Path, ...]
    folder: Path
    include: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()  # for compiler and linker, such as -DDTYPE_X=half or -lgtest
    arguments: tuple[str, ...] = ()

    @property
    def readable(self) -> tuple[Path, ...]:
        """Return the folders that its build and its run may read."""
        return tuple(dict.fromkeys([self.folder, *(s.parent for s in self.sources), *self.include]))


def compile_program(
    program: UsersProgram,
    arguments: Sequence[str | Path],
    runtime: Runtime,
    work: Path,
    read: tuple[Path, ...],
) -> Finished:
    """Wait for a slot and compile a user's program in its own folder; `work` alone is written to."""
    with runtime.slots.one():
        return run_sandboxed(
            [runtime.compiler.path, *arguments],
            sandbox=runtime.sandbox,
            read=(runtime.folder, *read, *program.readable),
            write=(work,),
            limits=COMPILE_LIMITS,
            cwd=program.folder,
            timeout_s=PROGRAM_TIMEOUT_S,
            env={"PATH": str(runtime.compiler.path.parent) + ":/usr/bin:/bin", "LC_ALL": "C"},
            output_limit_bytes=1 << 20,
        )


def exhausted(finished: Finished, file: str) -> Diagnostic | None:
    """Say that a compile ended at a limit of time or memory, if it did."""
    ran_out = finished.timed_out or finished.signal is not None or "out of memory" in finished.err
    killed = (
        "Killed signal" in finished.err
        or "CPU time limit" in finished.err
        or "internal compiler error" in finished.err
    )
    if not (ran_out or killed):
        return None
    return Diagnostic(
        code="COMPILE_RESOURCES",
        text=f"The compiler was stopped ({finished.ending}): {finished.err.strip()[-200:]}",
        file=file,
        stage="compile",
    )


def options(*, is_clang: bool, listing: str) -> tuple[str, ...]:
    """Return what makes a compile name the files that it reads; what assembly text reads stands in `listing`."""
    return ("-H",) if is_clang else ("-H", f"-Wa,--MD,{listing}")


def checked(done: Finished, folder: Path, may_read: Iterable[Path], listing: Path) -> Finished:
    """Return the compile without the names that it told, or as a failed one if it read what it may not."""
    included, said = _told(done.err)
    allowed = tuple(place.resolve() for place in (folder, *may_read))
    try:
        assembled = tuple(_assembled(listing)) if listing.is_file() else ()
    except FileRefused as problem:
        return _failed(done, f"what the assembler read is not known: {problem}")
    listing.unlink(missing_ok=True)
    for name in (*included, *assembled):
        place = Path(folder, name).resolve()
        if not any(place.is_relative_to(one) for one in allowed):
            return _failed(done, f"{name}: Permission denied")
    if done.truncated:
        return _failed(done, "it said more than is read")
    if "Assembler messages:" in said:
        return _failed(done, "the assembler refuses the program")
    return done.model_copy(update={"stderr": said.encode()})


def _told(said: str) -> tuple[tuple[str, ...], str]:
    """Split what a compiler said into the files that it included and the rest."""
    lines = said.split("\n")
    names = tuple(m["name"] for line in lines if (m := _INCLUDED.fullmatch(line)))
    every = {*names, _GUARDS}
    rest = [line for line in lines if line not in every and not _INCLUDED.fullmatch(line)]
    return names, "\n".join(rest)


def _assembled(listing: Path) -> Iterator[str]:
    """Yield the files of a rule of make's: an object, a colon, and what it was made of."""
    text = read_bytes(listing, most_bytes=MOST_NAMES_BYTES).decode(errors="replace")
    words = re.findall(r"(?:\\[^\n]|[^\s\\])+", text.partition(": ")[2])
    for word in words:
        name = re.sub(r"\\(.)", r"\1", word)
        if name not in ("-", "{standard"):
            yield name


def _failed(done: Finished, why: str) -> Finished:
    said = f"cc1plus: fatal error: {why}\n"
    return done.model_copy(update={"rc": 1, "signal": None, "stdout": b"", "stderr": said.encode()})
