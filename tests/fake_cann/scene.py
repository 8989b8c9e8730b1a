"""Where a fault happens: a machine with the tree, a toolchain on it, a correct kernel; and how an attempt ended."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from akgen.settings import Environment
from akgen.tools.cann.environment import CannSettings
from akgen.tools.cann.runtime_errors import DeviceFault
from akgen.tools.cann.toolchain import CannToolchain
from akgen.tools.cann.trial import PROJECT
from akgen.tools.core.call import Attr, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import InfraError
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, Launch, RunOptions, ToolchainName
from akgen.tools.toolchains import cann_settings, make_toolchain, make_twin
from tests.fake_cann.machine import Rehearsal

COUNT, ALPHA = 64, 3.0
MACHINE, DEVICE, CORRECT, BUILT = "machine's fault", "device's fault", "correct", "built"


@dataclass(frozen=True)
class Ending:
    """How something ended: an outcome or whose fault, in which words, and what to do."""

    outcome: str
    text: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Scene:
    """`built` is the known-good kernel; `folder` is for this fault alone."""

    machine: Rehearsal
    chain: CannToolchain
    built: Build
    folder: Path

    def at(self, folder: str) -> "Scene":
        return replace(self, folder=self.folder / folder)

    @property
    def settings(self) -> CannSettings:
        return settings_of(self.machine.env)

    def with_settings(self, **changes: Any) -> CannToolchain:
        """Return a toolchain of this machine that differs in something."""
        with shell(self.machine.env):
            twin = make_twin(Environment())
        settings = self.settings.model_copy(update=changes)
        return CannToolchain(settings, twin.read_spec, lambda: twin.runtime.sandbox)

    def compile(self, note: str, chain: CannToolchain | None = None) -> Ending:
        return ended(lambda: (chain or self.chain).compile(project(note), [], self.folder / "build"))

    def run(self, chain: CannToolchain | None = None, build: Build | None = None, **more: Any) -> Ending:
        """Run the kernel once; `correct` if what it computed is right."""
        call = call_in(self.folder / "in")
        return ended(
            lambda: (chain or self.chain).run(
                build or self.built, call, self.folder / "run", RunOptions(**more)
            )
        )


@contextmanager
def shell(env: Mapping[str, str]) -> Iterator[None]:
    """Have the variables of a user's shell."""
    before = dict(os.environ)
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def chain_on(env: Mapping[str, str]) -> CannToolchain:
    with shell(env):
        made = make_toolchain(ToolchainName.CANN, Environment())
    assert isinstance(made, CannToolchain)
    return made


def settings_of(env: Mapping[str, str]) -> CannSettings:
    with shell(env):
        return cann_settings(Environment(), "Ascend910B2")


def project(note: str) -> KernelProject:
    """Return the known-good project, told apart by a note: packages are kept by their text."""
    whole = KernelProject.read_from(PROJECT, "ScaleAdd", "scale_add")
    return whole.model_copy(update={"files": {**whole.files, "NOTE.md": note}}) if note else whole


def call_in(folder: Path, first: float = 0.0) -> Call:
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, last in (("x", COUNT), ("z", 9 * COUNT)):
        np.linspace(first, first + last, COUNT, dtype=np.float32).round().tofile(folder / name)
        files.append(TensorFile(dtype=DType.FLOAT32, shape=(COUNT,), path=folder / name))
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(COUNT,))
    attr = Attr(name="alpha", value=ALPHA)
    return Call(inputs=tuple(files), attrs=(attr,), outputs=(OutputMeta(meta=meta),))


def ended(attempt: Callable[[], Build | Launch]) -> Ending:
    """Attempt it, and say how it ended. A launch without an outcome is compared with what it should compute."""
    try:
        done = attempt()
    except InfraError as problem:
        kind = DEVICE if isinstance(problem, DeviceFault) else MACHINE
        return Ending(kind, problem.text, problem.remedy)
    if done.outcome is not None:
        first = done.diagnostics[0]
        return Ending(done.outcome.value, first.text, first.remedy or "the finding's")
    if isinstance(done, Build):
        return Ending(BUILT)
    return Ending(CORRECT if right(done) else "wrong", done.time_text(".1f"))


def right(launch: Launch) -> bool:
    (out,) = launch.outputs
    assert isinstance(out, TensorFile)
    folder = out.path.parents[1] / "in"
    x, z = (np.fromfile(folder / name, np.float32) for name in ("x", "z"))
    return bool(np.array_equal(np.fromfile(out.path, np.float32), x + ALPHA * z))
