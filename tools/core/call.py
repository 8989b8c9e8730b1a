"""One call of an operator: tensors in files, attributes, and what is to come out."""

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
