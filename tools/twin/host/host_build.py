"""Compile an operator's op_host code into a library, and let it say what it registered."""

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.core.project import KernelProject, write_files
from akgen.tools.process.program import Finished
from akgen.tools.twin.build_cache import fetch, write_result
from akgen.tools.twin.host.host_info import HostInfo
from akgen.tools.twin.host.host_run import HostFailure, describe
from akgen.tools.twin.precompiled import host_flags
from akgen.tools.twin.runtime_build import Runtime
from akgen.tools.twin.sandboxed import compile_in, exhausted

_LIBRARY = "host.so"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
# Hand-written aclnn layers belong to the operator package, not to the kernel: the twin calls the kernel itself.
_ACLNN = re.compile(
    r'#\s*include\s*[<"](?:aclnn_|level0/|opdev/(?:op_executor|make_op_executor|op_dfx|common_types)|aclnn/aclnn_base)'
)


class BuiltHost(NamedTuple):
    """`info` is None if the project has no op_host code or it does not build; the findings say which."""

    info: HostInfo | None
    diagnostics: tuple[Diagnostic, ...]
    compiled: bool  # false: it was in the cache


def host_sources(project: KernelProject) -> tuple[str, ...]:
    """Return the op_host files that make the library of OpDef, tiling and shape functions."""
    return tuple(
        path
        for path in project.host_files
        if PurePosixPath(path).suffix in (".cpp", ".cc") and not _belongs_to_aclnn(path, project.files[path])
    )


def build_host(
    project: KernelProject, runtime: Runtime, hosts: ContentCache, chip_file: Path, jobs: int
) -> BuiltHost:
    """Build the host library, or take it from the cache. Raises InfraError only."""
    sources = host_sources(project)
    if not sources:
        return BuiltHost(None, (), compiled=False)
    files = {p: t for p, t in project.files.items() if p.startswith("op_host/")}
    files |= _shared_headers(project, files)
    one_library = "target_sources" not in project.files.get("CMakeLists.txt", "")
    parts = (part for pair in sorted(files.items()) for part in pair)
    chip = chip_file.read_bytes()
    key = digest(
        "host", runtime.digest, chip, project.op_type, project.host_standard, str(one_library), *parts
    )

    def build(folder: Path) -> None:
        _build(project, files, sources, runtime, chip_file, folder, jobs, one_library=one_library)

    entry, result, compiled = fetch(hosts, key, build)
    info = HostInfo.model_validate_json((entry / "info.json").read_bytes()) if result.ok else None
    if info is not None:
        info = info.model_copy(update={"library": entry / _LIBRARY})
    return BuiltHost(info, result.diagnostics, compiled)


def _shared_headers(project: KernelProject, files: dict[str, str]) -> dict[str, str]:
    """Return the kernel's headers that host files include: tiling structures and template arguments are for both."""
    own = {PurePosixPath(p).name for p in files}
    by_name = {PurePosixPath(p).name: p for p in project.kernel_files if p.endswith((".h", ".hpp"))}
    found: dict[str, str] = {}
    texts = list(files.values())
    while texts:
        for name in (PurePosixPath(n).name for n in INCLUDE.findall(texts.pop())):
            path = by_name.get(name)
            if path is not None and path not in found and name not in own:
                found[path] = project.files[path]
                texts.append(project.files[path])
    return found


def _build(
    project: KernelProject,
    files: dict[str, str],
    sources: tuple[str, ...],
    runtime: Runtime,
    chip_file: Path,
    folder: Path,
    jobs: int,
    *,
    one_library: bool,
) -> None:
    write_files(files, folder)
    include = sorted({str(PurePosixPath(p).parent) for p in files})
    flags: list[str | Path] = [
        *host_flags(project.host_standard),
        "-fmax-errors=20",
        f"-fdebug-prefix-map={folder}=.",
        *("-include", runtime.host_prelude, f"-I{runtime.host_include}"),
        *(f"-I{i}" for i in include),
    ]

    def one(source: str) -> tuple[Diagnostic, ...]:
        done = compile_in(runtime, [*flags, "-c", "-o", _object(source), source], folder)
        if done.ok:
            return ()
        stopped = exhausted(done, source)
        return (stopped,) if stopped else _explained(done, files)

    if len(sources) == 1:
        found = one(sources[0])
    else:
        with ThreadPoolExecutor(jobs) as pool:
            found = tuple(d for part in pool.map(one, sources) for d in part)
    if not found:
        found = _link(sources, runtime, folder, one_library=one_library)
    if not found:
        found = _describe(project.op_type, runtime, chip_file, folder)
    write_result(folder, found)


def _explained(failed: Finished, files: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    # Imported where there is something to explain: they bring every rule about compilers' messages.
    from akgen.tools.twin.findings.code import Code
    from akgen.tools.twin.findings.diagnostics import explain

    return explain(failed.err, Code(side="host", files=files))


def _link(
    sources: tuple[str, ...], runtime: Runtime, folder: Path, *, one_library: bool
) -> tuple[Diagnostic, ...]:
    objects = [_object(s) for s in sources]
    # Sources that the build puts into separate libraries may define the same helpers.
    twice = () if one_library else ("-Wl,-z,muldefs",)
    libraries = [f"-L{runtime.folder}", "-lakgen_twin_host"]
    done = compile_in(
        runtime,
        ["-shared", "-Wl,-z,defs", *twice, *runtime.compiler.linker, "-o", _LIBRARY, *objects, *libraries],
        folder,
    )
    for name in objects:
        (folder / name).unlink()
    return () if done.ok else _explained(done, {})


def _describe(op_type: str, runtime: Runtime, chip_file: Path, folder: Path) -> tuple[Diagnostic, ...]:
    try:
        info = describe(op_type, runtime, folder / _LIBRARY, chip_file, folder)
    except HostFailure as failure:
        return (failure.diagnostic,)
    (folder / "info.json").write_text(info.model_dump_json())
    return ()


def _object(source: str) -> str:
    return source.replace("/", "__") + ".o"


def _belongs_to_aclnn(path: str, text: str) -> bool:
    name = PurePosixPath(path)
    by_name = name.name.startswith("aclnn_") or name.stem.endswith("_l0") or "op_api" in name.parts
    return by_name or _ACLNN.search(text) is not None
