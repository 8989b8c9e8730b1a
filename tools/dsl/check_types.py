"""Dtypes: which tiles an operation takes, and which conversions loads and stores know."""

from collections.abc import Mapping
from typing import Literal

from akgen.tools.core.dtypes import DType
from akgen.tools.core.outcome import Diagnostic
from akgen.tools.dsl.errors import finding
from akgen.tools.dsl.ir import ElementType, Kernel, Load, Op, Store, TileRef, walk
from akgen.tools.dsl.ops import OPS, SCALAR_FIRST

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


def _type(t: ElementType, dtypes: Mapping[str, DType]) -> Type:
    return t.fixed if t.fixed is not None else dtypes.get(t.of or "")


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
        if dtype is not None and str(dtype) not in expected:
            wrong(f"`{s.name}` does not take {dtype} (`{t}`); it takes {', '.join(sorted(expected))}.")
    numeric = {tiles[t] for t in operands} - {"mask", None}
    if info.family != "cast" and len(numeric) > 1:
        wrong(f"`{s.name}` mixes {' and '.join(sorted(map(str, numeric)))}.")
    if any(a.view != "whole" and tiles[a.tile] not in (DType.FLOAT32, None) for a in s.tiles):
        wrong("Broadcast views are of float32 tiles.")
    if s.tiles and any(a.view != "whole" for a in s.tiles) and info.family not in ("binary", "fill"):
        wrong(f"`{s.name}` takes no broadcast views; use broadcast first.", "DSL_SHAPE")
    if sum(a.view != "whole" for a in s.tiles) > 1:
        wrong("One operand at most is a broadcast view.", "DSL_SHAPE")
    if not isinstance(s.args[0], TileRef) and s.name not in SCALAR_FIRST and info.family != "fill":
        wrong(f"The first operand of `{s.name}` is a tile.", "DSL_SHAPE")
    if info.family in ("reduce", "compare") and any(a.tile == s.dst for a in s.tiles):
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
