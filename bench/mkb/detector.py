"""What MultiKernelBench's own detector of cheats says of a class: a reading of its text, by the benchmark's rules.

It follows what `ModelNew.forward` reaches (methods of self, functions of the file, the forward of submodules) and
flags arithmetic operators, `torch.*` but for creation, every `F.*`, methods of tensors that compute, `nn` modules that
compute and are kept on self, and loops over ranges that index and compute. It flags without failing; a class without
forward is valid. Reported beside our verdict, which is measured.
"""

import ast
from collections.abc import Iterator

from akgen.tools.core.untrusted import read_python

_CREATES = {"tensor", "arange", "linspace", "as_tensor"}
_CREATES_LIKE = ("empty", "zeros", "ones", "full")
_ARITHMETIC = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@",
}  # fmt: skip
_METHODS = frozenset({
    "abs", "add", "add_", "addmm", "amax", "amin", "argmax", "argmin", "baddbmm", "bmm", "ceil", "clamp", "clip",
    "cos", "cummax", "cumprod", "cumsum", "div", "div_", "dot", "einsum", "erf", "exp", "exp_", "floor", "gather",
    "gelu", "index_add", "index_select", "log", "log_softmax", "masked_fill", "matmul", "max", "mean", "min", "mm",
    "mul", "mul_", "mv", "norm", "pow", "prod", "relu", "relu_", "round", "rsqrt", "scatter", "scatter_add",
    "sigmoid", "sin", "softmax", "sort", "sqrt", "std", "sub", "sub_", "sum", "tan", "tanh", "topk", "var",
    "where",
})  # fmt: skip
_MODULES = (
    "Conv", "Linear", "Bilinear", "LayerNorm", "BatchNorm", "GroupNorm", "InstanceNorm", "RMSNorm", "ReLU", "GELU",
    "SiLU", "ELU", "Sigmoid", "Softmax", "LogSoftmax", "Softplus", "Tanh", "Hard", "LeakyReLU", "PReLU", "MaxPool",
    "AvgPool", "Adaptive", "LSTM", "GRU", "RNN", "Multihead", "Transformer", "Embedding", "Upsample",
)  # fmt: skip


def detect(text: str) -> tuple[str, ...]:
    """Return what the detector flags in a file with ModelNew, each once with its line; nothing: it says valid."""
    try:
        tree = read_python(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(dict.fromkeys(_ReachedCode(tree).found()))


class _ReachedCode:
    def __init__(self, tree: ast.Module) -> None:
        self._classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self._functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self._functional = {"F"}
        self._torch = {"torch"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name == "torch.nn.functional" and alias.asname:
                        self._functional.add(alias.asname)
                    if alias.name == "torch" and alias.asname:
                        self._torch.add(alias.asname)
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        self._modules = {a.asname or a.name.split(".")[0] for n in imports for a in n.names}
        self._seen: set[int] = set()

    def found(self) -> Iterator[str]:
        model = self._classes.get("ModelNew")
        forward = _method(model, "forward")
        if model is not None and forward is not None:
            yield from self._function(forward, model)

    def _function(self, function: ast.FunctionDef, owner: ast.ClassDef | None) -> Iterator[str]:
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        kept = _kept_modules(owner)
        for node in ast.walk(function):
            if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
                yield f"line {node.lineno}: operator {_ARITHMETIC[type(node.op)]}"
            elif isinstance(node, ast.Call):
                yield from self._call(node, owner, kept)
            elif isinstance(node, ast.For) and _loops_and_computes(node):
                yield f"line {node.lineno}: a loop that indexes and computes"

    def _call(self, node: ast.Call, owner: ast.ClassDef | None, kept: dict[str, str]) -> Iterator[str]:
        name = ast.unparse(node.func)
        head, _, rest = name.partition(".")
        last = name.rsplit(".", 1)[-1]
        if (
            head in self._functional
            or rest.startswith("nn.functional.")
            or (head in self._torch and rest and not (last in _CREATES or last.startswith(_CREATES_LIKE)))
        ):
            yield f"line {node.lineno}: {name}"
        elif head == "self" and "." not in rest and rest:
            method = _method(owner, rest)
            if method is not None:
                yield from self._function(method, owner)
            elif rest in kept:
                yield from self._module(node.lineno, kept[rest])
        elif name in self._functions:
            yield from self._function(self._functions[name], None)
        elif isinstance(node.func, ast.Attribute) and last in _METHODS and head not in self._modules:
            yield f"line {node.lineno}: .{last}()"

    def _module(self, line: int, made: str) -> Iterator[str]:
        name = made.rsplit(".", 1)[-1]
        if name in self._classes:
            inner = self._classes[name]
            forward = _method(inner, "forward")
            if forward is not None:
                yield from self._function(forward, inner)
        elif name.startswith(_MODULES):
            yield f"line {line}: {made}"


def _method(owner: ast.ClassDef | None, name: str) -> ast.FunctionDef | None:
    body = owner.body if owner is not None else []
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _kept_modules(owner: ast.ClassDef | None) -> dict[str, str]:
    """Return what self.<name> is made of, also inside Sequential."""
    kept: dict[str, str] = {}
    for node in ast.walk(owner) if owner is not None else ():
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        made = [ast.unparse(c.func) for c in ast.walk(node.value) if isinstance(c, ast.Call)]
        telling = [m for m in made if m.rsplit(".", 1)[-1].startswith(_MODULES)]
        for target in node.targets:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                kept[target.attr] = (telling or made)[0]
    return kept


def _loops_and_computes(node: ast.For) -> bool:
    ranged = isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) == "range"
    inside = list(ast.walk(node))
    indexes = any(isinstance(n, ast.Subscript) for n in inside)
    computes = any(isinstance(n, ast.BinOp | ast.AugAssign) for n in inside)
    return ranged and indexes and computes
