"""The interface that the twin and CANN both fill; tests/conformance holds one suite for both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from akgen.tools.core.call import Call, Poison, TensorFile
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import HasTime, Profile
from akgen.tools.core.project import KernelProject

UNSEALED = "seal"  # among what is missing: nothing checks the code of kernels
SEAL_REMEDY = "Use g++ on x86-64 without sanitizers: its kernels are sealed."

Progress = Callable[[str], None]
# Reads the OpDef of a project without building its kernel: (project, work folder) -> (spec or None, findings)
SpecReader = Callable[[KernelProject, Path], tuple[OpSpec | None, tuple[Diagnostic, ...]]]


class ToolchainName(StrEnum):
    """Where projects are built and run."""

    TWIN = "twin"
    CANN = "cann"


class Build(Frozen):
    """A built project. `outcome` is None when everything that the calls need was built."""

    toolchain: str  # name and version, such as "twin 0.1.0 (Ascend910B2)"
    outcome: Outcome | None  # COMPILE_ERROR or TILING_ERROR
    op: OpSpec | None
    folder: Path
    compile_s: float
    kernel_compile_s: float | None = None  # device code alone
    diagnostics: tuple[Diagnostic, ...] = ()


class Launch(HasTime):
    """One execution. `outcome` is None when it ran to its end; whether it is right, only the judge says."""

    outcome: Outcome | None  # TRAP, TIMEOUT, TILING_ERROR, CHEAT
    outputs: tuple[TensorFile | tuple[TensorFile, ...], ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    interval_us: tuple[float, float] | None = (
        None  # that holds the time with 95 %; None: one sample, or predicted
    )
    block_dim: int | None = None
    tiling_key: int | None = None
    profile: Profile | None = None
    # What may have made numbers, each on up to eight bytes: vector lanes, multiplications, scalar operations. None: the
    # toolchain cannot count all of them.
    operations: int | None = None
    # Of each tensor of the outputs, in a row: bytes that the kernel stored there. None: the toolchain cannot tell.
    stored: tuple[int, ...] | None = None
    library: Path | None = None  # what the kernel had beside its inputs: its own file,
    tiling_data: Path | None = None  # and what the host handed over
    wall_s: float = 0.0
    # Of the process that ran it, starting it and its tensors included; the twin's only.
    cpu_s: float | None = None
    peak_bytes: int | None = None


@dataclass(frozen=True)
class RunOptions:
    """How one call is run.

    Outputs, the workspace and on-chip memory hold `poison` before, NaN where none is given. The call `before`, with
    the same shapes and attributes, is run first where the toolchain can, up to so many `times`: the variables of
    kernel and host, and the workspace, then hold what that launch left. Its outputs are not read.
    With `last_core_first` the cores run in descending order, where the toolchain chooses their order.

    With `trace`, the launch has a timeline; with `what_if`, its profile says what other ways to write the kernel
    would gain, if the toolchain can tell.
    """

    timeout_s: float = 60.0
    trace: bool = False
    what_if: bool = False
    poison: Poison | None = None
    before: Call | None = None
    times: int = 1
    last_core_first: bool = False


AS_USUAL = RunOptions()


class Toolchain(Protocol):
    """Compile and run an operator project. Raise InfraError when the machine is at fault, not the project."""

    @property
    def name(self) -> str: ...

    def version(self) -> str:
        """Return the text that every result carries."""
        ...

    def prepare(self, progress: Progress) -> None:
        """Build or check what is needed once per machine; say what is going on through `progress`."""
        ...

    def sandbox_missing(self) -> tuple[str, ...]:
        """Name what holds candidate code elsewhere and is not in force here; empty if all is.

        It is parts of the sandbox that this machine refuses, and UNSEALED.
        """
        ...

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        """Build host and device code for these calls (their dtypes and the tiling keys they lead to)."""
        ...

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        """Run one call in the sandbox; outputs and reports are written below `folder`."""
        ...
