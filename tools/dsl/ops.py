"""The compute operations: forms, scratch memory, the dtypes that they take, and a check of these."""

from collections.abc import Mapping
from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.ir import ElementType, Kernel, Load, Op, Store, TileRef, walk

# functions of the vendor's library: vectors of float32 that they keep at once
LIBRARY_LIVE = {
    "tanh": 2, "erf": 3, "erfc": 4, "sin": 3, "cos": 3, "tan": 4, "asin": 4, "acos": 4, "atan": 4, "sinh": 2, "cosh": 2,
}  # fmt: skip

Family = Literal[
    "unary", "binary", "compare", "mask", "select", "cast", "fill", "reduce", "scan", "slope", "gather", "scatter",
    "sort", "sorted", "transpose", "fused",
]  # fmt: skip
ANY = frozenset({"float32", "float16", "int32"})
FLOATS = frozenset({"float32", "float16"})
F32 = frozenset({"float32"})
WHOLE = frozenset({"int32"})
EXACT = frozenset({"float32", "int32"})


class OpInfo(Frozen):
    """`arity` counts the sources. `scratch_tiles` are fp32 tiles of the destination's capacity."""

    family: Family
    arity: int
    dtypes: frozenset[str]
    scratch_tiles: int = 0


def _table() -> dict[str, OpInfo]:
    t: dict[str, OpInfo] = {}

    def put(names: str, family: Family, arity: int, dtypes: frozenset[str], scratch: int = 0) -> None:
        for n in names.split():
            t[n] = OpInfo(family=family, arity=arity, dtypes=dtypes, scratch_tiles=scratch)

    put("add sub mul maximum minimum", "binary", 2, ANY)
    put("div", "binary", 2, FLOATS)
    put("power", "binary", 2, F32, 4)
    put("exp ln sqrt abs", "unary", 1, FLOATS)
    put("neg square relu", "unary", 1, ANY)
    put("rsqrt reciprocal sign floor ceil round trunc", "unary", 1, F32)
    put("sigmoid", "unary", 1, F32)
    put("silu gelu_tanh", "unary", 1, F32, 1)
    put("expm1 log1p", "unary", 1, F32, 3)
    put("gelu", "unary", 1, F32, LIBRARY_LIVE["erf"] + 2)
    for name, vectors in LIBRARY_LIVE.items():
        put(name, "unary", 1, F32, vectors + 1)  # and the source, where the result takes its place
    put("softplus", "unary", 1, F32, 4)
    put("leaky_relu", "slope", 2, FLOATS)
    put("bit_and bit_or", "unary", 2, WHOLE)
    put("bit_not", "unary", 1, WHOLE)
    put("shift_left shift_right", "slope", 2, WHOLE)
    put("eq ne lt le gt ge", "compare", 2, FLOATS)
    put("mask_and mask_or", "mask", 2, frozenset({"mask"}))
    put("mask_not", "mask", 1, frozenset({"mask"}))
    put("where", "select", 3, FLOATS)
    put("copy", "unary", 1, ANY | {"bfloat16", "int16", "int8", "uint8", "int64", "bool"})
    put("cast", "cast", 1, ANY | {"bfloat16"})
    put("fill", "fill", 1, ANY)
    put("iota", "fill", 1, EXACT)
    put("broadcast", "fill", 1, ANY)
    put("mul_add", "fused", 3, F32)
    put("gather", "gather", 2, ANY)
    put(
        "scatter scatter_add scatter_max scatter_min scatter_mul",
        "scatter",
        2,
        frozenset({"float32", "int32"}),
    )
    put("sort keep_top", "sort", 2, F32)
    put("sorted_values sorted_places", "sorted", 1, F32)
    put("reduce_sum reduce_prod reduce_max reduce_min reduce_first reduce_last", "reduce", 1, EXACT)
    put("scan_sum scan_prod scan_max scan_min", "scan", 1, EXACT)
    put("transpose", "transpose", 1, ANY)
    return t


OPS: dict[str, OpInfo] = _table()
# A scalar as the first operand: allowed where the lowering has a form for it.
SCALAR_FIRST = frozenset({"add", "sub", "mul", "div", "maximum", "minimum", "power", "where"})


Type = DType | Literal["mask"] | None  # None: not known here
_TO_FLOAT = frozenset(
    {
        DType.FLOAT16,
        DType.BFLOAT16,
        DType.INT8,
        DType.UINT8,
        DType.BOOL,
        DType.INT16,
        DType.INT32,
        DType.INT64,
    }
)
# tile dtype -> tensor dtypes that loads and stores convert
CONVERTED: dict[Type, frozenset[DType]] = {
    DType.FLOAT32: _TO_FLOAT,
    DType.FLOAT16: frozenset({DType.INT8, DType.UINT8, DType.BOOL, DType.FLOAT32}),
    DType.INT32: frozenset({DType.INT64, DType.INT16, DType.INT8, DType.UINT8, DType.BOOL}),
}


def wrong_types(kernel: Kernel, dtypes: Mapping[str, DType]) -> tuple[Diagnostic, ...]:
    """Return operations on tiles of the wrong dtype. `dtypes`: kernel tensor parameter to dtype, where known."""
    found: list[Diagnostic] = []
    tiles: dict[str, Type] = {t: _type(a.dtype, dtypes) for t, a in kernel.allocs.items()}
    for s in walk(kernel.body):
        match s:
            case Op():
                found.extend(_op(s, tiles))
            case Load() | Store():
                found.extend(_index(s, kernel, tiles, dtypes))
                tile, tensor = tiles[s.tile], dtypes.get(s.tensor)
                if tile == "mask":
                    found.append(
                        finding("DSL_DTYPE", s.line, f"The mask `{s.tile}` cannot be loaded or stored.")
                    )
                elif (
                    tile is not None
                    and tensor is not None
                    and tile != tensor
                    and tensor not in CONVERTED.get(tile, ())
                ):
                    text = f"There is no conversion between the {tile} tile `{s.tile}` and {tensor} `{s.tensor}`."
                    found.append(finding("DSL_DTYPE", s.line, text))
            case _:
                pass
    return tuple(found)


_ADDED = frozenset(
    {DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16, DType.INT32, DType.INT16, DType.INT8}
)  # what stores can add to memory


def _index(
    s: Load | Store, kernel: Kernel, tiles: Mapping[str, Type], dtypes: Mapping[str, DType]
) -> list[Diagnostic]:
    """Return what is wrong with the index of a load or store, and with what it adds to."""
    found: list[Diagnostic] = []
    if s.index is not None:
        if tiles[s.index] != DType.INT32:
            found.append(finding("DSL_DTYPE", s.line, f"The index `{s.index}` is not an int32 tile."))
        moved = [x for x in walk(kernel.body) if isinstance(x, (Load, Store)) and x.tile == s.index]
        if moved:
            text = f"The index `{s.index}` is itself loaded or stored; copy it to a tile of its own first."
            found.append(finding("DSL_ALIAS", s.line, text))
        if isinstance(s, Store) and len(kernel.allocs[s.tile].dims) == 1:
            found.append(finding("DSL_SHAPE", s.line, f"An indexed store takes rows; `{s.tile}` is 1-D."))
    tensor = dtypes.get(s.tensor)
    if isinstance(s, Store) and s.add and tensor is not None and tensor not in _ADDED:
        found.append(finding("DSL_DTYPE", s.line, f"A store cannot add to {tensor} `{s.tensor}`."))
    return found


_VIEWED = frozenset({DType.FLOAT32, DType.FLOAT16, DType.INT32, None})
_APART = frozenset({"reduce", "compare", "gather", "scatter", "transpose", "sort", "sorted"})


def _type(t: ElementType, dtypes: Mapping[str, DType]) -> Type:
    found = t.fixed if t.fixed is not None else dtypes.get(t.of or "")
    return found if found is None or found == "mask" else t.where(found)


def _op(s: Op, tiles: Mapping[str, Type]) -> list[Diagnostic]:
    info = OPS[s.name]
    found: list[Diagnostic] = []

    def wrong(text: str, code: str = "DSL_DTYPE") -> None:
        found.append(finding(code, s.line, text))

    operands = [s.dst, *(a.tile for a in s.tiles)]
    for t in operands:
        dtype = tiles[t]
        expected = {"mask"} if _is_mask(s, t) else {str(d) for d in info.dtypes}
        if info.family == "cast":
            expected |= {"mask"} if t != s.dst else set()
        picks = {"gather": -1, "scatter": 0}.get(info.family)
        if picks is not None and t == s.tiles[picks].tile:
            expected = {"int32"}
        if s.name == "sorted_places" and t == s.dst:
            expected = {"int32"}
        if dtype is not None and str(dtype) not in expected:
            wrong(f"`{s.name}` does not take {dtype} (`{t}`); it takes {', '.join(sorted(expected))}.")
    if info.family == "gather":
        operands = [s.dst, s.tiles[0].tile]
    if info.family == "scatter":
        operands = [s.dst, s.tiles[-1].tile]
    if s.name == "sorted_places":
        operands = [s.dst]
    numeric = {tiles[t] for t in operands} - {"mask", None}
    if s.rounding == "bits" and not numeric <= {DType.FLOAT32, DType.INT32}:
        wrong("The same bits are read between float32 and int32 tiles.")
    if info.family != "cast" and len(numeric) > 1:
        wrong(f"`{s.name}` mixes {' and '.join(sorted(map(str, numeric)))}.")
    if any(a.view != "whole" and tiles[a.tile] not in _VIEWED for a in s.tiles):
        wrong("Broadcast views are of float32, float16 and int32 tiles.")
    if s.tiles and any(a.view != "whole" for a in s.tiles) and info.family not in ("binary", "fill", "fused"):
        wrong(f"`{s.name}` takes no broadcast views; use broadcast first.", "DSL_SHAPE")
    if sum(a.view != "whole" for a in s.tiles) > 1 + (info.family == "fused"):
        wrong("One operand at most is a broadcast view.", "DSL_SHAPE")
    if not isinstance(s.args[0], TileRef) and s.name not in SCALAR_FIRST and info.family != "fill":
        wrong(f"The first operand of `{s.name}` is a tile.", "DSL_SHAPE")
    if s.name in ("reduce_first", "reduce_last") and s.axis != "first":
        wrong(f"`{s.name}` takes a row: axis=0.", "DSL_SHAPE")
    if info.family == "fused" and not (
        s.args[0] == TileRef(tile=s.dst, rows=s.rows)
        and [a.view if isinstance(a, TileRef) else "scalar" for a in s.args[1:]]
        in (["column", "scalar"], ["row", "row"])
    ):
        forms = "(d, d, v[:, None], factor) or (d, d, v[None, :], w[None, :])"
        wrong(f"`{s.name}` is {forms}: it works in place.", "DSL_SHAPE")
    if any(a.tile == s.dst and a.rows != s.rows for a in s.tiles):
        wrong(f"`{s.name}` reads other rows of `{s.dst}` than it writes.", "DSL_ALIAS")
    if info.family in _APART and any(a.tile == s.dst for a in s.tiles):
        wrong(f"`{s.name}` cannot write over its source `{s.dst}`.", "DSL_ALIAS")
    return found


def _is_mask(s: Op, tile: str) -> bool:
    """Return whether this operand must be a mask."""
    family = OPS[s.name].family
    if family == "compare":
        return tile == s.dst
    if family == "select":
        first = s.args[0]
        return isinstance(first, TileRef) and tile == first.tile
    return False
