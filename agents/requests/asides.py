"""Leave out clauses that only say why a text is as it is, or which values its tensors hold: "odd sizes on purpose".

A clause stands alone: between punctuation, or in parentheses. What it says of values ("values 0/1", "x in [0, 10]") is
left where the text has an operator to which such limits may belong.
"""

import re
from functools import cache

from akgen.agents.requests.abbreviated import unabbreviated
from akgen.agents.requests.circumstances import without_circumstances
from akgen.agents.requests.marks import words
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
    text = without_circumstances(in_plain_words(unabbreviated(text)), given=given)
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
