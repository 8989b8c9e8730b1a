"""Run a program that is not trusted: `akgen_sandbox` goes before it (seccomp, Landlock, limits)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.group import MINIMAL_ENV
from akgen.tools.process.program import Finished, run

SYSTEM_READ: tuple[Path, ...] = tuple(
    Path(p) for p in ("/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/alternatives")
)


class Limits(Frozen):
    """What a sandboxed program may use; None leaves the machine's own limit."""

    cpu_s: int | None = None
    address_bytes: int | None = None  # not under AddressSanitizer
    file_bytes: int | None = None  # size of any one file
    open_files: int | None = None


def run_sandboxed(
    argv: Sequence[str | Path],
    *,
    sandbox: Path,
    read: tuple[Path, ...],
    write: tuple[Path, ...],
    limits: Limits,
    cwd: Path,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    output_limit_bytes: int = 1 << 18,
) -> Finished:
    """Run a program that may read only `read` and SYSTEM_READ, and write only below `write`.

    `sandbox` is the built akgen_sandbox. The program has no network and no hold on other processes, and it ends
    when this thread does. TMPDIR is the first of `write`. Raises InfraError if the sandbox itself fails.
    """
    front: list[str | Path] = [sandbox]
    for path in (*SYSTEM_READ, *read):
        front += ["--read", path]
    for path in write:
        front += ["--write", path]
    for option, value in limits.model_dump(exclude_none=True).items():
        front += ["--" + option.replace("_", "-"), str(value)]
    environment = dict(MINIMAL_ENV if env is None else env)
    if write:
        environment.setdefault("TMPDIR", str(write[0]))
    done = run(
        [*front, "--", *argv],
        cwd=cwd,
        timeout_s=timeout_s,
        env=environment,
        output_limit_bytes=output_limit_bytes,
    )
    if done.rc == 125 and done.err.startswith("akgen_sandbox:"):
        raise InfraError(f"The sandbox failed: {done.err[15:].strip()}.", "Run `akgen doctor`.")
    if done.rc == 126 and done.err.startswith("akgen_sandbox:"):
        raise InfraError(f"A program cannot be started: {done.err[15:].strip()}.", "Run `akgen doctor`.")
    return done
