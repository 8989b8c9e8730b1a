"""Build operator packages with CANN: msopgen's project or one of ours, CMake, the package's installer.

Everything happens in a folder of its own with a plain name, since msopgen refuses links, used folders and many
characters and the installer breaks on spaces; what is needed later is copied out. What a candidate's code may write
there is one folder of it, and nothing of ours is written into that one afterwards: a link there would lead our own
hand elsewhere. A build is looked up by the digest of its sources, chip and CANN. Source: vendor pages "msOpGen",
"Operator Project Build", "Operator Package Deployment".
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from akgen.tools.cache.content import ContentCache, digest
from akgen.tools.cann import direct, environment
from akgen.tools.cann.asc_project import write_project
from akgen.tools.cann.build_log import SourceNames, first_error, origin_of
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.device import slot
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.project import (
    Renamed,
    adapt_template,
    install_sources,
    instrument_template,
    interface_json,
)
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic, InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.process.program import Finished, run

BUILD_TIMEOUT_S = 1800.0
PACKAGES = "package"  # the folder of the cache
_FORM = "1"  # of what it holds
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+")
_RESULT = "result.json"
_INSTALLER = "installer"
_MADE = ("opp", "direct", _INSTALLER)
Purpose = Literal["package", "installer", "instrumented"]
_AREA = "area"  # of the work folder: what the build's programs may write


VENDOR = Path("opp/vendors/customize")


class PackageBuild(Frozen):
    """What a build came to. `diagnostics` hold why there is no package; `contents` its files by digest."""

    ok: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    contents: dict[str, str]
    library: str = f"{VENDOR}/op_api/lib/libcust_opapi.so"  # what a run loads, below the build's folder


class Builder:
    """Builds for one CANN and chip, no more than `side_by_side` at a time over all processes of this user."""

    def __init__(self, settings: CannSettings, confinement: Confinement, side_by_side: int) -> None:
        self._settings = settings
        self._confinement = confinement
        self._side_by_side = side_by_side

    def build(
        self,
        renamed: Sequence[Renamed],
        folder: Path,
        *,
        installer: bool = False,
        instrumented: bool = False,
    ) -> PackageBuild:
        """Put a package of these operators below `folder`/opp, its logs below `folder`/logs.

        With `installer`, the .run file that installs it elsewhere lies below `folder`/installer. `instrumented` is for
        msSanitizer.

        A candidate's fault is in the result; raises InfraError for the machine's, which is not kept.
        """
        packages = ContentCache(self._settings.cache / PACKAGES)
        parts = [text for one in renamed for text in (one.project.digest, one.spec.model_dump_json())]
        purpose: Purpose = "installer" if installer else "instrumented" if instrumented else "package"
        key = self._key(purpose, *parts)
        kept = packages.get(
            key, lambda into: self._make(lambda work: self._package(renamed, work, purpose), into, folder)
        )
        return _take(kept, folder)

    def build_direct(
        self, project: KernelProject, folder: Path, *, instrumented: bool = False
    ) -> PackageBuild:
        """Compile a file that launches its kernels itself; the library lies below `folder`/direct."""
        packages = ContentCache(self._settings.cache / PACKAGES)
        key = self._key(
            "direct", project.digest, project.kernel, *(("instrumented",) if instrumented else ())
        )
        kept = packages.get(
            key,
            lambda into: self._make(lambda work: self._direct(project, work, instrumented), into, folder),
        )
        return _take(kept, folder)

    def _key(self, *parts: str) -> str:
        home = self._settings.usable_home
        version = environment.cann_version(home) or ""
        return digest(_FORM, str(home), version, self._settings.soc, sys.executable, *parts)

    def _direct(self, project: KernelProject, work: Path, instrumented: bool) -> PackageBuild:
        area = work / _AREA
        entry = direct.write_entry(project, area / "sources")
        library = area / direct.LIBRARY
        for folder in (library.parent, area / "home"):
            folder.mkdir()
        env = environment.base_environment(self._settings, area / "home")
        argv = direct.compile_command(self._settings, project, entry, library, instrumented=instrumented)
        built = self._confinement.run(argv, area, env, BUILD_TIMEOUT_S)
        log(work, "bisheng", built)
        if not built.ok or not library.is_file():
            origin = origin_of({path: path for path in project.files}, {})
            found = first_error(built.out + "\n" + built.err, origin)
            return PackageBuild(ok=False, contents={}, diagnostics=(found,))
        return PackageBuild(ok=True, contents=contents(library.parent), library=str(direct.LIBRARY))

    def _make(self, build: Callable[[Path], PackageBuild], into: Path, folder: Path) -> None:
        own = self._settings.own_folder
        with slot(own / "locks", self._side_by_side):
            work = plain_folder(own / "work")
            try:
                (work / _AREA).mkdir()
                result = build(work)
                if (way := _leads_out(work / _AREA)) is not None:
                    result = PackageBuild(ok=False, contents={}, diagnostics=(_link(way),))
                for name in _MADE if result.ok else ():
                    if (work / _AREA / name).is_dir():
                        shutil.copytree(work / _AREA / name, into / name, symlinks=True)
                (into / _RESULT).write_text(result.model_dump_json())
            finally:
                if (work / "logs").is_dir():
                    shutil.copytree(work / "logs", folder / "logs", dirs_exist_ok=True)
                    shutil.copytree(work / "logs", into / "logs")
                shutil.rmtree(work, ignore_errors=True)

    def _package(self, renamed: Sequence[Renamed], work: Path, purpose: Purpose) -> PackageBuild:
        area = work / _AREA
        generated, home = area / "project", area / "home"
        home.mkdir()
        env = environment.base_environment(self._settings, home)
        if environment.find_program(self._settings, "msopgen") is not None:
            self._by_msopgen(renamed[0], work, generated, env)
        else:
            write_project(self._settings, VENDOR.name, generated)
        install_sources([one.project for one in renamed], generated)
        if purpose == "instrumented":
            instrument_template(generated)
        made_package = self._compile(renamed, work, generated, env)
        if made_package.ok and purpose == "installer":
            into = area / _INSTALLER
            into.unlink(missing_ok=True) if into.is_symlink() else shutil.rmtree(into, ignore_errors=True)
            into.mkdir()
            for path in _packages(generated):
                shutil.copy(path, into, follow_symlinks=False)  # a link stays one, and is found
        return made_package

    def _by_msopgen(self, first: Renamed, work: Path, generated: Path, env: dict[str, str]) -> None:
        """Generate from one operator's prototype: the template takes every source below op_host and op_kernel."""
        interface = work / _AREA / "interface.json"
        interface.write_text(interface_json(first.spec))
        interface.chmod(0o644)
        argv = environment.msopgen(self._settings, interface, generated)
        made = run(argv, cwd=work / _AREA, timeout_s=300, env=env)
        log(work, "msopgen", made)
        if not made.ok or not (generated / "build.sh").is_file():
            raise InfraError(
                f"msopgen failed: {said(made)}.", "Check the CANN installation, or run `akgen doctor --npu`."
            )
        adapt_template(generated, self._settings.usable_home, sys.executable)

    def _compile(
        self, renamed: Sequence[Renamed], work: Path, generated: Path, env: dict[str, str]
    ) -> PackageBuild:
        area = work / _AREA
        jobs = max(
            1, (os.cpu_count() or 1) // self._side_by_side
        )  # of each build, where its script does not say
        own = {"PWD": str(generated), "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs)}
        built = self._confinement.run(environment.build(generated), area, env | own, BUILD_TIMEOUT_S)
        log(work, "build", built)
        packages = _packages(generated)
        if built.timed_out:
            raise InfraError(
                f"CANN's build did not end ({built.ending}).", "Look at logs/build.log of the build."
            )
        if not built.ok or not packages:
            origin = SourceNames(
                files={k: v for one in renamed for k, v in one.origin.files.items()},
                words={k: v for one in renamed for k, v in one.origin.words.items()},
            )
            return PackageBuild(
                ok=False, contents={}, diagnostics=(first_error(built.out + "\n" + built.err, origin),)
            )
        installed = self._confinement.run(environment.install(packages[0], area / "opp"), area, env, 600)
        log(work, "install", installed)
        vendor = area / VENDOR
        if not installed.ok or not (vendor / "op_api/lib/libcust_opapi.so").is_file():
            raise InfraError(
                f"The package did not install: {said(installed)}.",
                "Check disk and rights; see logs/install.log.",
            )
        absent = [
            one.spec.op_type for one in renamed if not kernels(vendor, one.project.kernel, one.spec.op_type)
        ]
        if absent:
            return PackageBuild(
                ok=False, contents={}, diagnostics=(_no_kernel(absent[0], renamed[0].origin),)
            )
        return PackageBuild(ok=True, contents=contents(vendor))


def _packages(generated: Path) -> list[Path]:
    """Return the installers that a build left: custom_opp_OS_ARCH.run, or a newer CMake's name."""
    return sorted((generated / "build_out").glob("*.run"))


def kernels(vendor: Path, kernel: str, op_type: str) -> list[Path]:
    """Return the device binaries of an operator that a package holds."""
    folder = vendor / "op_impl/ai_core/tbe/kernel"
    return sorted(p for p in folder.rglob("*.o") if kernel in p.parts or p.name.startswith(op_type))


def contents(vendor: Path) -> dict[str, str]:
    """Return the digest of every file that a run loads from a package."""
    return {
        p.relative_to(vendor).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(vendor.rglob("*"))
        if p.is_file() and p.suffix in {".so", ".o", ".json"}
    }


def check_package(folder: Path) -> None:
    """Raise InfraError if the package is not the one that was built here: stale, foreign or altered."""
    made = package_of(folder)
    now = contents(folder / VENDOR if (folder / VENDOR).is_dir() else (folder / made.library).parent)
    if now != made.contents:
        name = sorted(set(now.items()) ^ set(made.contents.items()))[0][0]
        raise InfraError(
            f"{name} of the operator package is not what was built.",
            "Build the project again; clear AKGEN_CACHE.",
        )


def package_of(folder: Path) -> PackageBuild:
    """Return what was built into a folder. Raises InfraError if nothing was."""
    try:
        return PackageBuild.model_validate_json((folder / _RESULT).read_text())
    except (OSError, ValueError) as problem:
        raise InfraError(f"{folder} holds no build.", "Build the project again.") from problem


def plain_folder(wanted: Path) -> Path:
    """Make an empty folder whose real path msopgen and the package's installer take."""
    wanted.mkdir(parents=True, exist_ok=True)
    real = wanted.resolve()
    if not _PLAIN.fullmatch(str(real)):
        real = Path(tempfile.gettempdir()).resolve()
    made = Path(tempfile.mkdtemp(prefix="akgen-", dir=real))
    if not _PLAIN.fullmatch(str(made)):
        raise InfraError(
            f"There is no folder with a plain path: {made}.",
            "Set TMPDIR or AKGEN_CACHE to one without spaces.",
        )
    made.chmod(0o755)
    return made


def log(work: Path, phase: str, done: Finished) -> None:
    """Keep what a phase said."""
    (work / "logs").mkdir(exist_ok=True)
    head = f"$ {' '.join(done.argv)}\n# {done.ending}, {done.wall_s:.1f} s\n"
    (work / "logs" / f"{phase}.log").write_text(f"{head}{done.out}\n--- stderr\n{done.err}\n")


def said(done: Finished) -> str:
    """Return the last words of a program, of both its streams: some of CANN's say why on stdout only."""
    words = " ".join((done.err.strip() + "\n" + done.out.strip()).split())
    return f"{words[-300:] or 'no word'} ({done.ending})"


def _no_kernel(op_type: str, origin: SourceNames) -> Diagnostic:
    return Diagnostic(
        code="BUILD_FAILED",
        text=f"opc: the package holds no kernel for {origin.told(op_type)} on this chip",
        stage="compile",
        remedy="Name the chip in AddConfig of the OpDef, and the kernel's entry as the operator.",
    )


def _leads_out(area: Path) -> str | None:
    """Name a link of what was made that leads out of it: copied, it would bring along a file of somebody else's."""
    inside = area.resolve()
    for name in _MADE:
        for path in (area / name, *(area / name).rglob("*")):
            if path.is_symlink() and not path.resolve().is_relative_to(inside / name):
                return path.relative_to(area).as_posix()
    return None


def _link(way: str) -> Diagnostic:
    return Diagnostic(
        code="TAMPERED",
        text=f"the package holds {way}, a link that leads out of it",
        stage="compile",
        remedy="Make links neither in host code nor in what the build runs.",
    )


def _take(kept: Path, folder: Path) -> PackageBuild:
    for name in (*_MADE, "logs"):
        if (kept / name).is_dir():
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(kept / name, folder / name, symlinks=True)
    shutil.copy(kept / _RESULT, folder / _RESULT)
    return PackageBuild.model_validate_json((folder / _RESULT).read_text())
