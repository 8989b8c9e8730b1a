"""Bitwise logic and shifts of integers in int32 lanes; `and` and the shift right have operations of their own."""

from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import Ref, TracedNode
from akgen.tools.core.dtypes import DType

I32, BOOL = DType.INT32, DType.BOOL
_NAMES = {
    "__and__": "and",
    "__or__": "or",
    "__xor__": "xor",
    "__iand__": "and",
    "__ior__": "or",
    "__ixor__": "xor",
}


@handles(
    "logical_and", "bitwise_and", "logical_or", "bitwise_or", "logical_xor", "bitwise_xor", *_NAMES,
)  # fmt: skip
def _logic(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    op = _NAMES.get(name) or name.split("_")[-1]
    whole = not name.startswith("logical") and im.result_lane(node) != BOOL
    dtype = I32 if whole else BOOL
    a, b = im.as_lane(node.args[0], dtype), im.as_lane(node.args[1], dtype)
    both = im.b.binary("bit_and" if whole else "and", a, b, dtype)
    if op == "and":
        return both
    if whole:  # a + b counts the bits of both twice
        total = im.b.binary("sub", im.b.binary("add", a, b), both)
        return total if op == "or" else im.b.binary("sub", total, both)
    either = im.b.binary("or", a, b, BOOL)
    return either if op == "or" else im.b.binary("and", either, im.b.unary("not", both, BOOL), BOOL)


@handles("logical_not", "bitwise_not")
def _not(im: Importer, node: TracedNode) -> int:
    if "logical" in node.target or im.result_lane(node) == BOOL:
        return im.b.unary("not", im.as_lane(node.args[0], BOOL), BOOL)
    x = im.as_lane(node.args[0], I32)
    most = 255 if im.out(node).dtype == DType.UINT8 else -1
    return im.b.binary("sub", im.b.const(most, I32), x)


@handles("bitwise_left_shift", "__lshift__", "bitwise_right_shift", "__rshift__")
def _shift(im: Importer, node: TracedNode) -> int:
    """Shift by a number at once, by a tensor in five steps: by 16, 8, 4, 2 and 1 where these bits are set."""
    left = "left" in node.target or "lshift" in node.target
    x, by = im.as_lane(node.args[0], I32), node.args[1]
    count = im.b.constant(im.ref(by)) if isinstance(by, Ref) else by
    if count is not None:
        return _moved(im, x, int(count), left=left)
    steps = im.as_lane(by, I32)
    for k in range(5):
        bit = im.b.binary("bit_and", steps, im.b.const(1 << k, I32), I32)
        wanted = im.b.binary("ne", bit, im.b.const(0, I32))
        x = im.b.where(wanted, _moved(im, x, 1 << k, left=left), x)
    return x


def _moved(im: Importer, x: int, count: int, *, left: bool) -> int:
    if not left:
        return im.b.binary("shift_right", x, im.b.const(min(count, 31), I32), I32) if count else x
    if count > 31:
        return im.b.full(0, I32, im.shape(x))
    factor = 1 << count if count < 31 else -(2**31)
    return im.b.binary("mul", x, im.b.const(factor, I32), I32)
