"""Turn an expression of a specification into Python over PyTorch: "(x - mean(x, -1)) * g", "d[:, :64].mean(-1)"."""

import ast
import re
from collections.abc import Container

from akgen.agents.requests.formula import with_paths
from akgen.agents.requests.signs import CALLED, MAKES, NORMS
from akgen.agents.requests.specified.layout import said_words
from akgen.agents.requests.specified.tensors import dtype_of
from akgen.knowledge.operators import operator_named
from akgen.tools.core.untrusted import read_python

_TURNED = re.compile(r"(?<=[\w)\]])(?: ?\^ ?\{?(?:T|⊤)\}?|\.[Tt](?:\(\))?)(?![\w(])")
_BARS = re.compile(r"(?<![|\w)\]])\|([^|\n]+)\|(?!\|)")
_ROOT = re.compile(r"√ ?(?=\()")
_ROOT_OF_NAME = re.compile(r"√ ?([A-Za-z_]\w*|\d+(?:\.\d+)?)")
_AS_TYPE = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*) in (u?int32|fp32|float32)\)")
_SWITCH = re.compile(r"(?<=[,(])( ?(?:keepdims?|keep_dims?))(?= ?[,)])")
_LONGEST = 400
_KEYWORDS = {"axis": "dim", "keepdims": "keepdim", "keep_dim": "keepdim", "keep_dims": "keepdim"}
_LISTS = {"cat": "torch.cat", "concat": "torch.cat", "concatenate": "torch.cat", "stack": "torch.stack"}
_REDUCTIONS = frozenset(
    ("sum", "mean", "max", "min", "amax", "amin", "logsumexp", "norm", "prod", "any", "all")
)
_NUMBERS = {"pi": "math.pi", "π": "math.pi", "inf": "float('inf')"}


class NotSpecified(Exception):
    """A part is no expression that this reader knows."""


def expression_in(text: str, known: Container[str]) -> ast.expr:
    """Return the expression that a text is, with PyTorch's paths, over names that are known. Raises NotSpecified."""
    if len(text) > _LONGEST or not text.strip() or "#" in text:
        raise NotSpecified(text)
    if "^" in text and re.search(r"&|<<|>>|(?<![|\w)\]]) \| ", text):
        raise NotSpecified(text)  # a power, or exclusive or of bits?
    plain = _AS_TYPE.sub(r"(\1)", text.strip())
    plain = _TURNED.sub(".mT", plain).replace("^", "**")
    plain = _ROOT_OF_NAME.sub(r"sqrt(\1)", _ROOT.sub("sqrt", plain)).replace("π", "pi")
    plain = _SWITCH.sub(r"\1=True", plain)
    plain = _BARS.sub(r"abs(\1)", plain)
    plain = re.sub(r"(?<![\w.])(true|false|none)(?!\w)", lambda m: m[0].capitalize(), plain)
    try:
        lines = read_python(plain).body
    except (SyntaxError, ValueError):
        raise NotSpecified(text) from None
    if len(lines) != 1 or not isinstance(lines[0], ast.Expr):
        raise NotSpecified(text)
    try:
        tree = _Written(known).visit(lines[0].value)
    except (LookupError, ValueError, AttributeError, TypeError):
        raise NotSpecified(text) from None
    return ast.fix_missing_locations(tree)  # type: ignore[no-any-return]


class _Written(ast.NodeTransformer):
    """Writes PyTorch's paths. Raises NotSpecified or LookupError for what is no expression over known tensors."""

    def __init__(self, known: Container[str]) -> None:
        self._known = known

    def generic_visit(self, node: ast.AST) -> ast.AST:
        allowed = (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List, ast.Slice, ast.operator, ast.unaryop, ast.cmpop,
                   ast.expr_context)  # fmt: skip
        if not isinstance(node, allowed):
            raise NotSpecified(ast.unparse(node))
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if node.value is None or node.value is ... or isinstance(node.value, int | float):
            return node
        raise NotSpecified(repr(node.value))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known:
            return node
        if node.id in _NUMBERS:
            return ast.parse(_NUMBERS[node.id], mode="eval").body
        raise NotSpecified(node.id)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        euler = isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Name) and node.left.id == "e"
        if euler and "e" not in self._known:
            return _call("torch.exp", [self.visit(node.right)], [])
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) != 1:
            raise NotSpecified(ast.unparse(node))
        sides = [self.visit(n) for n in (node.left, *node.comparators)]
        return ast.Compare(sides[0], node.ops, sides[1:])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        return _call("torch.where", [self.visit(n) for n in (node.test, node.body, node.orelse)], [])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        value = self.visit(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            self.visit(part)
        return ast.Subscript(value, node.slice)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if node.attr not in ("T", "mT", "shape", "values", "indices"):
            raise NotSpecified(ast.unparse(node))
        attr = "mT" if node.attr == "T" else node.attr
        return ast.Attribute(self.visit(node.value), attr)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        keywords = [
            ast.keyword(_KEYWORDS.get(k.arg or "", k.arg), self._option(k.value)) for k in node.keywords
        ]
        given = node.args
        if isinstance(node.func, ast.Attribute):
            return self._dotted(node.func, given, keywords)
        if not isinstance(node.func, ast.Name) or any(isinstance(a, ast.Starred) for a in given) or not given:
            raise NotSpecified(ast.unparse(node))
        name = "layer_norm" if node.func.id == "LN" else node.func.id.lower()
        if name in _LISTS:
            listed = given[0].elts if isinstance(given[0], ast.List | ast.Tuple) else None
            dims = [] if listed is None else given[1:]
            tensors = [self.visit(n) for n in (listed or given)]
            if not dims and "dim" not in {k.arg for k in keywords}:
                keywords.append(ast.keyword("dim", ast.Constant(-1)))
            return _call(_LISTS[name], [ast.List(tensors), *dims], keywords)
        return self._called(name, [self.visit(a) for a in given], keywords)

    def _called(self, name: str, given: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
        name = {"ce": "cross_entropy", "onehot": "one_hot"}.get(name, CALLED.get(name, name))
        if name in MAKES and not keywords and all(isinstance(a, ast.Constant) for a in given):
            return _call(f"torch.{name}", given, [])
        if name in ("norm", "vector_norm") and not {"ord", "p"} & {k.arg for k in keywords}:
            if len(given) > 1:
                raise NotSpecified(name)  # of which order, or along which axis?
            return _call("torch.linalg.vector_norm", given, keywords)
        entry = operator_named(name)
        if entry is None or (entry.source and entry.expression is None):
            raise NotSpecified(name)
        if entry.name in NORMS:
            path = ast.parse(NORMS[entry.name], mode="eval").body
            last = ast.parse("x.shape[-1:]", mode="eval").body
            assert isinstance(last, ast.Subscript) and isinstance(last.value, ast.Attribute)
            last.value.value = given[0]
            if len(given) > 1:
                raise NotSpecified(name)
            return ast.Call(path, [given[0], last], keywords)
        if entry.name in ("var", "std", "var_mean") and not {"correction", "unbiased"} & {
            k.arg for k in keywords
        }:
            raise NotSpecified(name)  # mathematics divides by N, PyTorch by N - 1
        if entry.name in _REDUCTIONS and len(given) > 1 and _number(given[1]) is not None:
            if entry.name in ("max", "min") and not keywords:
                limit = _number(given[1])
                if limit is not None and limit < 0:
                    raise NotSpecified(name)  # "max(x, -1)": along the last axis, or at least -1
            elif len(given) == len(("x", "dim")):
                keywords = [ast.keyword("dim", given[1]), *keywords]
                given = given[:1]
        if entry.category == "convolution" and len(given) > 1:
            return _call(f"torch.nn.functional.{entry.name}", given, keywords)
        if entry.name in ("max", "min", "amax", "amin") and len(given) == 1:
            return _call(f"torch.a{entry.name[-3:]}", given, keywords)
        return with_paths(ast.Call(ast.Name(name), given, keywords))

    def _dotted(self, func: ast.Attribute, given: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
        path = ast.unparse(func)
        root = path.partition(".")[0]
        arguments = [self._option(a) for a in given]
        if root in ("torch", "F", "nn"):
            last = path.rpartition(".")[2]
            if operator_named(last) is None or (last.endswith("softmax") and len(given) + len(keywords) < 2):
                raise NotSpecified(path)
            inside = root == "F" or "functional" in path
            return _call(f"torch.nn.functional.{last}" if inside else f"torch.{last}", arguments, keywords)
        if func.attr not in said_words()["methods"].split():
            raise NotSpecified(path)
        return ast.Call(ast.Attribute(self.visit(func.value), func.attr), arguments, keywords)

    def _option(self, node: ast.expr) -> ast.expr:
        """Return an argument, which may be a word, a type or a list of numbers."""
        if isinstance(node, ast.Constant):
            return node
        said = ast.unparse(node).removeprefix("torch.")
        dtype = dtype_of(said) if said not in self._known else None
        if dtype is not None:
            return ast.parse(f"torch.{dtype.value}", mode="eval").body
        return self.visit(node)  # type: ignore[no-any-return]


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _call(path: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> ast.expr:
    return ast.Call(ast.parse(path, mode="eval").body, arguments, keywords)
