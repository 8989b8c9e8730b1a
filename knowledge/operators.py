"""Operators by name: PyTorch's own signatures, what people call them, and what a name alone leaves open.

`signatures.txt` is written by `tools/reference/signatures.py` from PyTorch; `operators.json` adds names in English
and Chinese, operators without a name in PyTorch, and where inputs are defined; `operator_words.json` holds forms of
words. `operator_phrases.json` holds turns of phrase that mean one operator, "repeat each element 3 times", and what it
is rewritten to; they are read before the rewrites that serve all operators, in the order of the file.
"""

import ast
import difflib
import re
from functools import cache, lru_cache
from typing import Literal

from pydantic import Field

from akgen.knowledge.data_files import KnowledgeFact, read_json, read_text

Kind = Literal["Tensor", "Tensors", "int", "float", "bool", "str", "ints", "floats"]
Draw = Literal[
    "real",
    "mask",
    "classes",
    "index",
    "positions",
    "unit",
    "sign",
    "sign1",
    "entries",
    "positive",
    "int8",
    "counts",
]
Value = int | float | bool | str | tuple[int, ...] | None
_BORDER = re.compile(
    r"(?<=[a-z0-9])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[a-z0-9])"
)  # where some write a space
_INTERNAL = frozenset(
    f"torch.Tensor.{name}" for name in ("index", "const_data_ptr", "qscheme", "sum_to_size")
)
_SMALL_WORDS = re.compile(
    r"(?:\A|\s)(?:and|as|in|is|of|or|to|on|at|by|be|it|if|no|so)(?=\s)|\s(?:and|in|is|to|of|on|at|by|it)\Z"
)
_OF_TENSOR = re.compile(r"\A(?:add|sub|mul|div|exp|log|erf|pow|max|min)\s[a-z]\Z")  # "add r" is no "addr"
_THAT_IS = re.compile(r"(?:\bthat|\bthis|\bit)(?:'?s| is)\s+\Z")  # "that's all"
_CENTERS = re.compile(
    r"\s*(?:[\[(:=,.;]|\d|(?:is|are|has|of|with|and)\b|\Z)"
)  # "centers [8, 4]": a tensor, no verb
_ALL_OF_A_KIND = (
    re.compile(  # "all single precision", "all of it half", "all flat": of the tensors, no operator
        r"\s+of (?:it|them|this|these|those)(?![a-z])(?! (?:true|nonzero|non-zero|positive|negative))"
        r"|\s+(?:(?:in )?(?:single|double|half|full)[ -]precision|(?:in )?(?:fp|bf|float|bfloat|u?int)\d+"
        r"|halfs?|floats?|flat|(?:three|four|five|inputs?|tensors?|operands?)(?![a-z]))"
    )
)
_MOST_WORDS = 7  # of a name


class Parameter(KnowledgeFact):
    """An argument of an operator. `default` is Python source; None where it must be given."""

    name: str
    kind: Kind
    default: str | None = None
    optional: bool = False  # None is allowed

    @property
    def is_tensor(self) -> bool:
        return self.kind.startswith("Tensor")


class Signature(KnowledgeFact):
    """One way to call a function, or to make a module."""

    path: str
    parameters: tuple[Parameter, ...]

    @property
    def is_module(self) -> bool:
        return self.path.startswith("torch.nn.") and not self.path.startswith("torch.nn.functional.")

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        """Return the tensors that must be given."""
        return tuple(p for p in self.parameters if p.is_tensor and p.default is None and not p.optional)

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)


class OperatorEntry(KnowledgeFact):
    """One operator. Where no `path` says it, `expression` is Python over tensors {0}, weights {w0} and attributes."""

    name: str
    category: str = "other"
    path: str | None = None  # of PyTorch; {rank} stands for the number of spatial axes
    expression: str | None = None
    inputs: int | None = None  # tensors of the expression
    tensors: int = 1  # of a list of tensors, where nobody says how many
    aliases: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()  # what it is called in Chinese
    attributes: dict[str, Value] = Field(
        default_factory=dict
    )  # what holds unless said otherwise, beside PyTorch's own defaults
    needs: tuple[str, ...] = ()  # attributes with a default of PyTorch's that a request must name, or one of
    weights: tuple[Literal["ones_last", "zeros_last"], ...] = ()  # vectors as long as the last axis
    domain: str | None = None  # where the expression is defined
    draws: dict[str, Draw] = Field(
        default_factory=dict
    )  # what a tensor argument holds, where it is not any number
    shapes: Literal["same", "each"] = "same"  # "each": a shape for every tensor
    operand: Literal["free", "required"] = "free"  # "required": the second operand must be said
    takes: Literal["numbers", "integers"] = "numbers"  # "integers": PyTorch has it for those alone
    variants: dict[str, str] = Field(
        default_factory=dict
    )  # attributes that another operator has, and which: a temperature of softmax
    already: dict[str, tuple[Value, ...]] = Field(
        default_factory=dict
    )  # attributes' values that say what it does anyway
    source: str | None = None  # of a composite: the function that computes it, over `own`
    own: Signature | None = None
    parts: dict[str, str] = Field(
        default_factory=dict
    )  # of a composite: its tensors' shapes, over the first's
    limits: dict[str, str] = Field(default_factory=dict)  # of a composite: what its indices stay below

    def signatures(self, rank: int | None = None) -> tuple[Signature, ...]:
        """Return the ways to call it; of one that depends on the rank, those for two spatial axes unless told."""
        if self.own is not None:
            return (self.own,)
        if self.expression is not None:
            return ()
        path = (self.path or "").replace("{rank}", str(rank or 2))
        return _by_path().get(path, ()) if path else _by_name().get(squashed(self.name), ())

    @property
    def by_rank(self) -> bool:
        return self.path is not None and "{rank}" in self.path

    @property
    def definition(self) -> str:
        """Return what defines it, in PyTorch's words."""
        if self.expression is not None:
            return self.expression
        found = self.signatures()
        return found[0].path if found else self.name


@cache
def operators() -> tuple[OperatorEntry, ...]:
    """Return the operators that have more than PyTorch's name."""
    listed = (OperatorEntry.model_validate(entry) for entry in read_json("operators.json"))
    return (*listed, *(_composite(node) for node in ast.parse(read_text("composites.txt")).body))


@cache
def signatures() -> tuple[Signature, ...]:
    return tuple(_signature(line) for line in read_text("signatures.txt").splitlines())


def operator_named(name: str) -> OperatorEntry | None:
    """Return the operator of a name, as the catalogue or PyTorch writes it, or any of its other names."""
    return _spellings().get(squashed(name.rpartition(".")[2])) or _spellings().get(squashed(name))


def squashed(name: str) -> str:
    """Return a name without what people write differently: case, spaces, underscores, hyphens, forms of words."""
    words = [_words().get(word, word) for word in re.split(r"[\s_]+", name.lower().strip()) if word]
    return re.sub(r"[\s_.\-]", "", "".join(words))


class Named(KnowledgeFact):
    """An operator's name in a text."""

    begin: int
    end: int
    operator: str


@lru_cache(maxsize=1024)
def find_operators(text: str) -> tuple[Named, ...]:
    """Return the operators that a text names, in its order; the longest name wins. Latin words match whole."""
    lowered = text.lower()
    found: list[Named] = []
    for match in _chinese_names().finditer(lowered):
        found.append(Named(begin=match.start(), end=match.end(), operator=_chinese()[_joined(match[0])]))
    words = list(re.finditer(r"[a-z0-9_.]+", lowered))
    at = 0
    while at < len(words):
        step = 1
        for last in range(min(len(words), at + _MOST_WORDS), at, -1):
            begin, end = words[at].start(), words[last - 1].end()
            end -= len(words[last - 1][0]) - len(words[last - 1][0].rstrip("._"))
            part = lowered[begin:end]
            if re.search(r"[^a-z0-9_.\s\-]|\n", part) or any(n.begin < end and begin < n.end for n in found):
                continue
            apart = len(words[at][0]) == 1 and part[1:2] == " "  # an article, not the first letter of a name
            apart = apart or part.startswith("me an")  # "make me an elementwise ..." names no mean
            apart = apart or (
                part == "t" and lowered[end : end + 1] != "("
            )  # a tensor's name; the end of "don't"
            named = None if apart else _latin(part)
            if part == "centers" and _CENTERS.match(lowered, end):
                continue
            if part == "all" and (_ALL_OF_A_KIND.match(lowered, end) or _THAT_IS.search(lowered, 0, begin)):
                continue
            if named is not None:
                found.append(Named(begin=begin, end=end, operator=named.name))
                step = last - at
                break
        at += step
    return tuple(sorted(found, key=lambda n: n.begin))


def nearest(word: str, count: int = 3) -> tuple[str, ...]:
    """Return names close to a misspelt one, nearest first."""
    known = sorted({op.name for op in operators()})
    return tuple(difflib.get_close_matches(word.lower(), known, n=count, cutoff=0.6))


@lru_cache(maxsize=16384)
def _latin(part: str) -> OperatorEntry | None:
    bare = re.sub(r"^(?:torch\.nn\.functional|torch\.nn|torch\.special|torch\.linalg|torch|nn|f)\.", "", part)
    squashed_name = squashed(bare)
    if not squashed_name or squashed_name.isdigit() or _OF_TENSOR.search(part):
        return None
    if _SMALL_WORDS.search(part) and squashed_name not in _with_small_words():
        return None  # "exp and log" is no "expand", "as in" no "asin"
    if squashed_name == "logits":
        return None  # what a softmax takes, not the function of a probability
    known = _spellings()
    plural = squashed_name[:-1] if squashed_name.endswith("s") and len(squashed_name) > 4 else squashed_name
    return known.get(squashed_name) or known.get(plural)


@cache
def _words() -> dict[str, str]:
    found: dict[str, str] = read_json("operator_words.json")
    return found


@cache
def _spellings() -> dict[str, OperatorEntry]:
    """Return every Latin spelling, squashed: the catalogue's names, other names, PyTorch's functions, modules."""
    found: dict[str, OperatorEntry] = {}
    for op in operators():
        found.setdefault(squashed(op.name), op)
    for op in operators():
        for alias in op.aliases:
            found.setdefault(squashed(alias), op)
    for signature in sorted(signatures(), key=lambda s: s.is_module):
        name = signature.path.rpartition(".")[2]
        if signature.path in _INTERNAL:
            continue
        found.setdefault(squashed(name), OperatorEntry(name=_snake(name), path=signature.path))
    return found


@cache
def _with_small_words() -> frozenset[str]:
    """Return the names that have a small word of their own, squashed."""
    names = (name for op in operators() for name in (op.name.replace("_", " "), *op.aliases))
    return frozenset(squashed(name) for name in names if _SMALL_WORDS.search(name))


@cache
def _chinese() -> dict[str, str]:
    return {_joined(name.lower()): op.name for op in operators() for name in op.zh}


def _joined(name: str) -> str:
    return re.sub(r"[ _\-]", "", name)


@cache
def _chinese_names() -> re.Pattern[str]:
    known = {name.lower() for op in operators() for name in op.zh}
    parts = (re.split(r"[ _\-]", name) for name in sorted(known, key=lambda n: len(_joined(n)), reverse=True))
    return re.compile(
        "|".join("[ _-]?".join(_BORDER.sub(" ?", re.escape(part)) for part in name) for name in parts)
    )


@cache
def _by_path() -> dict[str, tuple[Signature, ...]]:
    found: dict[str, tuple[Signature, ...]] = {}
    for signature in signatures():
        found[signature.path] = (*found.get(signature.path, ()), signature)
    return found


@cache
def _by_name() -> dict[str, tuple[Signature, ...]]:
    found: dict[str, tuple[Signature, ...]] = {}
    for path, ways in sorted(_by_path().items(), key=lambda item: item[1][0].is_module):
        found.setdefault(squashed(path.rpartition(".")[2]), ways)
    return found


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _composite(node: ast.stmt) -> OperatorEntry:
    """Read a function of `composites.txt`: names in its docstring, shapes and what a tensor holds in annotations."""
    assert isinstance(node, ast.FunctionDef)
    category, _, names = (ast.get_docstring(node) or "").partition(":")
    latin, _, chinese = names.partition(";")
    parts: dict[str, str] = {}
    draws: dict[str, str] = {}
    limits: dict[str, str] = {}
    for argument in node.args.args:
        held, _, shape = ast.literal_eval(argument.annotation or ast.Constant("")).rpartition(";")
        if held or (shape and re.match(r"[a-z0-9]+(?: |\Z)", shape) and shape != "shape"):
            draw, _, limit = (held or shape).partition(" ")
            draws[argument.arg] = {"index": "entries", "count": "counts"}.get(draw, draw)
            limits |= {argument.arg: limit} if limit else {}
            shape = shape if held else ""
        parts |= {argument.arg: shape.strip()} if shape.strip() not in ("", "shape") else {}
        argument.annotation = ast.Name("Tensor")
    signature = _signature(f"{node.name}({ast.unparse(node.args)})")
    for argument in (*node.args.args, *node.args.kwonlyargs):
        argument.annotation = None
    node.body = node.body[1:]
    return OperatorEntry(
        name=node.name,
        category=category.strip(),
        aliases=tuple(name for n in latin.split(",") if (name := n.strip())),
        zh=tuple(name for n in chinese.split(",") if (name := n.strip())),
        source=ast.unparse(node),
        own=signature,
        draws=draws,
        parts=parts,
        limits=limits,
    )


def _signature(line: str) -> Signature:
    path, _, rest = line.partition("(")
    arguments = ast.parse(f"def f({rest}: ...").body[0].args  # type: ignore[attr-defined]
    missing = len(arguments.args) - len(arguments.defaults)
    defaults = [None] * missing + arguments.defaults + arguments.kw_defaults
    parameters = []
    for argument, default in zip(arguments.args + arguments.kwonlyargs, defaults, strict=True):
        kind, _, none = ast.unparse(argument.annotation).partition(" | ")
        parameters.append(
            Parameter(
                name=argument.arg,
                kind=kind,
                default=ast.unparse(default) if default is not None else None,
                optional=bool(none),
            )
        )
    return Signature(path=path, parameters=tuple(parameters))


@cache
def operator_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return every phrase, compiled, with its replacement."""
    listed: dict[str, list[tuple[str, str]]] = read_json("operator_phrases.json")
    return tuple(
        (re.compile(pattern), written) for phrases in listed.values() for pattern, written in phrases
    )
