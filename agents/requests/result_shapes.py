"""Tell the shape of what a chain returns from the shapes of its tensors; nothing where it is not sure."""

import ast
import math

from akgen.agents.requests.fits import shape_of
from akgen.agents.requests.needs import entry_of, tensors_of
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.knowledge.operators import OperatorEntry, Value

# what pools everything: with an axis of size 1 for each that it pools, and without
FLAT = {"global_avg_pool": "global_average_flat", "global_max_pool": "global_max_flat"}
_POINTWISE = ("elementwise", "comparison", "optimizer")
_ALIKE = ("activation", "softmax", "normalization", "scan")
_MOVED = ("roll", "flip", "cast", "tril", "triu", "contiguous", "clone", "sort", "stable_sort", "sort_values")
_LIKE_FIRST = (
    "layer_norm",
    "rms_norm",
    "group_norm",
    "instance_norm",
    "batch_norm",
    "prelu",
    "softmax",
)  # forms
_PICKS = ("topk", "topk_values", "topk_indices", "moe_router")
_PAIR = 2


def result_shape(request: Request) -> Shape | None:
    """Return the shape of the result, of each where several are alike; None where it cannot be told."""
    several = request.every_result or bool(request.returned)
    if not request.steps or request.source is not None or not request.shapes or several:
        return None
    shapes = request.shapes[0]
    first, *later = request.steps
    count = len(first.variables) if first.formula is not None else tensors_of(first)
    found = _of_formula(first, shapes) if first.formula is not None else _of_operator(first, shapes[:count])
    rest = shapes[count:]
    for step in later:
        if found is None:
            return None
        more = max(1, len(step.variables)) - 1
        given = (found, *(rest[:more] or (found,) * more))
        rest = rest[more:]
        found = (
            _of_formula(step, given, shapes[0]) if step.formula is not None else _of_operator(step, (found,))
        )
    return found


def _of_formula(step: ChainStep, shapes: tuple[Shape, ...], first: Shape | None = None) -> Shape | None:
    tree = ast.parse(step.formula or "", mode="eval").body
    count = len(step.variables)
    given = shapes[:count] if len(shapes) >= count else shapes[:1] * count
    named = {**({} if first is None else {"first": first}), **dict(zip(step.variables, given, strict=True))}
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        slots = {k.arg: named.get(ast.unparse(k.value)) for k in tree.keywords if k.arg is not None}
        return _of_form(tree.func.id, {name: shape for name, shape in slots.items() if shape is not None})
    found = shape_of(tree, named)
    return found if isinstance(found, tuple) else None


def _of_form(name: str, slots: dict[str, Shape]) -> Shape | None:
    first = next(iter(slots.values()), None)
    if first is None:
        return None
    if name.startswith(_LIKE_FIRST):
        return slots.get("input") or slots.get("x")
    if name.startswith("attention"):
        return (*slots["query"][:-1], slots["value"][-1])
    if name.startswith("linear") and slots.keys() >= {"input", "weight"}:
        return (*slots["input"][:-1], slots["weight"][0])
    if name == "embedding_rows":
        return (*slots["ids"], *slots["table"][1:])
    if name == "rows_of" and slots.keys() >= {"src", "index"}:
        return (*slots["index"], *slots["src"][1:])
    if name.startswith("add_rows") and "acc" in slots:
        return slots["acc"]
    if name.startswith("bucketize"):
        return slots.get("input")
    if name == "int8_matmul_scaled":
        return (slots["a"][0], slots["b"][1])
    if name == "dequantize_rows_from_zero":
        return slots["x"]
    return None


def _of_operator(step: ChainStep, shapes: tuple[Shape, ...]) -> Shape | None:
    entry, shape = entry_of(step), shapes[0]
    said = {**_defaults(entry), **entry.attributes, **step.attributes}
    if entry.category in _POINTWISE:
        return _broadcast(shapes)
    if entry.category in _ALIKE:
        return None if "glu" in entry.name else shape
    if entry.category == "loss":
        return _broadcast(shapes) if said.get("reduction") == "none" else ()
    if entry.name == "linear" and isinstance(out := said.get("out_features"), int):
        return (*shape[:-1], out)
    if entry.category == "matmul" and entry.name in ("matmul", "mm", "bmm") and len(shapes) == _PAIR:
        left, right = shapes
        fits = min(len(left), len(right)) >= _PAIR and left[-1] == right[-2]
        batch = _broadcast((left[:-2], right[:-2])) if fits else None
        return None if batch is None else (*batch, left[-2], right[-1])
    if entry.category == "attention":
        return (*shape[:-1], shapes[-1][-1])
    if entry.category == "reduction":
        return reduced(shape, said.get("dim"), keep=bool(said.get("keepdim")))
    if entry.category in ("pooling", "convolution"):
        return _windowed(entry, said, shape)
    if entry.name in _PICKS and isinstance(k := said.get("k"), int):
        return _with_size(shape, said.get("dim", -1), k)
    if entry.name == "embedding" and isinstance(width := said.get("embedding_dim"), int):
        return (*shape, width)
    return _moved(entry.name, said, shapes)


def _defaults(entry: OperatorEntry) -> dict[str, Value]:
    """Return the axis that an operator of our own takes where none is said."""
    found: dict[str, Value] = {}
    for parameter in (p for s in entry.signatures()[:1] for p in s.parameters):
        if parameter.name in ("dim", "keepdim", "start_dim", "end_dim") and parameter.default is not None:
            found[parameter.name] = ast.literal_eval(parameter.default)
    return found


def reduced(shape: Shape, dim: object, *, keep: bool) -> Shape | None:
    """Return what is left of a shape when axes are reduced; None of axes that it does not have."""
    dims = (dim,) if isinstance(dim, int) else range(len(shape)) if dim is None else dim
    if not isinstance(dims, tuple | range) or not all(
        isinstance(d, int) and -len(shape) <= d < len(shape) for d in dims
    ):
        return None
    gone = {d % len(shape) for d in dims}
    return tuple(1 if i in gone else n for i, n in enumerate(shape) if keep or i not in gone)


def _with_size(shape: Shape, axis: object, size: int) -> Shape | None:
    if not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return None
    return tuple(size if i == axis % len(shape) else n for i, n in enumerate(shape))


def _broadcast(shapes: tuple[Shape, ...]) -> Shape | None:
    rank = max(len(s) for s in shapes)
    axes = list(zip(*((1,) * (rank - len(s)) + s for s in shapes), strict=True))
    return None if any(len({*a} - {1}) > 1 for a in axes) else tuple(max(a) for a in axes)


def _windowed(entry: OperatorEntry, said: dict[str, Value], shape: Shape) -> Shape | None:
    """Return what a window leaves of the axes behind batch and channels."""
    spatial = len(shape) - 2
    if entry.name in ("global_average_flat", "global_max_flat"):
        return shape[:2]
    if "output_size" in said:
        sizes = _each(said["output_size"], spatial)
        return None if sizes is None else (*shape[:2], *sizes)
    if "transpose" in entry.name or spatial < 1 or said.get("ceil_mode"):
        return None
    kernel = _each(said.get("kernel_size"), spatial)
    stride = _each(said.get("stride", said.get("kernel_size") if entry.category == "pooling" else 1), spatial)
    padding, dilation = _each(said.get("padding", 0), spatial), _each(said.get("dilation", 1), spatial)
    if kernel is None or stride is None or padding is None or dilation is None or entry.source:
        return None
    own = entry.category == "pooling" or said.get("groups") == "channels"
    out = said.get("out_channels", shape[1] if own else None)
    sizes = tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(shape[2:], kernel, stride, padding, dilation, strict=True)
    )
    return (shape[0], out, *sizes) if isinstance(out, int) else None


def _each(value: Value, count: int) -> tuple[int, ...] | None:
    """Return a value for each axis, of one for all or of one for each."""
    values = (value,) * count if isinstance(value, int) else value
    if not isinstance(values, tuple) or len(values) != count:
        return None
    return tuple(v for v in values if isinstance(v, int)) if all(isinstance(v, int) for v in values) else None


def _moved(name: str, said: dict[str, Value], shapes: tuple[Shape, ...]) -> Shape | None:
    shape = shapes[0]
    if name in _MOVED:
        return shape
    wanted = said.get("shape", said.get("size"))
    if name in ("reshape", "expand") and isinstance(wanted, tuple) and -1 not in wanted:
        return tuple(n for n in wanted if isinstance(n, int))
    if name == "interpolate" and (sizes := _each(wanted, len(shape) - 2)) is not None:
        return (*shape[:2], *sizes)
    if name == "interpolate" and isinstance(factor := said.get("scale_factor"), int | float):
        return (*shape[:2], *(math.floor(n * factor) for n in shape[2:]))
    if name == "permute" and isinstance(dims := said.get("dims"), tuple) and len(dims) == len(shape):
        return tuple(shape[d] for d in dims if isinstance(d, int))
    if (
        name == "transpose"
        and isinstance(a := said.get("dim0"), int)
        and isinstance(b := said.get("dim1"), int)
    ):
        swapped = list(shape)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        return tuple(swapped)
    if (
        name == "flatten"
        and isinstance(a := said.get("start_dim"), int)
        and isinstance(b := said.get("end_dim"), int)
    ):
        at, end = a % len(shape), b % len(shape)
        return (*shape[:at], math.prod(shape[at : end + 1]), *shape[end + 1 :])
    if (
        name == "pixel_shuffle"
        and isinstance(r := said.get("upscale_factor"), int)
        and len(shape) > len("HW")
    ):
        return (*shape[:-3], shape[-3] // (r * r), shape[-2] * r, shape[-1] * r)
    if name in ("cat", "stack"):
        return _joined(name, said.get("dim", 0), shapes)
    return None


def _joined(name: str, dim: object, shapes: tuple[Shape, ...]) -> Shape | None:
    rank = len(shapes[0])
    if not isinstance(dim, int) or len(shapes) < _PAIR or any(len(s) != rank for s in shapes):
        return None
    if name == "stack":
        at = dim % (rank + 1)
        return (*shapes[0][:at], len(shapes), *shapes[0][at:])
    return _with_size(shapes[0], dim, sum(s[dim] for s in shapes))
