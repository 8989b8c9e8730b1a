"""Build and run a program that launches kernels itself, as the vendor's compiler and runtime do.

The host's half runs in the sandbox. Device memory is a file that both sides hold; a launch is a line that the program
writes into a pipe, and its kernel runs sealed in a process of its own. What the program writes there is not believed:
addresses are checked against the memory's size, and nothing is opened by a name that it gives.
"""

import math
import os
import select
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InputError
from akgen.tools.core.profile import HasTime
from akgen.tools.core.untrusted import read_text
from akgen.tools.direct.kernels import INCLUDE, DirectKernels
from akgen.tools.direct.launches import launch_headers
from akgen.tools.direct.split import host_text
from akgen.tools.process.program import Finished, ResourceLimits, run_sandboxed
from akgen.tools.twin.findings.code import Code
from akgen.tools.twin.findings.diagnostics import explain
from akgen.tools.twin.sandboxed import UsersProgram, compile_program, exhausted
from akgen.tools.twin.toolchain import TwinToolchain

DEVICE_BYTES = 8 << 30  # a file with holes: it takes what is written
_SOURCE = Path(__file__).resolve().parent / "src" / "acl.cpp"
_MOST_OUTPUT_BYTES = 1 << 22
_MOST_LINE_BYTES = 1 << 20
_FLAGS = ("-std=c++17", "-O0", "-g1", "-fPIC", "-w", "-pthread")


class LaunchedKernel(HasTime):
    """One launch, as it went; without a time if it failed."""

    kernel: str
    blocks: int
    file: str
    line: int
    diagnostics: tuple[Diagnostic, ...]
    failed: bool
    printed: tuple[str, ...] = ()


class DirectResult(Frozen):
    """How it went. `passed` needs a build, status 0 and no launch that failed."""

    passed: bool
    built: bool
    ending: str
    launches: tuple[LaunchedKernel, ...]
    diagnostics: tuple[Diagnostic, ...]  # of the build
    output: str
    errors: str


_Number = Annotated[int, Field(ge=0, le=DEVICE_BYTES)]


class _Request(BaseModel):
    """A line that the program writes; see src/acl.cpp."""

    kernel: Annotated[str, Field(max_length=500)]
    file: Annotated[str, Field(max_length=4096)]
    line: Annotated[int, Field(ge=0, le=1 << 31)]
    blocks: Annotated[int, Field(ge=0, le=1 << 32)]
    blob: Annotated[str, Field(max_length=1 << 17, pattern=r"^(?:[0-9a-f]{2})*$")]
    memory: Annotated[list[tuple[_Number, _Number]], Field(max_length=256)]


def run_direct(
    program: UsersProgram, twin: TwinToolchain, work: Path, *, timeout_s: float = 120.0
) -> DirectResult:
    """Build the program below `work` and run it in its folder. Raises InputError for a source that is not there."""
    for source in program.sources:
        if not source.is_file():
            raise InputError(f"There is no file {source}.", "Name the program's .asc or .cpp files.")
    runtime = twin.runtime
    shared, private = work / "program", work / "launches"
    for folder in (shared, private):
        folder.mkdir(parents=True, exist_ok=True)
    built = _build(program, twin, shared)
    if not built.ok:
        stopped = exhausted(built, program.sources[0].name)
        found = (stopped,) if stopped else explain(built.err, Code(side="host", whole_machine=True))
        return DirectResult(
            passed=False, built=False, ending=built.ending, launches=(), diagnostics=found,
            output=built.out, errors=built.err,
        )  # fmt: skip
    defines = [option[2:] for option in program.options if option.startswith("-D")]
    kernels = DirectKernels(program.sources, program.include, twin, defines)
    with _device(program, kernels, shared, private, timeout_s) as (environment, launches):
        done = run_sandboxed(
            [shared / "program", *program.arguments],
            sandbox=runtime.sandbox,
            read=(runtime.folder, twin.chip_file.parent, *program.readable),
            write=(shared, program.folder),
            limits=ResourceLimits(cpu_s=int(timeout_s), file_bytes=4 << 30, open_files=1024),
            cwd=program.folder,
            timeout_s=timeout_s,
            env={
                "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "AKGEN_SOC": twin.settings.chip,
                **environment,
                **runtime.sandbox_env,
            },
            output_limit_bytes=_MOST_OUTPUT_BYTES,
        )
    return DirectResult(
        passed=done.ok and not any(one.failed for one in launches),
        built=True,
        ending=done.ending,
        launches=tuple(launches),
        diagnostics=(),
        output=done.out,
        errors=done.err,
    )


def _build(program: UsersProgram, twin: TwinToolchain, work: Path) -> Finished:
    """Compile the host's half. Kernels are compiled along, as declarations need them, and are not linked."""
    runtime = twin.runtime
    sources: list[str | Path] = []
    for i, source in enumerate(program.sources):
        copy = work / f"host_{i}.cpp"
        copy.write_text(f'#line 1 "{source}"\n{host_text(read_text(source))}')
        sources.append(copy)
    for name, text in launch_headers(program.sources).items():
        (work / name).write_text(text)
    folders = (work, INCLUDE, *dict.fromkeys(s.parent for s in program.sources), *program.include)
    ours = (runtime.device_include, runtime.host_include)
    command = [
        *_FLAGS,
        "-DAKGEN_DIRECT_HOST=1",
        *("-include", runtime.host_prelude),
        *("-include", twin.chip_file.with_suffix(".h")),
        *("-include", INCLUDE / "akgen" / "direct_launch.h"),
        *sources,
        _SOURCE,
        *(f"-I{folder}" for folder in (*folders, *ours)),
        *program.options,
        *runtime.compiler.linker,
        "-Wl,--unresolved-symbols=ignore-all",
        f"-L{runtime.folder}",
        f"-Wl,-rpath,{runtime.folder}",
        "-lakgen_twin_host",
        *("-o", work / "program"),
    ]
    return compile_program(program, command, runtime, work, (twin.chip_file.parent, INCLUDE, _SOURCE.parent))


@contextmanager
def _device(
    program: UsersProgram, kernels: DirectKernels, shared: Path, private: Path, timeout_s: float
) -> Iterator[tuple[dict[str, str], list[LaunchedKernel]]]:
    """Serve launches on a thread for as long as the program runs. Raises what a launch raised, afterwards."""
    memory, requests, replies = shared / "memory.bin", shared / "requests", shared / "replies"
    held = os.open(memory, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_EXCL, 0o600)
    os.ftruncate(held, DEVICE_BYTES)
    for pipe in (requests, replies):
        os.mkfifo(pipe, 0o600)
    # Both ends, so that neither side waits for the other to open.
    pipes = [os.open(p, os.O_RDWR | os.O_CLOEXEC) for p in (requests, replies)]
    stop, wake = os.pipe()
    launches: list[LaunchedKernel] = []
    server = _Server(program, kernels, held, private, launches, timeout_s)

    def serve() -> None:
        ended = False
        try:
            server.serve(pipes[0], pipes[1], stop)
            ended = True
        finally:
            if not ended:  # the program must not wait for an answer
                os.write(pipes[1], b"the device broke\n")

    pool = ThreadPoolExecutor(1)
    served = pool.submit(serve)
    try:
        yield (
            {
                "AKGEN_DEVICE_MEMORY": str(memory),
                "AKGEN_LAUNCH_REQUESTS": str(requests),
                "AKGEN_LAUNCH_REPLIES": str(replies),
            },
            launches,
        )
    finally:
        os.write(wake, b"x")
        pool.shutdown()
        for fd in (held, *pipes, stop, wake):
            os.close(fd)
    served.result()


class _Server:
    """Runs what the program asks for."""

    def __init__(
        self,
        program: UsersProgram,
        kernels: DirectKernels,
        memory: int,
        folder: Path,
        launches: list[LaunchedKernel],
        timeout_s: float,
    ) -> None:
        self._sources = {str(s): s for s in program.sources}
        self._kernels, self._memory, self._folder = kernels, memory, folder
        self._launches, self._timeout_s = launches, timeout_s

    def serve(self, requests: int, replies: int, stop: int) -> None:
        rest = b""
        while True:
            ready, _, _ = select.select([requests, stop], [], [])
            if requests not in ready:
                return
            rest += os.read(requests, 1 << 16)
            while b"\n" in rest:
                line, _, rest = rest.partition(b"\n")
                os.write(replies, self._answer(line).encode() + b"\n")
            if len(rest) > _MOST_LINE_BYTES:
                return

    def _answer(self, line: bytes) -> str:
        try:
            request = _Request.model_validate_json(line)
            pieces = [(offset, size) for offset, size in request.memory if offset + size <= DEVICE_BYTES]
            source = (
                self._sources[request.file]
                if request.file in self._sources
                else next(iter(self._sources.values()))
            )
        except ValidationError:
            return "the request is none of the runtime's"
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            folder = Path(work)
            files = [
                self._read(offset, size, folder / f"memory_{i}.bin")
                for i, (offset, size) in enumerate(pieces)
            ]
            blob = bytes.fromhex(request.blob)
            launched = self._kernels.launch(
                request.kernel, source, request.blocks, blob, files, folder / "run", timeout_s=self._timeout_s
            )
            done = launched.done
            self._launches.append(
                LaunchedKernel(
                    kernel=request.kernel, blocks=request.blocks, file=str(source), line=request.line,
                    diagnostics=done.diagnostics, failed=done.outcome is not None,
                    time_us=done.time_us, time_source=done.time_source, printed=launched.printed,
                )
            )  # fmt: skip
            if done.outcome is not None:
                errors = [d for d in done.diagnostics if d.severity == "error"]
                return " ".join((errors[0].text if errors else str(done.outcome)).split())
            for (offset, _), path in zip(pieces, launched.memory, strict=True):
                self._write(path, offset)
        time_us = done.time_us or 0.0
        return f"{time_us if math.isfinite(time_us) else 0.0:.6f}"

    def _read(self, offset: int, size: int, to: Path) -> Path:
        with to.open("wb") as out:
            at = offset
            while at < offset + size:
                chunk = os.pread(self._memory, min(1 << 24, offset + size - at), at)
                out.write(chunk)
                at += len(chunk)
                if not chunk:
                    break
        return to

    def _write(self, path: Path, offset: int) -> None:
        with path.open("rb") as source:
            while chunk := source.read(1 << 24):
                offset += os.pwrite(self._memory, chunk, offset)
