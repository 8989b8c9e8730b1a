"""The compute operations: forms, dtypes, and how much scratch memory their lowering takes."""

from typing import Literal

from akgen.tools.core.frozen import Frozen

Family = Literal["unary", "binary", "compare", "mask", "select", "cast", "fill", "reduce", "slope"]
ANY = frozenset({"float32", "float16", "int32"})
FLOATS = frozenset({"float32", "float16"})
F32 = frozenset({"float32"})


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
    put("tanh erf gelu expm1 log1p sin cos", "unary", 1, F32, 3)
    put("softplus", "unary", 1, F32, 4)
    put("leaky_relu", "slope", 2, FLOATS)
    put("eq ne lt le gt ge", "compare", 2, FLOATS)
    put("mask_and mask_or", "mask", 2, frozenset({"mask"}))
    put("mask_not", "mask", 1, frozenset({"mask"}))
    put("where", "select", 3, FLOATS)
    put("copy", "unary", 1, ANY | {"bfloat16", "int16", "int8", "uint8", "int64", "bool"})
    put("cast", "cast", 1, ANY | {"bfloat16"})
    put("fill", "fill", 1, ANY)
    put("iota", "fill", 1, frozenset({"float32", "int32"}))
    put("broadcast", "fill", 1, F32)
    put("reduce_sum reduce_max reduce_min", "reduce", 1, F32)
    return t


OPS: dict[str, OpInfo] = _table()
# A scalar as the first operand: allowed where the lowering has a form for it.
SCALAR_FIRST = frozenset({"add", "sub", "mul", "div", "maximum", "minimum", "power", "where"})
