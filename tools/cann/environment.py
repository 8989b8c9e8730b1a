"""Where CANN lies, and the command lines and environments of its programs, as data.

Both layouts are known: the toolkit of 8.0 to 8.3 (`ascend-toolkit/latest`, programs below `python/site-packages/bin`
and `compiler`) and that of 8.5 and later (`cann-VERSION`, `cann`, programs in `bin`). set_env.sh says the rest: plugin
libraries, the folder of the architecture, Python's path. Source: vendor pages "Environment Variables", "msOpGen",
"Operator Project Build", "Log Reference".
"""

import platform
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InfraError
from akgen.tools.process.program import run

_INSTALL_INFO = Path("/etc/ascend_install.info")
_DRIVER = Path("/usr/local/Ascend/driver")
# where programs lie below CANN's home, the newer layout first
_PLACES = ("bin", "python/site-packages/bin", "compiler/ccec_compiler/bin", "compiler/bin", "tools/msopgen/bin",
           "tools/profiler/bin", "tools/mssanitizer/bin", "tools/ascendc_tools", "toolkit/tools/msopgen/bin",
           "toolkit/tools/profiler/bin", "opp/built-in/op_impl/ai_core/tbe/op_tiling")  # fmt: skip
_DEEP = ("*/bin", "*/*/bin", "tools/*", "*/tools/*")  # of a layout that is not known
# the files that say a version, of both layouts
_VERSIONS = ("{arch}-linux/ascend_toolkit_install.info", "version.cfg", "share/info/runtime/version.info",
             "compiler/version.info", "runtime/version.info", "toolkit/version.info", "version.info")  # fmt: skip


class CannSettings(Frozen):
    """This machine's CANN and this user's environment. The command line fills it; None: not set."""

    home: Path | None = None
    devices: tuple[int, ...] = (0,)
    soc: str = "Ascend910B2"
    path: str = "/usr/local/bin:/usr/bin:/bin"  # of the user: where cmake and compilers lie
    library_path: str = ""  # of the user: a container may have its driver there
    cache: Path = Path("/tmp/akgen")
    nodes: Path = Path("/dev")  # where the driver's device files lie
    driver: Path | None = None  # where the driver lies; None: where its installer says
    checks: tuple[str, ...] = ()  # of msSanitizer, which a kernel passes before it counts as run
    confined: bool = True  # candidates' builds and runs go through the sandbox

    @property
    def own_folder(self) -> Path:
        """Return where locks of devices and builds that go on lie: one for all runs of this user."""
        return self.cache / "npu"

    @property
    def driver_folder(self) -> Path:
        """Return where the driver lies."""
        return self.driver or installed_driver()

    @property
    def usable_home(self) -> Path:
        """Return CANN's home. Raises InfraError if there is none."""
        if self.home is None or not self.home.is_dir():
            raise InfraError(
                "ASCEND_HOME_PATH is not set or no folder.",
                "Install the CANN toolkit and source its set_env.sh.",
            )
        return self.home.resolve()


def find_program(settings: CannSettings, name: str) -> Path | None:
    """Return a program of CANN, wherever its layout has it."""
    if settings.home is None:
        return None
    arch = settings.home / f"{platform.machine()}-linux"
    for base in (settings.home, arch):
        for place in _PLACES:
            if (base / place / name).is_file():
                return base / place / name
    elsewhere = (p for deep in _DEEP for p in sorted(settings.home.glob(f"{deep}/{name}")) if p.is_file())
    return next(elsewhere, None)


def cann_version(home: Path) -> str | None:
    """Return the version that CANN's own files say, such as `8.1.RC1`; the folder's name where none does."""
    for pattern in _VERSIONS:
        path = home / pattern.format(arch=platform.machine())
        if path.is_file():
            for line in path.read_text(errors="replace").splitlines():
                key, _, value = line.partition("=")
                if key.strip().lower() in ("version", "toolkit_installed_version", "runtime_running_version"):
                    return value.strip().strip('"[]').rpartition(":")[2] or None
    name = home.resolve().name.removeprefix("cann-")
    return name if name[:1].isdigit() else None


def installed_driver() -> Path:
    """Return where the driver lies, as its installer wrote down."""
    if _INSTALL_INFO.is_file():
        for line in _INSTALL_INFO.read_text(errors="replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "Driver_Install_Path_Param" and value.strip():
                return Path(value.strip()) / "driver"
    return _DRIVER


def set_env_script(home: Path) -> Path | None:
    """Return the script that CANN's installer left for shells."""
    places = (home / "set_env.sh", home.parent / "set_env.sh", home / "bin/setenv.bash")
    return next((p for p in places if p.is_file()), None)


def base_environment(settings: CannSettings, home_folder: Path) -> dict[str, str]:
    """Return what CANN's programs need, before any operator package. `home_folder` is theirs to write.

    TORCH_DEVICE_BACKEND_AUTOLOAD=0: torch must not load torch_npu on import.
    """
    found = dict(_sourced(settings.usable_home, settings.path, settings.library_path, settings.driver_folder))
    log = home_folder / "log"
    return found | {
        "HOME": str(home_folder),
        "TMPDIR": str(home_folder),
        "LANG": "C.UTF-8",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "ASCEND_PROCESS_LOG_PATH": str(log),
        "ASCEND_WORK_PATH": str(home_folder),
        "ASCEND_CACHE_PATH": str(home_folder / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_environment(settings: CannSettings, vendor: Path | None, home_folder: Path) -> dict[str, str]:
    """Return what a process needs to find exactly this operator package, and no other that somebody installed."""
    env = base_environment(settings, home_folder)
    env.pop("ASCEND_CUSTOM_OPP_PATH", None)
    if vendor is not None:
        env["ASCEND_CUSTOM_OPP_PATH"] = str(vendor)
        env["LD_LIBRARY_PATH"] = f"{vendor / 'op_api/lib'}:{env['LD_LIBRARY_PATH']}"
    return env


@lru_cache(maxsize=8)
def _sourced(home: Path, path: str, library_path: str, driver: Path) -> Mapping[str, str]:
    """Source set_env.sh with the user's path, and take what it sets; without one, what its documentation lists."""
    own = f"{Path(sys.executable).parent}:{path}"
    base = {"PATH": own, "LD_LIBRARY_PATH": library_path, "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    script = set_env_script(home)
    found = dict(base)
    if script is not None:
        shell = 'source "$0" >/dev/null 2>&1; exec /usr/bin/env -0'  # whatever became of PATH
        done = run(["bash", "-c", shell, str(script)], cwd=home, timeout_s=60, env=base)
        if not done.ok:
            raise InfraError(
                f"{script} failed ({done.ending}).", "Source it in a shell and read what it says."
            )
        pairs = (line.partition("=") for line in done.out.split("\0") if "=" in line)
        found |= {key: value for key, _, value in pairs if not key.startswith("BASH_") and key not in _SHELL}
    have = found.get("PATH", "").split(
        ":"
    )  # a script may set it anew: python3, cmake and compilers are the user's
    found["PATH"] = ":".join([*have, *(p for p in own.split(":") if p not in have)])
    return _completed(found, home, driver)


_SHELL = {"_", "PWD", "OLDPWD", "SHLVL"}


def _completed(found: dict[str, str], home: Path, driver_folder: Path) -> dict[str, str]:
    """Add what is needed and not set, each path that is there."""
    driver = driver_folder / "lib64"
    libraries = [home / "lib64", home / "lib64/plugin/opskernel", home / "lib64/plugin/nnengine",
                 home / f"opp/built-in/op_impl/ai_core/tbe/op_tiling/lib/linux/{platform.machine()}",
                 home / "tools/aml/lib64", driver, driver / "common", driver / "driver"]  # fmt: skip
    programs = [home / "bin", home / "compiler/ccec_compiler/bin", home / "tools/ccec_compiler/bin"]
    python = [home / "python/site-packages", home / "opp/built-in/op_impl/ai_core/tbe"]
    wanted = (("LD_LIBRARY_PATH", libraries), ("PATH", programs), ("PYTHONPATH", python))
    for name, folders in wanted:
        have = [p for p in found.get(name, "").split(":") if p]
        more = [str(p) for p in folders if p.is_dir() and str(p) not in have]
        found[name] = ":".join(more + have)
    for name, value in (
        ("ASCEND_HOME_PATH", home),
        ("ASCEND_TOOLKIT_HOME", home),
        ("ASCEND_OPP_PATH", home / "opp"),
        ("ASCEND_AICPU_PATH", home),
        ("TOOLCHAIN_HOME", home / "toolkit"),
    ):
        found.setdefault(name, str(value))
    return found


def msopgen(settings: CannSettings, interface: Path, out: Path) -> list[str]:
    """Generate an operator project: `msopgen gen -i JSON -c ai_core-SOC -lan cpp -out DIR`.

    msopgen refuses files that others may write, so the umask is 022 whatever the user's is.
    """
    tool = find_program(settings, "msopgen")
    if tool is None:
        raise InfraError("msopgen was not found below CANN's home.", "It comes with the CANN toolkit.")
    return [*("bash", "-c", 'umask 022; exec "$@"', "msopgen"), str(tool), "gen", "-i", str(interface), "-c",
            f"ai_core-{settings.soc}", "-lan", "cpp", "-out", str(out)]  # fmt: skip


def build(generated: Path) -> list[str]:
    """Build host and device code into build_out/custom_opp_<os>_<arch>.run."""
    return ["bash", "-c", 'umask 022; exec bash "$0"', str(generated / "build.sh")]


def install(package: Path, opp: Path) -> list[str]:
    """Unpack the package below a folder of this build, never into the shared one."""
    return ["bash", str(package), "--quiet", f"--install-path={opp}"]


def msprof(settings: CannSettings, application: list[str], out: Path) -> list[str]:
    """Profile one application with pipe utilisation: `msprof --output=DIR --aic-metrics=PipeUtilization ...`."""
    tool = find_program(settings, "msprof") or settings.usable_home / "bin/msprof"
    return [
        str(tool),
        f"--output={out}",
        "--task-time=l1",
        "--ai-core=on",
        "--aic-metrics=PipeUtilization",
        "--ascendcl=off",
        "--runtime-api=off",
        *application,
    ]


def msprof_op(settings: CannSettings, application: list[str], out: Path, launches: int) -> list[str]:
    """Count what each core does in single launches: `msprof op --output=DIR --launch-count=N ...`.

    Which kernels are ours is told afterwards: what a name has to be for --kernel-name differs between versions.
    """
    tool = find_program(settings, "msprof") or settings.usable_home / "bin/msprof"
    return [str(tool), "op", f"--output={out}", f"--launch-count={launches}", *application]
