"""InferShape and InferDataType from the host function's declarations, where those need no computed scalars."""

from akgen.tools.core.op_spec import OpSpec
from akgen.tools.dsl.expr import Const, Dim, Expr
from akgen.tools.dsl.ir import Declare, DimList, DimSlice, Program, ShapePart


def infer_lines(program: Program, op: OpSpec) -> tuple[list[str], list[str]]:
    """Return the bodies of the two functions; both empty if some output's declaration is missing or not simple."""
    host = program.host
    declared = {s.output: s for s in host.body if isinstance(s, Declare)}
    if set(declared) != set(host.outputs) or any(p.kind != "required" for p in (*op.inputs, *op.outputs)):
        return [], []
    inputs = {n: i for i, n in enumerate(host.inputs)}
    shapes: list[str] = []
    types: list[str] = []
    for i, name in enumerate(host.outputs):
        d = declared[name]
        lines = [_part(p, f"out{i}", inputs) for p in d.parts]
        if any(x is None for x in lines):
            return [], []
        shapes += [f"gert::Shape* out{i} = context->GetOutputShape({i});", f"out{i}->SetDimNum(0);"]
        shapes += [line for x in lines for line in x or []]
        if d.dtype.of is not None and d.dtype.of not in inputs:
            return [], []
        at = f"context->GetInputDataType({inputs[d.dtype.of]})" if d.dtype.of is not None else f"ge::{_ge(d)}"
        types.append(f"context->SetOutputDataType({i}, {at});")
    return shapes, types


def _ge(d: Declare) -> str:
    assert d.dtype.fixed is not None and d.dtype.fixed != "mask"
    return d.dtype.fixed.ge_name


def _part(part: ShapePart, out: str, inputs: dict[str, int]) -> list[str] | None:
    match part:
        case DimSlice(tensor=t) if t in inputs:
            shape = f"context->GetInputShape({inputs[t]})"
            first = _bound(part.start, shape, "0")
            last = _bound(part.stop, shape, f"{shape}->GetDimNum()")
            if first is None or last is None:
                return None
            return [
                f"for (size_t d = {first}; d < {last}; ++d) {{",
                f"    {out}->AppendDim({shape}->GetDim(d));",
                "}",
            ]
        case DimList():
            dims = [_dim(d, inputs) for d in part.dims]
            return None if any(d is None for d in dims) else [f"{out}->AppendDim({d});" for d in dims]
        case _:
            return None


def _bound(e: Expr | None, shape: str, default: str) -> str | None:
    if e is None:
        return default
    if not isinstance(e, Const):
        return None
    return str(e.value) if e.value >= 0 else f"{shape}->GetDimNum() - {-e.value}"


def _dim(e: Expr, inputs: dict[str, int]) -> str | None:
    match e:
        case Const():
            return str(e.value)
        case Dim(tensor=t, index=Const(value=i)) if t in inputs:
            shape = f"context->GetInputShape({inputs[t]})"
            return f"{shape}->GetDim({i if i >= 0 else f'{shape}->GetDimNum() - {-i}'})"
        case _:
            return None
