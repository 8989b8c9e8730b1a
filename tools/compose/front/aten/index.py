"""Indices that no input decides: their elements."""

from akgen.tools.compose.front.importer import Importer


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
