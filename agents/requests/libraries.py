"""Write what other libraries have as ours: names of operators ("tf.nn.softmax", "aclnnCumsum", "GatherV2"), and
expressions of numpy and JAX among words ("np.exp(-x.max(axis=1, keepdims=True))").

A name stands in `libraries.json` only where it computes what ours does with the same defaults, or with those that are
written beside it: numpy's variance is biased, ONNX keeps the axes that it reduces. Any other name is left to be asked
about. What numpy and JAX call otherwise in expressions stands in `array_library.json`.
"""

import ast
import re
import textwrap
from functools import cache
from importlib.resources import files
from json import loads
from typing import Any

from akgen.tools.core.untrusted import read_python

_CODE = re.compile(r"```|^(?:import |from \w[\w.]* import |class \w|def \w|@)", re.M)
_KEEPS = re.compile(r"(?<![a-z])keep_?dims?(?![a-z])", re.I)
_APPROXIMATE = re.compile(r"[,，]?\s*approximate ?= ?(?:(?P<yes>true|1)|false|0)(?![\w.])", re.I)
_AXIS = re.compile(r"(?<![a-z])(?:axis|dim)(?![a-z])|[轴维]", re.I)


def in_our_names(text: str) -> str:
    """Return a text with other libraries' names written as ours; code with its own imports as it is."""
    if _CODE.search(text):
        return text
    for library, pattern in _prefixed().items():
        said = text
        text = pattern.sub(lambda m, library=library, said=said: _ours(library, m, said), said)  # type: ignore[misc]
        if text != said and re.search("gelu", text):
            text = _APPROXIMATE.sub("", text)
    return _bare().sub(lambda m: _said()["bare"][_plain(m[0])], text)


def _ours(library: str, match: re.Match[str], text: str) -> str:
    """Return our name for one of a library's; the name as it is where ours may mean another thing."""
    said, name = _said(), match["name"].lower()
    plain = _plain(name)
    if plain in map(_plain, said["argmax"].get(library, ())):
        return name if _AXIS.search(text) else match[0]  # its default is the first axis
    own = {_plain(n): ours for n, ours in said["own"][library].items()}
    ours = own.get(plain) or (name if plain in map(_plain, said["same"]) else None)
    if ours is None:
        return match[0]
    if ours.endswith(" keepdim") and _KEEPS.search(text):
        ours = ours.removesuffix(" keepdim")
    if plain == "gelu" and (told := _APPROXIMATE.search(text)) is not None:
        ours = "gelu_tanh" if told["yes"] else "gelu"
    return str(ours)


def _plain(name: str) -> str:
    return re.sub(r"_", "", name.lower())


@cache
def _prefixed() -> dict[str, re.Pattern[str]]:
    return {
        library: re.compile(rf"(?<![\w.]){prefix}(?P<name>[A-Za-z]\w*)(?![\w.])", re.I)
        for library, prefix in _said()["prefixes"].items()
    }


@cache
def _bare() -> re.Pattern[str]:
    names = sorted((n for n, ours in _said()["bare"].items() if ours), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(names)})(?![\w.(])", re.I)


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("libraries.json").read_text("utf-8")
    )
    return found


_PREFIX = re.compile(r"(?<![\w.])(?:np|numpy|jnp|jax|lax|cupy)\.(?=[a-z])(?!(?:u?int|float|bool)\w*\b(?!\())")
_IMPORT = re.compile(
    r"^[ \t]*import (?:numpy|jax|jax\.numpy)(?: as \w+)?[ \t]*\n|^[ \t]*from jax import [\w, ]+\n", re.M
)
_BLOCK = re.compile(r"^def \w+\([^\n]*\n(?:(?:[ \t]+[^\n]*|[ \t]*)(?:\n|\Z))+", re.M)
_TICKED = re.compile(r"`([^`\n]+)`")
_LINE = re.compile(
    r"(?:(?<=[\n:：])|\A)[ \t]*(?P<code>(?:[A-Za-z_]\w* ?= ?|return )?[^\n\u4e00-\u9fff`]*?\))[ \t]*(?=\n|\Z)"
)
_TYPE = re.compile(r"(?<![\w.])(?:np|numpy|jnp)\.((?:u?int|float|bfloat|bool)\d*)\b(?!\()")
_COMMENT = re.compile(r"#+([^\n]*)")
_ARRAYS = re.compile(  # arrays whose functions are methods alone: "x.std(-1, keepdims=True)"
    r"(?<![A-Za-z_])(?:numpy|ndarrays?|np|jax|jnp)(?![A-Za-z_])"
    r"|\.(?:mean|std|var|sum|max|min)\([^()\n]*(?:keepdims|axis|ddof) ?=",
    re.I,
)
_LIBRARIES = {"np", "numpy", "jnp", "jax", "lax", "cupy"}
_REDUCTIONS = frozenset(
    (
        "sum",
        "mean",
        "prod",
        "amax",
        "amin",
        "var",
        "std",
        "argmax",
        "argmin",
        "cumsum",
        "cumprod",
        "logsumexp",
    )
)
_PAIR = 2
_LONGEST = 6000


class _NotKnown(Exception):
    """A call has no counterpart."""


def in_torch(text: str) -> str:
    """Return a text with its numpy and JAX expressions in PyTorch; as it is where one of them has no counterpart."""
    methods = _PREFIX.search(text) is None
    if len(text) > _LONGEST or (methods and not _ARRAYS.search(text)):
        return text
    put = _IMPORT.sub("", text)
    try:
        for pattern in (_BLOCK,) if methods else (_BLOCK, _TICKED, _LINE):
            put = pattern.sub(lambda m: _written(m, methods=methods), put)
    except _NotKnown:
        return text
    return text if _PREFIX.search(put) else _TYPE.sub(r"\1", put)


def _written(match: re.Match[str], *, methods: bool = False) -> str:
    code = match[match.lastindex or 0]
    if not methods and not _PREFIX.search(code):
        return match[0]
    try:
        tree = read_python(textwrap.dedent(code).strip())
    except SyntaxError:
        return match[0]
    put = ast.unparse(ast.fix_missing_locations(_ToTorch().visit(tree)))
    noted = "".join(f"\n    #{said}" for said in _COMMENT.findall(code))  # which say shapes
    return match[0].replace(code, f"{put}{noted}\n" if code.endswith("\n") else put + noted)


class _ToTorch(ast.NodeTransformer):
    """Exchange calls of numpy and JAX for PyTorch's. Raises _NotKnown."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        said = _array_words()
        for keyword in node.keywords:
            keyword.arg = said["keywords"].get(keyword.arg, keyword.arg)
        if not isinstance(node.func, ast.Attribute):
            return node
        path = ast.unparse(node.func).split(".")
        if path[0] not in _LIBRARIES:
            name = said["methods"].get(node.func.attr)
            return node if name is None else _method(node, name)
        if path[-1] == "pad":
            return _pad(node)
        found = said["other"].get(path[-1], path[-1] if path[-1] in said["same"] else None)
        functional = path[-1] in said["functional"] and path[0] == "jax"
        if functional:
            found = f"nn.functional.{path[-1]}"
        if found is None:
            raise _NotKnown
        node.func = ast.parse(f"torch.{found}", mode="eval").body
        if functional:
            _default(node, path[-1])
        return _reduced(node, found, 1)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        spelt = ast.unparse(node)
        if spelt in ("np.newaxis", "jnp.newaxis", "numpy.newaxis"):
            return ast.Constant(None)
        if spelt in ("np.inf", "jnp.inf", "np.pi", "jnp.pi"):
            return ast.parse(f"math.{node.attr}" if node.attr == "pi" else 'float("inf")', mode="eval").body
        return node


def _default(node: ast.Call, name: str) -> None:
    """Say what JAX takes where nothing is said: the last axis of a softmax, the tanh approximation of GELU."""
    if name.endswith("softmax") and len(node.args) == 1 and not any(k.arg == "dim" for k in node.keywords):
        node.keywords.append(ast.keyword("dim", ast.Constant(-1)))
    if name == "gelu":
        told = [k for k in node.keywords if k.arg == "approximate"]
        exact = bool(told) and isinstance(told[0].value, ast.Constant) and told[0].value.value is False
        if len(node.args) > 1 or (told and not isinstance(told[0].value, ast.Constant)):
            raise _NotKnown
        node.keywords = [ast.keyword("approximate", ast.Constant("none" if exact else "tanh"))]


def _reduced(node: ast.Call, name: str, tensors: int) -> ast.Call:
    """Give a reduction the names of PyTorch's arguments, and numpy's defaults."""
    if name in ("maximum", "minimum"):
        raise _NotKnown
    if name in _REDUCTIONS:
        if len(node.args) > tensors:
            node.keywords.insert(0, ast.keyword("dim", node.args[tensors]))
            node.args = node.args[:tensors]
        allowed = {"dim", "keepdim", "ddof"} if name in ("var", "std") else {"dim", "keepdim"}
        if len(node.args) != tensors or not {k.arg for k in node.keywords} <= allowed:
            raise _NotKnown
        if name in ("cumsum", "cumprod", "logsumexp") and not any(k.arg == "dim" for k in node.keywords):
            raise _NotKnown
        if name == "prod" and any(isinstance(k.value, ast.Tuple) for k in node.keywords):
            raise _NotKnown
    if name in ("var", "std"):
        told = [k.value for k in node.keywords if k.arg == "ddof"]
        node.keywords = [k for k in node.keywords if k.arg != "ddof"]
        node.keywords.append(ast.keyword("correction", told[0] if told else ast.Constant(0)))
    if name in ("round", "where", "einsum", "matmul") and node.keywords:
        raise _NotKnown
    return node


def _method(node: ast.Call, name: str) -> ast.Call:
    assert isinstance(node.func, ast.Attribute)
    node.func.attr = name
    return _reduced(node, name, 0)


def _pad(node: ast.Call) -> ast.Call:
    """Return PyTorch's padding, which begins with the last axis."""
    said = {k.arg: k.value for k in node.keywords}
    try:
        widths = ast.literal_eval(node.args[1])
        mode = ast.literal_eval(
            said.get("mode", node.args[2] if len(node.args) > _PAIR else ast.Constant("constant"))
        )
    except (ValueError, IndexError):
        raise _NotKnown from None
    ours = _array_words()["pads"].get(mode)
    pairs = isinstance(widths, tuple | list) and all(
        isinstance(w, tuple | list) and len(w) == _PAIR for w in widths
    )
    if ours is None or not pairs or not {*said} <= {"mode", "constant_values"}:
        raise _NotKnown
    kept = list(widths)
    while len(kept) > 1 and tuple(kept[0]) == (0, 0):
        kept.pop(0)
    flat = tuple(n for pair in reversed(kept) for n in pair)
    keywords = [ast.keyword("mode", ast.Constant(ours))] if ours != "constant" else []
    keywords += [ast.keyword("value", said["constant_values"])] if "constant_values" in said else []
    path, widths_put = (ast.parse(said, mode="eval").body for said in ("torch.nn.functional.pad", repr(flat)))
    return ast.Call(path, [node.args[0], widths_put], keywords)


@cache
def _array_words() -> dict[str, Any]:
    found: dict[str, Any] = loads(
        files("akgen.agents.requests").joinpath("array_library.json").read_text("utf-8")
    )
    return found
