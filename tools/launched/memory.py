"""The device's memory over a host function's launches: what each one finds, and what the last one leaves.

A tensor of the call and what the host allocated are each a file as soon as something was written there. A launch gets
those that its arguments point into: memory with contents to work on in place, other memory to be written, poisoned.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akgen.tools.cache.content import ContentCache
from akgen.tools.core.call import Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Launch, RunOptions
from akgen.tools.direct.kernels import DirectKernels
from akgen.tools.launched.record import Allocation, HandedOver, KernelLaunch, MemorySet, Step, flat
from akgen.tools.twin.host.host_run import TilingResult
from akgen.tools.twin.kernel.kernel_build import BuiltKernel, build_kernel
from akgen.tools.twin.kernel.kernel_prelude import Variant
from akgen.tools.twin.launch import KernelRun, launch
from akgen.tools.twin.lint import tensor_members
from akgen.tools.twin.toolchain import TwinToolchain

MOST_BLOCKS = 65535
Order = tuple[int, ...]  # a launch's memories, as places among the parameters of its entry


@dataclass
class DeviceMemory:
    """One tensor or allocation; `file` is None until something was written there.

    `given` says that the file is an input's, `stored` whether a kernel stored there; an array: byte by byte.
    `of_input`: copies brought an input's numbers, of which `moved` bytes to another place than theirs.
    """

    meta: TensorMeta
    file: Path | None = None
    given: bool = False
    zeroed: bool = False
    stored: bool | npt.NDArray[np.uint8] = False
    of_input: bool = False
    moved: int = 0
    few: int = 0  # bytes that kernels stored beside these

    def store(self, count: int | None) -> None:
        """Note that a kernel stored so many bytes; None: nobody knows. Few of them leave what copies moved here."""
        self.few += count or 0
        if count is None or (count > 0 and 2 * self.few >= self.moved):
            self.stored, self.of_input, self.moved, self.few = True, False, 0, 0


class Made(NamedTuple):
    """A launch that was made, for the same one of a later call to follow it in one process."""

    step: KernelLaunch
    order: Order
    call: Call

    def fits(self, step: KernelLaunch, order: Order) -> bool:
        same = ("kernel", "file", "blocks", "blob")
        return self.order == order and all(getattr(self.step, f) == getattr(step, f) for f in same)


class _Sides(NamedTuple):
    """The memories of a launch: with contents, and without; `order` leads from its arguments to both in a row."""

    full: tuple[int, ...]
    empty: tuple[int, ...]
    order: Order


def memories_of(call: Call) -> list[DeviceMemory]:
    """Return the tensors of a call, in the order in which its host function is given them."""
    own = [t for value in call.inputs for t in flat(value)]
    found = [
        DeviceMemory(t, t.path if isinstance(t, TensorFile) else Path(), given=True, of_input=True)
        for t in own
    ]
    for output in call.outputs:
        if output.aliases is None:
            found += [DeviceMemory(m, zeroed=output.zeroed) for m in flat(output.meta)]
    return found


def sides_of(memories: Sequence[DeviceMemory], used: Sequence[int]) -> _Sides:
    full = tuple(n for n in used if memories[n].file is not None)
    empty = tuple(n for n in used if memories[n].file is None)
    return _Sides(full, empty, tuple((*full, *empty).index(n) for n in used))


def plan_launches(call: Call, steps: Sequence[Step]) -> tuple[tuple[str, Order], ...]:
    """Return which kernels are launched, each with its order, without running anything."""
    memories = memories_of(call)
    found: list[tuple[str, Order]] = []
    for step in steps:
        if isinstance(step, Allocation):
            memories.append(scratch_memory(step.bytes))
        elif isinstance(step, HandedOver) or (isinstance(step, MemorySet) and not _clears(step, memories)):
            memories[step.memory].file = Path()
        elif isinstance(step, KernelLaunch):
            found.append((step.kernel, sides_of(memories, step.memory).order))
            for n in step.memory:
                memories[n].file = memories[n].file or Path()
    return tuple(found)


def scratch_memory(size_bytes: int) -> DeviceMemory:
    return DeviceMemory(TensorMeta(dtype=DType.UINT8, shape=(size_bytes,)))


def _clears(step: MemorySet, memories: Sequence[DeviceMemory]) -> bool:
    """Say whether memory without contents is filled with zeros from end to end: the launcher does that itself."""
    memory = memories[step.memory]
    return (
        memory.file is None and step.value == 0 and step.offset == 0 and step.count == memory.meta.size_bytes
    )


class Device:
    """Builds a project's kernels and does what its host function did."""

    def __init__(self, twin: TwinToolchain, project: KernelProject, folder: Path) -> None:
        """`folder` holds the project's files."""
        assert project.direct_file is not None
        self._twin, self._project = twin, project
        self._source = folder / project.direct_file
        self._kernels = DirectKernels((self._source,), (), twin)
        self._before: list[Made] = []
        self._made: list[Made] = []

    def next_call(self) -> None:
        """Let each launch from here on follow the one in its place of the call before."""
        self._before, self._made = self._made, []

    def _holding(self, file: str | None) -> Path:
        """Return the source that a launch's `file` names."""
        del file
        return self._source

    def build(self, kernel: str, order: Order, file: str | None = None) -> BuiltKernel:
        """Build a kernel, or take it from the cache; findings name the project's files."""
        project = self._kernels.project(self._holding(file), kernel, order)
        kernels = ContentCache(self._twin.settings.cache / "kernel")
        built = build_kernel(project, None, Variant(None, 0), self._twin.runtime, kernels)
        return built._replace(diagnostics=tuple(map(self._named, built.diagnostics)))

    def play(
        self,
        call: Call,
        steps: Sequence[Step],
        folder: Path,
        run: RunOptions,
        before: Sequence[tuple[Call, Sequence[Step]]] = (),
    ) -> Launch:
        """Do what a host function did; times add up, the profile is that of the longest launch.

        `before`: what it did for the calls before, whose memory is still there; these launches follow theirs.
        """
        memories: list[DeviceMemory] = []
        quiet = replace(run, trace=False, what_if=False)
        for n, (its, did) in enumerate(before):
            done = self._play(its, did, folder / f"call_{n}", quiet, memories, several=True)
            if done.outcome is not None:
                return done
        several = bool(before) or sum(isinstance(s, KernelLaunch) for s in steps) > 1
        return self._play(call, steps, folder, run, memories, several=several)

    def _play(
        self,
        call: Call,
        steps: Sequence[Step],
        folder: Path,
        run: RunOptions,
        memories: list[DeviceMemory],
        *,
        several: bool,
    ) -> Launch:
        """Do the steps of one call; its memory joins `memories`."""
        folder.mkdir(parents=True, exist_ok=True)
        first = len(memories)
        memories += memories_of(call)
        self.next_call()
        launches: list[Launch] = []
        handed = bytearray()
        fill = run.poison.outputs() if run.poison is not None else b"\xff"
        for n, step in enumerate(steps):
            if isinstance(step, Allocation):
                memories.append(scratch_memory(step.bytes))
            elif isinstance(step, MemorySet) and _clears(step, memories):
                memories[step.memory].zeroed = True
            elif isinstance(step, HandedOver | MemorySet):
                data = (
                    bytes.fromhex(step.bytes)
                    if isinstance(step, HandedOver)
                    else bytes([step.value]) * step.count
                )
                write_into(memories[step.memory], step.offset, data, folder / f"set_{n}.bin", fill)
                handed += data if isinstance(step, HandedOver) else b""
            else:
                if not 1 <= step.blocks <= MOST_BLOCKS:
                    return refused_launch(step, self._project)
                handed += bytes.fromhex(step.blob)
                done = self.launch(call, memories, step, folder / f"launch_{n}", run, several=several)
                launches.append(done)
                if done.outcome is not None:
                    return with_all(done, launches)
        data_file = folder / "handed_over.bin"
        data_file.write_bytes(bytes(handed))
        outputs = _outputs(call, memories, first, folder, fill)
        kept = tensor_members({p: self._project.files[p] for p in self._project.kernel_files})
        return joined(launches, outputs, data_file, kept)

    def launch(
        self,
        task: Call,
        memories: list[DeviceMemory],
        step: KernelLaunch,
        folder: Path,
        run: RunOptions,
        *,
        several: bool,
    ) -> Launch:
        """Make a launch; in the same process after that of the call before, if there was the same."""
        sides = sides_of(memories, step.memory)
        built = self.build(step.kernel, sides.order, step.file)
        if built.library is None:
            outcome = Outcome.CHEAT if built.cheat else Outcome.COMPILE_ERROR
            return Launch(outcome=outcome, outputs=(), diagnostics=built.diagnostics)
        aliased = {_place_of(task, o.aliases) for o in task.outputs if o.aliases is not None}
        kept = [n for n in sides.full if several or not memories[n].given or n in aliased]
        fresh = [OutputMeta(meta=_plain(memories[n].meta), zeroed=memories[n].zeroed) for n in sides.empty]
        saved = [OutputMeta(meta=_plain(memories[n].meta), aliases=sides.full.index(n)) for n in kept]
        call = Call(
            inputs=tuple(_file(memories[n]) for n in sides.full),
            outputs=(*fresh, *saved),
            products=task.products,
        )
        made = Made(step, sides.order, call)
        same = self._before[len(self._made)] if len(self._made) < len(self._before) else None
        before = same.call if same is not None and same.fits(step, sides.order) else None
        self._made.append(made)
        what = KernelRun(
            library=built.library,
            symbol=built.symbol,
            op=None,
            tiling=TilingResult(
                data=bytes.fromhex(step.blob).ljust(8, b"\0"),
                block_dim=step.blocks,
                tiling_key=0,
                workspace_bytes=0,
            ),
            auto_sync=True,
            chip_file=self._twin.chip_file,
            toolchain=self._twin.version(),
            model_error=self._twin.model_error,
            strict=self._twin.settings.strict,
        )
        done = launch(self._twin.runtime, what, call, folder, replace(run, before=before), task=task)
        for k, (n, out) in enumerate(zip((*sides.empty, *kept), done.outputs, strict=False)):
            assert isinstance(out, TensorFile)
            memories[n].file = out.path
            memories[n].store(None if done.stored is None else done.stored[k])
        return done.model_copy(update={"diagnostics": tuple(map(self._named, done.diagnostics))})

    def _named(self, found: Diagnostic) -> Diagnostic:
        """Name a file as the project does."""
        if found.code == "TILING_STRUCT":
            found = found.model_copy(update={"remedy": "Pass the numbers as plain arguments of the launch."})
        if found.file is None:
            return found
        name = PurePosixPath(found.file).name
        path = next((p for p in self._project.files if PurePosixPath(p).name == name), found.file)
        return found.model_copy(update={"file": path})


def _plain(meta: TensorMeta) -> TensorMeta:
    return TensorMeta(dtype=meta.dtype, shape=meta.shape)


def _file(memory: DeviceMemory) -> TensorFile:
    assert memory.file is not None
    return TensorFile(dtype=memory.meta.dtype, shape=memory.meta.shape, path=memory.file)


def _place_of(call: Call, index: int) -> int:
    """Return the place of an input's first tensor among all memory."""
    return sum(len(flat(value)) for value in call.inputs[:index])


def write_into(memory: DeviceMemory, offset: int, data: bytes, copy: Path, fill: bytes) -> None:
    """Write into memory as it is before the next launch; an input's own file stays as it is."""
    if memory.file is None:
        size = memory.meta.size_bytes
        copy.write_bytes(bytes(size) if memory.zeroed else (fill * (size // len(fill) + 1))[:size])
    else:
        shutil.copyfile(memory.file, copy)
    with copy.open("r+b") as out:
        out.seek(offset)
        out.write(data[: max(0, memory.meta.size_bytes - offset)])
    memory.file, memory.given = copy, False


def _outputs(
    call: Call, memories: Sequence[DeviceMemory], first_of_call: int, folder: Path, fill: bytes
) -> tuple[TensorFile | tuple[TensorFile, ...], ...]:
    """Return the files of the call's outputs; memory that no launch was given holds what it held before."""
    at = first_of_call + sum(len(flat(value)) for value in call.inputs)
    found: list[TensorFile | tuple[TensorFile, ...]] = []
    for k, output in enumerate(call.outputs):
        count = len(flat(output.meta))
        first = at if output.aliases is None else first_of_call + _place_of(call, output.aliases)
        at += count if output.aliases is None else 0
        files = []
        for n, meta in zip(range(first, first + count), flat(output.meta), strict=True):
            if memories[n].file is None:
                write_into(memories[n], 0, b"", folder / f"untouched_{k}_{n}.bin", fill)
            path = memories[n].file
            assert path is not None
            files.append(TensorFile(dtype=meta.dtype, shape=meta.shape, path=path))
        found.append(tuple(files) if isinstance(output.meta, tuple) else files[0])
    return tuple(found)


def joined(
    launches: Sequence[Launch],
    outputs: tuple[TensorFile | tuple[TensorFile, ...], ...],
    handed: Path,
    kept: tuple[Diagnostic, ...],
    beside_us: float = 0.0,
) -> Launch:
    """Return all launches as one; `beside_us` is what was done beside them, such as copies."""
    longest = max(launches, key=lambda one: one.time_us or 0.0)
    time_us = (
        None
        if any(one.time_us is None for one in launches)
        else sum(one.time_us or 0.0 for one in launches) + beside_us
    )
    profile = longest.profile
    if (
        profile is not None
        and profile.roofline_us is not None
        and time_us
        and (len(launches) > 1 or beside_us > 0)
    ):
        profile = profile.model_copy(update={"roofline_share": min(1.0, profile.roofline_us / time_us)})
    counted = [one.operations for one in launches if one.operations is not None]
    return with_all(longest, launches).model_copy(
        update={
            "outputs": outputs,
            "time_us": time_us,
            "profile": profile,
            "stored": None,
            "operations": sum(counted) if len(counted) == len(launches) else None,
            "tiling_data": handed,
            "diagnostics": tuple(dict.fromkeys((*(d for one in launches for d in one.diagnostics), *kept))),
        }
    )


def with_all(last: Launch, launches: Sequence[Launch]) -> Launch:
    """Count what all launches took."""
    known = [one.cpu_s for one in launches if one.cpu_s is not None]
    update = {"wall_s": sum(one.wall_s for one in launches), "cpu_s": sum(known) if known else None}
    found = tuple(dict.fromkeys(d for one in launches for d in one.diagnostics))
    return last.model_copy(update={**update, "diagnostics": found})


def refused_launch(step: KernelLaunch, project: KernelProject) -> Launch:
    text = f"A launch of {step.kernel[:80]} on {step.blocks} blocks is none that a device takes."
    found = Diagnostic(
        code="BLOCK_DIM", text=text, file=project.direct_file, line=step.line,
        stage="test", remedy=f"Take 1 to {MOST_BLOCKS} blocks.",
    )  # fmt: skip
    return Launch(outcome=Outcome.TRAP, outputs=(), diagnostics=(found,))
