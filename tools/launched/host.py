"""Build the host half of a direct file into a program that calls its host function with what a file says."""

import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.knowledge.errors import entry as catalogue_entry
from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, without_comments
from akgen.tools.direct.kernels import INCLUDE as LAUNCH_INCLUDE
from akgen.tools.direct.split import host_text
from akgen.tools.launched.record import host_function
from akgen.tools.twin.build_cache import fetch, write_result
from akgen.tools.twin.sandboxed import compile_in, exhausted
from akgen.tools.twin.toolchain import TwinToolchain

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
_RECORD = HERE / "src" / "record.cpp"
_OURS = (_RECORD, INCLUDE / "akgen" / "tensor.h", INCLUDE / "akgen" / "host_call.h")
_PROGRAM, _OBJECT = "program", "record.o"
_FLAGS = ("-std=c++17", "-O0", "-g1", "-fPIC", "-w", "-fmax-errors=20", "-DAKGEN_DIRECT_HOST=1")
_MAIN = "akgen_host_main.cpp"


class BuiltProgram(NamedTuple):
    """`program` is None if it does not build."""

    program: Path | None
    diagnostics: tuple[Diagnostic, ...]
    compiled: bool  # false: it was in the cache


def build_host(project: KernelProject, twin: TwinToolchain) -> BuiltProgram:
    """Build the program, or take it from the cache. Raises InfraError only."""
    name = host_function(project.kernel)
    file = project.direct_file
    assert file is not None
    text = "".join(without_comments(t) for t in project.files.values())
    missing = None
    if not re.search(rf"\b{name}\s*\(", text):
        missing = ("LAUNCH_FUNCTION", f"{file} defines no function {name}.")
    elif "<<<" not in text:
        missing = ("NO_LAUNCH", f"{file} launches no kernel: it has no `<<<`.")
    if missing is not None:
        found = Diagnostic(
            code=missing[0], text=missing[1], file=file, stage="compile", remedy=_remedy(missing[0])
        )
        return BuiltProgram(None, (found,), compiled=False)
    runtime, hosts = twin.runtime, ContentCache(twin.settings.cache / "host")
    parts = (part for pair in sorted(project.files.items()) for part in pair)
    # the program names the file with the chip's facts, and reads it when it runs
    chip = _chip_header(twin).read_bytes()
    key = digest("launched", _ours(), runtime.digest, chip, project.kernel, *parts)

    def build(folder: Path) -> None:
        _build(project, file, twin, _recorder(twin, hosts), folder)

    entry, result, compiled = fetch(hosts, key, build)
    return BuiltProgram(entry / _PROGRAM if result.ok else None, result.diagnostics, compiled)


def _chip_header(twin: TwinToolchain) -> Path:
    return twin.chip_file.with_suffix(".h")


def _ours() -> str:
    return digest(*(path.read_bytes() for path in _OURS))


def _recorder(twin: TwinToolchain, hosts: ContentCache) -> Path:
    """Return the runtime of all host functions, compiled once."""

    def build(folder: Path) -> None:
        flags = [*_FLAGS, *_includes(twin)]
        done = compile_in(twin.runtime, [*flags, "-c", "-o", _OBJECT, _RECORD], folder, _read())
        if not done.ok:
            raise RuntimeError(f"the runtime of host functions does not compile: {done.err[-400:]}")

    return hosts.get(digest("recorder", _ours(), twin.runtime.digest), build) / _OBJECT


def _includes(twin: TwinToolchain) -> list[str]:
    runtime = twin.runtime
    return [f"-I{p}" for p in (INCLUDE, LAUNCH_INCLUDE, runtime.device_include, runtime.host_include)]


def _read() -> tuple[Path, ...]:
    return (INCLUDE, _RECORD.parent, LAUNCH_INCLUDE)


def _build(project: KernelProject, file: str, twin: TwinToolchain, recorder: Path, folder: Path) -> None:
    # What reads compilers' messages is imported where there is something to compile.
    from akgen.tools.twin.findings.code import Code
    from akgen.tools.twin.findings.diagnostics import explain

    runtime = twin.runtime
    for path, text in project.files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(host_text(text))
    (folder / _MAIN).write_text(
        f'#include "{file}"\n#include "akgen/host_call.h"\nint main(int count, char **words)\n'
        f"{{\n    return akgen::launched::run(&{host_function(project.kernel)}, count, words);\n}}\n"
    )
    done = compile_in(
        runtime,
        [
            *_FLAGS,
            *("-include", runtime.host_prelude),
            *("-include", _chip_header(twin)),
            *("-include", "akgen/direct_launch.h"),
            *_includes(twin),
            "-I.",
            *sorted({f"-I{PurePosixPath(p).parent}" for p in project.files}),
            f"-fdebug-prefix-map={folder}=.",
            _MAIN,
            recorder,
            *runtime.compiler.linker,
            "-Wl,--unresolved-symbols=ignore-all",
            f"-L{runtime.folder}",
            f"-Wl,-rpath,{runtime.folder}",
            "-lakgen_twin_host",
            *("-o", _PROGRAM),
        ],
        folder,
        (*_read(), recorder.parent, twin.chip_file.parent),
    )
    if done.ok:
        write_result(folder, ())
        return
    stopped = exhausted(done, file)
    found = (stopped,) if stopped else explain(done.err, Code(side="host", files=_compiled(project, folder)))
    write_result(folder, tuple(_placed(d, project) for d in found))


def _compiled(project: KernelProject, folder: Path) -> dict[str, str]:
    own = {path: (folder / path).read_text() for path in project.files}
    return {**own, _MAIN: (folder / _MAIN).read_text()}


def _placed(found: Diagnostic, project: KernelProject) -> Diagnostic:
    """Say what is wrong with a host function that cannot be called, and with a launch."""
    if found.file == _MAIN:
        name = host_function(project.kernel)
        text = f"{name} cannot be called: it is overloaded, a template, or no function with parameters of the task."
        update = {"code": "LAUNCH_FUNCTION", "text": text, "file": project.direct_file, "line": None}
        return found.model_copy(update={**update, "remedy": _remedy("LAUNCH_FUNCTION")})
    launched = _launched_at(found, project)
    if launched is None or found.code != "WRONG_ARITY":
        return found
    if found.text.startswith("at takes"):
        update = {"text": "A launch takes <<<blocks, nullptr, stream>>>.", "remedy": "Give all three."}
    else:
        update = {
            "text": f"The kernel {launched} {found.text.strip()}",
            "remedy": "Give what the kernel's head names.",
        }
    return found.model_copy(update=update)


def _launched_at(found: Diagnostic, project: KernelProject) -> str | None:
    """Return the kernel that is launched on a finding's line."""
    lines = project.files.get(found.file or "", "").splitlines()
    line = lines[found.line - 1] if found.line and found.line <= len(lines) else ""
    launched = re.search(r"(\w+)\s*(?:<[^<>;]*>)?\s*<<<", line)
    return launched[1] if launched else None


def _remedy(code: str) -> str | None:
    known = catalogue_entry(code)
    return known.remedy if known else None
