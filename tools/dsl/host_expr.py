"""Host expressions as C++ of the tiling function."""

from collections.abc import Callable

from akgen.tools.dsl.buffers import fit_step
from akgen.tools.dsl.cpp_expr import CppExpr
from akgen.tools.dsl.cpp_names import Names, camel, pascal
from akgen.tools.dsl.expr import (
    Const,
    Dim,
    DimProduct,
    DTypeTest,
    Expr,
    Fit,
    Func,
    Item,
    ListLength,
    ListNumel,
    Name,
    Property,
    ScalarType,
    TextTest,
    names_in,
)
from akgen.tools.dsl.host_run import tensor_arguments
from akgen.tools.dsl.ir import Host, Program
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.scalars import infer

ATTR_TYPES: dict[str, ScalarType] = {
    "int": "int", "float": "float", "bool": "bool", "list_int": "int", "list_float": "float",
    "list_bool": "bool",
}  # fmt: skip


class HostExpr:
    """Names, types and expressions of one host function in C++."""

    def __init__(self, program: Program, contexts: dict[str, KernelContext]) -> None:
        self.program, self.contexts = program, contexts
        host: Host = program.host
        self.host = host
        self.names = Names()
        for word in ("context", "attrs", "platform", "coreNum", "ubBytes", "workspaces", "size"):
            self.names.used.add(word)
        given = {p.name: ATTR_TYPES[p.kind] for p in host.attrs if p.kind != "str"}
        self.types = infer(host.body, given)
        types: Callable[[str], ScalarType] = lambda n: self.types.get(n, "int")  # noqa: E731
        self.expr = CppExpr(self.names.of, types, self.other, host=True)
        self.fits: dict[tuple[str, str], Fit] = {}

    def shape(self, tensor: str) -> str:
        """Return the C++ variable that holds a tensor's shape."""
        return self.names.of(f"shape {tensor}", f"{camel(tensor)}Shape")

    def dtype(self, tensor: str) -> str:
        """Return the C++ variable that holds a tensor's dtype."""
        return self.names.of(f"dtype {tensor}", f"{camel(tensor)}Type")

    def list_of(self, tensor: str) -> str:
        return self.names.of(f"list {tensor}", f"{camel(tensor)}Counts")

    def other(self, e: Expr) -> str:
        text = self.expr.text
        match e:
            case Dim():
                shape = self.shape(e.tensor)
                if isinstance(e.index, Const):
                    at = (
                        str(e.index.value)
                        if e.index.value >= 0
                        else f"{shape}.GetDimNum() - {-e.index.value}"
                    )
                    return f"{shape}.GetDim({at})"
                return f"DimOf({shape}, {text(e.index)})"
            case DimProduct():
                start = "0" if e.start is None else text(e.start)
                stop = f"{self.shape(e.tensor)}.GetDimNum()" if e.stop is None else text(e.stop)
                return f"Product({self.shape(e.tensor)}, {start}, {stop})"
            case Property(name="ndim"):
                return f"static_cast<int64_t>({self.shape(e.tensor)}.GetDimNum())"
            case Property(name="numel"):
                return f"{self.shape(e.tensor)}.GetShapeSize()"
            case Property(name="size"):
                return f"SizeOf({self.dtype(e.tensor)})"
            case Property(name="present"):
                return self.names.of(f"has {e.tensor}", f"has{pascal(e.tensor)}")
            case Property(name="max_numel"):
                return f"Largest({self.list_of(e.tensor)})"
            case Property(name="total_numel"):
                return f"Total({self.list_of(e.tensor)})"
            case DTypeTest():
                return f"{self.dtype(e.tensor)} == ge::{e.dtype.ge_name}"
            case TextTest():
                return f'{self.names.of(e.attr)} == "{e.text}"'
            case Item():
                return f"{self.names.of(e.attr)}[{text(e.index)}]"
            case ListLength():
                return f"static_cast<int64_t>({self.list_of(e.tensor)}.size())"
            case ListNumel():
                return f"{self.list_of(e.tensor)}[{text(e.index)}]"
            case Func(name="core_num"):
                return "coreNum"
            case Func(name="len", args=(Name(id=attr),)):
                return f"static_cast<int64_t>({self.names.of(attr)}.size())"
            case Func():
                return f"std::{e.name}({', '.join(self.expr.as_float(a) for a in e.args)})"
            case Fit():
                return self.fit(e)
        raise AssertionError(f"{type(e).__name__} does not occur in host functions")

    def fit(self, e: Fit) -> str:
        """Return a search for the largest value that fits, over the kernel's byte formula."""
        ctx = self.contexts[e.kernel]
        step, limit = fit_step(ctx.plan, e.param)
        dims = dict(e.dims)
        arguments = [
            camel(e.param) if p == e.param else self.expr.text(dims[p]) for p in capacity_params(ctx)
        ]  # fmt: skip
        arguments += [self.dtype(t) for t in dtype_tensors(self.program, ctx)]
        call = f"{pascal(e.kernel)}UbBytes({', '.join(arguments)})"
        return f"LargestFit({step}, {limit}, [&](int64_t {camel(e.param)}) {{ return {call} <= ubBytes; }})"


def capacity_params(ctx: KernelContext) -> list[str]:
    """Return the kernel parameters on which buffer sizes depend, in order."""
    used = {n for b in ctx.kernel.allocs.values() for d in b.dims for n in names_in(d)}
    return [p.name for p in ctx.kernel.params if p.name in used]


def dtype_tensors(program: Program, ctx: KernelContext) -> list[str]:
    """Return the host tensors whose dtypes decide buffer sizes, in the kernel's order."""
    arguments = tensor_arguments(program, ctx.kernel.name)
    used = {t.of for b in ctx.plan.buffers for t in (*b.types, *b.partners)}
    used |= {t.of for t in ctx.plan.row_types} | {t.of for n in ctx.plan.scratch for t in n.narrow}
    return list(dict.fromkeys(arguments[t] for t in ctx.kernel.tensors if t in used))
