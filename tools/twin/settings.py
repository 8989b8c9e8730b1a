"""What the twin must be told: where it may keep what it builds, and which chip it stands for."""

from collections.abc import Mapping
from pathlib import Path

from akgen.knowledge.chip import DEFAULT_CHIP
from akgen.tools.core.frozen import Frozen
from akgen.tools.twin.fitted_timing import FittedTiming


class TwinSettings(Frozen):
    """`cache` holds the built runtime and every compiled host and kernel, by content; it may be deleted."""

    cache: Path
    chip: str = DEFAULT_CHIP
    compiler: str | None = None  # a C++17 compiler; None: the first of g++, clang++ on `path`
    path: str = "/usr/local/bin:/usr/bin:/bin"
    jobs: int = 2
    runtime_flags: tuple[
        str, ...
    ] = ()  # for device runtime and launcher, beyond the usual, such as sanitizers
    kernel_flags: tuple[str, ...] = ()  # for kernels, beyond the usual, such as warnings as errors
    seal: bool = True  # kernels' code, where the compiler's can be; false leaves the sandbox alone to hold it
    timed_only: bool = False  # Matmul objects do not compute; only for times, which do not depend on numbers
    fitted: FittedTiming | None = None  # constants of the time model in the place of ours
    strict: bool = False  # what devices tolerate is an error, too
    tiling_timeout_s: float = 20.0
    launcher_env: tuple[tuple[str, str], ...] = ()
    seccomp_only: bool = False  # the sandbox without namespaces and Landlock
    cache_limit_bytes: int | None = (
        None  # prepare() deletes what is used least recently beyond that, once a day
    )


def user_cache(environment: Mapping[str, str]) -> Path:
    """Return the user's cache folder for AKGen, from XDG_CACHE_HOME or HOME."""
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path(environment.get("HOME", "/tmp")) / ".cache") / "akgen"
