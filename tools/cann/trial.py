"""A known-good kernel, compiled, run and profiled: the last step of looking at a machine."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from akgen.tools.cann.preflight_software import Prerequisite
from akgen.tools.core.call import Attr, Call, OutputMeta, Poison, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, InfraError, first_cause
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Progress, RunOptions, Toolchain

PROJECT = Path(__file__).with_name("known_good")
COUNT, ALPHA = 100_000, 3.0
_GROUP = "kernel"
_SEND = "This kernel is known to be right: send the folder that is named, docs/npu.md says how."


def trial(chain: Toolchain, folder: Path, progress: Progress) -> Iterator[Prerequisite]:
    """Compile, run and profile; each step needs the one before it. Files stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    call = call_of(folder)
    try:
        progress("compiling a known-good kernel (one to five minutes the first time)")
        build = chain.compile(known_good(), [call], folder / "build")
        yield _row("compile", build.outcome is None, f"{build.compile_s:.0f} s", build.diagnostics, folder)
        if build.outcome is not None:
            return
        progress("running it")
        launch = chain.run(build, call, folder / "run", RunOptions(poison=Poison(seed=1)))
        right = launch.outcome is None and is_right(call, launch.outputs)
        words = f"right, {launch.time_text('.1f')}" if right else "it computed something else"
        yield _row("run", right, words, launch.diagnostics, folder)
        if not right:
            return
        progress("profiling it")
        traced = chain.run(build, call, folder / "profile", RunOptions(trace=True))
        words = traced.profile.summary() if traced.profile is not None else "no profile"
        yield _row("profile", traced.profile is not None, words, traced.diagnostics, folder)
    except InfraError as problem:
        yield Prerequisite(
            name="known-good kernel", found=False, detail=problem.text, remedy=problem.remedy, group=_GROUP
        )


def _row(step: str, good: bool, words: str, found: tuple[Diagnostic, ...], folder: Path) -> Prerequisite:
    cause = first_cause(found)
    return Prerequisite(
        name=f"{step} a known-good kernel",
        found=good,
        detail=words if good or cause is None else cause.sentence,
        remedy=None if good else f"{_SEND} ({folder})",
        group=_GROUP,
    )


def known_good() -> KernelProject:
    """Return the kernel: x + alpha * z."""
    return KernelProject.read_from(PROJECT, "ScaleAdd", "scale_add")


def call_of(folder: Path) -> Call:
    """Write inputs into a folder, and return the call on them."""
    rng = np.random.default_rng(0)
    inputs = []
    for name in ("x", "z"):
        rng.standard_normal(COUNT, dtype=np.float32).tofile(folder / name)
        inputs.append(TensorFile(dtype=DType.FLOAT32, shape=(COUNT,), path=folder / name))
    meta = TensorMeta(dtype=DType.FLOAT32, shape=(COUNT,))
    attr = Attr(name="alpha", value=ALPHA)
    return Call(inputs=tuple(inputs), attrs=(attr,), outputs=(OutputMeta(meta=meta),))


def is_right(call: Call, found: Sequence[TensorFile | tuple[TensorFile, ...]]) -> bool:
    """Say whether outputs are what the kernel makes of the call's inputs."""
    (out,) = found
    assert isinstance(out, TensorFile)
    x, z = (np.fromfile(i.path, dtype=np.float32) for i in call.inputs if isinstance(i, TensorFile))
    return bool(np.allclose(np.fromfile(out.path, dtype=np.float32), x + ALPHA * z, rtol=1e-5, atol=1e-5))
