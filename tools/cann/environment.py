"""What of CANN, driver and NPU a machine has, and the command lines and environments of CANN's tools, as data."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from akgen.tools.core.frozen import Frozen


class CannSettings(Frozen):
    """Where CANN lies. The command line fills this from ASCEND_HOME_PATH; None: not set."""

    home: Path | None = None
    device: int = 0
    soc: str = "Ascend910B2"


class Prerequisite(Frozen):
    """One thing that was looked for."""

    name: str
    found: bool
    detail: str
    remedy: str | None = None


def inspect(settings: CannSettings) -> tuple[Prerequisite, ...]:
    """Look for CANN's parts without starting any of them."""
    home = settings.home
    usable = home is not None and home.is_dir()
    findings = [
        Prerequisite(
            name="CANN toolkit",
            found=usable,
            detail=str(home) if usable else "ASCEND_HOME_PATH is not set or no folder",
            remedy=None if usable else "Install the CANN toolkit and source its set_env.sh.",
        ),
        _tool("msopgen", home, "python/site-packages/bin/msopgen"),
        _tool("msprof", home, "bin/msprof"),
        _tool("cmake", None, "cmake"),
        _npu(),
        Prerequisite(
            name="torch_npu",
            found=find_spec("torch_npu") is not None,
            detail="installed" if find_spec("torch_npu") else "not installed",
            remedy=None
            if find_spec("torch_npu")
            else "pip install 'akgen[npu]' on the machine with the NPU.",
        ),
    ]
    return tuple(findings)


def missing(settings: CannSettings) -> tuple[Prerequisite, ...]:
    return tuple(f for f in inspect(settings) if not f.found)


def _tool(name: str, home: Path | None, relative: str) -> Prerequisite:
    candidates = [home / relative] if home is not None else []
    on_path = shutil.which(name)
    if on_path:
        candidates.append(Path(on_path))
    hit = next((c for c in candidates if c.is_file()), None)
    remedy = "Install cmake 3.16 or later." if name == "cmake" else "It comes with the CANN toolkit."
    return Prerequisite(
        name=name, found=hit is not None, detail=str(hit or "not found"), remedy=None if hit else remedy
    )


def _npu() -> Prerequisite:
    nodes = sorted(p.name for p in Path("/dev").glob("davinci[0-9]*"))
    return Prerequisite(
        name="NPU",
        found=bool(nodes),
        detail=", ".join(nodes) or "no /dev/davinci* device",
        remedy=None
        if nodes
        else "Use a machine with an Ascend NPU and its driver, or the twin (--toolchain twin).",
    )


def msopgen(settings: CannSettings, interface: Path, out: Path) -> list[str]:
    """Generate an operator project: `msopgen gen -i JSON -c ai_core-SOC -lan cpp -out DIR`."""
    tool = _home(settings) / "python/site-packages/bin/msopgen"
    return [
        str(tool),
        "gen",
        "-i",
        str(interface),
        "-c",
        f"ai_core-{settings.soc}",
        "-lan",
        "cpp",
        "-out",
        str(out),
    ]


def build(generated: Path) -> list[str]:
    """Build host and device code into build_out/custom_opp_<os>_<arch>.run."""
    return ["bash", str(generated / "build.sh")]


def install(package: Path, opp: Path) -> list[str]:
    """Unpack the package below a folder of this run, never into the shared one."""
    return ["bash", str(package), "--quiet", f"--install-path={opp}"]


def run_environment(settings: CannSettings, opp: Path) -> dict[str, str]:
    """Return what a process needs to find exactly this run's operator package.

    TORCH_DEVICE_BACKEND_AUTOLOAD=0: torch must not load torch_npu on import; the worker does so itself.
    """
    home = _home(settings)
    vendor = opp / "vendors" / "customize"
    libraries = [
        vendor / "op_api/lib",
        home / "lib64",
        home / "opp/built-in/op_impl/ai_core/tbe/op_tiling/lib/linux",
    ]
    driver = Path("/usr/local/Ascend/driver/lib64")
    return {
        "ASCEND_HOME_PATH": str(home),
        "ASCEND_OPP_PATH": str(home / "opp"),
        "ASCEND_TOOLKIT_HOME": str(home),
        "ASCEND_CUSTOM_OPP_PATH": str(vendor),
        "LD_LIBRARY_PATH": ":".join(
            str(p) for p in [*libraries, driver, driver / "driver", driver / "common"]
        ),
        "PYTHONPATH": f"{home}/python/site-packages:{home}/opp/built-in/op_impl/ai_core/tbe",
        "PATH": f"{home}/bin:{home}/compiler/ccec_compiler/bin:/usr/local/bin:/usr/bin:/bin",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }


def msprof(settings: CannSettings, application: list[str], out: Path) -> list[str]:
    """Profile one application with pipe utilisation: `msprof --output=DIR --aic-metrics=PipeUtilization ...`."""
    return [
        str(_home(settings) / "bin/msprof"),
        f"--output={out}",
        "--task-time=l1",
        "--ai-core=on",
        "--aic-metrics=PipeUtilization",
        "--ascendcl=off",
        "--runtime-api=off",
        *application,
    ]


def _home(settings: CannSettings) -> Path:
    if settings.home is None:
        raise ValueError("CANN's commands need settings.home")
    return settings.home
