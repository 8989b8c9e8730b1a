"""Write mathematics so that it can be read: letters by their names, transposes, halves of a tensor.

Functions of formulas that PyTorch calls otherwise, or takes more for, stand here, too: σ, lse, gap, LN(x), RMSNorm(x).
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from akgen.agents.requests.request import Shape
from akgen.agents.requests.spelling import respelt

_SIGNS = {
    "ᵀ": ".T", "⊤": ".T", "²": "**2", "³": "**3", "Σ": "∑", "⊙": "*", "∘": "*", "⋅": "·", "×": "*", "÷": "/",
    "−": "-", "–": "-", "←": "=", "≤": "<=", "≥": ">=", "≠": "!=", "‖": "‖", "∞": "inf", "∥": "‖", "ˣ": "^x",
}  # fmt: skip
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "eps", "η": "eta", "θ": "theta", "κ": "kappa",
    "λ": "lam", "μ": "mu", "ν": "nu", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<number>0x[0-9a-f]+|(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)|(?P<name>[a-z_][a-z0-9_]*(?:\.[a-z_]\w*)*)"
    r"|(?P<t>\ue003)|(?P<sign>\*\*|//|<<|>>|<=|>=|==|!=|‖|\|\||[-+*·/@^%&|~()\[\],=<>∑√:])"
)
TRANSPOSED = "\ue003"  # stands for what turns a matrix: ".T", "^T"


class MathToken(NamedTuple):
    """A piece of a text, and where it stands."""

    kind: str
    text: str
    begin: int
    end: int


def plain(text: str) -> str:
    """Write mathematical signs as ASCII, Greek letters by their names; keeps σ before a parenthesis as a function."""
    text = re.sub(r"(?<=[\w)\]])(‖|∥|\|\|)(?:_?2|₂)(?![\d\w(])", r"\1", text)
    text = "".join(_SIGNS.get(c, c) for c in text)
    text = re.sub(r"(?<![a-z])([a-z]{2,5})\*\*2 ?\(([^()]*)\)", r"(\1(\2))**2", text)  # sin²(x)
    text = re.sub(r"σ(?= ?\()", "sigmoid", text)
    return "".join(_GREEK.get(c, c) for c in text)


def tokens(text: str) -> list[MathToken]:
    return [MathToken(m.lastgroup or "", m[0], m.start(), m.end()) for m in _TOKEN.finditer(text)]


_PRIME = re.compile(r"(?<![a-z0-9_])([a-z]\w*)['′’](?![a-z])")
_HALF = re.compile(
    r"(?<![a-z])(?:the )?(first|second) half(?= ?[*/+)-])|(?<=[*/(+-]) ?(?:the )?(first|second) half(?![a-z])"
)
_FACTORS = re.compile(
    r"(?<![a-z0-9_.])([qkv]{1,3})(?= ?[\^/*@)\ue003']|\.t| [qkv] ?(?:\^|\.t|\ue003))"
    r"|(?:(?<=[*@)] )|(?<=[*@)]))([qkv])(?![a-z0-9_])"
    r"|(?<![a-z0-9_.])([a-z]\d?)(?= ?(?:@|\^\{?t(?![a-z])|\.t(?![a-z])))|(?<=@)\s?([a-z]\d?)(?![a-z0-9_])"
)
_KEPT = {
    "∑": "\ue000",
    "|": "\ue001",
    "‖": "\ue002",
    "√": "\ue004",
}  # what the spelling of words would rewrite
_COUNTED = re.compile(
    r"(?<![a-z0-9_.])(\d+) ?(?:个)?(?:floats|params|parameters|weights|numbers|entries|参数|权重)(?![a-z])"
)


def spelt(said: str) -> str:
    text = _apart(plain(said.replace("×", "x")))
    for sign, kept in _KEPT.items():
        text = text.replace(sign, kept)
    factors = {c for found in _FACTORS.findall(text.lower()) for word in found for c in word}
    text = _COUNTED.sub(r"\1 elements", _PRIME.sub(r"\1_new", respelt(text, names=factors)))
    for sign, kept in _KEPT.items():
        text = text.replace(kept, sign)
    text = _HALF.sub(lambda m: f" half_{m[1] or m[2]}", text)
    return re.sub(r"\.(?:m?t)(?![a-z])|\^\{?t\}?(?![a-z0-9])", TRANSPOSED, text)


def _apart(text: str) -> str:
    """Return a text with another name for a small letter that stands beside its capital: "relu(A @ B^T + b)"."""
    for small in "bcdghkmnpqvwxyz":
        signed = r"(?:[-+*/@(=,] ?{0}(?![A-Za-z0-9_'])|(?<![A-Za-z0-9_']){0} ?[-+*/@)^])"
        if all(re.search(signed.format(letter), text) for letter in (small, small.upper())):
            text = re.sub(rf"(?<![A-Za-z0-9_']){small}(?![A-Za-z0-9_'])", f"{small}1", text)
    return text


def split_name(name: str, known: Callable[[str], bool]) -> list[str] | None:
    """Return the known names that a word is made of, "xw" of x and w; None if there is no single way."""
    ways: list[list[str]] = [[]] if not name else []
    for end in range(1, len(name) + 1):
        if known(name[:end]) and (rest := split_name(name[end:], known)) is not None:
            ways.append([name[:end], *rest])
    return ways[0] if len(ways) == 1 else None


CALLED = {
    "σ": "sigmoid",
    "sigma": "sigmoid",
    "ln": "log",
    "lse": "logsumexp",
    "avg": "mean",
    "∑": "sum",
    "norm": "norm",
    "gap": "global_average_flat",
}
_WEIGHTS, _BIASES = ("gamma", "weight", "w", "g", "scale"), ("beta", "bias", "b", "shift")
MAKES = frozenset(("arange", "eye", "zeros", "ones"))  # a tensor of numbers, by its sizes
POOLED = {"global_average_flat": "torch.mean"}
NORMS = {"layer_norm": "torch.nn.functional.layer_norm", "rms_norm": "torch.nn.functional.rms_norm"}


def normalised(path: str, value: ast.expr, keywords: list[ast.keyword]) -> ast.expr:
    """Return a norm along the last axis."""
    last = ast.Subscript(ast.Attribute(value, "shape"), ast.Slice(ast.UnaryOp(ast.USub(), ast.Constant(1))))
    return ast.Call(ast.parse(path, mode="eval").body, [value, last], keywords)


def has_norm(tree: ast.expr) -> bool:
    """Say whether an expression normalises."""
    return any(isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values() for n in ast.walk(tree))


def with_affine(tree: ast.expr, declared: Mapping[str, Shape]) -> ast.expr:
    """Give the only norm of an expression the weight and bias that are declared and used nowhere."""
    norms = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) in NORMS.values()]
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    free = [name for name, shape in declared.items() if name not in used and len(shape) == 1]
    weights, biases = ([n for n in free if n in listed] for listed in (_WEIGHTS, _BIASES))
    if len(norms) != 1 or len(weights) != 1 or len(biases) > 1 or len(norms[0].args) != len((0, 0)):
        return tree
    if biases and ast.unparse(norms[0].func) != NORMS["layer_norm"]:
        return tree
    norms[0].args += [ast.Name(name) for name in (*weights, *biases)]
    return ast.fix_missing_locations(tree)
