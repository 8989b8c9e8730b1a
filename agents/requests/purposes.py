"""Leave out whom an operator is for, and where it comes from: "for our ViT mlp", "as in Megatron", "diffusers 里的".

Such a phrase is recognised by its place and by a name in it: of a model, a paper, a tool. A name is written as names
are (capitals within, a number behind letters), or is known as one. What names an operator, an attribute, a type or a
tensor of the text is no such name, and a phrase with a number, a negation or a limit is left as it is.

Comparisons that only say whose definition an operator has, "same maths as torch.optim.AdamW", are left out where the
function that is named is the operator that the text asks for: one of PyTorch's own libraries defines it. Another
library's may differ, as another operator does: both are asked about.
"""

import re
from collections.abc import Callable
from functools import cache

from akgen.agents.requests.guesses import arguments
from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.request import ChainStep
from akgen.knowledge.operators import find_operators

_TOKEN = r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*"
_WORD = rf"(?:{_TOKEN}|&)"
_END = r"(?=\s*(?:[,.;:!?，。；：、！？\n)）>]|\Z))"
_LIMITS = re.compile(
    r"(?<![a-z])(?:no|not|non|never|without|except|unless|if|when|where|only|each|every|per|all|any"
    r"|both|either|neither|half"
    r"|negative|positive|values?|zeros?|nan|inf|elements?|entries|inputs?|outputs?|rows?|columns?"
    r"|dims?|axis|axes|channels?"
    r"|heads? dim|masks?|masked|indices|index|first|last|second|then|and|plus|minus|times|x|y|it"
    r"|which|that|causal|style)(?![a-z])",
    re.I,
)
_FRONT = (
    r"(?:[,，] ?)?(?<![A-Za-z])(?:for(?: use in)?|used in|needed in|(?:just |same |exactly )?"
    r"(?:like|as)(?: it is| they do| seen| done"
    r"| used)? in|(?:straight |taken |copied |ported |coming |right )?from|à la|a la|inside(?: of)?) "
    r"(?:(?:our|my|the|an?|some|their|your|new|own|official|original|small|little|big|huggingface|hf) )*"
)
_PLACED = re.compile(rf"{_FRONT}(?P<said>{_WORD}(?: {_WORD}){{0,3}}){_END}", re.I)
_OWNER = re.compile(rf"(?<![A-Za-z0-9_])(?:(?:the|our|my) )?(?P<said>{_TOKEN})(?:'s|’s) (?=[A-Za-z])")
_BEFORE = (
    rf"(?:\A|(?<=[,.;:，。；：\n])|(?<![a-z])(?:the|an?|need|want|write|implement|give me|do|make"
    rf"|实现|写个?|做个?|要个?|来个?))\s*"
    rf"(?P<said>{_TOKEN}(?:[ -](?:NOUNS)(?![a-z]))*) (?=[A-Za-z])"
)
_OF_ZH = re.compile(
    rf"(?P<lead>\A|[,，。；;：:（(、]\s*|写个?|做个?|要个?|实现)(?:我们?的?|咱们的?|一个)?\s*"
    rf"(?P<said>{_TOKEN}(?:(?: |的)?{_TOKEN})?)"
    r" ?(?P<noun>(?:模型|网络|论文|推理|训练|部署|代码|仓库|项目|框架|结构|模块|前向|主干|采样|聚合|邻居|更新)*)"
    r"(?:(?:里面?|里头|中|上)(?P<more>(?:采样前?|聚合|邻居|推理|训练|节点|更新|计算|每层)*)"
    r"(?:要|会|常|需要)?(?:用到?|使用)?的"
    r"|(?:要|会|所|常)?(?:用|使用|用到)的)"
)
_WORK_ZH = re.compile(
    rf"(?P<lead>\A|[,，。；;]\s*)(?:我们?|咱们?)?(?:最近|目前|现在|正)?(?:在)?(?:适配|移植|迁移"
    rf"|部署|复现|优化|调试?|训练?|跑|做|搞)(?:一下|一个)?"
    rf"\s*(?P<said>{_TOKEN}(?: {_TOKEN})?)\s*(?:模型|网络|的?推理|的?训练)*\s*(?:[,，]\s*(?:想要"
    rf"|需要|要|缺)(?:它|他|其|里面|里)的?(?:一个)?|(?=[,，。；;]))"
)


def without_purposes(text: str) -> str:
    """Return a text without the phrases that say whom it is for, or where it comes from."""
    for pattern, names in (
        (_PLACED, _is_name),
        (_OWNER, _owns),
        (_before(), _is_known),
        (_OF_ZH, _is_name),
        (_WORK_ZH, _is_name),
    ):
        text = pattern.sub(_without(text, names), text)
    return text


def _without(text: str, named: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    def left_or_dropped(match: re.Match[str]) -> str:
        said = match["said"]
        tokens = re.findall(_TOKEN, said)
        others = [t for t in tokens if not named(t)]
        plain = all(t.lower() in words()["purposes"]["nouns"] for t in others)
        if len(others) == len(tokens) or not plain or _LIMITS.search(said) or _is_tensor(text, said):
            return match[0]
        if _names_variant(text, said) or (named is not _owns and _in_operator(text.lower(), match)):
            return match[0]
        return f"{match.groupdict().get('lead') or ''} " if match.groupdict().get("lead") is not None else " "

    return left_or_dropped


def _in_operator(text: str, match: re.Match[str]) -> bool:
    """Say whether an operator's name reaches into the phrase: "MoE router", "clip x"."""
    begin, end = match.span("said")
    return any(n.begin < end and begin < n.end for n in find_operators(text))


def _names_variant(text: str, said: str) -> bool:
    """Say whether the name tells which of several an operator is: GPT-2's gelu, the rotation of GPT-J."""
    said = said.lower()
    if any(re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", said) for pattern, _ in words()["flags"]):
        return True
    return any(
        re.search(names, said) and re.search(operators, text, re.I) and not re.search(told, text, re.I)
        for names, operators, told in words()["purposes"]["variants"]
    )


def _is_tensor(text: str, said: str) -> bool:
    """Say whether one of the names is used again, or as tensors are: with a shape, beside a sign."""
    for token in re.findall(_TOKEN, said):
        again = re.findall(rf"(?<![A-Za-z0-9_]){re.escape(token)}(?![A-Za-z0-9_])", text)
        used = (
            rf"(?<![A-Za-z0-9_]){re.escape(token)} ?(?:[=*/@^\[(]|[:：] ?[\[(]?\d|(?:is|of|has|shape|为"
            rf"|是) ?[\[(\d])"
        )
        if len(again) > 1 or (re.search(used, text) and token.lower() not in words()["purposes"]["nouns"]):
            return True
    return False


def _is_known(token: str) -> bool:
    stem = re.fullmatch(r"([a-z]+?)[-_]?(?:v?\d[\w.]*|v\d+)?(?:-[a-z0-9.]+)?", token.lower())
    return bool({token.lower(), stem[1] if stem else ""} & _known())


def _owns(token: str) -> bool:
    return _is_known(token) or _written_as_name(token)


def _is_name(token: str) -> bool:
    return _is_known(token) or _written_as_name(token)


def _written_as_name(token: str) -> bool:
    """Say whether a word is written as names are, and is none of an operator, an attribute, a type or a layout."""
    low = token.lower()
    if (
        len(token) < 3
        or find_operators(low)
        or low in _vocabulary()
        or re.fullmatch(r"[NCHWDLBSTKVQM]+", token)
    ):
        return False
    numbered = re.fullmatch(r"[a-z]{4,}[-_]?v?\d[\w.]*", low) is not None
    capitals = re.search(r"[A-Z]", token[1:]) is not None or re.search(r"[a-z]\d|-\d", token) is not None
    return numbered or (capitals and re.fullmatch(r"[A-Za-z][A-Za-z0-9.\-]*", token) is not None)


@cache
def _before() -> re.Pattern[str]:
    nouns = sorted(words()["purposes"]["nouns"], key=len, reverse=True)
    return re.compile(_BEFORE.replace("NOUNS", "|".join(nouns)), re.I)


@cache
def _known() -> frozenset[str]:
    return frozenset(words()["purposes"]["names"])


@cache
def _vocabulary() -> frozenset[str]:
    said = words()
    names = {a for listed in said["attributes"].values() for a in listed} | {*said["attributes"]}
    types = {w for listed in said["dtypes"].values() for w in listed}
    choices = {c for listed in said["choices"].values() for c in listed}
    return frozenset({*names, *types, *choices, *said["tensors"], *arguments()})


def take_likenesses(text: MarkedText) -> None:
    """Mark comparisons with PyTorch's own function of what is asked for as words that say nothing."""
    named = [m.value for m in text.marks if m.kind == "operator"]
    asked = {value.operator if isinstance(value, ChainStep) else value for value in named}
    for match in re.finditer(words()["likeness"], text.text):
        name = next((n for n in (match[g] for g in ("name", "name_zh")) if n), None)
        theirs = (
            {n.operator for said in (name, match[0]) for n in find_operators(said)}
            if name is not None
            else set()
        )
        told = any(m.kind != "filler" and m.begin < match.end() and match.start() < m.end for m in text.marks)
        if not told and (name is None or theirs & asked):
            text.mark(*match.span(), "filler")
