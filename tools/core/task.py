"""A task: what to compute, on which cases, how closely, and how the reference is loaded."""

from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.knobs import Knobs
from akgen.tools.core.project import HOST_STANDARDS

Params = dict[str, int | float | bool | str | list[int] | list[float] | list[str] | None]
Distribution = Literal["task", "normal", "uniform", "constant", "sparse", "extreme"]


class Mode(StrEnum):
    """How many of its cases a task is given with."""

    STATIC = "static"  # the first case alone
    DYNAMIC = "dynamic"  # all of them


class Case(Frozen):
    """One set of shapes, dtypes and attributes; `params` is what the reference's loader reads."""

    id: str
    params: Params = Field(default_factory=dict)
    size_bytes: int | None = None  # input + output volume, where it is known without running


class Tolerance(Frozen):
    """An element passes if |got - want| <= atol + rtol * |want|."""

    dtype: DType
    atol: float
    rtol: float


class Reference(Frozen):
    """Where the PyTorch reference lies and which module loads it.

    `loader` names a module with `load(reference, case) -> LoadedCase` (akgen.tools.reference.protocol); it
    runs in the reference process and when a task is traced, never in the candidate's process.
    """

    loader: str
    path: Path  # a module file or a task folder


class Certificate(Frozen):
    """Degenerate answers that were tried on this task and failed, as they must, with the task's digest."""

    digest: str
    rejected: tuple[str, ...]  # "zeros", "ones", "input_copy", "mean"


class Task(Frozen):
    """A task as every room sees it."""

    name: str
    suite: str  # "builtin", "npukb", "mkb", "file"
    level: int = 1
    category: str = "other"
    op_type: str
    kernel: str
    description: str = ""
    reference: Reference
    cases: tuple[Case, ...]
    mode: Mode = Mode.DYNAMIC
    tolerances: tuple[Tolerance, ...] = ()  # dtypes not listed take the judge's defaults
    draws_shapes: bool = True  # the judge may draw shapes beside the cases', in dynamic mode
    host_standard: str = HOST_STANDARDS[0]  # as which the task's own build compiles op_host
    own_checker: bool = False  # the loader brings the task's own precision check
    given_host: Path | None = None  # a folder whose op_host is given to answers that bring a kernel only
    certificate: Certificate | None = None
    knobs: Knobs | None = None  # what somebody wishes of the tiling

    def only(self, case_ids: tuple[str, ...]) -> "Task":
        return self.model_copy(update={"cases": tuple(c for c in self.cases if c.id in case_ids)})
