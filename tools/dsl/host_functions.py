"""The host file beside the tiling function: helpers, the UB bytes of each kernel, InferShape, InferDataType."""

from akgen.tools.core.dtypes import DType
from akgen.tools.core.op_spec import OpSpec
from akgen.tools.dsl.buffers import ScratchNeed, UbBuffer
from akgen.tools.dsl.cpp_expr import CppExpr, camel
from akgen.tools.dsl.expr import Const, Dim, Expr
from akgen.tools.dsl.host_expr import capacity_params, dtype_tensors, ub_function
from akgen.tools.dsl.ir import Declare, DimList, DimSlice, ElementType, Program, ShapePart
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.pass_init import need_text

_HELPERS = {
    "CeilDiv": """int64_t CeilDiv(int64_t a, int64_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b;
}
""",
    "AlignUp": """int64_t AlignUp(int64_t a, int64_t b)
{
    return b == 0 ? 0 : (a + b - 1) / b * b;
}
""",
    "SizeOf": """int64_t SizeOf(ge::DataType type)
{
    switch (type) {
        case ge::DT_BOOL:
        case ge::DT_INT8:
        case ge::DT_UINT8:
            return 1;
        case ge::DT_FLOAT16:
        case ge::DT_BF16:
        case ge::DT_INT16:
        case ge::DT_UINT16:
            return 2;
        case ge::DT_INT64:
        case ge::DT_UINT64:
        case ge::DT_DOUBLE:
            return 8;
        default:
            return 4;
    }
}
""",
    "NativeType": """// What is computed in.
ge::DataType NativeType(ge::DataType type)
{
    return type == ge::DT_FLOAT16 ? type : ge::DT_FLOAT;
}
""",
    "DimOf": """// A negative index counts from the end.
int64_t DimOf(const gert::Shape& shape, int64_t index)
{
    const int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    return shape.GetDim(static_cast<size_t>(index < 0 ? index + rank : index));
}
""",
    "Product": """// Product of the dimensions from `start` to `stop`, negative ones counted from the end.
int64_t Product(const gert::Shape& shape, int64_t start, int64_t stop)
{
    const int64_t rank = static_cast<int64_t>(shape.GetDimNum());
    const int64_t first = start < 0 ? std::max<int64_t>(0, start + rank) : start;
    const int64_t last = stop < 0 ? stop + rank : std::min(stop, rank);
    int64_t product = 1;
    for (int64_t d = first; d < last; ++d) {
        product *= shape.GetDim(static_cast<size_t>(d));
    }
    return product;
}
""",
    "Largest": """int64_t Largest(const std::vector<int64_t>& counts)
{
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}
""",
    "Total": """int64_t Total(const std::vector<int64_t>& counts)
{
    int64_t total = 0;
    for (int64_t n : counts) {
        total += n;
    }
    return total;
}
""",
    "LargestFit": """// The largest multiple of `step`, up to `limit`, that fits; 0 if none does.
template <typename Fits>
int64_t LargestFit(int64_t step, int64_t limit, Fits fits)
{
    int64_t low = 0;
    int64_t high = limit / step;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (fits(middle * step)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low * step;
}
""",
}


def helpers(text: str) -> list[str]:
    """Return the helper functions that the text calls."""
    return [body for name, body in _HELPERS.items() if f"{name}(" in text]


def ub_bytes(program: Program, ctx: KernelContext, phase: int) -> str:
    """Return the function that adds up all buffers of a kernel's phase."""
    return _UbBytes(program, ctx, phase).text()


class _UbBytes:
    def __init__(self, program: Program, ctx: KernelContext, phase: int) -> None:
        self.program, self.ctx, self.phase = program, ctx, phase
        self.plan = ctx.plan.in_phase(phase)
        self.expr = CppExpr(camel, lambda n: ctx.types.get(n, "int"), self.refuse, host=True)
        self.lines: list[str] = []

    @staticmethod
    def refuse(e: Expr) -> str:
        raise AssertionError(f"a capacity contains {type(e).__name__}")

    def text(self) -> str:
        ctx = self.ctx
        params = [f"int64_t {camel(p)}" for p in capacity_params(ctx, self.phase)]
        params += [f"ge::DataType {camel(t)}Type" for t in dtype_tensors(self.program, ctx, self.phase)]
        if any(len(b.dims) == 2 for b in self.plan.buffers):
            sizes = list(dict.fromkeys(self.size(t) for t in self.plan.row_types))
            self.lines.append(f"const int64_t rowAlign = 32 / {self.smallest(sizes)};")
        needs = list(dict.fromkeys(self.need(n) for n in self.plan.scratch))
        if not needs:
            self.lines.append("int64_t bytes = 0;")
        else:
            largest = needs[0] if len(needs) == 1 else f"std::max<int64_t>({{{', '.join(needs)}}})"
            self.lines.append(f"int64_t bytes = AlignUp({largest}, 256); // scratch")
        for b in self.plan.buffers:
            self.buffer(b)
        body = "\n".join("    " + line for line in [*self.lines, "return bytes;"])
        who = ctx.class_name if len(ctx.kernel.phases) == 1 else f"phase {self.phase + 1} of {ctx.class_name}"
        doc = f"// Bytes of the Unified Buffer that {who} takes."
        return f"{doc}\nint64_t {ub_function(ctx, self.phase)}({', '.join(params)})\n{{\n{body}\n}}\n"

    @staticmethod
    def smallest(sizes: list[str]) -> str:
        if len(sizes) == 1:
            return sizes[0]
        return f"std::min<int64_t>({{{', '.join(sizes)}}})"

    def type(self, t: ElementType) -> str:
        """Return a dtype as C++: a constant, or the parameter that holds it."""
        if t.fixed is None:
            stored = f"{camel(self.ctx.arguments[t.of or ''])}Type"
            return f"NativeType({stored})" if t.native else stored
        assert t.fixed != "mask"
        return f"ge::{DType(t.fixed).ge_name}"

    def size(self, t: ElementType) -> str:
        return f"SizeOf({self.type(t)})" if t.fixed is None else str(DType(t.fixed).size_bytes)

    def elements(self, dims: tuple[Expr, ...]) -> str:
        first = self.expr.nested(dims[0])
        return first if len(dims) == 1 else f"{first} * AlignUp({self.expr.text(dims[1])}, rowAlign)"

    def need(self, n: ScratchNeed) -> str:
        narrow = " || ".join(dict.fromkeys(f"{self.size(t)} == 1" for t in n.narrow)) or None
        return need_text(n, f"AlignUp({self.elements(n.dims)}, 64)" if n.dims else "", narrow)

    def buffer(self, b: UbBuffer) -> None:
        elements = self.elements(b.dims)
        what = {"in": "loaded", "out": f"stored to {b.tensor}", "temp": "computed"}[b.role]
        note = f" // {b.tile}, {what}"
        if b.types[0].fixed == "mask":
            self.lines.append(f"bytes += AlignUp(AlignUp({elements}, 256) / 8, 256);{note}")
            return
        sizes = list(dict.fromkeys(self.size(t) for t in b.types))
        size = sizes[0] if len(sizes) == 1 else f"std::max<int64_t>({{{', '.join(sizes)}}})"
        times = f"{b.copies} * " if b.copies > 1 else ""
        line = f"bytes += {times}AlignUp({elements} * {size}, 256);{note}"
        if not b.partners:
            self.lines.append(line)
            return
        same = " || ".join(f"{self.type(p)} != {self.type(b.types[0])}" for p in dict.fromkeys(b.partners))
        self.lines += [f"if ({same}) {{", f"    {line}", "}"]


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
