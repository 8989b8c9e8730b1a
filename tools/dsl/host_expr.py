"""Host expressions as C++ of the tiling function, and its first lines, which fetch what they read."""

from collections.abc import Callable

from akgen.tools.core.op_spec import OpSpec
from akgen.tools.dsl.buffers import fit_step
from akgen.tools.dsl.cpp_expr import CppExpr, CppNames, camel, pascal
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
from akgen.tools.dsl.ir import Host, Program, Workspace, walk
from akgen.tools.dsl.kernel_context import KernelContext
from akgen.tools.dsl.scalar_names import infer

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
        self.names = CppNames()
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

    def dtype_text(self, tensor: str) -> str:
        """Return the dtype of a tensor or workspace in C++."""
        spaces = {s.name: s.dtype for s in walk(self.host.body) if isinstance(s, Workspace)}
        return f"ge::{spaces[tensor].ge_name}" if tensor in spaces else self.dtype(tensor)

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
        fits = []
        for phase in ctx.plan.phases_with(e.param):
            arguments = [
                camel(e.param) if p == e.param else self.expr.text(dims[p]) for p in capacity_params(ctx, phase)
            ]  # fmt: skip
            arguments += [self.dtype(t) for t in dtype_tensors(self.program, ctx, phase)]
            fits.append(f"{ub_function(ctx, phase)}({', '.join(arguments)}) <= ubBytes")
        fit = " && ".join(fits)
        return f"LargestFit({step}, {limit}, [&](int64_t {camel(e.param)}) {{ return {fit}; }})"


def ub_function(ctx: KernelContext, phase: int) -> str:
    """Return the name of the function that adds up a phase's buffers."""
    several = len(ctx.kernel.phases) > 1
    return f"{ctx.class_name}{f'Phase{phase + 1}' if several else ''}UbBytes"


def capacity_params(ctx: KernelContext, phase: int) -> list[str]:
    """Return the kernel parameters on which buffer sizes of a phase depend, in order."""
    phases = ctx.kernel.phase_of
    allocs = [a for t, a in ctx.kernel.allocs.items() if phases[t] == phase]
    used = {n for a in allocs for d in a.dims for n in names_in(d)}
    return [p.name for p in ctx.kernel.params if p.name in used]


def dtype_tensors(program: Program, ctx: KernelContext, phase: int) -> list[str]:
    """Return the host tensors whose dtypes decide buffer sizes of a phase, in the kernel's order."""
    arguments = tensor_arguments(program, ctx.kernel.name)
    plan = ctx.plan.in_phase(phase)
    used = {t.of for b in plan.buffers for t in (*b.types, *b.partners)}
    used |= {t.of for t in plan.row_types} | {t.of for n in plan.scratch for t in n.narrow}
    return list(dict.fromkeys(arguments[t] for t in ctx.kernel.tensors if t in used))


_LISTS = {"list_int": ("Int", "int64_t"), "list_float": ("Float", "float"), "list_bool": ("Bool", "bool")}


def _instance(op: OpSpec, side: str, at: int) -> str:
    """Return the number of a parameter's first tensor among all tensors of its side: a list has several."""
    if side == "Input" or all(p.kind != "dynamic" for p in op.outputs[:at]):
        return str(at)
    return f"context->GetIrOutputInstanceInfo({at})->GetInstanceStart()"


def _shape_in_list(op: OpSpec, side: str, at: int) -> str:
    return (
        f"GetDynamicInputShape({at}, i)"
        if side == "Input"
        else f"GetOutputShape({_instance(op, side, at)} + i)"
    )


def input_lines(host: HostExpr, op: OpSpec, body: str) -> list[str]:
    """Return the declarations of what `body` mentions."""
    lines: list[str] = []
    plain = all(p.kind == "required" for p in op.inputs)
    given = host.host
    tensors = [(n, "Input", i, p.kind) for i, (n, p) in enumerate(zip(given.inputs, op.inputs, strict=True))]
    tensors += [
        (n, "Output", i, p.kind) for i, (n, p) in enumerate(zip(given.outputs, op.outputs, strict=True))
    ]
    for name, side, i, kind in tensors:
        prefix = (
            ""
            if plain or side == "Output"
            else {"required": "Required", "optional": "Optional"}.get(kind, "")
        )
        shape, dtype, counts, has = (
            host.shape(name),
            host.dtype(name),
            host.list_of(name),
            f"has{pascal(name)}",
        )
        if kind == "optional" and any(_uses(body, w) for w in (has, dtype, shape)):
            lines.append(f"const bool {has} = context->GetOptional{side}Shape({i}) != nullptr;")
        if _uses(body, shape):
            get = f"context->Get{prefix}{side}Shape({i})->GetStorageShape()"
            if kind == "optional":
                get = f"{has} ? {get} : gert::Shape()"
                lines.append(f"const gert::Shape {shape} = {get};")
            else:
                lines.append(f"const gert::Shape& {shape} = {get};")
        if _uses(body, dtype):
            listed = kind == "dynamic" and side == "Input"
            at = (
                f"GetDynamicInputDesc({i}, 0)"
                if listed
                else f"Get{prefix}{side}Desc({_instance(op, side, i)})"
            )
            get = f"context->{at}->GetDataType()"
            lines.append(
                f"const ge::DataType {dtype} = {f'{has} ? {get} : ge::DT_FLOAT' if kind == 'optional' else get};"
            )
        if _uses(body, counts):
            lines += [
                f"std::vector<int64_t> {counts};",
                f"for (size_t i = 0; i < context->GetIr{side}InstanceInfo({i})->GetInstanceNum(); ++i) {{",
                f"    {counts}.push_back(context->{_shape_in_list(op, side, i)}->GetStorageShape().GetShapeSize());",
                "}",
            ]
    lines += _attrs(host, op, body)
    if _uses(body, "coreNum") or _uses(body, "ubBytes"):
        lines.append("auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());")
    if _uses(body, "coreNum"):
        lines.append("const int64_t coreNum = platform.GetCoreNumAiv();")
    if _uses(body, "ubBytes"):
        lines += [
            "uint64_t ubSize = 0;",
            "platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);",
            "const int64_t ubBytes = static_cast<int64_t>(ubSize) - UB_RESERVE;",
        ]
    return lines


def _attrs(host: HostExpr, op: OpSpec, body: str) -> list[str]:
    lines: list[str] = []
    for i, (p, _) in enumerate(zip(host.host.attrs, op.attrs, strict=True)):
        name = host.names.of(p.name)
        if not _uses(body, name):
            continue
        match p.kind:
            case "int":
                lines.append(f"const int64_t {name} = *context->GetAttrs()->GetInt({i});")
            case "bool":
                lines.append(f"const bool {name} = *context->GetAttrs()->GetBool({i});")
            case "float":
                lines.append(f"const double {name} = *context->GetAttrs()->GetFloat({i});")
            case "str":
                lines.append(f"const std::string {name} = context->GetAttrs()->GetStr({i});")
            case _:
                kind, element = _LISTS[p.kind]
                values = f"{name}Values"
                lines.append(f"const auto* {values} = context->GetAttrs()->GetList{kind}({i});")
                span = f"{values}->GetData(), {values}->GetData() + {values}->GetSize()"
                lines.append(f"const std::vector<{element}> {name}({span});")
    return lines


def _uses(body: str, word: str) -> bool:
    """Return whether a C++ text mentions an identifier."""
    start = body.find(word)
    while start >= 0:
        before = body[start - 1] if start else " "
        after = body[start + len(word)] if start + len(word) < len(body) else " "
        if not (before.isalnum() or before in "_.") and not (after.isalnum() or after == "_"):
            return True
        start = body.find(word, start + 1)
    return False
