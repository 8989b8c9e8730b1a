"""The command lines and environments of CANN's tools, as data: built here, run elsewhere, tested without CANN."""

from pathlib import Path

from akgen.tools.cann.environment import CannSettings


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
