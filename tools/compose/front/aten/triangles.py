"""The rows and columns of a triangle's elements, as numbers computed from positions."""

from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, I32, BOOL = DType.FLOAT32, DType.INT32, DType.BOOL


@handles("tril_indices", "triu_indices")
def _triangle(im: Importer, node: TracedNode) -> int:
    """Return (2, count): the rows and the columns of what lies on one side of a diagonal, row after row.

    What lies above is what lies below in the matrix seen from its last element.
    """
    rows, columns = int(node.args[0]), int(node.args[1])
    offset = int(im.arg(node, 2, "offset", 0))
    upper = node.target.removeprefix("aten.").startswith("triu")
    count = im.out(node).shape[1]
    if count == 0:
        raise Unsupported(node.target, "tensors without elements are not covered")
    below = columns - rows - offset if upper else offset
    place = im.b.positions((count,), 0, count - 1, -1) if upper else im.b.positions((count,), 0)
    row, column = _below(im, place, columns, below)
    if upper:
        row = im.b.binary("sub", im.b.const(rows - 1, I32), row, I32)
        column = im.b.binary("sub", im.b.const(columns - 1, I32), column, I32)
    return im.b.cat((im.b.reshape(row, (1, count)), im.b.reshape(column, (1, count))), 0)


def _below(im: Importer, place: int, columns: int, offset: int) -> tuple[int, int]:
    """Return the row and the column of elements column <= row + offset, by their number.

    The first row that has any has `shortest`, each one more than the row before until all columns are in. In the part
    that grows, the row solves a quadratic equation; its root may be off by one where it is rounded.
    """
    first, shortest = max(0, -offset), min(columns, max(1, 1 + offset))
    growing = columns - shortest
    ends = _before(im, im.b.const(growing, I32), shortest)
    at = im.b.cast(place, F32)
    slope = 2 * shortest - 1
    root = im.b.binary("add", im.b.binary("mul", at, im.b.const(8.0, F32)), im.b.const(float(slope**2), F32))
    root = im.b.binary("sub", im.b.unary("sqrt", root), im.b.const(float(slope), F32))
    row = im.b.cast(im.b.unary("floor", im.b.binary("mul", root, im.b.const(0.5, F32))), I32)
    row = im.b.binary("max", row, im.b.const(0, I32), I32)
    for moved, test in ((0, "gt"), (1, "le")):
        start = _before(im, im.b.binary("add", row, im.b.const(moved, I32), I32), shortest)
        wrong = im.b.binary(test, im.b.cast(start, F32), at, BOOL)
        row = im.b.binary("sub" if moved == 0 else "add", row, im.b.cast(im.b.cast(wrong, F32), I32), I32)
    column = im.b.binary("sub", place, _before(im, row, shortest), I32)
    rest = im.b.binary("max", im.b.binary("sub", place, ends, I32), im.b.const(0, I32), I32)
    half = im.b.binary("add", im.b.cast(rest, F32), im.b.const(0.5, F32))
    whole = im.b.cast(im.b.unary("floor", im.b.binary("mul", half, im.b.const(1.0 / columns, F32))), I32)
    inside = im.b.binary("lt", at, im.b.cast(ends, F32), BOOL)
    row = im.b.where(inside, row, im.b.binary("add", whole, im.b.const(growing, I32), I32))
    left = im.b.binary("sub", rest, im.b.binary("mul", whole, im.b.const(columns, I32), I32), I32)
    return im.b.binary("add", row, im.b.const(first, I32), I32), im.b.where(inside, column, left)


def _before(im: Importer, row: int, shortest: int) -> int:
    """Return how many elements the rows before have: row * shortest + row * (row - 1) / 2."""
    twice = im.b.binary("add", row, im.b.const(2 * shortest - 1, I32), I32)
    product = im.b.cast(im.b.binary("mul", row, twice, I32), F32)
    return im.b.cast(im.b.binary("mul", product, im.b.const(0.5, F32)), I32)
