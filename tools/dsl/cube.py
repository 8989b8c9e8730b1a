"""Products on the cube core: which dtypes they take, and their C++ in the kernel class and in the tiling function.

A product goes through the library's Matmul object, which belongs to the vector core that asks; the cube core of its
block works for it. The library cuts blocks through L1 and L0 as the tiling says that the host fills for each object.
"""

from collections.abc import Callable, Mapping

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.cpp_expr import CppExpr, camel
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.ir import Kernel, MatmulObject, Multiply, WaitFor, walk
from akgen.tools.dsl.kernel_context import KernelContext

_FLOAT_BIAS = frozenset({DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32})
# dtype of A and B -> dtypes of C, dtypes of the bias
PRODUCTS: dict[DType, tuple[frozenset[DType], frozenset[DType]]] = {
    DType.FLOAT16: (frozenset({DType.FLOAT16, DType.FLOAT32}), _FLOAT_BIAS),
    DType.BFLOAT16: (frozenset({DType.BFLOAT16, DType.FLOAT32}), _FLOAT_BIAS),
    DType.FLOAT32: (frozenset({DType.FLOAT32}), _FLOAT_BIAS),
    DType.INT8: (frozenset({DType.INT32}), frozenset({DType.INT32})),
}


def wrong_products(kernel: Kernel, dtypes: Mapping[str, DType]) -> tuple[Diagnostic, ...]:
    """Return objects whose dtypes the cube core does not multiply. `dtypes`: kernel tensor to dtype, where known."""
    found = []
    waited = {s.object for s in walk(kernel.body) if isinstance(s, WaitFor)}
    for s in walk(kernel.body):
        if isinstance(s, Multiply) and not s.wait and s.object not in waited:
            never = f"Nothing waits for the products of `{s.object}`: `wait({s.object})` belongs before C is read."
            found.append(finding("DSL_STAGE", s.line, never))
    for o in kernel.objects.values():
        a, b, c = (dtypes.get(t) for t in (o.a, o.b, o.c))
        bias = None if o.bias is None else dtypes.get(o.bias)
        results, biases = PRODUCTS.get(a, (frozenset(), frozenset())) if a is not None else (None, None)
        text = None
        if a is not None and not results:
            text = f"The cube core does not multiply {a}; it takes {', '.join(map(str, PRODUCTS))}."
        elif a is not None and b is not None and a != b:
            text = f"`{o.a}` is {a} and `{o.b}` {b}; a product takes two of one dtype."
        elif results is not None and c is not None and c not in results:
            text = (
                f"The product of {a} is stored as {' or '.join(sorted(map(str, results)))}; `{o.c}` is {c}."
            )
        elif biases is not None and bias is not None and bias not in biases:
            text = f"The bias of a product of {a} is {' or '.join(sorted(map(str, biases)))}; `{o.bias}` is {bias}."
        if text is not None:
            found.append(finding("DSL_DTYPE", o.line, text))
    return tuple(found)


def own_objects(ctx: KernelContext) -> tuple[MatmulObject, ...]:
    """Return the objects that the kernel's class has; each may stand for others (`KernelContext.shared_objects`)."""
    return tuple(ctx.kernel.objects[n] for n in dict.fromkeys(ctx.shared_objects.values()))


def declaration(ctx: KernelContext, o: MatmulObject) -> list[str]:
    """Return the lines that declare an object in the kernel class."""

    def operand(tensor: str, *, transposed: bool = False) -> str:
        flag = ", true" if transposed else ""
        return f"matmul::MatmulType<TPosition::GM, CubeFormat::ND, {ctx.tensor_type(tensor)}{flag}>"

    types = [operand(o.a, transposed=o.transpose_a), operand(o.b, transposed=o.transpose_b), operand(o.c)]
    types += [operand(o.c if o.bias is None else o.bias), "PRODUCT_CONFIG"]
    head, gap = "matmul::Matmul<", ",\n" + " " * len("matmul::Matmul<")
    return f"{head}{gap.join(types)}> {ctx.object(o.name)};".splitlines()


def product_lines(ctx: KernelContext, s: Multiply) -> list[str]:
    """Return the calls that make one product and wait for it."""
    o, name, text = ctx.kernel.objects[s.object], ctx.object(s.object), ctx.expr.text
    m, n, k = map(text, s.extent)
    width_a, width_b = m if o.transpose_a else k, k if o.transpose_b else n
    lda, ldb, ldc = (
        width if e is None else text(e) for e, width in ((s.lda, width_a), (s.ldb, width_b), (s.ldc, n))
    )
    # what the library calls the shapes of A (m, ka) and B (kb, n) are row strides here
    shape_a = (lda, k) if o.transpose_a else (m, lda)
    shape_b = (ldb, n) if o.transpose_b else (k, ldb)
    shape = (shape_a[0], shape_b[1], shape_a[1], shape_b[0])
    lines = [
        f"{name}.SetOrgShape({_ints(*shape, ldc)});",
        f"{name}.SetSingleShape({_ints(m, n, k)});",
        f"{name}.SetTensorA({ctx.gm(o.a)}[{text(s.a)}]{', true' if o.transpose_a else ''});",
        f"{name}.SetTensorB({ctx.gm(o.b)}[{text(s.b)}]{', true' if o.transpose_b else ''});",
    ]
    if o.bias is not None:
        lines.append(f"{name}.SetBias({ctx.gm(o.bias)}[{text(s.bias)}]);")
    c = f"{ctx.gm(o.c)}[{text(s.c)}]"
    if not s.wait:
        # only these copies are waited for: the vector unit has work in hand
        if {o.a, o.b, o.c, o.bias} & ctx.kernel.put:
            lines.insert(
                0, f"{ctx.lib('TileWaitFor')}<HardEvent::MTE3_S>(); // the cube core reads what was stored"
            )
        if o.c in ctx.kernel.moved:
            lines.insert(
                0,
                f"{ctx.lib('TileWaitFor')}<HardEvent::MTE2_S>(); // its product goes where tiles were loaded from",
            )
        asked = f"{name}.template IterateAll<false>({c}, {int(s.accumulate)}, false, true);"
        return [*wait_lines(ctx, s.object), *lines, asked, f"{ctx.asked(s.object)} = true;"]
    if {o.a, o.b, o.c, o.bias} & ctx.kernel.moved:
        lines.insert(0, "PipeBarrier<PIPE_ALL>(); // the cube core sees what this core's copies did")
    before = wait_lines(ctx, s.object) if ctx.asked(s.object) in _asked(ctx) else []
    return [*before, *lines, f"{name}.IterateAll({c}{', 1' if s.accumulate else ''});"]


def wait_lines(ctx: KernelContext, name: str) -> list[str]:
    """Return the calls that wait for an object's product, if one is under way.

    The cube core says of each product that it is done, and a wait takes one word back: there is never more than one.
    """
    asked = ctx.asked(name)
    return [f"if ({asked}) {{", f"    {ctx.object(name)}.WaitIterateAll();", f"    {asked} = false;", "}"]


def under_way(ctx: KernelContext) -> list[str]:
    """Return the members that say of each object with products of its own time whether one is under way."""
    return [f"bool {name} = false;" for name in sorted(_asked(ctx))]


def _asked(ctx: KernelContext) -> set[str]:
    """Return these members; objects of the tile program that are one of the library share theirs."""
    return {ctx.asked(s.object) for s in walk(ctx.kernel.body) if isinstance(s, Multiply) and not s.wait}


def _most(sizes: list[str]) -> str:
    """Return the largest of these sizes, in C++."""
    different = list(dict.fromkeys(sizes))
    return different[0] if len(different) == 1 else f"std::max<int64_t>({{{', '.join(different)}}})"


def _ints(*texts: str) -> str:
    return ", ".join(f"static_cast<int>({t})" for t in texts)


def tiling_field(o: MatmulObject) -> str:
    """Return the field of the tiling struct that says how the library cuts an object's products."""
    return f"{camel(o.name)}Tiling"


def tiling_lines(ctx: KernelContext, fields: Mapping[str, str], dtype: Callable[[str], str]) -> list[str]:
    """Return the lines of the tiling function that fill the tilings of a kernel's objects, after its scalars are set.

    `fields` maps scalar parameters to fields of the struct; `dtype` gives a host tensor's dtype in C++.
    """

    def refuse(e: object) -> str:
        raise AssertionError(f"the size of a matmul_object contains {type(e).__name__}")

    expr = CppExpr(
        lambda p: f"tiling.get_{fields[p]}()", lambda n: ctx.types.get(n, "int"), refuse, host=True
    )
    lines = []
    groups = ctx.objects_at_work
    if any(len(group) > 1 for group in groups):
        lines.append("int64_t l1Left = -1; // all of it")
    for at, group in enumerate(groups):
        if len(group) > 1 and any(len(before) > 1 for before in groups[:at]):
            lines.append("l1Left = -1;")
        for k, name in enumerate(group):
            o = ctx.kernel.objects[name]
            types = [dtype(ctx.arguments[t]) for t in (o.a, o.b, o.c)]
            flags = ["true" if f else "false" for f in (o.transpose_a, o.transpose_b)]
            bias = "ge::DT_UNDEFINED" if o.bias is None else dtype(ctx.arguments[o.bias])
            stands_for = [ctx.kernel.objects[n] for n, by in ctx.shared_objects.items() if by == name]
            dims = [_most([expr.text(other.dims[i]) for other in stands_for]) for i in range(3)]
            shared = (str(len(group)), str(len(group) - k - 1), "&l1Left") if len(group) > 1 else ()
            given = ", ".join((*types, bias, *flags, *dims, *shared))
            lines += [
                f"if (!CutProducts(context, tiling.{tiling_field(o)}, {given})) {{",
                "    return ge::GRAPH_FAILED; // the library finds no way to cut a product of this size",
                "}",
            ]
    return lines


CUT_PRODUCTS = """// Let the library say how it cuts products of up to m x n x k elements through L1 and L0.
// `objects` that are at work at one time share these; `later` of them still need a share of what L1 has left.
bool CutProducts(gert::TilingContext* context, TCubeTiling& cut, ge::DataType a, ge::DataType b, ge::DataType c,
                 ge::DataType bias, bool transA, bool transB, int64_t m, int64_t n, int64_t k, int64_t objects = 1,
                 int64_t later = 0, int64_t* l1Left = nullptr)
{
    using matmul_tiling::CubeFormat;
    using matmul_tiling::TPosition;
    const auto type = [](ge::DataType t) { return static_cast<matmul_tiling::DataType>(t); };
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    matmul_tiling::MatmulApiTiling api(platform);
    api.SetAType(TPosition::GM, CubeFormat::ND, type(a), transA);
    api.SetBType(TPosition::GM, CubeFormat::ND, type(b), transB);
    api.SetCType(TPosition::GM, CubeFormat::ND, type(c));
    if (bias != ge::DT_UNDEFINED) {
        api.SetBiasType(TPosition::GM, CubeFormat::ND, type(bias));
    }
    api.SetBias(bias != ge::DT_UNDEFINED);
    api.SetShape(static_cast<int32_t>(m), static_cast<int32_t>(n), static_cast<int32_t>(k));
    api.SetOrgShape(static_cast<int32_t>(m), static_cast<int32_t>(n), static_cast<int32_t>(k));
    uint64_t sums = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L0_C, sums);
    api.SetBufferSpace(-1, objects > 1 ? static_cast<int32_t>(static_cast<int64_t>(sums) / objects) : -1, -1);
    api.SetMatmulConfigParams(1); // as PRODUCT_CONFIG: several base blocks at once
    if (api.GetTiling(cut) == -1) {
        return false;
    }
    // L1 holds panels of A and of B twice, so that copies run beside products. Long rows arrive faster; the first
    // panels, which the cube waits for, stay below a quarter of k.
    uint64_t room = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L1, room);
    const int64_t size = a == ge::DT_FLOAT ? 4 : a == ge::DT_INT8 ? 1 : 2;
    const int64_t blockA = cut.get_baseM() * cut.get_baseK() * size, blockB = cut.get_baseN() * cut.get_baseK() * size;
    const int64_t biasBytes = bias != ge::DT_UNDEFINED ? cut.get_baseN() * 8 : 0;
    const int64_t most = std::max<int64_t>(1, k / cut.get_baseK() / 4);
    int64_t stepA = 1, stepB = 1;
    if (l1Left != nullptr) { // a column of B's blocks stays while blocks of A pass, and A where there is room
        *l1Left = *l1Left < 0 ? static_cast<int64_t>(room) : *l1Left;
        const int64_t mine = *l1Left / (later + 1) - biasBytes, deep = CeilDiv(k, cut.get_baseK());
        const int64_t timesB = blockA + 2 * blockB <= mine ? 2 : 1; // many objects leave room for one of each
        const int64_t timesA = 2 * blockA + timesB * blockB <= mine ? 2 : 1;
        stepB = std::min(deep, std::max<int64_t>(1, (mine - timesA * blockA) / (timesB * blockB)));
        const int64_t left = mine - timesB * stepB * blockB, wholeA = CeilDiv(m, cut.get_baseM()) * deep;
        stepA = std::min(deep, std::max<int64_t>(1, left / (timesA * blockA)));
        cut.set_stepM(1);
        cut.set_stepN(1);
        cut.set_stepKa(static_cast<int32_t>(stepA));
        cut.set_stepKb(static_cast<int32_t>(stepB));
        cut.set_depthA1(static_cast<int32_t>(std::max(timesA * stepA, wholeA * blockA <= left ? wholeA : 0)));
        cut.set_depthB1(static_cast<int32_t>(timesB * stepB));
        const int64_t taken = cut.get_depthA1() * blockA + cut.get_depthB1() * blockB + biasBytes;
        cut.set_shareL1Size(static_cast<int32_t>(taken));
        *l1Left -= taken;
        return *l1Left >= 0;
    }
    for (bool grown = true; grown;) {
        const bool left = (stepA * blockA <= stepB * blockB && stepA * 2 <= most) || stepB * 2 > most;
        int64_t& step = left ? stepA : stepB;
        grown = step * 2 <= most;
        step *= grown ? 2 : 1;
        if (grown && 2 * (stepA * blockA + stepB * blockB) + biasBytes > static_cast<int64_t>(room)) {
            step /= 2;
            grown = false;
        }
    }
    const bool twice = 2 * (stepA * blockA + stepB * blockB) + biasBytes <= static_cast<int64_t>(room);
    cut.set_stepM(1);
    cut.set_stepN(1);
    cut.set_stepKa(static_cast<int32_t>(stepA));
    cut.set_stepKb(static_cast<int32_t>(stepB));
    cut.set_depthA1(static_cast<int32_t>(stepA * (twice ? 2 : 1)));
    cut.set_depthB1(static_cast<int32_t>(stepB * (twice ? 2 : 1)));
    cut.set_shareL1Size(static_cast<int32_t>(cut.get_depthA1() * blockA + cut.get_depthB1() * blockB + biasBytes));
    return true;
}
"""

# in the kernel's file: copies bring several base blocks at once, and parts of C leave while others are multiplied
PRODUCT_CONFIG = (
    "constexpr MatmulConfig PRODUCT_CONFIG = GetMDLConfig(false, false, 0, false, false, false, true);"
)


def registration(ctx: KernelContext) -> str | None:
    """Return the statement of the entry that starts the library for a kernel's objects, None without objects."""
    if not ctx.kernel.objects:
        return None
    pairs = [f"op.{ctx.object(o.name)}, &tilingData.{tiling_field(o)}" for o in own_objects(ctx)]
    return f"REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), {', '.join(pairs)});"
