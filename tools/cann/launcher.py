"""Start the candidate's process, alone or under a profiler or checker, in what confines it.

Of a run's folder that process may write `worker/` alone; the rest is written by the one that starts it.
"""

import shutil
import sys
from pathlib import Path

from akgen.tools.cann import environment
from akgen.tools.cann.build import VENDOR, package_of
from akgen.tools.cann.confined import Confinement
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.worker import RunnerRequest
from akgen.tools.core.call import Call, Poison, TensorFile
from akgen.tools.core.toolchain import Build
from akgen.tools.process.program import Finished

START_S = 180.0  # for Python, the driver and the copies to the device
WORKER = "worker"  # below a run's folder: what the candidate's process may write
_REQUEST = "request.json"


class Launcher:
    """Starts programs that use one machine's devices."""

    def __init__(self, settings: CannSettings, confinement: Confinement) -> None:
        self._settings = settings
        self._confinement = confinement

    def worker(
        self,
        device: int,
        build: Build,
        call: Call,
        folder: Path,
        timeout_s: float,
        *,
        launches: int = 1,
        timed: bool = False,
        alone: bool = False,
        poison: Poison | None = None,
    ) -> list[str]:
        """Empty a run's `worker/`, write its request, and return the worker's command line."""
        request = RunnerRequest(
            call=call,
            spec=build.op,
            library=build.folder / package_of(build.folder).library,
            package=build.folder,
            folder=emptied(folder / WORKER),
            device=device,
            timeout_s=timeout_s,
            launches=launches,
            timed=timed,
            alone=alone,
            poison=poison,
        )
        return worker_command(request, folder)

    def start(self, argv: list[str], folder: Path, built: Path | None, timeout_s: float) -> Finished:
        """Run a program on the device; without `built`, no operator package is found by it."""
        vendor = built / VENDOR if built is not None else None
        home = folder / WORKER / "home"
        home.mkdir()
        env = environment.run_environment(self._settings, vendor, home)
        read = (folder / _REQUEST, *_input_files(folder), *((built,) if built is not None else ()))
        return self._confinement.run(
            argv, folder / WORKER, env, timeout_s, read=tuple(dict.fromkeys(read)), device=True
        )


def emptied(folder: Path) -> Path:
    """Return the folder, anew and empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def worker_command(request: RunnerRequest, folder: Path) -> list[str]:
    """Write a request into a folder, and return the command line that does it."""
    path = folder / _REQUEST
    path.write_text(request.model_dump_json())
    return [sys.executable, "-m", "akgen.tools.cann.worker", str(path)]


def _input_files(folder: Path) -> list[Path]:
    request = RunnerRequest.model_validate_json((folder / _REQUEST).read_text())
    if request.call is None:
        return []
    flat = [m for i in request.call.inputs for m in (i if isinstance(i, tuple) else (i,))]
    return [m.path for m in flat if isinstance(m, TensorFile)]
