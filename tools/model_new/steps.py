"""What a class did with the device, in order. It is a candidate's word, and nothing in it is believed unchecked.

The class runs in the sandbox on tensors that hold no values (`recording.py`), so that it cannot compute what its
kernels are asked for; `device.py` does what it did, on the values.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from akgen.tools.binding.build import BuiltBinding
from akgen.tools.core.call import Attr, Call
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.launched.record import Allocation, KernelLaunch

MOST_LAUNCHES = 256
MOST_CONSTANT_BYTES = 512 << 20
MOST_COPIED_BYTES = (
    64 << 30
)  # of all copies and operands of a call; a view that repeats an element counts each time

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


class Allocated(Allocation):
    """One more memory of the device, and the type of the tensor that it was made for."""

    dtype: DType | None = None


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


Step = Allocated | Constant | Copied | KernelLaunch | OperatorCall
Line = Step | Delegation | Raised | Unplaced | Returned | CalledAgain


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
