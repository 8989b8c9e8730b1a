"""What belongs to this machine and this user; the front door reads it from the environment, rooms get the values.

And versions of installed packages, each looked up once per process.
"""

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import Field

from akgen.knowledge.chip import DEFAULT_CHIP
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.toolchain import ToolchainName


class Settings(Frozen):
    """Defaults for every command; a run's folder never holds them.

    Their JSON holds the secrets, for worker processes; their repr does not.
    """

    model: str = "composer"
    base_url: str | None = None
    api_key: str | None = Field(default=None, repr=False)  # for the model's endpoint
    model_tries: int = Field(default=5, ge=1)  # of a request, before the endpoint counts as down
    model_timeout_s: float = Field(default=600.0, gt=0)  # of one answer, and of silence while waiting for it
    model_wait_s: float = Field(default=1.0, ge=0)  # between two tries of a request; it doubles
    toolchain: ToolchainName = ToolchainName.TWIN
    chip: str = DEFAULT_CHIP
    runs: Path = Path("runs")
    npukb_root: Path | None = None
    mkb_root: Path | None = None
    kernelbench_root: Path | None = None
    postgres: str | None = Field(
        default=None, repr=False
    )  # checkpoints in this database, not in the run folder
    cache: Path  # what is built once per machine: the twin's runtime, compiled hosts and kernels
    cache_gib: float = Field(default=5.0, gt=0)  # beyond that, what is used least recently is deleted
    compiler: str | None = None  # a C++17 compiler for the twin
    path: str = "/usr/local/bin:/usr/bin:/bin"  # where compilers are looked for
    seccomp_only: bool = (
        False  # leave namespaces and Landlock out of the sandbox, as on kernels that have none
    )
    timing: Path | None = None  # constants of the time model that `akgen calibrate` fitted; None: ours
    otel_endpoint: str | None = None  # where spans go, if anywhere
    cann_home: Path | None = None
    device: int = 0  # the NPU that CANN uses
    library_path: str = ""  # where a container may have the NPU's driver
    npu_devices: str | None = None  # by commas: runs take whichever of these is free; None: `device` alone
    npu_builds: int = Field(default=2, ge=1)  # of operator packages side by side
    npu_nodes: Path = Path("/dev")  # where the NPU driver's device files lie
    npu_driver: Path | None = None  # where the NPU driver lies; None: where its installer says
    npu_checks: str | None = None  # of msSanitizer, by commas: memcheck, racecheck
    npu_confined: bool = True  # builds and runs on CANN go through the sandbox

    @property
    def cache_limit_bytes(self) -> int:
        return int(self.cache_gib * 2**30)

    @property
    def memory(self) -> Path:
        """Return the file of what was learnt in earlier runs."""
        return self.runs / "memory.sqlite"

    def for_workers(self) -> "Settings":
        """Return the same for processes that work in another folder."""
        timing = self.timing and self.timing.absolute()
        return self.model_copy(
            update={"runs": self.runs.absolute(), "cache": self.cache.absolute(), "timing": timing}
        )


@cache
def package_version(name: str) -> str | None:
    """Return a package's version; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
