"""Read a chain clause by clause, each of which acts on what came before with the tensors that it names.

"x [16, 32] -> linear with w1 [64, 32] and b1 [64] -> gelu, times the original input": the tensors are told with their
shapes; the rest is taken apart at the words and signs that join steps. A clause that is not read whole, a tensor that
no clause takes, and sizes that do not fit leave the text to a question.
"""

import ast
import re
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from keyword import iskeyword

from akgen.agents.requests.by_clauses.acts import Clauses, Read
from akgen.agents.requests.by_clauses.assembled import ClauseAssembly, said_again
from akgen.agents.requests.by_clauses.context import Chain, NotAStep, identifier, pattern, said_words
from akgen.agents.requests.formula import operations_of
from akgen.agents.requests.marks import words
from akgen.agents.requests.parts import parts_of
from akgen.agents.requests.request import Request, Shape
from akgen.agents.requests.restated import compute_same
from akgen.agents.requests.specified.layout import SpecifiedText, type_words
from akgen.agents.requests.specified.program import GivenTensor
from akgen.agents.requests.specified.tensors import SHAPE, SpecifiedTensor, dtype_of, shape_of, told_tensors
from akgen.agents.requests.stated import stated_result
from akgen.knowledge.operators import find_operators
from akgen.tools.core.dtypes import DType

_LONGEST = 700
_MOST_CLAUSES = 14
_ALONE = "x"
_PAIR = 2
_MANY = 3  # steps of which something is made that a title names


@lru_cache(maxsize=64)  # the same text is looked at by several readers
def stepwise_request(said: str, read: Read) -> Request | None:
    """Return the request of a chain whose clauses are all understood; None of another text.

    `read` reads a text that says one operator, its tensors and their type.
    """
    if len(said) > _LONGEST or "```" in said:
        return None
    plain = said
    for name in ("same shape", "no affine", "no bias"):
        plain = pattern(name).sub(" ", plain)
    if pattern("beyond").search(plain):
        return None  # what limits, denies or compares
    request = _read(said, read, set())
    if request is None and (stated := stated_result(said)).anything:
        request = _read(stated.rest, read, {*stated.shapes})
    return request


def _read(said: str, read: Read, wanted: Set[Shape | None]) -> Request | None:
    told = ToldChain(said)
    if not told.tensors or not 0 < len(told.clauses) <= _MOST_CLAUSES:
        return None
    return _built(told, read, wanted)


class ToldChain:
    """The tensors of a text, their types, and its clauses in order."""

    def __init__(self, said: str) -> None:
        said = re.sub(r"(?<=\d) ?× ?(?=\d)", "x", said)
        for noun, name in _noun_names():
            said = re.sub(rf"{noun}(?=[\s:：是为的形状也]{{0,4}}(?:{SHAPE}))", f" {name} ", said)
        layout = SpecifiedText(_APART.sub(lambda m: ", ".join(m[0].split()), said))
        text = layout.text
        tensors = _named(layout)
        self.tensors = _once(tensors)
        spans = [(t.begin + len(t.name), t.end) for t in tensors if not _shared(t, tensors)]
        loose = [
            m
            for m in _LOOSE().finditer(text)
            if not any(t.begin < m.end() and m.start() < t.end for t in tensors)
        ]
        loose = [m for m in loose if _is_input(text, m)]
        if not any(t.name.lower() == _ALONE for t in tensors) and len(loose) == 1:
            (match,) = loose
            dtype = dtype_of(match["before"] or match["behind"] or "")
            tensor = SpecifiedTensor(_ALONE, shape_of(match["shape"]), dtype, *match.span())
            self.tensors = [tensor, *self.tensors]
            spans.append(match.span())
        for begin, end in sorted(spans, reverse=True):
            text = text[:begin] + "\0" * (end - begin) + text[end:]
        names = [t.name for t in self.tensors]
        for noun, name in _noun_names():
            text = re.sub(noun, f" {name} ", text) if name in names else text
        self.result, text = _result_type(text)
        self.kind, text = _kind(text)
        text = _PARENTHESES.sub(lambda m: "\0" * len(m[0]) if _says_nothing(m[1], names) else m[0], text)
        text = _products(text, {identifier(n) for n in names})
        self.begins: str | None = None
        self.title: tuple[str, ...] = ()  # operators that the title names
        self.clauses = self._clauses(text, names)

    def _clauses(self, text: str, names: Sequence[str]) -> list[str]:
        """Return the clauses that say something, without a title and what only tells tensors."""
        title = pattern("title").match(text)
        parts = [p for p in pattern("hard").split(text[title.end() :] if title is not None else text) if p]
        if (
            title is not None
            and (names_it := re.sub("[\0 ]+", " ", title[0]))
            and find_operators(names_it.lower())
        ):
            silent = bool(parts) and all(_says_nothing(bit, names) for bit in _bits(parts[0]))
            told = find_operators(names_it.lower())
            beside = re.sub(
                rf"(?<![\w.])(?:{'|'.join(map(re.escape, names)) or '-'})(?!\w)", " ", " ; ".join(parts)
            )
            behind = {n.operator for n in find_operators(pattern("idle modes").sub(" ", beside).lower())}
            if len(told) > 1 and not silent and behind <= {n.operator for n in told}:
                parts = [*(p for p in pattern("hard").split(names_it.rstrip(" :：")) if p), *parts]
            elif silent:
                # "embedding lookup: table [50, 8], ids [4]"
                parts[0] = f"{names_it.rstrip(' :：')} {' and '.join(_bits(parts[0]))}"
            else:
                self.title = tuple(n.operator for n in told)
        found: list[str] = []
        for part in parts:
            bits = [re.sub("[\0 ]+", " ", bit).strip(" ,，:：") for bit in _bits(part)]
            kept: list[str] = []
            for bit in bits:
                if not bit or not _says_nothing(bit, names):
                    kept += [bit] if bit else []
                elif kept and _takes_more(kept[-1]) and (more := _only_name(bit, names)) is not None:
                    kept[-1] += f" and {more}"  # "linear with w2 [8, 64], b2 [8]"
            if (
                not found
                and not kept
                and len(bits) == 1
                and identifier(bits[0]) in {identifier(n) for n in names}
            ):
                self.begins = identifier(bits[0])
            if kept:
                found.append(", ".join(kept))
        return _with_eps(found)


def _noun_names() -> list[tuple[str, str]]:
    """Return nouns for tensors, and their usual names."""
    return [(f"(?:{noun})", name) for noun, name in said_words()["noun names"]]


def _may_be_named(name: str, text: str) -> bool:
    """Say whether a word beside a shape is a tensor's name: a letter, a noun for one, or a word that is said again."""
    name = name.lower()
    if iskeyword(name):
        return False
    if re.fullmatch(r"[a-z]\d{0,2}", name) or name in _NOUNS or name in words()["tensors"]:
        return True
    parts = name.split("_")
    if len(parts) > 1 and all(
        re.fullmatch(r"[a-z]\d?|\d", p) or p in _NOUNS or p in words()["tensors"] for p in parts
    ):
        return True
    joins = name in words()["filler"] or pattern("lead").fullmatch(name) or pattern("hard").fullmatch(name)
    return not joins and not find_operators(name) and _again(name, text)


def _again(name: str, text: str) -> bool:
    return len(re.findall(rf"(?<![\w.]){re.escape(name)}(?!\w)", text, re.I)) > 1


def _named(layout: SpecifiedText) -> list[SpecifiedTensor]:
    """Return the tensors with their shapes, those too that have another one's: "y of the same shape"."""
    text = layout.text
    found = [
        t for t in told_tensors(layout) if _may_be_named(t.name, text) and t.name.upper() not in _LAYOUTS
    ]
    found = [t for t in found if not _AXES_OF.search(text[: t.begin])]
    found = [
        t
        for t in found
        if t.name.lower() != "a" or any(len(o.name) == 1 and o.name.lower() != "a" for o in found)
    ]
    first = next((t.shape for t in found if t.shape is not None), None)
    alike: list[SpecifiedTensor] = []
    for match in pattern("same shape").finditer(text):
        name = next(v for k, v in match.groupdict().items() if k.startswith("name") and v is not None)
        said = next((v for k, v in match.groupdict().items() if k.startswith("type") and v is not None), "")
        if first is None or any(t.shape is not None and t.name == name for t in found):
            continue
        begin = match.start() + match[0].index(name)
        found = [t for t in found if t.name != name]
        alike.append(SpecifiedTensor(name, first, dtype_of(said), begin, match.end()))
    shaped = [t for t in found if t.shape is not None]
    return sorted([*shaped, *alike], key=lambda t: t.begin)


def _once(tensors: Sequence[SpecifiedTensor]) -> list[SpecifiedTensor]:
    """Return the tensors by name, in lower case; none where one has two shapes."""
    found: dict[str, SpecifiedTensor] = {}
    for tensor in tensors:
        name = identifier(tensor.name)
        before = found.get(name)
        if before is not None and before.shape != tensor.shape:
            return []
        found[name] = tensor if before is None else before
    return list(found.values())


def _shared(tensor: SpecifiedTensor, tensors: Sequence[SpecifiedTensor]) -> bool:
    """Say whether another name of the same list stands nearer to the shape."""
    return any(t.end == tensor.end and t.begin > tensor.begin for t in tensors)


_APART = re.compile(r"(?<![\w.])(?:[b-zB-Z]\d? ){1,4}[b-zB-Z]\d?(?=\s*(?:[\[(]\s?\d|\d+ ?x ?\d))")
_PARENTHESES = re.compile(r"(?<![A-Za-z0-9_])[(（]([^()（）]*)[)）]")
_PRODUCT = re.compile(
    r"(?<![A-Za-z0-9_])(?P<one>[A-Za-z])\s?(?P<two>[A-Za-z])\s?(?:\^ ?T|\.T|ᵀ)(?![A-Za-z0-9_])"
)


@cache
def _LOOSE() -> re.Pattern[str]:
    kind = type_words()
    return re.compile(
        rf"(?:(?P<before>{kind})\s?(?:的|image|images|tensor|张量|图像|图片)?\s?)?(?P<shape>{SHAPE})"
        rf"(?:\s?(?:的)?\s?(?P<behind>{kind})(?!\s(?:out|in)(?![a-z])))?",
        re.I,
    )


def _products(text: str, names: Set[str]) -> str:
    """Write "QK^T" of two tensors as their product."""

    def written(match: re.Match[str]) -> str:
        fits = {match["one"].lower(), match["two"].lower()} <= names
        return f"{match['one']} @ {match['two']}.T" if fits else match[0]

    return _PRODUCT.sub(written, text)


def _result_type(text: str) -> tuple[DType | None, str]:
    """Return the type that is said of the result, and the text without it."""
    said = pattern("result type").search(text)
    if said is None:
        return None, text
    return dtype_of(
        said["type"] or said["type2"] or said["type3"]
    ), f"{text[: said.start()]}\0{text[said.end() :]}"


_NOUNS = frozenset(
    ("mean", "std", "var", "bias", "gate", "scale", "shift", "weight", "index",
     "gamma", "beta", "mask", "target", "residual", "query", "key", "value", "cos",
     "sin", "gain", "running", "pos", "position", "temperature", "slope")
)  # fmt: skip
_AXES_OF = re.compile(r"(?:(?<![a-z])(?:over|along|across)|沿|对)\s?(?:[A-Z](?:,| and|和|、) ?)?\Z")
_LAYOUTS = ("NCHW", "NHWC", "CHW", "HWC", "BHSD", "BSHD", "BSH")
_SIZED = re.compile(
    r"(?:kernel|window|pool(?:ing)?|conv\w*|stride|pad(?:ding)?|permute|reshape|view|size|to|clamp|clip|range|between|裁剪|限制|核|窗口|步长|填充|到|成)"
    r"[\w ]{0,10}?\s*(?:size|to)?\s*[:=]?\s*\Z",
    re.I,
)


def _is_input(text: str, match: re.Match[str]) -> bool:
    """Say whether a shape without a name may be the input's: not a window, a range or what something becomes."""
    sizes = shape_of(match[0])
    small = len(sizes) < len("abc") and max(sizes) < len("0123456789")
    return not small and _SIZED.search(text[: match.start()]) is None


def _kind(text: str) -> tuple[DType | None, str]:
    """Return the type that is said of all tensors, and the text without it."""
    found = []
    for match in re.finditer(
        rf"(?:(?<![a-z])(?:all|both|everything|in|is|are)\s+|都是?|全部?|均为?)*(?P<type>{type_words()})(?:\s(?:tensors?|inputs?|in|throughout|everywhere))?",
        text,
        re.I,
    ):
        dtype = dtype_of(match["type"])
        before = text[: match.start("type")]
        if dtype is None or re.search(
            r"(?:(?<![a-z])(?:to|into|as|back)|转[换为成到型]*|变[成为]|输出|返回|出)\s?\Z", before, re.I
        ):
            continue
        found.append((match, dtype))
    kinds = {d for _, d in found}
    if len(kinds) != 1:
        return None, text
    for match, _ in reversed(found):
        text = text[: match.start()] + "\0" * len(match[0]) + text[match.end() :]
    return kinds.pop(), text


def _with_eps(clauses: list[str]) -> list[str]:
    """Return the clauses with an eps that is told at the end beside the only norm."""
    last = clauses[-1] if clauses else ""
    told = pattern("eps").fullmatch(last)
    norms = [
        i for i, c in enumerate(clauses[:-1]) if pattern("norm").search(c) or pattern("batch norm").search(c)
    ]
    if told is None or len(norms) != 1 or pattern("eps").search(clauses[norms[0]]):
        return clauses
    bits = _bits(clauses[norms[0]])
    at = next(i for i, b in enumerate(bits) if pattern("norm").search(b) or pattern("batch norm").search(b))
    bits[at] += f" {last}"
    return [*clauses[: norms[0]], ", ".join(bits), *clauses[norms[0] + 1 : -1]]


def _takes_more(bit: str) -> bool:
    return any(pattern(name).search(bit) for name in ("linear", "conv", "norm"))


def _only_name(bit: str, names: Sequence[str]) -> str | None:
    """Return the name that a bit consists of, where it is a bias's."""
    return (
        bit
        if re.fullmatch(r"b\d?|bias\d?|beta\d?", bit, re.I) and bit.lower() in {n.lower() for n in names}
        else None
    )


def _bits(part: str) -> list[str]:
    """Return a part taken apart at commas outside brackets."""
    bits, depth, begin = [], 0, 0
    for at, sign in enumerate(part):
        depth += (sign in "([（") - (sign in ")]）")
        if sign in ",，" and depth <= 0:
            bits.append(part[begin:at])
            begin = at + 1
    return [b.strip() for b in (*bits, part[begin:]) if b.strip()]


def _says_nothing(bit: str, names: Sequence[str]) -> bool:
    """Say whether a bit has names of tensors alone, and words that say nothing."""
    listed = "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)) or "\0"
    bit = pattern("owner").sub(" ", bit.replace("\0", " "))
    bare = re.sub(rf"(?<![\w.])(?:{listed})(?!\w)", " ", bit, flags=re.I)
    return pattern("filler").fullmatch(bare) is not None


def _built(told: ToldChain, read: Read, wanted: Set[Shape | None]) -> Request | None:
    floats = {t.dtype for t in told.tensors if t.dtype is not None and t.dtype.is_float}
    usual = told.kind or (next(iter(floats)) if len(floats) == 1 else None)
    if (
        told.kind is not None
        and told.kind not in {t.dtype for t in told.tensors}
        and all(t.dtype for t in told.tensors)
    ):
        return None  # "softmax in fp32" of fp16 tensors
    assumed = usual is None and all(t.dtype is None for t in told.tensors)
    given = {
        identifier(t.name): GivenTensor(identifier(t.name), t.shape or (), t.dtype or usual or DType.FLOAT32)
        for t in told.tensors
    }
    clauses = [re.sub("[\0]+", " ", c) for c in told.clauses]
    whole = " ; ".join(clauses)
    unnamed = [n for n in given if re.search(rf"(?<![\w.-]){re.escape(n)}(?![\w-])", whole, re.I) is None]
    begins = (
        told.begins
        or next((n for n in ("x", "input", "inp") if n in given), None)
        or next(iter(unnamed), None)
    )
    acts = Clauses(Chain(given), read, begins)
    acts.starts = told.begins
    try:
        acts = _acted(acts, clauses)
        acts.finish(told.result)
    except (NotAStep, RecursionError):
        return None
    value = acts.chain.value(ast.Name(acts.chain.current or ""))
    if value is None or (wanted and value.shape not in wanted):
        return None
    if len(_bits(clauses[-1])) > 1 and _reduces_again(acts.chain):
        return None
    if told.title and len(acts.chain.trees) < _MANY and not _made_of(acts.chain, told.title):
        return None  # what is named, or what the clauses do?
    if len(told.clauses) == 1 and not acts.told and len(acts.chain.trees) < _MANY:
        return None  # "relu, tanh": one after the other, or two results?
    steps = len(acts.chain.trees) + len(given)  # one step with one tensor is for the readers of operators
    return acts.chain.request(assumed=assumed) if acts.chain.trees and steps > _PAIR else None


def _reduces_again(chain: Chain) -> bool:
    """Say whether the last step reduces as one before it: "subtract the maximum, exp, max along dim -1"."""
    *before, last = (ast.unparse(tree) for tree in chain.trees.values())
    found = re.match(r"torch\.(?:amax|amin|sum|mean)\(", last)
    return found is not None and any(found[0] in earlier for earlier in before)


def _made_of(chain: Chain, title: Sequence[str]) -> bool:
    """Say whether a chain applies nothing but what the operators of its title are made of."""
    applied = set().union(*(operations_of(ast.unparse(tree)) for tree in chain.trees.values()))
    parts = {"matmul", "transpose", *title}.union(*(parts_of(name) for name in title))
    return len(applied) > 1 and applied <= parts


def _acted(acts: Clauses, clauses: Sequence[str]) -> Clauses:
    """Return what the clauses do in their order; else in the one way that takes all tensors. Raises NotAStep."""
    bits = [bit for clause in clauses for bit in _bits(clause)]
    straight = acts.copied()
    try:
        _act(straight, clauses)
    except NotAStep:
        pass
    else:
        if not said_again(bits) and not straight.chain.given.keys() - straight.chain.used:
            return straight
    if not find_operators(" ; ".join(bits).lower()) or len(acts.chain.given) + len(bits) <= _MANY:
        raise NotAStep(" ; ".join(bits))
    ways = ClauseAssembly(acts, bits).ways()
    read = [way.chain.request(assumed=False) for way in ways]
    if not ways or any(r is None or not compute_same(read[0] or r, r) for r in read[1:]):
        raise NotAStep(" ; ".join(bits))
    return ways[0]


def _act(acts: Clauses, clauses: Sequence[str]) -> None:
    """Read the clauses in order, what stands between commas as steps or as one step's words. Raises NotAStep."""
    for clause in clauses:
        bits = _bits(clause)
        at = 0
        while at < len(bits):
            acts.later = " ; ".join([*bits[at + 1 :], *clauses[clauses.index(clause) + 1 :]])
            at = _one(acts, bits, at)


def _one(acts: Clauses, bits: Sequence[str], at: int) -> int:
    """Read one step with the words behind it that belong to it; return where the next one begins."""
    end = at + 1
    while end < len(bits) and pattern("belongs").match(bits[end]):
        end += 1
    acts.act(", ".join(bits[at:end]))
    return end
