"""Matrix products: contractions of tensors in memory."""

import math

from akgen.tools.compose.front.aten.probabilities import are_probabilities
from akgen.tools.compose.front.graph import VIEWS, Node, broadcast
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32
HALF = (DType.FLOAT16, DType.BFLOAT16)
_ANYTHING = (-math.inf, math.inf)
_BOUNDED = frozenset(["where", "max", "min", "cat", "cast", "take", "round", "trunc"])
_RANGES = {DType.INT8: (-128.0, 127.0), DType.BOOL: (0.0, 1.0), DType.UINT8: (0.0, 255.0)}


@handles("mm", "bmm", "_int_mm")
def _product(im: Importer, node: TracedNode) -> int:
    return contracted(im, node, im.tensor(node, 0), im.tensor(node, 1))


@handles("addmm", "baddbmm")
def _added_product(im: Importer, node: TracedNode) -> int:
    """Return beta * input + alpha * (a @ b)."""
    beta, alpha = im.arg(node, 3, "beta", 1), im.arg(node, 4, "alpha", 1)
    product = contracted(im, node, im.tensor(node, 1), im.tensor(node, 2))
    lane = im.b[product].dtype
    if alpha != 1:
        product = im.b.binary("mul", product, im.b.const(alpha, lane))
    if beta == 0:
        return product
    addend = im.as_lane(node.args[0], lane)
    if beta != 1:
        addend = im.b.binary("mul", addend, im.b.const(beta, lane))
    return im.b.binary("add", product, addend)


def contracted(im: Importer, node: TracedNode, a: int, b: int) -> int:
    """Return the product of (…, m, k) and (…, k, n); factors that are single numbers go to the result."""
    flat = _with_constant(im, a, b)
    if flat is not None:
        return flat
    factors_a, a = _without_factors(im, a)
    factors_b, b = _without_factors(im, b)
    stored = stored_dtype(im, node, a, b)
    if stored is None:
        return _summed(im, a, b)
    product = im.b.contract(_in_memory(im, a, stored), _in_memory(im, b, stored), stored)
    factors = [im.b.reshape(f, ()) for f in (*factors_a, *factors_b)]
    if not factors:
        return product
    factor = factors[0]
    for other in factors[1:]:
        factor = im.b.binary("mul", factor, other)
    return im.b.binary("mul", product, factor)


def _with_constant(im: Importer, a: int, b: int) -> int | None:
    """Return the product with a matrix of one number: sums of the other's rows or columns. None where there is none."""
    rank = len(im.shape(a))
    shape = (*broadcast(im.shape(a)[:-2], im.shape(b)[:-2]), im.shape(a)[-2], im.shape(b)[-1])
    for constant, other, axis in ((im.b.constant(a), b, rank - 2), (im.b.constant(b), a, rank - 1)):
        if constant is not None:
            sums = im.b.reduce("sum", other, (axis,))
            product = im.b.binary("mul", sums, im.b.const(constant, im.b[other].dtype))
            return im.b.expand(product, shape)
    return None


def _summed(im: Importer, a: int, b: int) -> int:
    """Return a product as sums, element by element: of integers, where the cube core multiplies none as wide."""
    (*outer_a, m, k), (*outer_b, _, n) = im.shape(a), im.shape(b)
    products = im.b.binary("mul", im.b.reshape(a, (*outer_a, m, k, 1)), im.b.reshape(b, (*outer_b, 1, k, n)))
    sums = im.b.reduce("sum", products, (len(outer_a) + 1,))
    return im.b.reshape(sums, (*broadcast(tuple(outer_a), tuple(outer_b)), m, n))


def _without_factors(im: Importer, x: int) -> tuple[list[int], int]:
    """Return the single numbers by which the value is multiplied throughout, below views, and what is left of it."""
    views, base = _below_views(im, x)
    node = im.b[base]
    if node.op == "mul" and node.dtype == F32 and not im.faithful:
        for one, other in (node.args, node.args[::-1]):
            if math.prod(im.shape(one)) == 1 and im.shape(other) == node.shape and im.b[one].dtype == F32:
                inner, rest = _without_factors(im, other)
                return [one, *inner], _seen(im, views, rest)
    return [], x


def _below_views(im: Importer, x: int) -> tuple[list[Node], int]:
    """Return the views through which a value is seen, the last first, and what it is."""
    views = []
    while im.b[x].op in VIEWS:
        views.append(im.b[x])
        (x,) = im.b[x].args
    return views, x


def _seen(im: Importer, views: list[Node], x: int) -> int:
    """Return another value seen through these views."""
    for view in reversed(views):
        x = im.b.add(view.model_copy(update={"args": (x,)}))
    return x


def _in_memory(im: Importer, x: int, stored: DType) -> int:
    """Return an operand; one that is computed, or lies in memory in another type, is rounded to `stored` there."""
    views, base = _below_views(im, x)
    loaded = _loaded(im, x)
    if im.b[base].op == f"round_{stored}":
        return x
    if loaded == stored or stored == DType.INT8 or (loaded is None and stored == F32):
        return x
    rounded = im.b.add(Node(op=f"round_{stored}", args=(base,), dtype=F32, shape=im.shape(base)))
    return _seen(im, views, rounded)


def _loaded(im: Importer, x: int) -> DType | None:
    """Return the dtype of the tensor of which the value is a view, or rows picked; None if it is computed."""
    at = im.b[_below_views(im, x)[1]]
    while at.op == "take" and at.fill is None:
        at = im.b[_below_views(im, at.args[0])[1]]
    if at.op != "load" or at.origin is None or at.origin.input is None:
        return None
    meta = im.raw.inputs[at.origin.input]
    first = meta[at.origin.element or 0] if isinstance(meta, tuple) else meta
    return None if first is None or first.dtype == DType.COMPLEX64 else first.dtype


def _fits_int8(im: Importer, x: int) -> bool:
    """Return whether the elements are those of tensors of int8, small constants, or cut off to that range."""
    low, high = _reach(im, x, {})
    return low >= -128 and high <= 127 and not im.b[x].dtype.is_float


def _reach(im: Importer, x: int, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    """Return what the elements lie between, infinite where that is not known; `known` holds what was found before."""
    if x not in known:
        known[x] = _found_reach(im, x, known)
    return known[x]


def _found_reach(im: Importer, x: int, known: dict[int, tuple[float, float]]) -> tuple[float, float]:
    node = im.b[x]
    if node.op == "const":
        return float(node.value or 0), float(node.value or 0)
    if node.op == "load":
        return _RANGES.get(_loaded(im, x) or DType.FLOAT32, _ANYTHING)
    if node.dtype == DType.BOOL:
        return 0, 1
    if node.op not in _BOUNDED and node.op not in VIEWS:
        return _ANYTHING
    inner = node.args[:1] if node.op == "take" else node.args[1:] if node.op == "where" else node.args
    lows, highs = zip(*(_reach(im, a, known) for a in inner), strict=True)
    if node.op in ("max", "min"):
        choose = max if node.op == "max" else min
        return choose(lows), choose(highs)
    return min(lows), max(highs)


def stored_dtype(im: Importer, node: TracedNode, *operands: int) -> DType | None:
    """Return the dtype in which operands lie in memory when they are multiplied; None of integers beyond int8.

    A half type holds what the trace multiplies in it, tensors of it, and weights of a softmax, whose products with
    them are rounded to a half type at the end. What else is computed in float32 stays so: its products may cancel.
    """
    traced = im.out(node).dtype.real
    if not traced.is_float:
        return DType.INT8 if all(_fits_int8(im, x) for x in operands) else None
    if traced in HALF:
        return traced
    loaded = [_loaded(im, x) for x in operands]
    found = {d for d in loaded if d is not None}
    if len(found) != 1 or not found <= set(HALF):
        return F32
    rounded = not im.faithful and all(o.dtype in HALF for o in im.raw.outputs)
    computed = [x for x, d in zip(operands, loaded, strict=True) if d is None]
    if computed and not (rounded and all(are_probabilities(im.b, x) for x in computed)):
        return F32
    (half,) = found
    return half
