"""Build the twin's runtime once per machine: device and host libraries, launcher, host runner, sandbox.

Objects and the linked whole are kept by content, so a changed source costs one unit of some sources and a link.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.project import HOST_STANDARDS
from akgen.tools.core.toolchain import Progress
from akgen.tools.process.program import run
from akgen.tools.twin.build_cache import build_digest
from akgen.tools.twin.compiler import Compiler, CompileSlots, compile_slots, find_compiler, must
from akgen.tools.twin.precompiled import (
    DEVICE_INCLUDE,
    HOST_INCLUDE,
    TWIN,
    Precompiler,
    kernel_preludes,
    precompile_host,
    precompile_kernel,
    write_include_folders,
)
from akgen.tools.twin.settings import TwinSettings

SOURCE = TWIN / "src"
COMPILE_TIMEOUT_S = 600.0
_WARNINGS = "warnings.txt"

_BASE = ("-std=c++17", "-fPIC", "-Wall", "-Wextra", "-pthread")
# The same results on every machine: no contraction to fused multiply-add.
# Vectors wider than the machine's stay within one library, so that how functions hand them on matters to nobody.
_FAST = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-Wno-psabi")
_SMALL = ("-O1", "-g1")
_TOGETHER = 16  # sources of one folder: their headers cost as much as they do
_ALONE = ("math_loops.cpp",)  # src/vector/libm.h is not to be mixed with <cmath>
_HOST_PROGRAM = ("main.cpp", "manifest.cpp")  # the other sources of src/host are a library
_PARTS_OF_THEIR_OWN = ("host", "launcher", "sandbox", "seal", "unit")


class Runtime(Frozen):
    """The built runtime. `digest` stands for the compiler and for everything of ours that decides a build."""

    folder: Path
    compiler: Compiler
    slots: CompileSlots
    digest: str
    sealed: bool  # kernels are; not on other machines, with clang++, or under a sanitizer
    kernel_flags: tuple[str, ...] = ()
    tiling_timeout_s: float = 20.0
    launcher_env: tuple[tuple[str, str], ...] = ()
    seccomp_only: bool = False

    @property
    def sandbox_env(self) -> dict[str, str]:
        """Return what the environment of every sandboxed program must say."""
        return {"AKGEN_SECCOMP_ONLY": "1"} if self.seccomp_only else {}

    @property
    def device_library(self) -> Path:
        return self.folder / "libakgen_twin.so"

    @property
    def launcher(self) -> Path:
        return self.folder / "akgen_twin_run"

    @property
    def host_runner(self) -> Path:
        return self.folder / "akgen_twin_host"

    @property
    def sandbox(self) -> Path:
        return self.folder / "akgen_sandbox"

    @property
    def seal(self) -> Path | None:
        """Return the folder of the assembler that seals kernels' code."""
        return self.folder / "seal" if self.sealed else None

    @property
    def warnings(self) -> str:
        """Return what the compiler said of the runtime's own sources. A test wants nothing; another compiler may."""
        return (self.folder / _WARNINGS).read_text()

    @property
    def device_include(self) -> Path:
        """Return the folder with every header that a kernel may include, as the runtime was built from them."""
        return self.folder / "include"

    @property
    def host_include(self) -> Path:
        return self.folder / "host_include"

    @property
    def host_prelude(self) -> Path:
        """Return the header that every host file sees first; its precompiled form lies beside it."""
        return self.folder / "host_std.h"


class _Unit(Frozen):
    """Sources of one folder that are compiled as one, since most of the time goes into the headers that they share."""

    sources: tuple[Path, ...]
    flags: tuple[str, ...]

    @property
    def name(self) -> str:
        first = self.sources[0].relative_to(SOURCE)
        return f"{first} and {len(self.sources) - 1} more" if len(self.sources) > 1 else str(first)


class _Target(Frozen):
    """One library or program."""

    name: str
    units: tuple[_Unit, ...]
    libraries: tuple[str, ...] = ()  # of ours, by name
    shared: bool = False
    flags: tuple[str, ...] = ()  # of the link


def build_runtime(settings: TwinSettings, progress: Progress) -> Runtime:
    """Return the runtime for these sources and this compiler, building it if it is not in the cache.

    Raises InfraError if there is no compiler, the cache cannot be written or a source does not compile.
    """
    compiler = find_compiler(settings)
    ours = build_digest(settings.cache / "sources")
    key = digest(*compiler.identity, _machine(), *settings.runtime_flags, ours)
    runtimes = ContentCache(settings.cache / "runtime")

    def build(work: Path) -> None:
        progress("building the twin's runtime (once per machine)")
        _build(settings, compiler, work, progress)

    folder = runtimes.get(key, build)
    runtimes.hold(key)
    return Runtime(
        folder=folder,
        compiler=compiler,
        slots=compile_slots(settings.cache),
        digest=key,
        sealed=settings.seal and compiler.seals and not settings.runtime_flags,
        kernel_flags=settings.kernel_flags,
        tiling_timeout_s=settings.tiling_timeout_s,
        launcher_env=settings.launcher_env,
        seccomp_only=settings.seccomp_only,
    )


def _build(settings: TwinSettings, compiler: Compiler, work: Path, progress: Progress) -> None:
    targets = _targets(settings.runtime_flags)
    units = {u: None for t in targets for u in t.units}
    objects, slots = ContentCache(settings.cache / "objects"), compile_slots(settings.cache)
    done = 0

    def compile_one(unit: _Unit) -> tuple[_Unit, Path]:
        nonlocal done
        done += 1
        number = done

        def compile_it(folder: Path) -> None:
            progress(f"runtime {number}/{len(units)}: {unit.name}")
            with slots.one():
                _compile(unit, compiler, folder)

        return unit, objects.get(_unit_key(unit, compiler), compile_it) / "unit.o"

    with ThreadPoolExecutor(settings.jobs) as pool:
        by = Precompiler(compiler, objects, slots)
        host_std = HOST_INCLUDE / "akgen" / "host_std.h"
        hosts = {s: pool.submit(precompile_host, host_std, s, by) for s in HOST_STANDARDS}
        headers = [pool.submit(precompile_kernel, name, DEVICE_INCLUDE, by) for name in kernel_preludes()]
        made = dict(pool.map(compile_one, units))
        for path in (path for header in headers for path in header.result().glob("*.h*")):
            (work / path.name).hardlink_to(path)
        _put_host_preludes(work, host_std, {standard: done.result() for standard, done in hosts.items()})
    for target in targets:
        with slots.one():
            _link(target, [made[u] for u in target.units], compiler, work)
    (work / _WARNINGS).write_text("".join((made[u].with_name(_WARNINGS)).read_text() for u in units))
    write_include_folders(work)
    progress("runtime built")


def _put_host_preludes(work: Path, header: Path, made: dict[str, Path]) -> None:
    """Put the header and a folder with its precompiled forms there: g++ takes the one that fits."""
    (work / header.name).write_text(header.read_text())
    forms = work / f"{header.name}.gch"
    forms.mkdir()
    for standard, folder in made.items():
        for form in folder.glob("*.gch"):
            (forms / f"{standard}.gch").hardlink_to(form)


def _targets(extra: tuple[str, ...]) -> tuple[_Target, ...]:
    """Name what is built from which folder of src/. What is no part of its own is device runtime."""
    lockdown = (_Unit(sources=(SOURCE / "lockdown.cpp",), flags=_SMALL),)
    device_flags = (*_FAST, "-DAKGEN_RUNTIME", f"-I{DEVICE_INCLUDE}", f"-I{SOURCE}", *extra)
    device = tuple(
        unit
        for folder in sorted(SOURCE.iterdir())
        if folder.is_dir() and folder.name not in _PARTS_OF_THEIR_OWN
        for unit in _units(folder, device_flags)
    )
    host_flags = (*_SMALL, f"-I{HOST_INCLUDE}", f"-I{SOURCE}/host", f"-I{SOURCE}")
    host = _units(SOURCE / "host", host_flags, without=_HOST_PROGRAM)
    host_main = (_Unit(sources=tuple(SOURCE / "host" / name for name in _HOST_PROGRAM), flags=host_flags),)
    launcher_flags = ("-O2", "-g1", "-DAKGEN_RUNTIME", f"-I{DEVICE_INCLUDE}", f"-I{SOURCE}", *extra)
    launcher = _units(SOURCE / "launcher", launcher_flags)
    unit = _units(SOURCE / "unit", launcher_flags)
    sandbox = _units(SOURCE / "sandbox", _SMALL)
    seal = _units(SOURCE / "seal", ("-O2", f"-I{SOURCE}"))
    return (
        _Target(name="seal/as", units=seal),
        _Target(name="libakgen_twin.so", units=device, shared=True, flags=extra),
        _Target(name="libakgen_twin_host.so", units=host, shared=True),
        _Target(
            name="libakgen_twin_unit.so", units=unit, libraries=("akgen_twin",), shared=True, flags=extra
        ),
        _Target(name="akgen_sandbox", units=sandbox + lockdown),
        _Target(name="akgen_twin_host", units=host_main + lockdown, libraries=("akgen_twin_host",)),
        _Target(name="akgen_twin_run", units=launcher + lockdown, libraries=("akgen_twin",), flags=extra),
    )


def _units(folder: Path, flags: tuple[str, ...], without: tuple[str, ...] = ()) -> tuple[_Unit, ...]:
    """Divide the sources of a folder into units of about _TOGETHER."""
    sources = [p for p in sorted(folder.glob("*.cpp")) if p.name not in without]
    alone = [p for p in sources if p.name in _ALONE]
    sources = [p for p in sources if p.name not in _ALONE]
    count = max(1, round(len(sources) / _TOGETHER))
    parts = [*([p] for p in alone), *(sources[i::count] for i in range(count))]
    return tuple(_Unit(sources=tuple(part), flags=flags) for part in parts if part)


def _compile(unit: _Unit, compiler: Compiler, folder: Path) -> None:
    (folder / "unit.cpp").write_text("".join(f'#include "{p}"\n' for p in unit.sources))
    done = run([*_command(unit, compiler), "unit.cpp"], cwd=folder, timeout_s=COMPILE_TIMEOUT_S)
    (folder / "unit.cpp").unlink()
    must(done, f"Compiling {unit.name}")
    (folder / _WARNINGS).write_text(done.err)


def _command(unit: _Unit, compiler: Compiler) -> list[str | Path]:
    # No path of this checkout gets into the object: another one with the same sources may use it.
    here = f"-ffile-prefix-map={TWIN}=twin"
    return [compiler.path, *_BASE, *unit.flags, here, "-c", "-o", "unit.o"]


def _link(target: _Target, objects: list[Path], compiler: Compiler, work: Path) -> None:
    command: list[str | Path] = [compiler.path, "-pthread", *target.flags, "-Wl,-rpath,$ORIGIN"]
    (work / target.name).parent.mkdir(exist_ok=True)
    command += ["-o", work / target.name]
    if target.shared:
        command += ["-shared", f"-Wl,-soname,{target.name}"]
    command += [*objects, f"-L{work}", *(f"-l{name}" for name in target.libraries), "-ldl"]
    must(run(command, cwd=work, timeout_s=COMPILE_TIMEOUT_S), f"Linking {target.name}")


def _unit_key(unit: _Unit, compiler: Compiler) -> str:
    command = (str(part).replace(str(TWIN), "twin") for part in _command(unit, compiler))
    return digest(*compiler.identity, _machine(), *command, *(t for p in _closure(unit.sources) for t in p))


def _closure(sources: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of these sources and of every header of ours that they may include."""
    roots = (SOURCE, SOURCE / "host", DEVICE_INCLUDE, HOST_INCLUDE)
    seen: dict[Path, None] = {}
    stack = [*sources]
    while stack:
        path = stack.pop()
        if path in seen:
            continue
        seen[path] = None
        for name in _includes(path):
            stack += [p for p in (path.parent / name, *(root / name for root in roots)) if p.is_file()]
    for path in sorted(p.resolve() for p in seen):
        yield str(path.relative_to(TWIN)), path.read_bytes()


def _includes(path: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', path.read_text(errors="replace"), re.MULTILINE)


@cache
def _machine() -> str:
    """Return what `-march=native` depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line for line in lines if line.startswith(("flags", "Features"))), "unknown")
