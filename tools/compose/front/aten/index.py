"""Assignment to one element per row, which is arithmetic in disguise; indices that no input decides."""

from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32 = DType.FLOAT32, DType.INT32


def _positions(im: Importer, count: int, axis: int, rank: int) -> int:
    """Return 0, 1, … along `axis`, with length 1 elsewhere."""
    shape = tuple(count if i == axis else 1 for i in range(rank))
    return im.b.reshape(im.b.iota(count, 0, 1, F32), shape)


@handles("scatter")
def _scatter(im: Importer, node: TracedNode) -> int:
    """scatter of one element per row along an axis: where(position == index, source, base)."""
    base, index = im.value(node.args[0]), im.as_lane(node.args[2], F32)
    shape, wanted = im.shape(base), im.shape(index)
    axis = node.args[1] % max(1, len(shape))
    if (
        not shape
        or wanted[axis] != 1
        or any(a != b for i, (a, b) in enumerate(zip(shape, wanted, strict=True)) if i != axis)
    ):
        raise Unsupported("scatter", "scatter with more than one index per row is not covered")
    hit = im.b.binary("eq", _positions(im, shape[axis], axis, len(shape)), index)
    dtype = im.result_lane(node)
    return im.b.where(hit, im.as_lane(node.args[3], dtype), im.b.cast(base, dtype))


def fixed_values(im: Importer, value: int) -> list[float] | None:
    """Return the elements of a vector made of constants and positions only, else None."""
    node = im.b[value]
    scalar = im.b.constant(value)
    count = 1
    for d in node.shape:
        count *= d
    if scalar is not None:
        return [float(scalar)] * count
    if node.op == "iota":
        assert node.value is not None and node.step is not None
        return [node.value + k * node.step for k in range(node.shape[0])]
    if node.op in ("cast", "floor", "trunc", "reshape"):
        inner = fixed_values(im, node.args[0])
        if inner is None or node.op == "reshape":
            return inner
        return [float(v // 1) for v in inner] if not (node.op == "cast" and node.dtype.is_float) else inner
    if node.op in ("add", "sub", "mul", "div"):
        a, b = (fixed_values(im, i) for i in node.args)
        if a is None or b is None or len({len(a), len(b), 1}) > 2:
            return None
        n = max(len(a), len(b))
        a, b = (v * n if len(v) == 1 else v for v in (a, b))
        ops = {"add": float.__add__, "sub": float.__sub__, "mul": float.__mul__, "div": float.__truediv__}
        return [ops[node.op](float(p), float(q)) for p, q in zip(a, b, strict=True)]
    return None
