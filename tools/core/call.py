"""One call of an operator: tensors in files, attributes, and what is to come out.

Before a launch, outputs, the workspace and on-chip memory hold a pattern (`Poison`), so that what nobody wrote is
found.
"""

import hashlib
from functools import lru_cache
from pathlib import Path

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue


class TensorMeta(Frozen):
    """Element type and shape; contiguous, row-major."""

    dtype: DType
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        n = 1
        for d in self.shape:
            n *= d
        return n

    @property
    def size_bytes(self) -> int:
        return self.count * self.dtype.size_bytes


class TensorFile(TensorMeta):
    """A tensor whose raw little-endian bytes lie in a file (no header)."""

    path: Path


SMALL_CALL = 1 << 18  # bytes of inputs and outputs up to which further launches cost little
FEW_LAUNCHES = 4  # that may come before one, where nothing can count more of them or each takes long
Argument = TensorMeta | TensorFile | tuple[TensorMeta | TensorFile, ...] | None


class Attr(Frozen):
    """An attribute's value; matched by name if the OpDef has that name, else by position."""

    name: str
    value: AttrValue


class OutputMeta(Frozen):
    """An output to allocate. With `aliases`, it shares the memory of that input (index into Call.inputs).

    Outputs beyond those of the OpDef must alias: the kernel works in place on an input and has no parameter for
    the output; the input's memory is written out after the run. `zeroed`: cleared before the launch, not poisoned.
    """

    meta: TensorMeta | tuple[TensorMeta, ...]
    aliases: int | None = None
    zeroed: bool = False


class ClassCall(Frozen):
    """How the reference's class is made and called, for a class that is to take its place."""

    init: str  # JSON: [positional, by keyword]
    # JSON: for each argument of forward {"input": its place in Call.inputs}, {"value": ...} or {"dtype": name}
    arguments: str
    state: tuple[tuple[str, int], ...]  # the model's parameters and buffers, and their places in Call.inputs


class Call(Frozen):
    """Arguments in OpDef order. A tuple argument is a DYNAMIC list; None an absent optional input.

    With TensorMeta arguments it describes a call (enough to tile and compile); with TensorFile, it can run.
    """

    inputs: tuple[Argument, ...]
    attrs: tuple[Attr, ...] = ()
    outputs: tuple[OutputMeta, ...]
    # (input index, its values), for inputs whose values the tiling function may read
    const_values: tuple[tuple[int, tuple[int, ...] | tuple[float, ...]], ...] = ()
    # (bytes of an operand's element, multiplications) of the products that the task is made of; for its roofline
    products: tuple[tuple[int, int], ...] = ()
    # what the reference calls its inputs and outputs, where the call is described to somebody
    input_names: tuple[str, ...] = ()
    output_names: tuple[str, ...] = ()
    model: ClassCall | None = (
        None  # None: the reference is no class of PyTorch that others could stand in for
    )

    @property
    def size_bytes(self) -> int:
        """Return the bytes of all inputs and outputs together."""
        return sum(self.moved_bytes)

    @property
    def moved_bytes(self) -> tuple[int, int]:
        """Return the bytes that must be read, of all inputs, and written, of all outputs."""
        return sum(map(argument_bytes, self.inputs)), sum(argument_bytes(o.meta) for o in self.outputs)


def argument_bytes(value: Argument) -> int:
    """Return the bytes of one argument; a list counts whole, an absent one nothing."""
    if value is None:
        return 0
    if isinstance(value, TensorMeta):
        return value.size_bytes
    return sum(m.size_bytes for m in value)


PERIOD = 1 << 16  # bytes after which the pattern begins again
_LOW = bytes(range(0x02, 0xFF))  # never the byte of a 0, a 1 or a -1
# The high byte of 16 bits: 2**13 to 2**15.9 in float16, 2**97 to 2**121 in bfloat16 and float32, to both sides.
_HIGH = bytes([*range(0x70, 0x7C), *range(0xF0, 0xFC)])
# Not a number, quiet, in bfloat16, float16 and float32.
_NAN_LOW = bytes(range(0xC1, 0xFF))
_NAN_HIGH = b"\x7f\xff"


class Poison(Frozen):
    """A pattern drawn by `seed`; that of a second launch differs from the first in every byte.

    It depends on nothing but the seed: what a kernel finds in its memory says nothing about the answer.
    """

    seed: int
    second: bool = False

    def outputs(self) -> bytes:
        """Return what outputs are filled with, PERIOD bytes: large finite numbers in every floating dtype."""
        return _drawn("outputs", self, _LOW, _HIGH)

    def scratch(self) -> bytes:
        """Return what the workspace and on-chip memory are filled with: NaN, for a second launch large numbers."""
        kind = (_LOW, _HIGH) if self.second else (_NAN_LOW, _NAN_HIGH)
        return _drawn("scratch", self, *kind)


@lru_cache(maxsize=8)  # a launch is filled with a pattern, and its outputs are searched for it
def _drawn(name: str, poison: Poison, low: bytes, high: bytes) -> bytes:
    noise = hashlib.shake_256(f"{name} {poison.seed}".encode()).digest(PERIOD + 2)
    pattern = bytearray(PERIOD)
    for first, allowed, shift in ((0, low, noise[-2]), (1, high, noise[-1])):
        turn = 1 + shift % (len(allowed) - 1) if poison.second else 0
        table = bytes(allowed[(byte + turn) % len(allowed)] for byte in range(256))
        pattern[first::2] = noise[first:PERIOD:2].translate(table)
    return bytes(pattern)
