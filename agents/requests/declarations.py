"""Read what a text declares of its tensors: "q, k: (2, 4, 64, 32); mask (64, 64)", "权重 (24, 40)", "int64 ids".

A declaration is names with a shape, a type or both, in either order. All of them are taken out of the text, so that
what is left has the operation alone.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from akgen.agents.requests.marks import words
from akgen.agents.requests.request import Shape
from akgen.agents.requests.sizes import number
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

_CAPITAL = re.compile(  # a matrix, not the article
    r"(?<![A-Za-z0-9_.])A(?=\s*(?:[:\[(]|(?:u?int|fp|bf|float)\d|(?:is|of|has)(?: of| shape)* [\[(\d]|\d))"
)
_LABELS = re.compile(  # "int64 labels, weights (10,)": the type is that of the first alone
    r"(?<![a-z0-9_])((?:int(?:32|64)|long) ?的? ?(?:labels?|targets?|ids|idx|index|indices|标签|目标|索引|下标) ?),"
    r"(?= ?[a-z_]+ ?[\[(])"
)
_FIRST, _TWIN = re.compile(r"(?<![\w.])x1(?![\w.])"), re.compile(r"(?<![\w.*+/-])x([23])(?![\w.])")
_TYPED = ("dtype", "dtype2", "dtype3", "dtype4")
_N = r"\d[\d_]*k?"


class DeclaredTensor(NamedTuple):
    """A tensor: what it is called, its shape and type as far as they are said."""

    name: str
    shape: Shape | None
    dtype: DType | None
    loosely: bool = False  # "integers" names a kind, not a width: an index of them is of PyTorch's type


class Declarations(NamedTuple):
    """The tensors of a text in the order in which they are declared, or shall be passed, and the text without them."""

    tensors: tuple[DeclaredTensor, ...]
    rest: str
    spans: tuple[tuple[int, int], ...] = ()  # where they stand in the text


def declarations(text: str, names: tuple[str, ...] = ()) -> Declarations | None:
    """Return what a text declares; None where a tensor is declared twice, in different ways.

    With `names` only tensors that are called so, in lower case, whatever a word else means.
    """
    if names or _FIRST.search(text) is None or "z2" in text:
        return _declarations(text, names)
    found = _declarations(_TWIN.sub(r"z\1", text), names)  # beside x1, x2 is no factor
    if found is None:
        return None
    tensors = tuple(t._replace(name=re.sub(r"\Az(?=[23]\Z)", "x", t.name)) for t in found.tensors)
    return found._replace(
        tensors=tensors, rest=re.sub(r"(?<![a-z0-9_])z(?=[23](?![a-z0-9_]))", "x", found.rest)
    )


def _declarations(text: str, names: tuple[str, ...]) -> Declarations | None:
    text = text if names else _CAPITAL.sub("a0", text)
    plain = unicodedata.normalize("NFKC", text).replace("×", "x").replace("−", "-").lower()
    plain = _LABELS.sub(r"\1;", _corrected().sub(r"\2", plain))
    loose: set[str] = set()
    spans: list[tuple[int, int]] = []
    said: list[tuple[list[re.Match[str]], int, Shape | None, DType | None]] = []
    for pattern in (_before(names), _behind(names), _typed(names), _typed_before(names)):
        for match in pattern.finditer(plain):
            if any(match.start() < end and begin < match.end() for begin, end in spans):
                continue
            groups = match.groupdict()
            shape = _shape(groups["shape"]) if groups.get("shape") else None
            typed = next((groups[k] for k in _TYPED if groups.get(k)), None)
            dtype = _types()[typed] if typed is not None else None
            if typed in words()["some integers"]:
                loose |= {_spelt(n) for n in re.finditer(_name(names), match["names"])}
            begin, end = match.span("names")
            called = list(re.compile(_name(names)).finditer(plain, begin, end))
            leads = match.start() == called[0].start() and called[0][0] == "mean"  # the operator, not a noun
            while not names and len(called) > 1 and "_" in called[0][0] and operator_named(called[0][0]):
                called, leads = called[1:], match.start() == begin  # "index_select, x [8, 4]"
            first = called[0].start()
            called = called if names else _called(plain, called)
            said.append((called, len(spans), shape, dtype))
            spans.append((max(first, called[0].start()) if leads else match.start(), match.end()))
    found: dict[str, DeclaredTensor] = {}
    begins: dict[str, int] = {}
    taken: list[tuple[int, int]] = []
    # The names that stand right beside a shape have it; names before them may belong elsewhere.
    nearest: dict[str, int] = {}
    for called, at, shape, _ in said:
        stands_before = spans[at][0] == called[0].start()
        if shape is not None:
            nearest.setdefault(_spelt(called[-1 if stands_before else 0]), at)
    for called, at, shape, dtype in said:
        begin, end = spans[at]
        if begin == called[0].start():
            while len(called) > 1 and nearest.get(_spelt(called[0]), at) != at:
                called = called[1:]
            begin = called[0].start()
        for name in called:
            spelt = _spelt(name)
            before = found.get(spelt, DeclaredTensor(spelt, shape, dtype))
            if (shape and before.shape and before.shape != shape) or (
                dtype and before.dtype and before.dtype != dtype
            ):
                return None
            loosely = spelt in loose
            found[spelt] = DeclaredTensor(spelt, before.shape or shape, before.dtype or dtype, loosely)
            begins[spelt] = min(begins.get(spelt, name.start()), name.start())
        taken.append((begin, end))
    order = sorted(found, key=lambda name: begins[name])
    for match in _order(names).finditer(plain):
        listed = [_spelt(n) for n in re.finditer(_name(names), match["names"])]
        if set(listed) == set(order):
            order = listed
            taken.append(match.span())
    rest = plain
    for begin, end in sorted(taken, reverse=True):
        rest = f"{rest[:begin]} , {rest[end:]}"
    rest = re.sub(r"(?<![a-z0-9_])a0(?![a-z0-9_])", "a", rest)
    return Declarations(tuple(found[n] for n in order), rest, tuple(sorted(taken)))


def _spelt(name: re.Match[str]) -> str:
    return re.sub("[ -]", "_", name[0]).replace("a0", "a")


def ends_with_type(text: str) -> bool:
    """Say whether a text ends with a type that stands apart, "a of 512, b of 300, int32": it is that of all tensors."""
    return re.search(rf"[,，;；]\s*(?:all |in |都是?)?(?:{_dtype()})\s*[.。]?\s*\Z", text.lower()) is not None


def _called(plain: str, names: list[re.Match[str]]) -> list[re.Match[str]]:
    """Drop nouns that only say what the next name is, "weight w_ih", and names of operators: "mean, logits"."""
    kept = [
        name
        for name, after in zip(names, [*names[1:], None], strict=True)
        if after is None or plain[name.end() : after.start()].strip() or not _is_noun(name[0])
    ]
    spread = any(n[0] in ("var", "variance", "running_var") for n in kept)
    return [n for n in kept if n[0] != "mean" or n is kept[-1] or spread]


def _is_noun(name: str) -> bool:
    return len(name) > 2 or not name.isascii()


def _shape(said: str) -> Shape:
    said = re.sub(_dtype(), " ", said)
    return tuple(number(n) for n in re.findall(rf"(?<![\d_]){_N}", re.sub(r"[a-z]\w* ?=", " ", said)))


@cache
def _types() -> dict[str, DType]:
    return {word: DType(name) for name, listed in words()["dtypes"].items() for word in listed}


@cache
def _dtype() -> str:
    said = sorted(_types(), key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in said if w.isascii())
    return "|".join(
        [rf"(?<![a-z0-9_])(?:{latin})(?![a-z0-9_])", *(re.escape(w) for w in said if not w.isascii())]
    )


@cache
def _name(names: tuple[str, ...]) -> str:
    """Match one name: of a few letters, with a digit or an underscore, or a noun for a tensor in either language."""
    if names:
        listed = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True))
        return rf"(?<![a-z0-9_.])(?:{listed})(?![a-z0-9_])"
    said = words()["declared"]
    nouns = sorted({*said["nouns"], *(t for t in words()["tensors"] if len(t) > 1)}, key=len, reverse=True)
    types = "|".join(re.escape(w) for w in _types() if w.isascii())
    latin = rf"(?:(?:{'|'.join(nouns)})(?:_?\d|_[a-z]+)?|[a-z]{{1,2}}\d?|[a-z]+_[a-z0-9_]+|[a-z]+\d)"
    stop = rf"(?!(?:{said['stop']}|{types})(?![a-z0-9_]))"
    return rf"(?:(?<![a-z0-9_]){stop}{latin}(?![a-z0-9_])|{said['nouns_zh']})"


@cache
def _names(names: tuple[str, ...]) -> str:
    one = _name(names)
    first = r"(?<![-+*/@^] )(?<![-+*/@^])" if names else ""  # "a * s, q is 8x64" tells q alone
    return rf"(?P<names>{first}{one}(?:(?:\s*(?:,|/|&|、|和|与|及)\s*(?:and )?|\s+and\s+|\s+){one})*)"


@cache
def _link() -> str:
    return rf"(?:\s|[:=]|{words()['declared']['link']})*"


@cache
def _sized() -> str:
    several = rf"{_N}(?:(?: ?[x*] ?| by ){_N})+(?![a-z0-9_])"
    letters = rf"\(?(?<![a-z0-9_])[a-z]\w{{0,7}}\s?=\s?{_N}(?:[ ,、]+[a-z]\w{{0,7}}\s?=\s?{_N})+\)?"
    return rf"[\[(] ?{_N}(?: ?[,x*] ?{_N})* ?,? ?[\])]|{several}|{letters}"


@cache
def _alone(*, sure: bool) -> str:
    """Match one length, which needs a word that says it is one, a plural or a type behind it unless names are sure."""
    said = words()["declared"]
    free = r"(?![\d.x*%a-z]|\s?[x*]\s?\d)"
    counted = rf"(?:vector |list )?(?:of )?{_N} ?(?:(?P<dtype4>{_dtype()}) ?)?(?:{said['entries']})"
    if sure:
        ends = rf"(?=\s*(?:[,.;，。；)\n]|$|and\b|{_dtype()}|each\b|和|的))"
        return rf"(?:{said['length']})\s*{_N}{free}|[,，]?\s*{counted}|{_N}{free}{ends}"
    return (
        rf"(?:{said['length']})\s*{_N}{free}|{_N} ?个(?=\s*[)）])|\d{{2,}} ?个(?=\s*(?:[,，。;；]|\Z))"
        rf"|{_N}(?= each\b| ?(?:个 ?)?(?:{_dtype()}))"
        rf"|(?<=[^a-z0-9_]b ){_N}{free}(?=\s*(?:[,.;)]|$))"
    )


@cache
def _axes() -> str:
    name = (
        r"(?:batch|time|channels?|tokens?|heads?|n_?heads|seq(?:_?len|uence)?|head_?dim|dim|hidden|features?|height"
        r"|width|rows?|cols?|columns?|classes|length)"
    )
    return (
        rf"(?:\s*(?:是|is|as|为)?\s*\((?:[a-z](?:\s*,?\s*[a-z]){{1,5}}|{name}(?:\s*[,x]\s*{name}){{1,4}})\))?"
    )


@cache
def _before(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match names before their shape: "q, k: (2, 4, 64, 32) fp16", "偏置各 192", "x (B, T, C) = (4, 128, 32)"."""
    return re.compile(
        rf"{_names(names)}(?:\s*\([a-z](?:\s*,\s*[a-z])*\)\s*)?{_link()}(?:\(?(?P<dtype>{_dtype()}){_link()}[,，]?\s*)?"
        rf"(?P<shape>{_sized()}|{_alone(sure=bool(names))})(?:\s*\(?\s*(?:是|为|个|的)?\s*(?P<dtype2>{_dtype()})\s*\)?|\s*[,，]\s*(?P<dtype3>{_dtype()})(?!\s*的?\s*{_name(names)}))?{_axes()}"
        r"(?:\s*each\b|\s*的(?=[\s,，。.]|$))?"
    )


@cache
def _behind(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match names behind their shape: "512x32 logits", "(64, 64) 的 bool 掩码"."""
    return re.compile(
        rf"(?:(?P<dtype3>{_dtype()})\s*的?\s*)?(?P<shape>{_sized()})\s*的?\s*(?:(?P<dtype>{_dtype()})\s*的?\s*)?{_names(names)}"
    )


@cache
def _typed(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match names with a type alone: "idx (int64)", "labels are int64", "标签 int64"."""
    return re.compile(rf"{_names(names)}{_link()}\(?\s*(?P<dtype>{_dtype()})\s*\)?(?:\s*的(?=[\s,，。.]|$))?")


@cache
def _typed_before(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?P<dtype>{_dtype()})\s*的?\s*{_names(names)}")


@cache
def _order(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{words()['declared']['order']}{_link()}[(\[]?\s*{_names(names)}\s*[)\]]?")


@cache
def _corrected() -> re.Pattern[str]:
    """Match a shape that the next one takes the place of: "[3, 5]... sorry, [30, 50]"."""
    return re.compile(
        rf"({_sized()})(?:[\s.,，;…—\-]*(?:{words()['declared']['correction']})[\s.,，:]*)+({_sized()})"
    )
