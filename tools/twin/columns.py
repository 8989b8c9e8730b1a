"""Pick the OpDef's combination of types that a call has."""

from akgen.tools.core.call import Argument, Call, TensorMeta
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.twin.host_info import HostOp, HostParam, columns

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


def _named(params: tuple[HostParam, ...], types: list[frozenset[str]]) -> str:
    return ", ".join(f"{p.name} {'/'.join(sorted(t))}" for p, t in zip(params, types, strict=True) if t)


def _finding(text: str) -> Diagnostic:
    return Diagnostic(
        code="DTYPE_COMBINATION",
        text=text,
        remedy="Declare every combination of types that the task uses as one position of all DataType lists.",
        stage="tiling",
    )
