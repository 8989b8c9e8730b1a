"""What a class did with the device, in order. It is a candidate's word, and nothing in it is believed unchecked.

The class runs in the sandbox on tensors that hold no values (`recording.py`), so that it cannot compute what its
kernels are asked for; `device.py` does what it did, on the values.
"""

import json
import stat
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from akgen.tools.binding.build import BuiltBinding
from akgen.tools.core.call import Attr, Call
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.core.untrusted import FileRefused, plain_text, read_bytes
from akgen.tools.launched.record import MOST_MEMORY_BYTES, Allocation, KernelLaunch, flat

MOST_LAUNCHES = 256
MOST_CONSTANT_BYTES = 512 << 20
MOST_COPIED_BYTES = (
    64 << 30
)  # of all copies and operands of a call; a view that repeats an element counts each time
_MOST_RECORD_BYTES = 16 << 20

_Number = Annotated[int, Field(ge=0, le=1 << 16)]
_Size = Annotated[int, Field(ge=0, le=1 << 40)]
_Text = Annotated[str, Field(max_length=2000)]


class View(Frozen):
    """A tensor in the device's memory: its first byte, and its strides in elements."""

    memory: _Number
    offset: _Size
    dtype: DType
    shape: Annotated[tuple[_Size, ...], Field(max_length=32)]
    strides: Annotated[tuple[_Size, ...], Field(max_length=32)]

    @property
    def count(self) -> int:
        n = 1
        for size in self.shape:
            n *= size
        return n

    @property
    def end(self) -> int:
        """Return the offset behind its last byte."""
        if self.count == 0:
            return self.offset
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        return self.offset + (last + 1) * self.dtype.size_bytes


class Constant(Frozen):
    """Bytes that the host wrote into memory: `count` of them, at `at` in the record's file of constants."""

    kind: Literal["constant"]
    memory: _Number
    offset: _Size
    at: _Size
    count: _Size


class Copied(Frozen):
    """Elements brought into another order: clone, contiguous, copy_."""

    kind: Literal["copied"]
    source: View
    target: View


class OperatorOutput(Frozen):
    """Where an output of an operator goes; `aliases` names the input whose memory it shares."""

    into: View | tuple[View, ...]
    aliases: int | None = None
    zeroed: bool = False


class OperatorCall(Frozen):
    """A call of the answer's own operator, through EXEC_NPU_CMD."""

    kind: Literal["operator"]
    name: Annotated[str, Field(max_length=200)]
    inputs: Annotated[tuple[View | tuple[View, ...] | None, ...], Field(max_length=256)]
    attrs: Annotated[tuple[Attr, ...], Field(max_length=256)]
    outputs: Annotated[tuple[OperatorOutput, ...], Field(max_length=256)]


class Delegation(Frozen):
    """Something that computed outside the answer's own kernels."""

    kind: Literal["computed"]
    what: Annotated[str, Field(max_length=300)]
    line: int | None = None


class Raised(Frozen):
    """Why the class could not be made or called."""

    kind: Literal["raised"]
    code: Literal["MODEL_CLASS", "HOST_MEMORY"]
    text: _Text
    line: int | None = None


class Unplaced(Frozen):
    """Parameters of the reference's model that the class has none for."""

    kind: Literal["unplaced"]
    text: _Text


class Returned(Frozen):
    """What `forward` returned, lists in lists laid out in a row; the last line of a call that is whole."""

    kind: Literal["returned"]
    outputs: Annotated[tuple[View, ...], Field(max_length=4096)]


class CalledAgain(Frozen):
    """The object is called once more; what follows is of that call."""

    kind: Literal["again"]


Step = Allocation | Constant | Copied | KernelLaunch | OperatorCall
Line = Step | Delegation | Raised | Unplaced | Returned | CalledAgain
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])


class RecordedCall(Frozen):
    """What an object did when it was called."""

    steps: tuple[Step, ...] = ()
    computed: tuple[Delegation, ...] = ()
    raised: Raised | None = None
    returned: tuple[View, ...] = ()


class NextCall(RecordedCall):
    """What the same object does when it is called once more, on further tensors and with the same parameters.

    `given` is the memory of each of the call's input tensors; what is new has the numbers after all memory of the call
    before, inputs first. Constants lie in the file of the call before.
    """

    given: tuple[int, ...]


class CallRecord(RecordedCall):
    """One call's record. `steps` are meant to be done only if nothing computed and nothing was raised."""

    unplaced: str | None = None
    constants: Path
    # Up to the first that does otherwise than the second call, or that one alone; empty: the first did not end.
    further: tuple[NextCall, ...] = ()

    @property
    def all_computed(self) -> tuple[Delegation, ...]:
        """Return what was computed in the first call that computed something."""
        calls: tuple[RecordedCall, ...] = (self, *self.further)
        return next((one.computed for one in calls if one.computed), ())

    @property
    def raised_later(self) -> Raised | None:
        """Return why a call after the first one ended."""
        return next((one.raised for one in self.further if one.raised is not None), None)


class RecordingJob(Frozen):
    """What to record. Paths are those of the sandbox."""

    folder: Path  # with the answer's Python files
    file: str  # of the class, below it
    name: str  # of the class
    binding: BuiltBinding | None
    sources: dict[str, str]  # path as the binding's messages have it -> path in the project
    device: Path  # the library that stands in for an NPU
    chip_library: Path
    chip: str
    spec: OpSpec | None
    calls: tuple[Call, ...]
    out: Path  # call i writes `<i>.jsonl` and `<i>.bin` here


class RecordRefused(Exception):
    """The record holds what its runtime does not write."""


def read_record(lines: Path, constants: Path, call: Call) -> CallRecord:
    """Read and check a record. Raises RecordRefused."""
    try:
        text = plain_text(read_bytes(lines, most_bytes=_MOST_RECORD_BYTES))
        told = [_LINE.validate_json(line) for line in text.splitlines()]
    except (FileRefused, ValidationError, ValueError) as e:
        raise RecordRefused("it cannot be read") from e
    calls = [_one(part) for part in _parts(told)]
    whole = [one.raised is None and not one.computed for one in calls]
    if not all(whole[:-1]) or (len(calls) == 1) == whole[0]:
        raise RecordRefused("it has no end")
    sizes = [t.size_bytes for value in call.inputs for t in flat(value)]
    own, known = tuple(sizes), _size_of(constants)
    _check(calls[0].steps, calls[0].returned, sizes, known)
    further: list[NextCall] = []
    done: list[str] = []
    for one in calls[1:]:
        start = len(sizes)
        given = given_again(call, start)
        sizes += [size for number, size in zip(given, own, strict=True) if number >= start]
        _check(one.steps, one.returned, sizes, known)
        further.append(
            NextCall(
                given=given, steps=one.steps, computed=one.computed, raised=one.raised, returned=one.returned
            )
        )
        done.append(_did(one, start, constants))
    other = next((n for n, what in enumerate(done) if what != done[0]), 0)
    return CallRecord(
        steps=calls[0].steps,
        computed=calls[0].computed,
        raised=calls[0].raised,
        unplaced=next((t.text for t in told if isinstance(t, Unplaced)), None),
        returned=calls[0].returned,
        constants=constants,
        further=tuple(further[: other + 1]),
    )


def _parts(told: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the lines of each call."""
    part: list[Line] = []
    for line in told:
        if isinstance(line, CalledAgain):
            yield part
            part = []
        else:
            part.append(line)
    yield part


def _did(one: "_One", start: int, constants: Path) -> str:
    """Say what a call did, alike for calls that do the same each with memory of its own, which begins at `start`."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: own(v) if key == "memory" else plain(v) for key, v in value.items()}
        return [plain(v) for v in value] if isinstance(value, list) else value

    def own(memory: Any) -> Any:
        if isinstance(memory, list):
            return [own(number) for number in memory]
        return memory if memory < start else f"own {memory - start}"

    told = one._asdict()
    steps = [step.model_dump(mode="json") for step in told["steps"]]
    for step in steps:
        if step["kind"] == "constant":
            with constants.open("rb") as file:
                file.seek(step.pop("at"))
                step["held"] = sha256(file.read(step["count"])).hexdigest()
    rest = [v.model_dump(mode="json") for v in (*one.computed, *one.returned)]
    return json.dumps([plain(steps), plain(rest), one.raised.text if one.raised is not None else None])


def _size_of(constants: Path) -> int:
    """Return the size of the file of constants, 0 if there is none. Raises RecordRefused for a link to another one."""
    try:
        found = constants.lstat()
    except FileNotFoundError:
        return 0
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_size > MOST_CONSTANT_BYTES:
        raise RecordRefused("its constants lie in no plain file of their own")
    return found.st_size


class _One(NamedTuple):
    """The lines of one call."""

    steps: tuple[Step, ...]
    computed: tuple[Delegation, ...]
    raised: Raised | None
    returned: tuple[View, ...]


def _one(told: Sequence[Line]) -> _One:
    steps = tuple(
        t for t in told if isinstance(t, Allocation | Constant | Copied | KernelLaunch | OperatorCall)
    )
    ends = [t for t in told if isinstance(t, Returned)]
    raised = next((t for t in told if isinstance(t, Raised)), None)
    if len(ends) != (raised is None) or not told or not isinstance(told[-1], Returned | Raised):
        raise RecordRefused("it has no end")
    computed = tuple(t for t in told if isinstance(t, Delegation))
    return _One(steps, computed, raised, ends[0].outputs if ends else ())


def given_again(call: Call, known: int) -> tuple[int, ...]:
    """Return the memory of each input tensor of a second call: parameters stay, the others follow `known` ones."""
    stays = {place for _, place in call.model.state} if call.model is not None else set()
    found: list[int] = []
    at, free = 0, known
    for place, value in enumerate(call.inputs):
        for _ in flat(value):
            found.append(at if place in stays else free)
            free += place not in stays
            at += 1
    return tuple(found)


def _check(steps: tuple[Step, ...], returned: tuple[View, ...], sizes: list[int], constants: int) -> None:
    """See that every step stays within the memory that there is then; what it allocates joins `sizes`."""
    launches = scratch = copied = 0
    for step in steps:
        if isinstance(step, Allocation):
            sizes.append(step.bytes)
            scratch += step.bytes
        elif isinstance(step, KernelLaunch):
            launches += 1
            if any(n >= len(sizes) for n in step.memory) or len(set(step.memory)) != len(step.memory):
                raise RecordRefused("a launch names memory that is not there")
        elif isinstance(step, Constant):
            beyond = step.memory >= len(sizes) or step.offset + step.count > sizes[step.memory]
            if beyond or step.at + step.count > constants:
                raise RecordRefused("constants lie beyond their memory")
        else:
            launches += isinstance(step, OperatorCall)
            for view in views(step):
                _within(view, sizes)
                copied += view.count * view.dtype.size_bytes
    for view in returned:
        _within(view, sizes)
    if copied > MOST_COPIED_BYTES:
        raise RecordRefused(f"it copies {copied} bytes")
    if launches > MOST_LAUNCHES or scratch > MOST_MEMORY_BYTES:
        raise RecordRefused(f"it has {launches} launches and {scratch} bytes of memory")


def _within(view: View, sizes: list[int]) -> None:
    if len(view.shape) != len(view.strides) or view.memory >= len(sizes) or view.end > sizes[view.memory]:
        raise RecordRefused("a tensor lies beyond its memory")


def views(step: Copied | OperatorCall) -> Iterator[View]:
    """Yield every tensor that a step names."""
    if isinstance(step, Copied):
        yield from (step.source, step.target)
        return
    for value in (*step.inputs, *(o.into for o in step.outputs)):
        yield from value if isinstance(value, tuple) else () if value is None else (value,)


def call_key(call: Call) -> str:
    """Name what a class can tell of a call: shapes, types, attributes, and how it is made and called."""
    plain = call.model_dump(mode="json", include={"inputs", "attrs", "outputs", "model"})
    for argument in plain["inputs"]:
        for tensor in argument if isinstance(argument, list) else [argument]:
            if tensor is not None:
                tensor.pop("path", None)
    return json.dumps(plain, sort_keys=True)
