"""Leave out clauses that only say why a text is as it is, or which values its tensors hold: "odd sizes on purpose".

A clause stands alone: between punctuation, or in parentheses. What it says of values ("values 0/1", "x in [0, 10]") is
left where the text has an operator to which such limits may belong.

Clauses of circumstances tell why, where, for whom or how slow something is: "its for our trainer", "numpy is too slow".
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from akgen.agents.requests.abbreviated import unabbreviated
from akgen.agents.requests.attributes import flags
from akgen.agents.requests.marks import words
from akgen.agents.requests.places import dtype_of
from akgen.agents.requests.plain_words import in_plain_words
from akgen.agents.requests.purposes import without_purposes
from akgen.agents.requests.told_weights import with_passed_weights
from akgen.knowledge.operators import find_operators

_STOPS = r",.;:!?，。；：、！？\n"
_LEAD = (
    rf"(?P<lead>\A|[{_STOPS}]|(?<=fp32)|(?<=fp16)|(?<=bf16)|(?<=[\])])(?=\s)|(?<![a-z])(?:and|but|since|because|as|so|with)"
    r"(?![a-z]))\s*"
)
_END = rf"(?=\s*(?:[{_STOPS})）]|\Z))"
_COMMON = {"any", "all", "where", "mul", "multiply"}  # operators whose names are words of any sentence
_TELLS = re.compile(
    r"(?<![a-z])(?:skip|drop|ignor|pad(?:d|s|$|[ ,.)])|mask|keep|kept|return|cast|transpos|exclud|except|unless|instead"
    r"|without|last|first|rows?|columns?|dims?|axis|axes|before|after|then|only|half|revers|multipl(?:y|ied)|divid"
    r"|add(?:ed)?(?![a-z])|subtract)"
    r"|不做|不要|不用|不加|不带|不减|不除|不算|跳过|忽略|去掉|补|填|返回|输出|只|仅|除|乘|加上|减|最后|第|转置|先|再"
    r"|然后",
    re.I,
)
_MODEL = r"(?!N[CDHW]+\b)[A-Z]\w*[A-Z0-9]\w*(?:-?[A-Z\d][\w/]*)?|[A-Z][a-z]+-\d\w*"
_USED_BY = re.compile(  # names of models, some of which are also called as operators are: CLIP
    rf",? ?(?<![A-Za-z])(?:as )?(?:used|found|seen|introduced|proposed) (?:in|by|for) (?:the )?(?:{_MODEL})"
    rf"(?:(?: and |/|, ?)(?:{_MODEL}))*(?: (?:papers?|models?))?(?![\w.(])"
)
_OPERATOR = re.compile(r"[a-z]+(?:max|norm|lu|loss|pool|conv|attention|entropy)(?![a-z])")
_OPENED = r"(?P<open>[(（])\s*"
_CLOSED = r"\s*[)）]"


def without_asides(text: str, *, given: bool = False) -> str:
    """Return a text without the clauses that say nothing of what is computed; `given` if that is known without it."""
    text = _without_circumstances(in_plain_words(unabbreviated(text)), given=given)
    text = _USED_BY.sub(lambda m: m[0] if _OPERATOR.search(m[0].lower()) else " ", text)
    text = without_purposes(with_passed_weights(text))
    said = words()["asides"]
    for pattern in _patterns("reasons"):
        text = pattern.sub(_without_operators, text)
    if re.search(said["limits"], text, re.I) is None:
        for pattern in _patterns("values"):
            text = pattern.sub(_lead_of, text)
    return text


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    found = []
    for clause in words()["asides"][kind]:
        found.append(re.compile(f"{_OPENED}(?:{clause}){_CLOSED}", re.I))
        found.append(re.compile(rf"{_LEAD}(?:{clause})(?!\.\d){_END}", re.I))  # not "x > 0.5"
    return tuple(found)


def _without_operators(match: re.Match[str]) -> str:
    """Leave a clause that names an operator, or tells what to do: "odd sizes, so skip the last column"."""
    named = {n.operator for n in find_operators(match[0].lower())} - _COMMON
    return match[0] if named or _TELLS.search(match[0]) else _lead_of(match)


def _lead_of(match: re.Match[str]) -> str:
    lead = match.groupdict().get("lead") or ""
    return lead if re.fullmatch(rf"[{_STOPS}]", lead) else " "


_OPENING, _CLOSING = "([{（", ")]}）"
_STOP = re.compile(r"[,;!?，。；：！？\n]|[.:](?=\s|\Z)|(?<=\.)\.|[.](?=\.)")
_GROUP = re.compile(r"[(（]([^()（）\[\]]+)[)）]")
_CODE = re.compile(r"```|^\s*(?:import |from \w[\w.]* import |class \w|def \w|@\w)", re.M)
_FREE = r"[^,;:!?，。；：！？\n()（）\[\]{}]"
_NUMBERED = re.compile(  # names of models, and how large these are
    r"(?<![a-z0-9_.])(?:[a-z]{3,}[-_]?v?\d[a-z0-9.]*|\d+(?:\.\d+)?b|v\d+)(?![a-z0-9_])", re.I
)
_LETTER = re.compile(r"(?<![a-z0-9_'’\-])[b-hj-z](?![a-z0-9_'’\-])", re.I)
_SIGN = re.compile(r"[\[\](){}=*@^+<>|%]|->|→|\d|(?<![a-z])/|/(?![a-z])", re.I)
_ASKS = re.compile(r"einsum|(?<![=!<>])=(?!=)")
_COMMON_HERE = _COMMON | {"take", "select"}  # operators whose names are words of any sentence
_PURPOSE = re.compile(r"(?:and |so )?(?:it|this|that)(?:'s|’s|s| is)(?: used| needed| meant)? for ", re.I)
_OURS = re.compile(r"(?<![a-z])(?:our|my|we|i)(?![a-z])|我|咱", re.I)
_MOST = 12  # clauses that are left out
_LONGEST = 160  # characters of a clause
_MODE = re.compile(r"(?<![a-z])(?:training|inference|train|infer)(?![a-z])|训练|推理", re.I)
_MODED = re.compile(r"batch ?norm|batchnorm|dropout|(?<![a-z])bn(?![a-z])|批归一化|批标准化", re.I)


def _without_circumstances(text: str, *, given: bool = False) -> str:
    """Return a text without such clauses; `given` if what to compute is known without it."""
    if _CODE.search(text):
        return text
    for _ in range(_MOST):
        less = _without_one(text, given=given)
        if less is None:
            break
        text = less
    return text


def _without_one(text: str, *, given: bool) -> str | None:
    for begin, end in _clauses(text):
        clause = text[begin:end].strip()
        rest = f"{text[:begin]} {text[end:]}"
        if len(clause) <= _LONGEST and _is_one(clause, text[:begin], rest, given=given):
            return rest
    return None


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where clauses begin and end: those in parentheses, and what is behind a type or a shape, too."""
    found, begin, depth = [], 0, 0
    stops = {m.start() for m in _STOP.finditer(text)}
    for at, character in enumerate(text):
        depth = max(0, depth + (character in _OPENING) - (character in _CLOSING))
        if at in stops and (depth == 0 or character == "\n"):
            found.append((begin, at))
            begin, depth = at + 1, 0
    found += [(begin, len(text))]
    found += [m.span(1) for m in _GROUP.finditer(text)]
    found += [(b + m.end(), e) for b, e in found for m in _tensor().finditer(text[b:e])]
    yield from sorted((b, e) for b, e in found if text[b:e].strip())


def _is_one(clause: str, before: str, rest: str, *, given: bool) -> bool:
    if _agrees(clause, rest):
        return True
    if not given and not (find_operators(rest.lower()) or _ASKS.search(rest)):
        return False
    if _MODED.search(rest) and _MODE.search(clause):
        return False  # a norm's statistics differ
    named = {n.operator for n in find_operators(clause.lower())} - _COMMON_HERE
    if named and not (_OURS.search(clause) or _purposed(clause)):
        return False
    if named and not given and not find_operators(before.lower()):
        return False
    return any(
        (match := form.fullmatch(clause)) is not None and not any(_binds(said, rest) for said in _free(match))
        for form in _forms()
    )


def _purposed(clause: str) -> bool:
    """Say whether a clause with an operator's name says what something else is for: "its for the loss"."""
    return _PURPOSE.match(clause) is not None


def _free(match: re.Match[str]) -> list[str]:
    return [said for name, said in match.groupdict().items() if name.startswith("rest") and said]


def _binds(said: str, rest: str) -> bool:
    """Say whether words may change what is computed, or name a tensor of the rest of the text."""
    said = said.lower()
    if _SIGN.search(_NUMBERED.sub(" ", said)) or _LETTER.search(said):
        return True
    tokens = {*re.findall(r"[a-z][a-z0-9_]*", said)}
    if tokens & _types() or any(_declared(token, rest) for token in tokens):
        return True
    if any(pattern.search(said) for pattern, _ in flags()):
        return True
    return any(re.search(_data()[name], said) for name in ("binding", "binding_zh"))


def _declared(token: str, rest: str) -> bool:
    """Say whether a word is the name of a tensor: one with a shape or in an equation, or one that readers know."""
    if token in _data()["tensors"]:
        return True
    return (
        re.search(
            rf"(?<![a-z0-9_]){token} ?(?:(?:[:：=]|is|of|shape) ?)*(?:[\[(] ?\d|\d+ ?x ?\d|[=*@])", rest, re.I
        )
        is not None
    )


def _agrees(clause: str, rest: str) -> bool:
    """Say whether a clause tells the type of a whole program, which is the one that the text asks for."""
    for form in _typed():
        match = form.fullmatch(clause)
        dtype = dtype_of(match["type"]) if match is not None else None
        if dtype is not None:
            said = {dtype_of(w) for w in re.findall(r"[a-z]+\d*", rest.lower())} - {None}
            return said == {dtype}
    return False


@cache
def _tensor() -> re.Pattern[str]:
    types = "|".join(sorted(map(re.escape, _types()), key=len, reverse=True))
    return re.compile(rf"(?:(?<![a-z0-9])(?:{types})|[\])]|\dx\d+) +(?=\S)", re.I)


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files("akgen.agents.requests").joinpath("circumstances.json").read_text("utf-8")
    )
    return found


@cache
def _types() -> frozenset[str]:
    return frozenset(w for listed in words()["dtypes"].values() for w in listed)


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    lead = _data()["lead"]
    return tuple(
        re.compile(form, re.I)
        for form in (
            *(f"{lead}(?:{_written(said)})" for said in _data()["forms"]),
            *map(_written, _data()["forms_zh"]),
        )
    )


@cache
def _typed() -> tuple[re.Pattern[str], ...]:
    types = "|".join(sorted(map(re.escape, _types()), key=len, reverse=True))
    return tuple(
        re.compile(f"{_data()['lead']}(?:{form.replace('TYPE', f'(?:{types})')})", re.I)
        for form in _data()["all of a type"]
    )


def _written(form: str) -> str:
    """Return a form with its named parts, and what is free in it as groups."""
    for name in ("SUBJECT", "IS", "OWN", "SLOW", "SOURCES", "LIBRARIES"):
        form = form.replace(name, _data()[name.lower()])
    parts = form.split("REST")
    return "".join(
        part + (f"(?P<rest{at}>{_FREE}+?)" if at < len(parts) - 1 else "") for at, part in enumerate(parts)
    )
