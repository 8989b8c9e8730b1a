"""Matrix products: contractions of tensors in memory."""

import math

from akgen.tools.compose.front.graph import VIEWS, Node
from akgen.tools.compose.front.importer import Importer, handles
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32 = DType.FLOAT32
HALF = (DType.FLOAT16, DType.BFLOAT16)


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
    factors_a, a = _without_factors(im, a)
    factors_b, b = _without_factors(im, b)
    stored = stored_dtype(im, node, a, b)
    product = im.b.contract(_in_memory(im, a, stored), _in_memory(im, b, stored), stored)
    factors = [im.b.reshape(f, ()) for f in (*factors_a, *factors_b)]
    if not factors:
        return product
    factor = factors[0]
    for other in factors[1:]:
        factor = im.b.binary("mul", factor, other)
    return im.b.binary("mul", product, factor)


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
    """Return the dtype of the tensor of which the value is a view, None if it is computed."""
    at = im.b[_below_views(im, x)[1]]
    if at.op != "load" or at.origin is None or at.origin.input is None:
        return None
    meta = im.raw.inputs[at.origin.input]
    first = meta[at.origin.element or 0] if isinstance(meta, tuple) else meta
    return None if first is None or first.dtype == DType.COMPLEX64 else first.dtype


def _fits_int8(im: Importer, x: int) -> bool:
    """Return whether an operand's elements are those of tensors of int8, and small constants, selected in some way."""
    node = im.b[x]
    if node.op == "load":
        return _loaded(im, x) == DType.INT8
    if node.op == "const":
        return node.dtype == DType.INT32 and -128 <= (node.value or 0) <= 127
    if node.op == "take":
        return _fits_int8(im, node.args[0])
    if node.op == "where":
        return all(_fits_int8(im, a) for a in node.args[1:])
    moved = node.op in VIEWS or node.op in ("cat", "cast")
    return moved and node.dtype == DType.INT32 and all(_fits_int8(im, a) for a in node.args)


def stored_dtype(im: Importer, node: TracedNode, *operands: int) -> DType:
    """Return the dtype in which the operands lie in memory when they are multiplied."""
    traced = im.out(node).dtype.real
    found = [d for d in (_loaded(im, x) for x in operands) if d is not None]
    if traced.is_float:
        halves = [d for d in found if d in HALF]
        exact = len(set(halves)) == 1 and len(halves) == 2
        rounded = not im.faithful and all(
            o.dtype in HALF for o in im.raw.outputs
        )  # the result has no more digits anyway
        if exact or (rounded and halves and len(set(found)) == 1):
            return halves[0]
        return traced if traced in HALF else F32
    if not all(_fits_int8(im, x) for x in operands):
        names = " and ".join(map(str, dict.fromkeys(found))) or str(traced)
        why = "of integers, the cube core multiplies int8"
        text = f"the operation {node.target} of numbers that are {names} in memory is not covered: {why}"
        raise Unsupported(node.target, text)
    return DType.INT8
