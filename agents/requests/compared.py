"""Compare a reference that a chat model wrote with the words that it was written from.

Every number, shape, data type and operator of the words must be found in the reference, and nothing that they deny.
What is not found is asked about: the model may have left a word out, or said it in other words. An operator is found by
its call, or, where it is a composite, by all calls that its own function makes. What is computed without being named is
not looked for.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from akgen.agents.requests import sizes
from akgen.agents.requests.accounted import numbers_without
from akgen.agents.requests.marks import MarkedText
from akgen.agents.requests.spelling import respelt
from akgen.knowledge.operators import OperatorEntry, find_operators, operator_named, squashed
from akgen.tools.core.call import Argument, Call, TensorMeta

_DENIED = re.compile(
    r"(?:(?<![a-z])(?:no|not|without|instead of|rather than|don'?t use|omit(?:ting)?|skip(?:ping)?)(?: the| an?| any)?"
    r"|不要|不用|不带|不做|不加|没有|无|而不是|去掉)\s*\Z"
)
_CHANGED = re.compile(
    r"(?:instead of|rather than|not|from|不是|而不是|从)[^,;，；。]*\Z"
)  # what stands behind it is no longer so
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.MatMult: "matmul",
    ast.FloorDiv: "floor_divide", ast.Mod: "remainder", ast.USub: "neg", ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or", ast.BitXor: "bitwise_xor", ast.Invert: "bitwise_not", ast.Lt: "lt", ast.Gt: "gt",
    ast.LtE: "le", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_KINDS = ("elementwise", "activation", "softmax", "normalization", "reduction", "scan", "sort", "matmul", "convolution",
          "pooling", "attention", "loss")  # fmt: skip
_SMALL = 15  # sides of a window, which is no tensor's shape
_SAME = (
    ("matmul", "mm", "bmm", "linear", "einsum", "addmm", "baddbmm"), ("pow", "square"), ("amax", "max", "maximum"),
    ("amin", "min", "minimum"), ("clamp", "clip", "hardtanh"), ("to", "cast", "float", "half", "bfloat16", "type"),
    ("where", "masked_fill"), ("sub", "neg"), ("cat", "concat", "stack"), ("div", "reciprocal"), ("silu", "swish"),
    ("norm", "vector_norm"), ("var", "var_mean", "std_mean", "std"), ("mean", "var_mean", "avg_pool"),
)  # fmt: skip


def not_in_reference(text: str, source: str, calls: Iterable[Call]) -> list[str]:
    """Return the words of a text that its reference has nothing of; `calls` are the reference's, one for each case."""
    tree, calls = ast.parse(source), list(calls)
    marked = MarkedText(respelt(text))
    tensors = [meta for call in calls for meta in _tensors(call)]
    numbers = {float(n) for meta in tensors for n in meta.shape} | set(_constants(tree))
    lost = [
        *_types(marked, source, tensors),
        *_shapes(marked, tree, tensors),
        *_operators(marked, tree),
        *numbers_without(text, numbers | {float(len(tensors))}),
    ]
    return list(dict.fromkeys(lost))


def _tensors(call: Call) -> Iterator[TensorMeta]:
    for argument in (*call.inputs, *(o.meta for o in call.outputs)):
        yield from _flat(argument)


def _flat(argument: Argument | TensorMeta) -> Iterator[TensorMeta]:
    if isinstance(argument, tuple):
        for part in argument:
            yield from _flat(part)
    elif argument is not None:
        yield TensorMeta(dtype=argument.dtype, shape=argument.shape)


def _constants(tree: ast.AST) -> Iterator[float]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield float(node.value)


def _types(text: MarkedText, source: str, tensors: list[TensorMeta]) -> Iterator[str]:
    sizes.take_dtypes(text)
    present = {meta.dtype for meta in tensors}
    for mark in [m for m in text.marks if m.kind == "dtype"]:
        written = re.search(rf"torch\.{mark.value.value}\b", source) is not None
        if mark.value not in present and not written and not _CHANGED.search(text.text[: mark.begin]):
            yield text.text[mark.begin : mark.end]


def _shapes(text: MarkedText, tree: ast.AST, tensors: list[TensorMeta]) -> Iterator[str]:
    sizes.take_shapes(text)
    present = {tuple(meta.shape) for meta in tensors} | set(_tuples(tree))
    for mark in [m for m in text.marks if m.kind == "shape"]:
        for shape in mark.value:
            window = len(shape) > 1 and max(shape) <= _SMALL
            one = len(shape) == 1  # a length: looked for among the numbers
            if (
                shape not in present
                and not window
                and not one
                and not _CHANGED.search(text.text[: mark.begin])
            ):
                yield text.text[mark.begin : mark.end].strip()


def _tuples(tree: ast.AST) -> Iterator[tuple[int, ...]]:
    """Yield the sizes that stand beside each other: arguments, tuples and lists."""
    for node in ast.walk(tree):
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        values = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, int)]
        if len(values) > 1:
            yield tuple(values)


def _operators(text: MarkedText, tree: ast.AST) -> Iterator[str]:
    """Yield the operators that are named and not called, and those that are called and denied."""
    called = _called(tree)
    for named in find_operators(text.rest):
        entry = operator_named(named.operator)
        if entry is None or entry.category not in _KINDS:
            continue
        before = text.text[: named.begin]
        denied = _DENIED.search(before)
        if denied is not None:
            if _is_called(entry, called):
                yield f"{denied[0].strip()} {text.text[named.begin : named.end]}"
        elif not _is_called(entry, called) and not _CHANGED.search(before):
            yield text.text[named.begin : named.end]


def _is_called(entry: OperatorEntry, called: set[str]) -> bool:
    names = {squashed(entry.name), *(squashed(s.path.rpartition(".")[2]) for s in entry.signatures())}
    names |= {squashed(other) for same in _SAME if entry.name in same for other in same}
    names |= {squashed(alias) for alias in entry.aliases if " " not in alias}
    if names & called:
        return True
    own = _called(ast.parse(_definition(entry)))
    return bool(own) and own <= called


def _definition(entry: OperatorEntry) -> str:
    """Return the Python that a composite stands for; nothing for what PyTorch has."""
    if entry.expression is None:
        return entry.source or ""
    weights = {f"w{i}": "w" for i, _ in enumerate(entry.weights)}
    return entry.expression.format(
        *"xyzw", **weights, **dict.fromkeys((*entry.attributes, *entry.needs), "a")
    )


def _called(tree: ast.AST) -> set[str]:
    """Return the names of what is called and of the signs between operands, as `squashed` writes them."""
    found = {_SIGNS[type(sign)] for sign in ast.walk(tree) if type(sign) in _SIGNS}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found.add(squashed(ast.unparse(node.func).rpartition(".")[2]))
    return found
