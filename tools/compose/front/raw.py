"""What a trace holds: core ATen calls with concrete shapes, and where each tensor comes from."""

from typing import Any, Literal

from akgen.tools.core.call import TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.op_spec import AttrValue


class Ref(Frozen):
    """A value of an earlier node; `part` picks one of several results."""

    node: int
    part: int = 0


class Origin(Frozen):
    """Which operator input a placeholder stands for; `element` is the position in a DYNAMIC list."""

    input: int
    element: int | None = None


class RawNode(Frozen):
    """One traced call. A result that is no tensor has no meta; of a number, `scalar` tells the type."""

    index: int
    kind: Literal["input", "const", "call"]
    target: str = ""  # such as "aten.add.Tensor"
    args: tuple[Any, ...] = ()  # Ref, numbers, strings, DType, nested tuples
    kwargs: tuple[tuple[str, Any], ...] = ()
    metas: tuple[TensorMeta | None, ...] = ()
    origin: Origin | None = None
    scalar: DType | None = None  # of a call that yields a number
    values: tuple[float | int | bool, ...] | None = None  # of a small constant, flattened


class RawOutput(Frozen):
    """An operator output: which value, in which dtype the operator must write it."""

    ref: Ref
    output: int
    element: int | None = None
    dtype: DType


class RawGraph(Frozen):
    """One case's trace.

    `outputs` lists only what is compared. `inputs` are the operator's inputs in OpDef order; a tuple is a list.
    """

    nodes: tuple[RawNode, ...]
    outputs: tuple[RawOutput, ...]
    inputs: tuple[TensorMeta | tuple[TensorMeta, ...] | None, ...]
    attrs: tuple[tuple[str, AttrValue], ...]
    aliases: tuple[int | None, ...]
    output_dtypes: tuple[DType, ...] = ()  # per operator output
    scalars: tuple[tuple[int, tuple[float, ...]], ...] = ()  # inputs made of Python numbers: (input, values)
    fixed: tuple[int, ...] = ()  # inputs whose values the trace specialised on
    input_names: tuple[str, ...] | None = None
    output_names: tuple[str, ...] | None = None
