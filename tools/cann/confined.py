"""Run CANN's programs on a candidate's code: in the sandbox where there is one, with the device's files opened to it.

What it may read: CANN, the driver, the Python that runs AKGen, its own folder. What it may write: its own folder,
shared memory, and for a run the device's nodes. Not confined: what the driver does for whoever may open its nodes, such
as reading memory of another process of the same user on the same device.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from akgen.tools.cann.environment import CannSettings
from akgen.tools.process.program import Finished, ResourceLimits, run, run_sandboxed

# what the driver's library and CANN's runtime open; those that are not there need no right
_NODES = (
    "davinci*",
    "devmm_svm",
    "hisi_hdc",
    "hdcdrv",
    "svm0",
    "ts_aisle",
    "dvpp_cmdlist",
    "log_drv",
    "uburma",
)
_READ = ("/proc", "/sys", "/etc/ascend_install.info", "/etc/ascend_driver.conf", "/etc/slog.conf", "/etc/passwd",
         "/etc/group", "/etc/nsswitch.conf", "/etc/os-release", "/etc/localtime", "/etc/hccn.conf", "/etc/ld.so.conf",
         "/etc/ld.so.conf.d", "/usr/local/Ascend", "/var/queue_schedule")  # fmt: skip
_ROOMS = Path(__file__).resolve().parents[2]  # the package or the checkout, where a user's runs may lie too


class Confinement:
    """How programs of one toolchain are started. `sandbox` is the built akgen_sandbox; None: run without."""

    def __init__(self, settings: CannSettings, sandbox: Path | None) -> None:
        self._settings = settings
        self._sandbox = sandbox if settings.confined else None

    @property
    def missing(self) -> tuple[str, ...]:
        return () if self._sandbox is not None else ("the sandbox of CANN's programs",)

    def run(
        self,
        argv: Sequence[str | Path],
        folder: Path,
        env: Mapping[str, str],
        timeout_s: float,
        *,
        read: tuple[Path, ...] = (),
        device: bool = False,
    ) -> Finished:
        """Run a program that writes below `folder` only; with `device`, it may open the device's nodes."""
        if self._sandbox is None:
            return run(argv, cwd=folder, timeout_s=timeout_s, env=env, output_limit_bytes=1 << 24)
        nodes = self._nodes if device else ()
        return run_sandboxed(
            argv,
            sandbox=self._sandbox,
            read=(*self._read, *read),
            write=(folder, Path("/dev/shm"), *nodes),
            limits=ResourceLimits(),
            cwd=folder,
            timeout_s=timeout_s,
            env=env,
            output_limit_bytes=1 << 24,
        )

    @cached_property
    def _read(self) -> tuple[Path, ...]:
        settings = self._settings
        home = settings.usable_home
        on_path = [Path(p) for p in settings.path.split(":") if p]
        libraries = [Path(p) for p in settings.library_path.split(":") if p]
        packages = [Path(p) for p in sys.path if p.endswith(("site-packages", "dist-packages"))]
        python = (Path(sys.prefix), Path(sys.base_prefix), *packages)
        ours = tuple(_ROOMS / room for room in ("tools", "knowledge", "src"))
        return (home, settings.driver_folder, *ours, *python, *on_path, *libraries, *(Path(p) for p in _READ))

    @cached_property
    def _nodes(self) -> tuple[Path, ...]:
        return tuple(sorted(p for pattern in _NODES for p in self._settings.nodes.glob(pattern)))
