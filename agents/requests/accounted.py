"""Compare what would be built with the words of a text: every number and every named tensor must be found in it.

The recognisers say which words they have read. This looks the other way round, from what would be built, so that a word
that was taken for one that says nothing, or was lost when the text was respelt, is asked about.
"""

import ast
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator

from akgen.agents.requests.declarations import declarations
from akgen.agents.requests.formula import is_mask
from akgen.agents.requests.marks import Mark, MarkedText
from akgen.agents.requests.needs import takes_its_numbers
from akgen.agents.requests.program import tensors_in
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.sizes import take_dtypes
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

_N = r"(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?"
_NUMBER = re.compile(
    rf"(?<![a-z0-9_.])(?:(?P<root>sqrt\(|√ ?\(?)(?P<under>{_N})(?: ?/ ?(?P<over>{_N}|π|pi))?\)?"
    rf"|(?P<left>{_N}) ?(?P<sign>/|\*\*|\^|<<) ?(?P<right>{_N}|π|pi)"
    rf"|(?P<plain>{_N})(?P<unit>[km](?![a-z])| ?(?:thousand|million|[百千万亿]+))?)(?![\d.]*[a-z_])"
)
_NAMELESS = re.compile(  # numbers that are part of a name, count axes or points of a list
    r"(?:fp|bf|int|float|bfloat|uint|[fiu]|conv|pool|relu|log|exp|atan|expm|log1p|l)-?\d+[dp]?"
    r"|(?<![a-z0-9_.])\d ?-?d(?![a-z])|(?<![a-z0-9_])(?:910|310)[a-z]*\d?(?![\d])|[二三四]维"
    r"|^[ \t]*\d+[.)][ \t]+",
    re.M,
)
_UNITS = {"": (1,), "k": (1000, 1024), "m": (10**6, 1 << 20), "thousand": (1000,), "million": (10**6,)}
_OF_TYPES = re.compile(r"(?:u?int|fp|bf|float|bfloat)\d+")  # "halves" may be others
_LIMITED = re.compile(
    r"\s*(?:use|using|on|in|with|need|want|a|an|the|plain|用|在|要|需要|需|想要|想|做|写|一个|个)*\s*"
)
_MASKING = re.compile(r"mask|tril|triu|causal")
_LETTER = re.compile(r"(?<![a-z0-9_'])[b-hj-z](?![a-z0-9_'])")  # not the article, not the person
_JOINED = re.compile(r"(?:and|with|to|by|from|plus|minus|times|和|与|加|减|乘|[-+*/])\s*\Z")
_JOINED_BEHIND = re.compile(r"\s*(?:and|with|plus|minus|times|和|与|加|减|乘|[-+*/])")
_MORE = re.compile(r" ?[-+*/@^] ?([a-z(][a-z0-9_]*)")
_MORE_BEFORE = re.compile(r"([a-z0-9_]*[a-z0-9_)]) ?[+*/@^] ?\Z")
_SIGNED = re.compile(
    r"(?<![\w.])[a-z]\d? ?(?:[+*@^]|(?<= )-(?= )) ?[a-z(]\w*|(?<=[)\w]) ?(?:[+*@^]|(?<= )-(?= )) ?[a-z]\d?(?![\w.'])"
)
_NUMBER_NAMED = re.compile(r"(?<![A-Za-z0-9_.])([A-Z]) ?= ?\d+(?:\.\d+)?(?![\w.])")
_GIVEN = re.compile(r"(?<![\w.])([a-z_]\w*) ?[-+*/]?=(?!=| ?[\[(]?-?\d[\d. ]*(?:[x×] ?\d|[,;，；\])]|\Z))")
_WANTED = re.compile(r"(?:(?<![a-z])(?:returns?|returning|outputs?|give)(?![a-z])|返回|输出)[^.;。；\n]*")
_TRUTHS = (0.0, 1.0)  # what masks, conditions and signs hold
_MOST_EXPONENT, _MOST_BASE = 64, 1e6
_WORDS = {
    "mask": r"(?<![a-z])(?:masks?|masked|masking)(?![a-z])|掩码|掩膜",
    "self": r"(?<![a-z])(?:itself|themselves)(?![a-z])|自身|自己|本身",
    "limit": r"(?<![a-z])(?:except|excluding|exclude[sd]?|ignor(?:e[sd]?|ing)|skip(?:ping|s)?|apart from|other than"
             r"|unless|without|but not)(?![a-z])|除了|除外|排除|忽略|跳过|不含|不包括",
    "each": r"(?<![a-z])(?:of|for|in|per|over) (?:each|every) (?!of)[a-z]+(?:'s)?(?: [a-z]+)?|(?<![a-z])per[- ]"
            r"(?:sample|image|token|frame|example|item|head|batch|channel)(?![a-z])|每个?(?:样本|"
            r"图像?|词元|通道|头|帧)(?!数)",
    "layout": r"(?<![a-z])(?:nhwc|ndhwc|nwc|nlc|channels?[- ]last)(?![a-z])|通道(?:在)?最后",
    "only": r"(?<![a-z])only(?![a-z])|仅|只(?!是)",
    "activation": (
        r"(?<![a-z])(?:with|and|plus|then|by|fus(?:e[sd]?|ing)|apply(?:ing)?|followed by)(?: in)?,? (?"
        r":an? |the |its "
        r"|some |my |our |your )?(?:fused |final |usual )?(?:activation|non-?linearity)(?: function| f"
        r"n| op)?(?![a-z_])(?! ?(?:x|of"
        r"|tensor|input|quant|shape|is|are|\[|\(|\d))|(?<![a-z])(?:fused|\+) ?activation(?![a-z])(?! ?[\[(\d])"
        r"|(?:带|加|接|和|与|融合|跟)(?:上|个|一个|一起)?(?:激活(?:函数|层)?|非线性)(?!值|张量|为|是|["
        r":：\[]| ?\d)|激活(?:函数)?(?:也|一起)?(?:融|合)"
    ),
}  # fmt: skip

_AVERAGED = re.compile(r"(?<![a-z_])average[sd]?(?![a-z_]| ?[=(])|取平均|求平均", re.I)
_OF_NUMBERS = {
    "softmax",
    "normalization",
    "activation",
    "attention",
    "loss",
    "matmul",
    "convolution",
    "pooling",
}


def lost_results(said: str, request: Request) -> list[str]:
    """Return results that a text wants of its equations, "return w and s", where what would be built returns one."""
    one = not request.steps[1:]
    if one or request.every_result or request.returned or any(s.formula is None for s in request.steps):
        return []
    given = {m[1] for m in _GIVEN.finditer(said.lower())}
    wanted = [{*re.findall(r"[a-z_]\w*", m[0])} & given for m in _WANTED.finditer(said.lower())]
    return sorted(next((names for names in wanted if len(names) > 1), set()))


def unaccounted(text: MarkedText, said: str, request: Request, known: Request) -> list[str]:
    """Return the words of a text that what would be built has nothing of; `said` is the text as it was written."""
    if not request.steps:
        return []
    return [
        *_numbers(said, request, known),
        *(str(o) for s in request.steps if not takes_its_numbers(s) for o in s.operands),
        *_words(text, said, request),
        *_letters(text, request),
        *_one_letter(said, request),
        *_signs(text),
        *_types(text, request),
    ]


def _numbers(said: str, request: Request, known: Request) -> list[str]:
    built = {*_values(request), *_values(known), float(len(tensors_in(request)))}
    built |= {
        a * b for a in _flat(request.shapes) for s in request.steps for b in _flat(s.attributes.values())
    }
    return numbers_without(said, built)


def numbers_without(said: str, built: set[float]) -> list[str]:
    """Return the numbers of a text that are none of those in what would be built, up to their sign."""
    plain = unicodedata.normalize("NFKC", said).replace("×", "x").lower()
    known = {*_TRUTHS, *built}
    return [
        match[0]
        for match in _NUMBER.finditer(_NAMELESS.sub(" ", plain))
        if not any(all(_found(value, known) for value in values) for values in _readings(match))
    ]


def _found(value: float, built: set[float]) -> bool:
    return any(_same(value, number) for number in built)


def _readings(match: re.Match[str]) -> Iterator[tuple[float, ...]]:
    """Yield what a number may stand for; an operation for its result, or for its two sides apart."""
    if match["root"]:
        over = match["over"] or "1"
        root = math.sqrt(float(match["under"]) / (math.pi if over in ("π", "pi") else float(over) or 1.0))
        yield (root,)
        yield (1 / root if root else root,)
    elif match["sign"]:
        left, right = (
            math.pi if side in ("π", "pi") else float(side) for side in match.group("left", "right")
        )
        yield (left, right)
        if match["sign"] == "/" and right:
            yield (left / right,)
        elif right <= _MOST_EXPONENT and left <= _MOST_BASE:
            yield (left * 2**right if match["sign"] == "<<" else left**right,)
    else:
        value, unit = float(match["plain"].replace("_", "")), (match["unit"] or "").strip()
        for factor in _UNITS.get(unit) or (1, _chinese(unit)):
            yield (value * factor,)


def _chinese(units: str) -> int:
    return math.prod({"百": 100, "千": 1000, "万": 10**4, "亿": 10**8}[unit] for unit in units)


def _same(value: float, found: float) -> bool:
    return math.isclose(value, abs(found), rel_tol=1e-4, abs_tol=1e-12)


def _values(request: Request) -> Iterator[float]:
    """Yield every number in a request."""
    yield from _flat(request.shapes)
    yield from _flat(request.sizes.values())
    for step in request.steps:
        yield from _flat(step.attributes.values())
        yield from _flat(step.operands)
        yield from _constants(step.formula)
        yield from _of_operator(step)
    if request.knobs is not None:
        yield from _flat(request.knobs.model_dump(exclude_none=True).values())


def _flat(values: Iterable[object]) -> Iterator[float]:
    for value in values:
        if isinstance(value, int | float):
            yield float(value)
        elif isinstance(value, tuple | list):
            yield from _flat(value)


def _constants(formula: str | None) -> Iterator[float]:
    if formula is not None:
        yield from _flat(n.value for n in ast.walk(ast.parse(formula)) if isinstance(n, ast.Constant))


def _of_operator(step: ChainStep) -> Iterator[float]:
    """Yield the numbers in what defines an operator and in its name: the 127 of int8, the 2 of log2."""
    entry = operator_named(step.operator) if step.formula is None else None
    if entry is not None:
        yield from _constants(entry.source)
        yield from (float(n) for n in re.findall(r"\d+(?:\.\d+)?", f"{entry.name} {entry.expression or ''}"))


def _words(text: MarkedText, said: str, request: Request) -> Iterator[str]:
    plain = {s.operator for s in request.steps} <= {"binary_cross_entropy"}
    if plain and (named := re.search(r"(?<![a-z])logits?(?![a-z])", said, re.I)) is not None:
        yield named[0]
    formulas = [s.formula for s in request.steps]
    if (averaged := _AVERAGED.search(said)) is not None and all(f and "mean" not in f for f in formulas):
        yield averaged[0]  # "sqrt((a - b)^2 + eps) average": a formula has no reduction to choose
    for name, pattern in _WORDS.items():
        for match in re.finditer(pattern, text.text):
            if (name == "activation" or _silent(text.marks, match)) and not _meant(
                name, text, match, request
            ):
                yield match[0]


def _letters(text: MarkedText, request: Request) -> Iterator[str]:
    """Yield tensors that are named beside formulas which do not take them: "sum of relu(x) and y"."""
    taken = {v for s in request.steps for v in s.variables}
    formulas = [m for m in text.marks if isinstance(m.value, ChainStep) and m.value.formula is not None]
    for match in _LETTER.finditer(text.text) if formulas else ():
        joined = _JOINED.search(text.text[: match.start()]) or _JOINED_BEHIND.match(text.text[match.end() :])
        if match[0] not in taken and joined and _silent(text.marks, match):
            yield match[0]
    for formula in formulas:  # "x * (1 + scale) + shift" of which only a part was read
        behind, before = (
            _MORE.match(text.text[formula.end :]),
            _MORE_BEFORE.search(text.text[: formula.begin]),
        )
        for more, at in ((behind, formula.end), (before, 0)):
            if more is not None and _unread(text, at + more.start(1), at + more.end(1)):
                yield more[1]


def _one_letter(said: str, request: Request) -> Iterator[str]:
    """Yield a number and a tensor that capitals alone tell apart: "T = 2, t: [32, 50]"."""
    if not any(s.formula for s in request.steps):
        return
    for match in _NUMBER_NAMED.finditer(said):
        before = said[: match.start()]
        inside = max(before.rfind("["), before.rfind("(")) > max(before.rfind("]"), before.rfind(")"))
        small = match[1].lower()
        tensor = rf"(?<![A-Za-z0-9_.]){small} ?(?:[:=：]|is|of|of shape|shape|是|为|形状)? ?[\[(] ?\d"
        if not inside and re.search(tensor, said):
            yield from (match[1], small)


def _signs(text: MarkedText) -> Iterator[str]:
    """Yield what a sign joins to a tensor, where nobody read the sign: "x + LN(x)" is no LN alone."""
    for match in _SIGNED.finditer(text.text):
        at = match.start() + re.search(r"[-+*@^]", match[0]).start()  # type: ignore[union-attr]
        if _unread(text, at, at + 1):
            yield match[0]


def _types(text: MarkedText, request: Request) -> Iterator[str]:
    """Yield types that are said of the tensors of a formula alone, which nothing of what would be built has."""
    if any(s.formula is None and s.operator != "cast" for s in request.steps):
        return  # operators have types of their own: of indices, of what they quantize to
    built = {d for d in DType if any(str(d.value) in str(v) for s in request.steps for v in _typed(s))}
    built |= {*request.dtypes}
    built |= {DType.BOOL, DType.INT64} if any(s.holds for s in request.steps) else {DType.BOOL}
    said = MarkedText(text.text)
    take_dtypes(said)
    for mark in said.sorted():
        spelt = said.text[mark.begin : mark.end]
        if mark.value not in built and _OF_TYPES.fullmatch(spelt):
            yield spelt
    declared = declarations(text.text, request.steps[0].variables) if request.steps[0].variables else None
    for tensor in declared.tensors if declared is not None else ():
        if tensor.dtype is not None and tensor.dtype not in _types_of(tensor.name, request):
            yield f"{tensor.name} {tensor.dtype.value}"


def _types_of(name: str, request: Request) -> tuple[DType, ...]:
    """Return the types that a tensor of the first formula has."""
    held = request.steps[0].holds.get(name)
    if held is None:
        return (*request.dtypes, *([DType.BOOL] if is_mask(name, request.steps[0].formula or "0") else []))
    return (DType.BOOL if held.draw == "mask" else held.dtype or DType.INT64,)


def _typed(step: ChainStep) -> Iterator[object]:
    """Yield what a step says of types: its conversion, its formula, what its tensors hold."""
    yield from (step.attributes.get("dtype", ""), step.formula, step.index_dtype)
    yield from (held.dtype for held in step.holds.values())


def _unread(text: MarkedText, begin: int, end: int) -> bool:
    return not any(
        m.begin < end and begin < m.end and m.kind not in ("filler", "label", "then") for m in text.marks
    )


def _silent(marks: list[Mark], match: re.Match[str]) -> bool:
    """Say whether nothing but a word that says nothing was read at this place."""
    return not any(
        m.begin < match.end() and match.start() < m.end and m.kind not in ("filler", "label") for m in marks
    )


def _meant(name: str, text: MarkedText, match: re.Match[str], request: Request) -> bool:
    if name == "only":  # "only bf16", "use only 20 cores" limit what is marked, not what is computed
        return any(
            m.kind not in ("filler", "label", "axis") and _LIMITED.fullmatch(text.text[match.end() : m.begin])
            for m in text.marks
            if m.begin >= match.end()
        )
    steps = request.steps
    if name == "layout":  # PyTorch's layers have the channels second
        kinds = {
            e.category for s in steps if s.formula is None and (e := operator_named(s.operator)) is not None
        }
        return not kinds & {"convolution", "pooling"}
    if name == "each":
        return not any(_takes_all(s) for s in steps)
    if name == "activation":
        return any(_activates(s) for s in steps)
    if name != "mask":
        return False
    named = any(s.attributes.get("is_causal") or _MASKING.search(s.operator) for s in steps)
    kinds = {e.category for s in steps if s.formula is None and (e := operator_named(s.operator)) is not None}
    boolean = request.dtypes == (DType.BOOL,) and not kinds & _OF_NUMBERS
    added = any("mask" in s.variables for s in steps)
    return named or boolean or added or any(t.draw == "mask" for t in tensors_in(request))


def _activates(step: ChainStep) -> bool:
    """Say whether a step applies an activation: one by name, in its own definition or in its formula."""
    entry = operator_named(step.operator) if step.formula is None else None
    names = {
        step.operator,
        *re.findall(r"\w+", f"{step.formula or ''} {entry.source or '' if entry else ''}"),
    }
    kinds = {e.category for name in names if (e := operator_named(name)) is not None}
    return bool(kinds & {"activation", "softmax"} or names & {"sigmoid", "tanh", "clamp", "maximum"})


def _takes_all(step: ChainStep) -> bool:
    """Say whether a step reduces all elements to one, where it could reduce along an axis."""
    entry = operator_named(step.operator) if step.formula is None else None
    if entry is not None and entry.category == "loss":
        said = step.attributes.get("reduction")
        return said is None and any(p.name == "reduction" for s in entry.signatures() for p in s.parameters)
    if entry is None or entry.category != "reduction" or step.attributes.get("dim") is not None:
        return False
    dims = [p for s in entry.signatures() for p in s.parameters if p.name == "dim"]
    return bool(dims) and all(p.default in ("None", None) for p in dims)
