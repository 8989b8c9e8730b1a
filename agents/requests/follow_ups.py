"""Read follow-ups that change what is known: another operator in its place, another form of it, a step behind it."""

import re

from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.needs import tensors_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.knowledge.operators import find_operators

_OF_RESULT = re.compile(  # what follows goes on with what is known: "flatten the output"
    r"(?<![a-z])(?:(?:of|to|on) )?(?:the|its) (?:output|result)s?"
    r"\s*(?:[,.!]|\Z|please|as well|too|along|over|by|with|to|into)"
    r"|\A\s*(?:把|将|对)?(?:输出|结果)(?!改|换|变|为|是|用|要|成|的?(?:类型|形状|精度|dtype))",
    re.I,
)
_OF_IT = re.compile(  # behind an operator's name: "square it", "softmax on that", "the log of this"
    r"\s*(?:(?:of|to|on|over) )?(?:it|that|this)(?![a-z'])(?! (?:one|instead|op|kernel))", re.I
)
_COMMON = frozenset(
    ("all", "any", "where", "count", "take")
)  # operators whose names are words of any sentence
_SELECTS = re.compile(  # rows or columns of the result
    r"\s*(?:now |and |but |please |just |only )*(?:keep|return|take|give me|select|slice|i (?:only )?(?:want|need))\b"
    r"[^.;]*?(?:rows?|columns?|cols)(?![a-z])|\s*(?:再|然后|最后|只)*(?:取|保留|要|留)[^。；]*?[行列]",
    re.I,
)
_AT_THE_END = re.compile(
    r"(?<![a-z])(?:at the (?:very )?end|as the (?:last|final) step|on top|afterwards)(?![a-z])(?! of)"
    r"|(?<![a-z])(?:after|behind)(?: (?:it|that|this))?[.!]?\s*\Z"
    r"|(?:最后|末尾|结尾|后面)(?:再|加|做|接|取|来)",
    re.I,
)
_INFIX = re.compile(  # a sign in words whose left side is what stands: "times v", "除以 s"
    r"\A\s*(?:(?:and|now|also|please|ok|finally)[, ]+)*(?:(?:times|plus|minus|over|multiplied by|divided by"
    r"|(?:multiply|divide|scale|subtract|add)(?: (?:it|that|the (?:result|output)))?(?: (?:by|with))?)"
    r" (?:the )?(?!bias|residual|(?:its?|by|with|to)(?![a-z])|an?(?! ?[,.;]| ?\Z))(?P<name>[a-z]\w{0,11})(?![\w.])"
    r"(?! ?(?:and|to|from|with|by|[-+*/@&]|,(?! ?(?:(?P=name)|and|then|followed)(?![a-z]))) ?[a-z0-9(])"
    r"|(?:请|把它|将其)?(?:乘[以上]?|除以|[加减][上去]?) ?[a-z]\w{0,11}(?! ?(?:和|与|、|,|[-+*/@]) ?[a-z0-9]))",
    re.I,
)
_CHANGES = re.compile(
    r"(?<![a-z])(?:instead|drop|remove|delete|without|not?|swap|replace|change|switch|before|also|returns?|outputs?|then)(?![a-z])"
    r"|换|改|去掉|不|返回|输出|之前|也",
    re.I,
)
_VERB = re.compile(r"(?<![a-z])(?:replace|swap|change|switch)(?![a-z])|把|将", re.I)
_EXCHANGED = re.compile(
    r"(?:(?P<verb>replace|swap|change|switch|把|将) ?)?(?:the )?(?P<old>[a-z][a-z0-9_ ]*?) ?"
    r"(?:换成|换为|替换为|替换成|改成|改为|(?<= )(?:with|for|to|by|into)(?= )) ?(?:an? )?(?P<new>[a-z][a-z0-9_ ]*)",
    re.I,
)


def as_follow_up(said: str, known: Request) -> str:
    """Return a text with what it says of the known request in other words: that it goes on, that it exchanges."""
    if known.steps and _SELECTS.match(said):
        return f"then {said}"
    infix = _INFIX.match(said) is not None and not _CHANGES.search(re.split(r"[,，]", said)[0])
    if known.steps and (infix or (not _CHANGES.search(said) and _takes_it(said, known))):
        return f"then {said}"
    ends = _AT_THE_END.search(said) and not _CHANGES.search(said)
    if known.steps and (ends or _OF_RESULT.search(said)) and find_operators(said):
        said = f"then {said}"
    return exchanged(said, known)


def _takes_it(said: str, known: Request) -> bool:
    """Say whether a text applies an operator that is not known to "it": to what stands."""
    named = find_operators(said.lower())
    before = {s.operator for s in known.steps}
    if any(n.operator in before for n in named) or any(
        _varies(said.lower(), s.operator) for s in known.steps
    ):
        return False
    alone = [
        n for n in named if n.operator not in _COMMON and tensors_of(ChainStep(operator=n.operator)) == 1
    ]
    return any(_OF_IT.match(said, n.end) for n in alone)


def _varies(said: str, operator: str) -> bool:
    return any(re.search(pattern, said) for pattern, _ in words()["variants"].get(operator, ()))


def exchanged(said: str, known: Request) -> str:
    """Write "replace the sigmoid by hardsigmoid" as "hardsigmoid instead of sigmoid", where the chain has the first."""
    if len(known.steps) < 2:
        return said
    verb = _VERB.search(said)
    for match in _EXCHANGED.finditer(said, verb.start() if verb is not None else 0):
        if match["verb"] is None and match[0].isascii():
            continue
        old, new = (find_operators(match[name].lower()) for name in ("old", "new"))
        if len(old) == len(new) == 1 and old[0].operator in {s.operator for s in known.steps}:
            return f"{said[: match.start()]}{match['new']} instead of {match['old']}{said[match.end() :]}"
    return said


def varied(text: MarkedText, known: Request) -> Request:
    """Return what is known with another form of an operator that the text asks for: "make it exclusive"."""
    steps = []
    for step in known.steps:
        for pattern, other in words()["variants"].get(step.operator, ()):
            if (said := re.compile(pattern).search(text.rest)) is None:
                continue
            text.mark(*said.span(), "varied")
            if isinstance(other, str):
                step = step.model_copy(update={"operator": other})
            else:
                values = {n: int(said.expand(v)) if isinstance(v, str) else v for n, v in other.items()}
                step = step.model_copy(update={"attributes": {**step.attributes, **values}})
        steps.append(step)
    return known.model_copy(update={"steps": tuple(steps)})
