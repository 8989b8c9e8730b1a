"""What the twin predicts for recorded launches, with constants of the time model as they are or otherwise.

Tensors are no part of a record: floats are drawn, integers lie below the smallest dimension, so that most are valid
indices. A kernel whose time depends on other values is predicted for values that it did not have.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from akgen.bench.device_record.replay import DeviceLaunch
from akgen.knowledge.chip import constant_lines
from akgen.tools.core.call import Argument, Call, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Outcome
from akgen.tools.core.prediction import cache_of
from akgen.tools.core.profile import Profile
from akgen.tools.core.toolchain import Launch, RunOptions
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.toolchain import TwinToolchain

MOST_CALL_BYTES = 1 << 30
_TIMEOUT_S = 120.0


class Ready(NamedTuple):
    """A launch that the twin can run again and again."""

    recorded: DeviceLaunch
    run: KernelRun
    call: Call
    folder: Path


class Unpredicted(NamedTuple):
    name: str
    why: str


class TwinTimes:
    """Compiles recorded launches once; `ready` can be predicted, `not_ready` says why the others cannot."""

    def __init__(self, twin: TwinToolchain, launches: Sequence[DeviceLaunch], work: Path) -> None:
        self._twin, self._work = twin, work
        self.ready: list[Ready] = []
        self.not_ready: list[Unpredicted] = []
        self.launched = 0
        for number, one in enumerate(launches):
            found = self._prepare(one, work / str(number))
            if isinstance(found, Ready):
                self.ready.append(found)
            else:
                self.not_ready.append(found)

    def _prepare(self, one: DeviceLaunch, folder: Path) -> Ready | Unpredicted:
        call = one.request.call
        assert call is not None
        if call.size_bytes > MOST_CALL_BYTES:
            return Unpredicted(one.name, f"its tensors have more than {MOST_CALL_BYTES >> 20} MiB")
        folder.mkdir(parents=True)
        call = call.model_copy(update={"inputs": _drawn(call.inputs, dict(call.const_values), folder)})
        build = self._twin.compile(one.project, [call], folder / "build")
        if build.outcome is not None:
            return Unpredicted(
                one.name, _why(build.outcome, build.diagnostics[0].text if build.diagnostics else "")
            )
        run = self._twin.kernel_run(build, call, folder)
        if isinstance(run, Launch):
            return Unpredicted(
                one.name, _why(run.outcome, run.diagnostics[0].text if run.diagnostics else "")
            )
        return Ready(one, run, call, folder)

    def predict(self, one: Ready, constants: Mapping[str, float] | None = None) -> Profile | None:
        """Return what the twin says, for the cache that the device had; None if the kernel does not end."""
        text = one.run.chip_file.read_text() + constant_lines(constants or {})
        text += f"tell_warm\t{int(cache_of(one.recorded.measured) == 'warm')}\n"
        changed = one.folder / "chip.txt"
        changed.write_text(text)
        what = one.run.model_copy(update={"chip_file": changed})
        self.launched += 1
        done = launch(
            self._twin.runtime, what, one.call, one.folder / "run", RunOptions(timeout_s=_TIMEOUT_S)
        )
        return done.profile


@contextmanager
def twin_times(twin: TwinToolchain, launches: Sequence[DeviceLaunch]) -> Iterator[TwinTimes]:
    """Keep what is compiled for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="akgen-record-") as work:
        yield TwinTimes(twin, launches, Path(work))


def _why(outcome: Outcome | None, text: str) -> str:
    return f"{outcome}: {text}"[:200]


def _drawn(
    inputs: Sequence[Argument], known: Mapping[int, Sequence[float]], folder: Path
) -> tuple[Argument, ...]:
    flat = [m for value in inputs for m in _metas(value)]
    least = max(1, min((d for m in flat for d in m.shape), default=1))
    rng = np.random.default_rng(0)
    drawn: list[Argument] = []
    for i, value in enumerate(inputs):
        files = tuple(
            _tensor(meta, known.get(i), least, rng, folder / f"in{i}_{j}")
            for j, meta in enumerate(_metas(value))
        )
        drawn.append(None if value is None else files if isinstance(value, tuple) else files[0])
    return tuple(drawn)


def _metas(value: Argument) -> tuple[TensorMeta, ...]:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _tensor(
    meta: TensorMeta, known: Sequence[float] | None, least: int, rng: np.random.Generator, path: Path
) -> TensorFile:
    if known is not None and len(known) == meta.count:
        values = np.asarray(known)
    elif meta.dtype.is_float or meta.dtype is DType.COMPLEX64:
        values = rng.uniform(-1, 1, meta.count)
    else:
        values = rng.integers(0, min(least, 2 if meta.dtype is DType.BOOL else 100), meta.count)
    if meta.dtype is DType.BFLOAT16:  # NumPy has none: the upper half of a float32
        (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tofile(path)
    else:
        values.astype(np.dtype(meta.dtype.value)).tofile(path)
    return TensorFile(dtype=meta.dtype, shape=meta.shape, path=path)
