"""For tests of the judge alone: one reference process, and a toolchain whose kernel is a Python function."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from akgen.tools.core.call import Call, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.profile import Profile
from akgen.tools.core.project import KernelProject
from akgen.tools.core.task import Tolerance
from akgen.tools.core.toolchain import AS_USUAL, Build, Launch, Progress, RunOptions
from akgen.tools.judge.compare import CHUNK, Comparison, compare
from akgen.tools.judge.tolerance import rule_for
from tests.tools.judge.comparing import POISON

Arrays = list[Any]
Kernel = Callable[[Arrays, Path], Arrays]


class FunctionToolchain:
    """Run `kernel(inputs, folder)`; what it returns is written as it is, whatever its shape or dtype."""

    name = "function"

    def __init__(
        self,
        kernel: Kernel,
        *,
        outcome: Outcome | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        time_us: float | None = 1000.0,
        profile: Profile | None = None,
        built: dict[str, Any] | None = None,
    ) -> None:
        """`built` holds what a build has besides a toolchain and a folder."""
        self._kernel = kernel
        self._outcome = outcome
        self._diagnostics = diagnostics
        self._time_us = time_us
        self._profile = profile
        self._built = {"outcome": None, "op": None, "compile_s": 0.0, **(built or {})}
        self.launches = 0
        self.asked: list[tuple[Path, RunOptions]] = []
        self.before: list[int] = []  # of each launch: how many came before it in one process
        self.poisons: list[Poison | None] = []
        self.compiled: list[Call] = []

    def version(self) -> str:
        return "function 1"

    def prepare(self, progress: Progress) -> None:
        progress("nothing to prepare")

    def sandbox_missing(self) -> tuple[str, ...]:
        return ()

    def compile(self, project: KernelProject, calls: Sequence[Call], folder: Path) -> Build:
        self.compiled = list(calls)
        return Build(toolchain="function 1", folder=folder, **self._built)

    def run(self, build: Build, call: Call, folder: Path, options: RunOptions = AS_USUAL) -> Launch:
        self.launches += 1
        self.before.append(0 if options.before is None else options.times)
        self.poisons.append(options.poison)
        self.asked.append((folder, options))
        folder.mkdir(parents=True)
        inputs = [_read(f) for f in call.inputs if isinstance(f, TensorFile)]
        outputs = []
        for i, array in enumerate(self._kernel(inputs, folder)):
            path = folder / f"out{i}.bin"
            np.ascontiguousarray(array).tofile(path)
            meta = call.outputs[i].meta
            assert isinstance(meta, TensorMeta)
            outputs.append(TensorFile(dtype=meta.dtype, shape=meta.shape, path=path))
        return Launch(
            outcome=self._outcome,
            outputs=tuple(outputs),
            diagnostics=self._diagnostics,
            time_us=self._time_us,
            time_source="predicted" if self._time_us else None,
            profile=self._profile,
        )


def _read(file: TensorFile) -> Any:
    return np.fromfile(file.path, np.dtype(file.dtype.value)).reshape(file.shape)


@pytest.fixture
def function_toolchain() -> type[FunctionToolchain]:
    return FunctionToolchain


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., Comparison]:
    """Write arrays to files and compare: got against float64 `want`, with `own` the reference's own result."""

    def store(name: str, array: Any, dtype: DType) -> TensorFile:
        path = tmp_path / name
        np.ascontiguousarray(array).tofile(path)
        return TensorFile(dtype=dtype, shape=np.shape(array), path=path)

    def run(
        got: Any,
        want: Any,
        own: Any = None,
        dtype: DType = DType.FLOAT32,
        asked: DType | None = None,
        tolerances: tuple[Tolerance, ...] = (),
        bounds: Any = None,
        poison: Poison | None = POISON,
        held_before: Any = None,
        chunk: int = CHUNK,
    ) -> Comparison:
        want = np.asarray(want)
        own = want if own is None else np.asarray(own)
        return compare(
            0,
            store("got", got, dtype),
            store("want", want, DType(str(want.dtype))),
            store("own", own, DType(str(own.dtype))),
            rule_for(asked or dtype, tolerances),
            bounds=None if bounds is None else store("bounds", np.float32(bounds), DType.FLOAT32),
            poison=None if poison is None else poison.outputs(),
            held_before=held_before,
            chunk=chunk,
        )

    return run
