"""Do what an answer's class did, on the values: constants, copies, launches of kernels and of its operator."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from akgen.knowledge.errors import entry
from akgen.tools.core.call import Argument, Call, OutputMeta, TensorFile, TensorMeta
from akgen.tools.core.outcome import Diagnostic, Outcome
from akgen.tools.core.project import KernelProject
from akgen.tools.core.toolchain import Build, Launch, RunOptions
from akgen.tools.direct.kernels import DirectKernels
from akgen.tools.launched.memory import (
    MOST_BLOCKS,
    Device,
    DeviceMemory,
    Order,
    joined,
    memories_of,
    refused_launch,
    scratch_memory,
    sides_of,
    with_all,
    write_into,
)
from akgen.tools.launched.record import Allocation, KernelLaunch, flat
from akgen.tools.model_new.build import Placed
from akgen.tools.model_new.copies import CopyTimes, Raw, bits_of, bring, has_stored, strided
from akgen.tools.model_new.steps import (
    CallRecord,
    Constant,
    Copied,
    OperatorCall,
    RecordedCall,
    Step,
    View,
    call_key,
    views,
)
from akgen.tools.twin.toolchain import TwinToolchain

UNTOUCHED = "What forward returns was written by none of its kernels."


def kernels_of(call: Call, recorded: CallRecord) -> tuple[tuple[str, Order, str | None], ...]:
    """Return which kernels are launched, each with the order of its memory and its file."""
    memories = memories_of(call.model_copy(update={"outputs": ()}))
    found = _kernels(recorded.steps, memories)
    for one in recorded.further:
        own = memories_of(call.model_copy(update={"outputs": ()}))
        known = len(memories)
        memories += [m for n, m in zip(one.given, own, strict=True) if n >= known]
        found += _kernels(one.steps, memories)
    return tuple(dict.fromkeys(found))


def _kernels(steps: Sequence[Step], memories: list[DeviceMemory]) -> list[tuple[str, Order, str | None]]:
    found: list[tuple[str, Order, str | None]] = []
    for step in steps:
        if isinstance(step, Allocation):
            memories.append(scratch_memory(step.bytes))
        elif isinstance(step, Constant):
            memories[step.memory].file = Path()
        elif isinstance(step, KernelLaunch):
            found.append((step.kernel, sides_of(memories, step.memory).order, step.file))
            for n in step.memory:
                memories[n].file = memories[n].file or Path()
        else:
            for view in views(step):
                memories[view.memory].file = memories[view.memory].file or Path()
    return found


def untouched(call: Call, recorded: CallRecord) -> View | None:
    """Return the first result that no kernel had a part in; None if there is none."""
    written: set[int] = set()
    for step in recorded.steps:
        if isinstance(step, KernelLaunch):
            written.update(step.memory)
        elif isinstance(step, OperatorCall):
            written.update(v.memory for o in step.outputs for v in _views(o.into))
        elif isinstance(step, Copied) and step.source.memory in written:
            written.add(step.target.memory)
    del call
    return next((v for v in recorded.returned if v.memory not in written and v.count), None)


def operator_calls(call: Call, recorded: CallRecord) -> tuple[Call, ...]:
    """Return the calls of the answer's operator, without values."""
    del call
    further = [step for one in recorded.further for step in one.steps]
    return tuple(
        Call(
            inputs=tuple(_metas(v) for v in step.inputs),
            attrs=step.attrs,
            outputs=_outputs_of(step),
        )
        for step in (*recorded.steps, *further)
        if isinstance(step, OperatorCall)
    )


class ModelDevice(Device):
    """Builds an answer's kernels and does what its class did."""

    def __init__(
        self, twin: TwinToolchain, project: KernelProject, placed: Placed, operator: Build | None
    ) -> None:
        """`operator` is the build of the operator that the class calls, if it has one."""
        self._untouched = delegated(UNTOUCHED, (project.model or "").partition("::")[0])
        self._twin, self._project, self._placed = twin, project, placed
        self._operator = operator
        sources = (*placed.kernels, *((placed.binding,) if placed.binding else ()), *placed.others)
        self._kernels = DirectKernels(sources, (), twin)
        self._before, self._made = [], []
        self._operators_before: list[Call] = []
        self._operators: list[Call] = []

    def _holding(self, file: str | None) -> Path:
        return self._placed.folder / (file or "")

    def perform(self, call: Call, recorded: CallRecord, folder: Path, run: RunOptions) -> Launch:
        """Do the steps; times add up, the profile is that of the longest launch.

        With a call before, the object is called on that one's inputs first, with the parameters of `call`.
        """
        before = run.before
        self._memories = memories_of(call.model_copy(update={"outputs": ()}))
        if before is None or not recorded.further:
            return self._perform(call, recorded.steps, recorded.returned, recorded.constants, folder, run)
        own, last = self._memories, recorded.further[-1]
        given_before = before.model_copy(update={"outputs": ()})
        self._memories = [
            mine if kept == n else other
            for n, (kept, mine, other) in enumerate(
                zip(last.given, own, memories_of(given_before), strict=True)
            )
        ]
        quiet = replace(run, trace=False, what_if=False)
        calls: list[RecordedCall] = [recorded, *recorded.further]
        for n, following in enumerate(recorded.further):
            steps, returned = calls[n].steps, calls[n].returned
            done = self._perform(before, steps, returned, recorded.constants, folder / f"call_{n}", quiet)
            if done.outcome is not None:
                return done
            at, given = len(self._memories), own if following is last else memories_of(given_before)
            self._memories += [m for k, m in zip(following.given, given, strict=True) if k >= at]
            self.next_call()
        return self._perform(call, last.steps, last.returned, recorded.constants, folder, run)

    def next_call(self) -> None:
        super().next_call()
        self._operators_before, self._operators = self._operators, []

    def _perform(
        self,
        call: Call,
        steps: Sequence[Step],
        returned: Sequence[View],
        constants_file: Path,
        folder: Path,
        run: RunOptions,
    ) -> Launch:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._fill = folder, run.poison.outputs() if run.poison is not None else b"\xff"
        launches: list[Launch] = []
        handed = bytearray()
        copies_us, times = 0.0, CopyTimes(self._twin.chip_file)
        constants = constants_file.read_bytes() if constants_file.is_file() else b""
        for n, step in enumerate(steps):
            if isinstance(step, Allocation):
                self._memories.append(scratch_memory(step.bytes))
            elif isinstance(step, Constant):
                data = constants[step.at : step.at + step.count]
                write_into(
                    self._memories[step.memory], step.offset, data, folder / f"set_{n}.bin", self._fill
                )
                handed += data
            elif isinstance(step, Copied):
                self._scatter(step.target, self._gather(step.source), n)
                bring(self._memories[step.source.memory], self._memories[step.target.memory], step)
                copies_us += times.us(step)
            elif isinstance(step, OperatorCall):
                launches.append(self._call_operator(step, n, run))
            else:
                if not 1 <= step.blocks <= MOST_BLOCKS:
                    return refused_launch(step, self._project)
                handed += bytes.fromhex(step.blob)
                launches.append(
                    self.launch(call, self._memories, step, folder / f"launch_{n}", run, several=True)
                )
            if launches and launches[-1].outcome is not None:
                return with_all(launches[-1], launches)
        data_file = folder / "handed_over.bin"
        data_file.write_bytes(bytes(handed))
        results = self._results(call, returned)
        if not launches:  # of a call after another one
            return Launch(outcome=None, outputs=results, tiling_data=data_file)
        done = joined(launches, results, data_file, (), copies_us)
        if all(has_stored(self._memories[v.memory], v) for v in returned if v.count):
            return done
        return done.model_copy(update={"outcome": Outcome.CHEAT, "diagnostics": (self._untouched,)})

    def _call_operator(self, step: OperatorCall, n: int, run: RunOptions) -> Launch:
        assert self._operator is not None
        inputs: list[Argument] = []
        for k, value in enumerate(step.inputs):
            files = [self._file(v, f"operator_{n}_{k}_{i}.bin") for i, v in enumerate(_views(value))]
            inputs.append(None if value is None else tuple(files) if isinstance(value, tuple) else files[0])
        call = Call(inputs=tuple(inputs), attrs=step.attrs, outputs=_outputs_of(step))
        known = self._operators_before[len(self._operators) :][:1]
        self._operators.append(call)
        same = known[0] if known and _alike(known[0], call) else None
        done = self._twin.run(self._operator, call, self._folder / f"operator_{n}", replace(run, before=same))
        if done.outcome is None:
            stored = iter(done.stored or ())
            for output, came in zip(step.outputs, done.outputs, strict=True):
                for view, file in zip(
                    _views(output.into), came if isinstance(came, tuple) else (came,), strict=True
                ):
                    self._scatter(view, np.fromfile(file.path, bits_of(view.dtype)).reshape(view.shape), n)
                    if view.count:
                        self._memories[view.memory].store(next(stored, None))
        return done

    def _results(
        self, call: Call, returned: Sequence[View]
    ) -> tuple[TensorFile | tuple[TensorFile, ...], ...]:
        """Return the results as the call's outputs, in order; what is missing is missing."""
        rest = list(returned)
        found: list[TensorFile | tuple[TensorFile, ...]] = []
        for k, output in enumerate(call.outputs):
            count = len(flat(output.meta))
            taken, rest = rest[:count], rest[count:]
            if len(taken) < count:
                break
            files = tuple(self._file(v, f"result_{k}_{i}.bin") for i, v in enumerate(taken))
            found.append(files if isinstance(output.meta, tuple) else files[0])
        return tuple(found)

    def _file(self, view: View, name: str) -> TensorFile:
        path = self._folder / name
        self._gather(view).tofile(path)
        return TensorFile(dtype=view.dtype, shape=view.shape, path=path)

    def _content(self, number: int) -> npt.NDArray[np.uint8]:
        memory: DeviceMemory = self._memories[number]
        if memory.file is None:
            write_into(memory, 0, b"", self._folder / f"untouched_{number}.bin", self._fill)
        assert memory.file is not None
        return np.fromfile(memory.file, np.uint8)

    def _gather(self, view: View) -> Raw:
        """Return a tensor's elements, row-major, as plain bits."""
        if view.count == 0:
            return np.empty(view.shape, bits_of(view.dtype))
        return np.array(strided(self._content(view.memory), view))  # a copy

    def _scatter(self, view: View, values: Raw, n: int) -> None:
        if view.count == 0:
            return
        content = self._content(view.memory)
        strided(content, view)[...] = values
        path = self._folder / f"copied_{n}_{view.memory}_{view.offset}.bin"
        content.tofile(path)
        memory = self._memories[view.memory]
        memory.file, memory.given = path, False


def delegated(text: str, file: str | None, line: int | None = None) -> Diagnostic:
    """Say that something else than the answer's own kernels did the work."""
    known = entry("DELEGATED")
    remedy = known.remedy if known else None
    return Diagnostic(code="DELEGATED", text=text, file=file, line=line, stage="tiling", remedy=remedy)


def returned_as_asked(call: Call, recorded: CallRecord) -> Diagnostic | None:
    """Say that the class returns another number of tensors than the reference."""
    asked = sum(len(flat(o.meta)) for o in call.outputs)
    if len(recorded.returned) == asked:
        return None
    text = f"forward returns {len(recorded.returned)} tensors; the reference returns {asked}."
    return Diagnostic(
        code="MODEL_CLASS", text=text, stage="test", remedy="Return what the reference returns."
    )


def _alike(one: Call, other: Call) -> bool:
    return call_key(one) == call_key(other)


def _views(value: View | tuple[View, ...] | None) -> tuple[View, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _meta(view: View) -> TensorMeta:
    return TensorMeta(dtype=view.dtype, shape=view.shape)


def _metas(value: View | tuple[View, ...] | None) -> Argument:
    if value is None:
        return None
    return tuple(map(_meta, value)) if isinstance(value, tuple) else _meta(value)


def _outputs_of(step: OperatorCall) -> tuple[OutputMeta, ...]:
    return tuple(
        OutputMeta(
            meta=tuple(map(_meta, o.into)) if isinstance(o.into, tuple) else _meta(o.into),
            aliases=o.aliases,
            zeroed=o.zeroed,
        )
        for o in step.outputs
    )
