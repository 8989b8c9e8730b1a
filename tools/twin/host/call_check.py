"""A call held against the OpDef: which combination of types it takes, and whether the shape functions agree with it.

Only graphs ask InferShape and InferDataType; a wrong answer does not harm the call itself, so that every finding about
them is a warning.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from akgen.knowledge.errors import entry as catalogue_entry
from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.host.host_info import HostOp, OpDefParam, columns

# PyTorch and the graph engine disagree on what a byte is called; these stand for each other if nothing fits better.
_BYTES = frozenset({"DT_BOOL", "DT_INT8", "DT_UINT8"})
_RANK_OF_FORMAT = {"NCHW": 4, "NHWC": 4, "NCDHW": 5, "NDHWC": 5, "NCL": 3}


class Column(Frozen):
    """One combination: types and formats of every input and output, in OpDef order."""

    input_types: tuple[str, ...]
    input_formats: tuple[str, ...]
    output_types: tuple[str, ...]
    output_formats: tuple[str, ...]


class ColumnMissing(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.text)
        self.diagnostic = diagnostic


def column_of(op: HostOp, call: Call) -> Column:
    """Return the first column that fits the call's types and ranks. Raises ColumnMissing with what was asked for."""
    _check_counts(op, call)
    inputs = [_types(a) for a in call.inputs[: len(op.inputs)]]
    outputs = [_types(o.meta) for o in call.outputs[: len(op.outputs)]]
    inputs += [frozenset()] * (len(op.inputs) - len(inputs))
    outputs += [frozenset()] * (len(op.outputs) - len(outputs))
    rows = columns(op)
    fits = [r for r in rows if _fit(r[: len(inputs)], inputs, loose=False)]
    fits = fits or [r for r in rows if _fit(r[: len(inputs)], inputs, loose=True)]
    exact = [r for r in fits if _fit(r[len(inputs) :], outputs, loose=False)]
    chosen = exact or [r for r in fits if _fit(r[len(inputs) :], outputs, loose=True)]
    if not chosen:
        raise ColumnMissing(_missing(op, rows, inputs, outputs, inputs_fit=bool(fits)))
    ranks = [_rank(a) for a in call.inputs[: len(op.inputs)]]
    ranks += [None] * (len(op.inputs) - len(ranks))
    row = next((r for r in chosen if _ranks_fit(r, ranks)), chosen[0])
    n = len(op.inputs)
    return Column(
        input_types=tuple(t for t, _ in row[:n]),
        input_formats=tuple(f for _, f in row[:n]),
        output_types=tuple(t for t, _ in row[n:]),
        output_formats=tuple(f for _, f in row[n:]),
    )


def _check_counts(op: HostOp, call: Call) -> None:
    required = sum(p.kind != "optional" for p in op.inputs)
    if not required <= len(call.inputs) <= len(op.inputs):
        raise ColumnMissing(
            _finding(
                f"{op.op_type} has {len(op.inputs)} inputs in its OpDef; the call passes {len(call.inputs)}."
            )
        )
    absent = [
        p.name for p, a in zip(op.inputs, call.inputs, strict=False) if a is None and p.kind == "required"
    ]
    if absent:
        raise ColumnMissing(_finding(f"Input {absent[0]} is required by the OpDef; the call leaves it out."))
    for p, a in zip(op.inputs, call.inputs, strict=False):
        if a is not None and isinstance(a, tuple) != (p.kind == "dynamic"):
            what = "a list of tensors" if isinstance(a, tuple) else "one tensor"
            raise ColumnMissing(_finding(f"Input {p.name} is {p.kind} in the OpDef; the call passes {what}."))
    extra = call.outputs[len(op.outputs) :]
    if len(call.outputs) < len(op.outputs) or any(o.aliases is None for o in extra):
        raise ColumnMissing(
            _finding(
                f"{op.op_type} has {len(op.outputs)} outputs in its OpDef; the task has {len(call.outputs)}."
            )
        )


def _types(argument: Argument) -> frozenset[str]:
    if argument is None:
        return frozenset()
    metas = argument if isinstance(argument, tuple) else (argument,)
    return frozenset(m.dtype.ge_name for m in metas)


def _rank(argument: Argument) -> int | None:
    return len(argument.shape) if isinstance(argument, TensorMeta) else None


def _fit(row: tuple[tuple[str, str], ...], wanted: list[frozenset[str]], *, loose: bool) -> bool:
    return all(
        not types or types == {have} or (loose and have in _BYTES and types <= _BYTES)
        for (have, _), types in zip(row, wanted, strict=True)
    )


def _ranks_fit(row: tuple[tuple[str, str], ...], ranks: list[int | None]) -> bool:
    return all(
        rank is None or _RANK_OF_FORMAT.get(fmt, rank) == rank
        for (_, fmt), rank in zip(row[: len(ranks)], ranks, strict=True)
    )


def _missing(
    op: HostOp,
    rows: tuple[tuple[tuple[str, str], ...], ...],
    inputs: list[frozenset[str]],
    outputs: list[frozenset[str]],
    *,
    inputs_fit: bool,
) -> Diagnostic:
    asked = (
        _named(op.inputs, inputs)
        if not inputs_fit
        else f"{_named(op.inputs, inputs)} -> {_named(op.outputs, outputs)}"
    )
    have = "; ".join(
        ", ".join(f"{p.name} {t}" for p, (t, _) in zip((*op.inputs, *op.outputs), row, strict=True))
        for row in rows[:8]
    )
    return _finding(f"The OpDef of {op.op_type} has no combination {asked}; it has: {have}.")


def _named(params: tuple[OpDefParam, ...], types: list[frozenset[str]]) -> str:
    return ", ".join(f"{p.name} {'/'.join(sorted(t))}" for p, t in zip(params, types, strict=True) if t)


def _finding(text: str) -> Diagnostic:
    return Diagnostic(
        code="DTYPE_COMBINATION",
        text=text,
        remedy="Declare every combination of types that the task uses as one position of all DataType lists.",
        stage="tiling",
    )


_UNKNOWN_RANK = (-2,)
_UNSET = "UNDEFINED"  # the function said nothing about this output


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
        return (_warning("INFER_SHAPE", "InferShape or InferDataType crashed on this call."),)
    if "error" in said:
        return (_warning("INFER_SHAPE", f"InferShape or InferDataType failed: {said.get('text', '')}."),)
    try:
        inferred = Inferred.model_validate(said.get("infer"))
    except ValidationError:
        return (_warning("INFER_SHAPE", "InferShape or InferDataType did not return."),)
    outputs = tuple(_outputs(op, column, call))
    return (*_inferred_shapes(inferred.shape, outputs), *_inferred_types(inferred.data_type, outputs))


class _Output(BaseModel):
    name: str
    param: OpDefParam
    meta: TensorMeta
    column_type: str


def _outputs(op: HostOp, column: Column, call: Call) -> Iterator[_Output]:
    """Yield the output tensors in the order in which the contexts number them."""
    for param, output, dtype in zip(op.outputs, call.outputs, column.output_types, strict=False):
        metas = output.meta if isinstance(output.meta, tuple) else (output.meta,)
        for i, meta in enumerate(metas):
            name = f"{param.name}[{i}]" if isinstance(output.meta, tuple) else param.name
            yield _Output(name=name, param=param, meta=meta, column_type=dtype)


def _inferred_shapes(answer: ShapeAnswer | None, outputs: Sequence[_Output]) -> Iterator[Diagnostic]:
    if answer is None:
        return
    if answer.status != 0:
        yield _warning(
            "INFER_SHAPE", "InferShape returns a failure for a call that its tiling function takes."
        )
        return
    for output, shape in zip(outputs, answer.values, strict=False):
        if output.param.shape_depends_on_compute or _same_shape(shape, output.meta.shape):
            continue
        told = _written(shape) if shape else "no shape"
        text = f"InferShape gives {output.name} {told}; the call's output is {_written(output.meta.shape)}."
        yield _warning("INFER_SHAPE", text)


def _inferred_types(answer: TypeAnswer | None, outputs: Sequence[_Output]) -> Iterator[Diagnostic]:
    if answer is None or answer.status != 0:
        return
    for output, dtype in zip(outputs, answer.values, strict=False):
        real = output.meta.dtype.ge_name
        if dtype in (real, output.column_type, _UNSET) or {dtype, real} <= _BYTES:
            continue
        text = f"InferDataType gives {output.name} {dtype}; the call's output is {real}."
        yield _warning("INFER_DATA_TYPE", text)


def _same_shape(said: tuple[int, ...], real: tuple[int, ...]) -> bool:
    """Compare dimensions; -1 is any size, and a scalar may be written as one element."""
    if said == _UNKNOWN_RANK:
        return True
    if len(said) != len(real):
        return said in ((), (1,)) and real in ((), (1,))
    return all(s in (-1, r) for s, r in zip(said, real, strict=True))


def _written(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"


def _warning(code: str, text: str) -> Diagnostic:
    known = catalogue_entry(code)
    return Diagnostic(
        code=code, text=text, remedy=known.remedy if known else None, severity="warning", stage="tiling"
    )
