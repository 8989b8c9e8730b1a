"""Compare what an operator's InferShape and InferDataType say with the outputs that the call really has.

Only graphs ask them; a wrong answer does not harm the call itself, so that every finding is a warning.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from akgen.knowledge.errors import entry
from akgen.tools.core.call import Call, TensorMeta
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.columns import Column
from akgen.tools.twin.host_info import HostOp, HostParam

_UNKNOWN_RANK = (-2,)
_UNSET = "UNDEFINED"  # the function said nothing about this output
_BYTES = frozenset({"DT_BOOL", "DT_INT8", "DT_UINT8"})


class ShapeAnswer(BaseModel):
    """InferShape's answer: dimensions of each output tensor, lists spread out."""

    status: int
    values: tuple[tuple[int, ...], ...]


class TypeAnswer(BaseModel):
    """InferDataType's answer, likewise, under the graph engine's names."""

    status: int
    values: tuple[str, ...]


class Inferred(BaseModel):
    """What both said; None for a function that is not registered."""

    shape: ShapeAnswer | None
    data_type: TypeAnswer | None


def check_inferred(op: HostOp, column: Column, call: Call, said: dict[str, Any]) -> tuple[Diagnostic, ...]:
    """Return a warning for each output that the functions describe otherwise. `said` is the host runner's line."""
    if "signal" in said:
        return (_finding("INFER_SHAPE", "InferShape or InferDataType crashed on this call."),)
    if "error" in said:
        return (_finding("INFER_SHAPE", f"InferShape or InferDataType failed: {said.get('text', '')}."),)
    try:
        inferred = Inferred.model_validate(said.get("infer"))
    except ValidationError:
        return (_finding("INFER_SHAPE", "InferShape or InferDataType did not return."),)
    outputs = tuple(_outputs(op, column, call))
    return (*_shapes(inferred.shape, outputs), *_types(inferred.data_type, outputs))


class _Output(BaseModel):
    name: str
    param: HostParam
    meta: TensorMeta
    column_type: str


def _outputs(op: HostOp, column: Column, call: Call) -> Iterator[_Output]:
    """Yield the output tensors in the order in which the contexts number them."""
    for param, output, dtype in zip(op.outputs, call.outputs, column.output_types, strict=False):
        metas = output.meta if isinstance(output.meta, tuple) else (output.meta,)
        for i, meta in enumerate(metas):
            name = f"{param.name}[{i}]" if isinstance(output.meta, tuple) else param.name
            yield _Output(name=name, param=param, meta=meta, column_type=dtype)


def _shapes(answer: ShapeAnswer | None, outputs: Sequence[_Output]) -> Iterator[Diagnostic]:
    if answer is None:
        return
    if answer.status != 0:
        yield _finding(
            "INFER_SHAPE", "InferShape returns a failure for a call that its tiling function takes."
        )
        return
    for output, shape in zip(outputs, answer.values, strict=False):
        if output.param.shape_depends_on_compute or _same_shape(shape, output.meta.shape):
            continue
        told = _written(shape) if shape else "no shape"
        text = f"InferShape gives {output.name} {told}; the call's output is {_written(output.meta.shape)}."
        yield _finding("INFER_SHAPE", text)


def _types(answer: TypeAnswer | None, outputs: Sequence[_Output]) -> Iterator[Diagnostic]:
    if answer is None or answer.status != 0:
        return
    for output, dtype in zip(outputs, answer.values, strict=False):
        real = output.meta.dtype.ge_name
        if dtype in (real, output.column_type, _UNSET) or {dtype, real} <= _BYTES:
            continue
        text = f"InferDataType gives {output.name} {dtype}; the call's output is {real}."
        yield _finding("INFER_DATA_TYPE", text)


def _same_shape(said: tuple[int, ...], real: tuple[int, ...]) -> bool:
    """Compare dimensions; -1 is any size, and a scalar may be written as one element."""
    if said == _UNKNOWN_RANK:
        return True
    if len(said) != len(real):
        return said in ((), (1,)) and real in ((), (1,))
    return all(s in (-1, r) for s, r in zip(said, real, strict=True))


def _written(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"


def _finding(code: str, text: str) -> Diagnostic:
    known = entry(code)
    return Diagnostic(
        code=code, text=text, remedy=known.remedy if known else None, severity="warning", stage="tiling"
    )
