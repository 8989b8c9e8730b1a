"""Pass 2, kernel init: transfer queues, plain buffers, global tensors, tiling fields, template parameters."""

from akgen.tools.core.frozen import Frozen
from akgen.tools.dsl.buffers import ScratchNeed, UbBuffer, UbPlan
from akgen.tools.dsl.cpp_expr import camel, pascal
from akgen.tools.dsl.cube import declaration, own_objects, under_way
from akgen.tools.dsl.ir import ElementType
from akgen.tools.dsl.kernel_context import SCALAR_CPP, KernelContext


class KernelInit(Frozen):
    """The frame of a kernel class: everything but what it does."""

    class_name: str
    doc: str
    templates: tuple[str, ...]  # names of type parameters
    constants: tuple[str, ...]  # static members and the row stride
    members: tuple[str, ...]
    objects: tuple[str, ...]  # Matmul objects, which the entry registers
    init_params: tuple[str, ...]
    init: tuple[str, ...]
    later: tuple[tuple[str, ...], ...]  # what each phase after the first begins with


def kernel_init(ctx: KernelContext, tiling_struct: str, fields: dict[str, str]) -> KernelInit:
    """Return the frame; `fields` maps scalar parameters to fields of the tiling struct."""
    kernel = ctx.kernel
    members, init = [], []
    for p in kernel.params:
        if p.type == "tensor":
            t = ctx.tensor_type(p.name)
            members.append(f"GlobalTensor<{t}> {ctx.gm(p.name)};")
            pointer = f"reinterpret_cast<__gm__ {t}*>({ctx.names.of('arg ' + p.name, camel(p.name))})"
            init.append(f"{ctx.gm(p.name)}.SetGlobalBuffer({pointer});")
        elif p.type == "list":
            members.append(f"GM_ADDR {ctx.gm(p.name)} = nullptr;")
            init.append(f"{ctx.gm(p.name)} = {ctx.names.of('arg ' + p.name, camel(p.name))};")
        else:
            members.append(
                f"{SCALAR_CPP[p.type]} {ctx.scalar(p.name)} = {'false' if p.type == 'bool' else 0};"
            )
            init.append(f"{ctx.scalar(p.name)} = tiling.{fields[p.name]};")
    for name in sorted(ctx.members):
        members.append(f"{SCALAR_CPP[ctx.types[name]]} {ctx.scalar(name)} = 0;")
    members += dict.fromkeys(_member(ctx, b) for b in ctx.plan.buffers)  # phases may share some
    members += under_way(ctx)
    members.append("TBuf<TPosition::VECCALC> scratch_;")
    init.extend(_init_phase(ctx.plan.in_phase(0), ctx, "pipe"))
    count = len(kernel.phases)
    if count > 1:
        members.append("TPipe* pipe_ = nullptr;")
        init.append("pipe_ = pipe;")
    later = [("pipe_->Reset();", *_init_phase(ctx.plan.in_phase(k), ctx, "pipe_")) for k in range(1, count)]
    args = [f"GM_ADDR {ctx.names.of('arg ' + t, camel(t))}" for t in kernel.tensors]
    return KernelInit(
        class_name=ctx.class_name, doc=kernel.doc, templates=tuple(f"T{pascal(t)}" for t in ctx.templates),
        constants=tuple(_constants(ctx)), members=tuple(members),
        objects=tuple(line for o in own_objects(ctx) for line in declaration(ctx, o)),
        init_params=("TPipe* pipe", *args, f"const {tiling_struct}& tiling"), init=tuple(init),
        later=tuple(later),
    )  # fmt: skip


def _init_phase(plan: UbPlan, ctx: KernelContext, pipe: str) -> list[str]:
    """Return the lines that give a phase its buffers."""
    buffers = [line for b in plan.buffers for line in _init_buffer(ctx, b, pipe)]
    return [*buffers, *_init_scratch(ctx, plan, pipe)]


def _constants(ctx: KernelContext) -> list[str]:
    if not ctx.has_rows:
        return []
    types = list(dict.fromkeys(ctx.cpp_type(t) for t in ctx.plan.row_types))
    ctx.lib("TileInt")
    ctx.lib("TileSizes")
    return [
        "// Rows of 2-D tiles are padded to whole blocks of 32 bytes in every type that they take.",
        f"static constexpr int64_t ROW_ALIGN = 32 / TileNarrowest<{', '.join(types)}>::value;",
        "",
        "static __aicore__ inline int64_t RowStride(int64_t cols)",
        "{",
        "    return TileAlignUp(cols, ROW_ALIGN);",
        "}",
    ]


def _member(ctx: KernelContext, b: UbBuffer) -> str:
    if b.role == "in":
        return f"TQue<TPosition::VECIN, {ctx.queue_depth(b.tile)}> {ctx.queue('in', b.tile)};"
    if b.role == "out":
        return f"TQue<TPosition::VECOUT, 1> {ctx.queue('out', b.tile, b.tensor or '')};"
    return f"TBuf<TPosition::VECCALC> {ctx.buffer(b.tile)};"


def _init_buffer(ctx: KernelContext, b: UbBuffer, pipe: str) -> list[str]:
    elements = ctx.elements(b.dims)
    types = list(dict.fromkeys(ctx.cpp_type(t) for t in b.types))
    if ctx.is_mask(b.tile):
        return [f"{pipe}->InitBuffer({ctx.buffer(b.tile)}, {ctx.lib('TileMaskBytes')}({elements}));"]
    if len(types) > 1:
        ctx.lib("TileSizes")
    size = f"sizeof({types[0]})" if len(types) == 1 else f"TileWidest<{', '.join(types)}>::value"
    size = f"{ctx.lib('TileBytes')}({elements}, {size})"
    if b.role == "in":
        return [f"{pipe}->InitBuffer({ctx.queue('in', b.tile)}, {b.copies}, {size});"]
    if b.role == "out":
        return [f"{pipe}->InitBuffer({ctx.queue('out', b.tile, b.tensor or '')}, {b.copies}, {size});"]
    line = f"{pipe}->InitBuffer({ctx.buffer(b.tile)}, {size});"
    partners = list(dict.fromkeys(ctx.cpp_type(p) for p in b.partners))
    if not partners:
        return [line]
    same = " && ".join(f"std::is_same<{p}, {types[0]}>::value" for p in partners)
    return [
        f"if constexpr (!({same})) {{" if len(partners) > 1 else f"if constexpr (!{same}) {{",
        f"    {line}",
        "}",
    ]


def need_text(n: ScratchNeed, elements: str, narrow: str | None) -> str:
    """Return one scratch need as an expression in C++."""
    parts = []
    if n.dims:
        product = f"{n.width} * {elements}"
        parts.append(product if narrow is None else f"({narrow} ? {product} : 0)")
    if n.fixed_bytes or not parts:
        parts.append(str(n.fixed_bytes))
    return " + ".join(parts)


def _init_scratch(ctx: KernelContext, plan: UbPlan, pipe: str) -> list[str]:
    if not plan.scratch:
        return []
    ctx.lib("TileInt")
    needs = list(dict.fromkeys(_need(ctx, n) for n in plan.scratch))
    lines = [f"int64_t scratchBytes = {needs[0]};"]
    lines += [f"scratchBytes = TileMax(scratchBytes, {n});" for n in needs[1:]]
    init = f"{pipe}->InitBuffer(scratch_, {ctx.lib('TileBytes')}(scratchBytes, 1));"
    if all(n.narrow for n in plan.scratch):
        return [*lines, "if (scratchBytes > 0) {", f"    {init}", "}"]
    return [*lines, init]


def _need(ctx: KernelContext, n: ScratchNeed) -> str:
    elements = f"TileAlignUp({ctx.elements(n.dims)}, 64)" if n.dims else ""
    return need_text(n, elements, _narrow(ctx, n.narrow))


def _narrow(ctx: KernelContext, types: tuple[ElementType, ...]) -> str | None:
    names = list(dict.fromkeys(ctx.cpp_type(t) for t in types))
    return " || ".join(f"sizeof({n}) == 1" for n in names) or None
