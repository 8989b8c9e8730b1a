"""What the twin must be told: where it may keep what it builds, and which chip it stands for.

Constants of the time model that a user fitted to device timings of his own are a file beside his settings.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from akgen.knowledge.chip import DEFAULT_CHIP, today
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import InputError
from akgen.tools.core.plain_text import shown
from akgen.tools.core.untrusted import read_model

FORMAT = 1
FURTHEST = 20.0  # times today's constant, or that part of it
_REMEDY = "Make it anew with `akgen calibrate --from-run`, or unset AKGEN_TIMING."


class FittedTiming(Frozen):
    """Errors are shares, of what a fit without them predicts: each third of the families was left out in turn."""

    format: int = FORMAT
    chip: str
    constants: Annotated[dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]], Field(max_length=500)]
    points: int  # device timings
    families: tuple[str, ...]  # tasks
    fitted_to: tuple[str, ...]  # the records, by name and digest
    toolchain: str  # of the device
    rehearsal: bool  # a fake device measured: for tests of ours
    held_out_before: float  # mean error of the constants before, as that of a logarithm
    held_out_after: float

    @property
    def name(self) -> str:
        """Return what every result that used it carries."""
        text = repr((self.chip, sorted(self.constants.items())))
        kind = "rehearsal-" if self.rehearsal else ""
        return f"{kind}fit-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

    @property
    def sentence(self) -> str:
        """Say in a line how far off it is, to stand beside a predicted time."""
        on = "a rehearsal's" if self.rehearsal else self.toolchain
        return (
            f"{self.name}, fitted to {self.points} timings of {on}: held-out mean error "
            f"{self.held_out_after:.0%}, {self.held_out_before:.0%} before"
        )


def read_fitted(path: Path, chip: str) -> FittedTiming:
    """Read a file. Raises InputError for one that is not of its form, or of another chip."""
    found = read_model(FittedTiming, path, _REMEDY)
    if found.format > FORMAT:
        raise InputError(f"{path} has the form {found.format}, which is newer.", "Update AKGen.")
    if found.chip != chip:
        raise InputError(f"{path} was fitted for {shown(found.chip, 40)}, not {chip}.", _REMEDY)
    for key, value in found.constants.items():
        try:
            now = today(key)
        except (KeyError, ValueError):
            raise InputError(f"{path}: the time model has no constant {shown(key, 60)!r}.", _REMEDY) from None
        if not now / FURTHEST <= value <= now * FURTHEST:
            raise InputError(f"{path}: {value:g} for {key} is beyond belief ({now:g}).", _REMEDY)
    return found


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
