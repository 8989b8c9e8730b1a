"""Complex values: two FLOAT32 values each, which lie side by side in memory.

What only moves elements, or is linear with real factors, is done to both parts by the handler of real values.
"""

from collections.abc import Callable

from akgen.tools.compose.front.aten.contract import contracted
from akgen.tools.compose.front.aten.formula_math import Math
from akgen.tools.compose.front.importer import HANDLERS, ComplexPair, Importer, handles_complex
from akgen.tools.compose.front.traced import TracedNode
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.dtypes import DType

F32, BOOL = DType.FLOAT32, DType.BOOL

_BY_PARTS = [
    "view",
    "_unsafe_view",
    "reshape",
    "unsqueeze",
    "squeeze",
    "squeeze_copy",
    "view_copy",
    "flatten",
    "unsqueeze_copy",
    "expand",
    "expand_copy",
    "broadcast_to",
    "permute",
    "transpose",
    "t",
    "permute_copy",
    "transpose_copy",
    "t_copy",
    "slice",
    "slice_copy",
    "select",
    "select_copy",
    "split_with_sizes",
    "split",
    "chunk",
    "unbind",
    "split_with_sizes_copy",
    "split_copy",
    "unbind_copy",
    "cat",
    "concat",
    "concatenate",
    "stack",
    "slice_scatter",
    "select_scatter",
    "repeat",
    "full",
    "full_like",
    "scalar_tensor",
    "zeros",
    "zeros_like",
    "ones",
    "ones_like",
    "new_zeros",
    "new_ones",
    "new_full",
    "fill",
    "zero",
    "_to_copy",
    "to",
    "clone",
    "detach",
    "alias",
    "lift_fresh",
    "lift_fresh_copy",
    "contiguous",
    "positive",
    "copy",
    "where",
    "masked_fill",
    "index_select",
    "index",
    "_unsafe_index",
    "gather",
    "index_put",
    "_unsafe_index_put",
    "scatter",
    "embedding",
    "flip",
    "roll",
    "neg",
    "sum",
    "mean",
    "cumsum",
    "constant_pad_nd",
    "tril",
    "triu",
    "diagonal",
    "repeat_interleave",
]


def _by_parts(im: Importer, node: TracedNode) -> ComplexPair | tuple[ComplexPair, ...]:
    name = node.target.removeprefix("aten.").split(".")[0]
    found = []
    for part in (0, 1):
        with im.reading(part, name):
            found.append(HANDLERS[name](im, node))
    real, imaginary = found
    if isinstance(real, tuple) and isinstance(imaginary, tuple):
        pairs = zip(real, imaginary, strict=True)
        return tuple(ComplexPair(a, b) for a, b in pairs if a is not None and b is not None)
    assert isinstance(real, int) and isinstance(imaginary, int)
    return ComplexPair(real, imaginary)


for _name in _BY_PARTS:
    handles_complex(_name)(_by_parts)


_Binary = Callable[[Importer, ComplexPair, ComplexPair], ComplexPair]


def _binary(name: str) -> Callable[[_Binary], _Binary]:
    """Register a function of two complex values."""

    def register(function: _Binary) -> _Binary:
        @handles_complex(name)
        def handler(im: Importer, node: TracedNode) -> ComplexPair:
            a, b = (im.pair(v) for v in node.args[:2])
            alpha = im.arg(node, 2, "alpha", 1)
            if alpha != 1:
                b = _times(im, b, im.pair(alpha))
            return function(im, a, b)

        return function

    return register


@_binary("add")
def _add(im: Importer, a: ComplexPair, b: ComplexPair) -> ComplexPair:
    real = im.b.binary("add", a.real, b.real)
    return ComplexPair(real, im.b.binary("add", _wide(im, a, real), _wide(im, b, real)))


@_binary("sub")
def _sub(im: Importer, a: ComplexPair, b: ComplexPair) -> ComplexPair:
    real = im.b.binary("sub", a.real, b.real)
    return ComplexPair(real, im.b.binary("sub", _wide(im, a, real), _wide(im, b, real)))


@_binary("rsub")
def _rsub(im: Importer, a: ComplexPair, b: ComplexPair) -> ComplexPair:
    real = im.b.binary("sub", b.real, a.real)
    return ComplexPair(real, im.b.binary("sub", _wide(im, b, real), _wide(im, a, real)))


def _wide(im: Importer, x: ComplexPair, like: int) -> int:
    """Return the imaginary part, of a real value as many zeros as `like` has elements."""
    return im.b.full(0.0, F32, im.shape(like)) if x.imaginary is None else x.imaginary


@_binary("mul")
def _times(im: Importer, a: ComplexPair, b: ComplexPair) -> ComplexPair:
    def product(x: int, y: int) -> int:
        return im.b.binary("mul", x, y)

    if a.imaginary is None:
        a, b = b, a
    if a.imaginary is None:
        real = product(a.real, b.real)
        return ComplexPair(real, im.b.full(0.0, F32, im.shape(real)))
    if b.imaginary is None:
        return ComplexPair(product(a.real, b.real), product(a.imaginary, b.real))
    return ComplexPair(
        im.b.binary("sub", product(a.real, b.real), product(a.imaginary, b.imaginary)),
        im.b.binary("add", product(a.real, b.imaginary), product(a.imaginary, b.real)),
    )


@_binary("div")
def _over(im: Importer, a: ComplexPair, b: ComplexPair) -> ComplexPair:
    """Divide; both parts of the divisor are scaled by the larger, so that their squares do not overflow."""
    div = "div"
    if b.imaginary is None:
        real = im.b.binary(div, a.real, b.real)
        return ComplexPair(real, im.b.binary(div, _wide(im, a, real), b.real))
    size = im.b.binary("max", im.b.unary("abs", b.real), im.b.unary("abs", b.imaginary))
    c, d = im.b.binary(div, b.real, size), im.b.binary(div, b.imaginary, size)
    below = im.b.binary("mul", im.b.binary("add", im.b.binary("mul", c, c), im.b.binary("mul", d, d)), size)
    above = _times(im, a, ComplexPair(c, im.b.unary("neg", d)))
    assert above.imaginary is not None
    return ComplexPair(im.b.binary(div, above.real, below), im.b.binary(div, above.imaginary, below))


@handles_complex("reciprocal")
def _reciprocal(im: Importer, node: TracedNode) -> ComplexPair:
    return _over(im, im.pair(1.0), im.pair(node.args[0]))


@handles_complex("pow", "square")
def _pow(im: Importer, node: TracedNode) -> ComplexPair:
    power = node.args[1] if len(node.args) > 1 else 2
    if power not in (1, 2, 3, 4):
        raise Unsupported("pow", "a power of a complex number is covered for exponents from 1 to 4")
    x = im.pair(node.args[0])
    result = x
    for _ in range(int(power) - 1):
        result = _times(im, result, x)
    return result


@handles_complex("_conj", "conj", "_conj_physical", "conj_physical", "resolve_conj")
def _conj(im: Importer, node: TracedNode) -> ComplexPair:
    x = im.pair(node.args[0])
    return ComplexPair(x.real, im.b.unary("neg", _wide(im, x, x.real)))


@handles_complex("complex")
def _complex(im: Importer, node: TracedNode) -> ComplexPair:
    shape = im.out(node).shape
    real, imaginary = (im.b.expand(im.as_lane(a, F32), shape) for a in node.args[:2])
    return ComplexPair(real, imaginary)


@handles_complex("polar")
def _polar(im: Importer, node: TracedNode) -> ComplexPair:
    size, angle = (im.as_lane(a, F32) for a in node.args[:2])
    cos, sin = (im.b.binary("mul", size, im.b.unary(f, angle)) for f in ("cos", "sin"))
    return ComplexPair(cos, sin)


@handles_complex("exp")
def _exp(im: Importer, node: TracedNode) -> ComplexPair:
    x = im.pair(node.args[0])
    size, angle = im.b.unary("exp", x.real), _wide(im, x, x.real)
    cos, sin = (im.b.binary("mul", size, im.b.unary(f, angle)) for f in ("cos", "sin"))
    return ComplexPair(cos, sin)


@handles_complex("view_as_complex", "view_as_complex_copy")
def _view_as_complex(im: Importer, node: TracedNode) -> ComplexPair:
    x = im.as_lane(node.args[0], F32)
    last, shape = len(im.shape(x)) - 1, im.out(node).shape
    real, imaginary = (im.b.reshape(im.b.slice(x, last, k, 1), shape) for k in (0, 1))
    return ComplexPair(real, imaginary)


@handles_complex("view_as_real", "view_as_real_copy")
def _view_as_real(im: Importer, node: TracedNode) -> int:
    return im.joined(im.pair(node.args[0]))


@handles_complex("real", "imag")
def _part(im: Importer, node: TracedNode) -> int:
    x = im.pair(node.args[0])
    return x.real if node.target.startswith("aten.real") else _wide(im, x, x.real)


@handles_complex("abs")
def _abs(im: Importer, node: TracedNode) -> int:
    x = im.pair(node.args[0])
    return Math(im).hypotenuse(x.real, _wide(im, x, x.real))


@handles_complex("eq", "ne")
def _equal(im: Importer, node: TracedNode) -> int:
    a, b = (im.pair(v) for v in node.args[:2])
    zero = im.b.const(0.0, F32)
    op, both = ("eq", "and") if node.target.startswith("aten.eq") else ("ne", "or")
    real = im.b.binary(op, a.real, b.real)
    parts = [zero if v.imaginary is None else v.imaginary for v in (a, b)]
    return im.b.binary(both, real, im.b.binary(op, parts[0], parts[1]), BOOL)


@handles_complex("isnan", "isinf", "isfinite")
def _classify(im: Importer, node: TracedNode) -> int:
    name = node.target.split(".")[1]
    x = im.pair(node.args[0])
    parts = [im.b.unary(name, v) for v in (x.real, _wide(im, x, x.real))]
    return im.b.binary("and" if name == "isfinite" else "or", parts[0], parts[1], BOOL)


@handles_complex("mm", "bmm")
def _product(im: Importer, node: TracedNode) -> ComplexPair:
    a, b = (im.pair(v) for v in node.args[:2])

    def product(x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else contracted(im, node, x, y)

    def together(op: str, x: int | None, y: int | None) -> int:
        if x is None or y is None:
            only = x if y is None else y
            assert only is not None
            return only if y is None or op == "add" else im.b.unary("neg", only)
        return im.b.binary(op, x, y)

    real = together("sub", product(a.real, b.real), product(a.imaginary, b.imaginary))
    return ComplexPair(real, together("add", product(a.real, b.imaginary), product(a.imaginary, b.real)))
