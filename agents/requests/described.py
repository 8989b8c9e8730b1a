"""Take words that only describe an operator that is named: its tensors, its results, its name said once more."""

import itertools
import re

from akgen.agents.requests.attributes import parameters_of
from akgen.agents.requests.marks import Mark, MarkedText, words
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import find_operators, operator_named

BY_INDEX = re.compile(
    r"(?<![a-z0-9_])[a-z]+(?:\[[a-z0-9_, :+-]+\])+ ?[+*]?=(?!=)(?:\[[^\]]*\]|[^,;，；。\n\[])*"
)

_CONDITION = re.compile(r"[<>]|(?<![a-z])(?:for|if|when|where)(?![a-z])")
_RETURNS = re.compile(
    r"(?:(?<![a-z])(?:returns?|returning|outputs?|updates?)(?![a-z])|返回|输出|更新)[^,;，；。\n]*"
)
_MAY_REPEAT = frozenset(("add", "sub", "mul", "div", "pow", "cast", "linear", "matmul", "cat"))
_AGAIN = re.compile(
    r"(?<![a-z])(?:then|again|twice|two|second|another|and|followed|plus|of|not|no|instead)(?![a-z])|->|→|[+*/<>]"
    r"|再|又|然后|接|两|次|和|加|不|的"
)
_COMPARED = re.compile(  # "like nn.LPPool2d gives", "跟 pytorch 的 LocalResponseNorm 一致"
    r"(?:(?<![a-z])(?:like|as in|same(?: [a-z]+)? as|exactly as|matching|matches|equivalent to|i\.e\.|aka|a\.k\.a\.)"
    r"|[(（]\s*:|即|也就是|(?:跟|与|和|同|像|按照?)(?=\s*(?:pytorch|torch)))"
    r"(?:\s|in|the|pytorch(?:'s)?|torch(?:'s)?|里|中|的)*\Z"
)
_FORM_OF = re.compile(
    r"(?<![a-z])(?:approximat(?:ion|e)|approx|version|variant|form|flavou?r|definition)(?: (?:of|f"
    r"or)(?: the| that)?)?\s*\Z"
    r"|(?:用|采用|使用)(?:的)?(?:是)?[a-z]* ?(?:近似|精确|erf)版?的?\s*\Z"
)
_ONCE_MORE = re.compile(r"(?<![a-z])(?:again|twice|another|second|once more)(?![a-z])|再一次|又|两次")
_WITHIN = re.compile(r"[(（][^()（）,，;；+*/>-]{0,24}\Z")
_RANK = re.compile(r"_?[123]d\Z")
_AND = re.compile(r"\s*(?:,|，|、|/|&|and|和|与|及)\s*(?:and |the )*")
_STOPPED = re.compile(r"[,;:，；：(（]\s*(?:so |i\.e\. |that is,? |即|也就是|就是)?\Z")
_ON_AXIS = re.compile(
    r"\s*(?:it |them )?(?:on|along|over|across|at|in|沿|在)\s*(?:the )?(?:dim(?:ension)?|axis|last|第|最后)",
    re.I,
)


_EPS_PLACE = re.compile(
    r"(?<![a-z])(?:(?:eps(?:ilon)?|ε)[^,;，；。]{0,40}?|(?:with )?(?:the )?(?:eps(?:ilon)?|ε|it) )"
    r"(?:(?:is |goes |gets |being )?(?:added|put|placed|applied) |goes |is |sits )?"
    r"(?P<place>inside|within|under|before|outside(?: of)?|after|to)(?: of)?(?: taking)? (?:the )?"
    r"(?:sqrt|square[ -]?root|root)(?![a-z])"
    r"|(?:eps(?:ilon)?|ε)[^,;，；。]{0,20}?(?:加|放)?在 ?(?:sqrt|根号|开方|平方根) ?的?"
    r"(?P<place_zh>里面?|内部?|之?前|外面?|之?后|之外)"
)
_NUMBERS = re.compile(r".*\d", re.S)
_INSIDE = re.compile(r"inside|within|under|before|里|内|前")


def take_eps_place(text: MarkedText) -> None:
    """Take "eps added after the sqrt" of what adds it there. Raises Unclear of what adds it elsewhere.

    PyTorch's norms add it under the root, its optimizers behind it.
    """
    match = _EPS_PLACE.search(text.text)
    entries = [e for n in find_operators(text.rest) if (e := operator_named(n.operator)) is not None]
    kinds = {e.category for e in entries} & {"normalization", "optimizer"}
    if match is None or len(kinds) != 1:
        return
    inside = _INSIDE.match(match["place"] or match["place_zh"]) is not None
    if inside != (kinds == {"normalization"}):
        raise Unclear("eps_place", said=match[0].strip(" ,，("))
    number = _NUMBERS.match(match[0])
    text.mark(match.start() + (number.end() if number else 0), match.end(), "filler")


def take_returns(text: MarkedText, known: Request) -> None:
    """Take "return the new parameters and moments" of an operator that returns all it has."""
    steps = [m.value for m in text.marks if m.kind == "operator"]
    names = [s.operator if isinstance(s, ChainStep) else s for s in steps] or [
        s.operator for s in known.steps
    ]
    entries = [e for n in names if (e := operator_named(n)) is not None]
    if any(e.category in ("optimizer", "sort") or (e.source and "return (" in e.source) for e in entries):
        for match in _RETURNS.finditer(text.text):
            text.mark(*match.span(), "filler")
    if names:
        skip_by_index(text)
    if any(e.category == "quantization" for e in entries):
        text.take(re.compile(r"(?<![a-z])(?:weights?|activations?)(?![a-z])|权重|激活值?"), "filler")
    if any(e.name == "prelu" for e in entries):
        text.take(re.compile(r"(?<![a-z])slopes?(?![a-z])|斜率"), "filler")
    if any(e.category == "optimizer" for e in entries):
        text.take(re.compile(words()["optimizer states"]), "filler")
    for name in {p.name for e in entries if e.source for s in e.signatures() for p in s.tensors}:
        text.take(re.compile(rf"(?<![a-z0-9_]){name}s?(?![a-z0-9_])"), "filler")


def skip_by_index(text: MarkedText) -> None:
    """Mark elements that say once more what is named elsewhere: "scatter add: out[idx[i]] += src[i]".

    What names an operator itself, or has a condition on the numbers of elements ("for j < i"), may say more than that.
    """
    for match in BY_INDEX.finditer(text.text):
        named = any(m.kind == "operator" and match.start() <= m.begin < match.end() for m in text.marks)
        if not named and not _CONDITION.search(match[0]):
            text.mark(*match.span(), "filler")


def drop_tensor_names(text: MarkedText) -> None:
    """Take words that name tensors of another operator for names: "anchor/positive/negative", "cos and sin"."""
    marked = [m for m in text.sorted() if m.kind == "operator" and isinstance(m.value, str)]
    if any(m.value.startswith("batch_norm") for m in marked):
        for left, right in itertools.pairwise([m for m in marked if m.value in ("mean", "var")]):
            if left.value != right.value and _AND.fullmatch(text.text[left.end : right.begin]):
                for mark in (left, right):
                    text.unmark(mark)
                    text.mark(mark.begin, mark.end, "filler")  # its statistics
        marked = [m for m in marked if m in text.marks]
    for mark in marked:
        spelt = text.text[mark.begin : mark.end]
        others = [e for m in marked if m.value != mark.value and (e := operator_named(m.value)) is not None]
        takes = {p.name for e in others for s in e.signatures() for p in s.parameters if p.is_tensor}
        takes -= {n for e in others for n, p in parameters_of(e).items() if not p.is_tensor}
        if spelt in takes - {"input", "other", "exponent", "weight", "bias", "end"}:
            text.unmark(mark)
            text.mark(mark.begin, mark.end, "filler")


def drop_repeated(text: MarkedText) -> None:
    """Take an operator that is named twice in a row for one, unless a word says that it comes once more.

    A name with a number of dimensions says the same as the one without: "LP pooling (like nn.LPPool2d)".
    """
    ordered = [m for m in text.sorted() if m.kind == "operator" and isinstance(m.value, str)]
    for left, right in itertools.combinations(ordered, 2):
        between = text.text[left.end : right.begin]
        path = re.match(r"(?:torch|nn|f)\.", text.text[right.begin : right.end])
        compared = _COMPARED.search(f"{between}torch" if path is not None else between)
        if (
            left.value == right.value
            and left in text.marks
            and _is_title(text, left)
            and not _ONCE_MORE.search(between)
        ):
            text.unmark(left)
            text.mark(left.begin, left.end, "filler")  # "softmax: x times 0.125, then softmax"
            continue
        if left.value == right.value and right in text.marks and _FORM_OF.search(between):
            text.unmark(right)
            text.mark(right.begin, right.end, "filler")  # "gelu ..., use the tanh approximation of gelu"
            continue
        if _is_shorter(text, left, right, between):
            text.unmark(right)
            text.mark(right.begin, right.end, "filler")  # "repeat_interleave x 4 times, repeat on dim 1"
            continue
        if _RANK.sub("", left.value) != _RANK.sub("", right.value) or (
            left.value in _MAY_REPEAT and not compared
        ):
            continue
        beside = ordered.index(right) == ordered.index(left) + 1
        if beside and _WITHIN.search(between) and not _ONCE_MORE.search(between):
            text.unmark(right)
            text.mark(right.begin, right.end, "filler")  # "tril of a matrix (torch.tril with diagonal=0)"
            continue
        described = between.strip() == "的" and not text.text[left.begin : left.end].isascii()
        described = described and text.text[right.begin : right.end].isascii()  # "循环移位的 roll"
        if (beside and (described or not _AGAIN.search(between))) or compared:
            number = re.match(r"\s*-?\d+(?![x\d])", text.text[right.end :]) and takes_number(right.value)
            said = left if number else right
            if said in text.marks:
                text.unmark(said)
                text.mark(said.begin, said.end, "filler")


def _is_shorter(text: MarkedText, left: Mark, right: Mark, between: str) -> bool:
    """Say whether the second name is a part of the first one's, behind a stop and before no more than its axis."""
    part = right.value in left.value.split("_")[:1] and left.value != right.value
    alone = _STOPPED.search(between) is not None and _ON_AXIS.match(text.text[right.end :]) is not None
    return part and alone and right in text.marks


def _is_title(text: MarkedText, mark: Mark) -> bool:
    """Say whether a name stands before the first colon of a text, as the name of the whole."""
    before = text.text[: mark.begin]
    return re.match(r"\s*[:：]", text.text[mark.end :]) is not None and not re.search(
        r"[:：,，.;。；\d]", before
    )


def stays(text: MarkedText, mark: Mark) -> bool:
    """Say whether a name of an operator is too long to be one of an attribute."""
    spelt = text.text[mark.begin : mark.end]
    return is_composite(mark.value) or "smallest" in spelt or "largest" in spelt


def is_composite(name: str) -> bool:
    entry = operator_named(name)
    return entry is not None and entry.source is not None


def takes_number(name: str) -> bool:
    entry = operator_named(name)
    if entry is None:
        return False
    if entry.expression is not None:
        return entry.inputs == 2 and entry.category == "elementwise"
    return any(
        p.name in ("other", "exponent") and p.kind == "float"
        for s in entry.signatures()
        for p in s.parameters[1:]
    )
