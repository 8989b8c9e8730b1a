"""Write what a follow-up says of a known operator as the readers of changes know it.

"只要上界" of a clamp is "no lower bound", "直接输出 100x100" of a resize "size=(100, 100)", "wrong axis, i meant dim=1"
"dim=1". Which words mean what of which operators stands in `follow_ups.json`, "of the known".
"""

import itertools
import re
from functools import cache

from akgen.agents.requests.follow_up_words import clauses, follow_up_words, pattern, plainly
from akgen.agents.requests.places import aliases
from akgen.agents.requests.remembered import operators_of
from akgen.agents.requests.request import Request
from akgen.agents.requests.set_values import values_of

_DROPS = ("mul", "div")
_CLEARS = re.compile(r"\A(?:i\.e\.|that is|so|也就是|即|就是)[,，]? ?(?=\S)", re.I)
_ATTENTION = re.compile(r"attention.*|scaled_dot_product_attention")
_SHAPES = re.compile(r"[\[(] ?\d+(?: ?, ?\d+)* ?,? ?[\])]|\d+(?: ?[x×] ?\d+)+")
_LAYOUT = re.compile(r"(?<![A-Za-z])[NCDHW]{3,5}(?![A-Za-z])", re.I)


def of_the_known(part: str, known: Request) -> str | None:
    """Return a clause in other words; None where it is no such clause, "" where it says nothing new."""
    if not known.steps:
        return None  # code, or nothing yet
    names = operators_of(known)
    for said in dict.fromkeys((plainly(part), part.strip(), _CLEARS.sub("", part.strip()))):
        for operators, form, written in _rules():
            if any(operators.fullmatch(n) for n in names) and (match := form.fullmatch(said)) is not None:
                return match.expand(written)
        for rewrite in (_kept_type, _kept_tensor, _without_factor, _heads, _tensor, _turned):
            if (found := rewrite(said, known)) is not None:
                return found
    return None


def _kept_type(said: str, known: Request) -> str | None:
    """Leave out that indices are of their usual type."""
    picks = any(re.search(r"topk|sort|arg|index|max|min|indices|median|mode", n) for n in operators_of(known))
    return "" if picks and pattern("usual indices").fullmatch(said) else None


def _kept_tensor(said: str, known: Request) -> str | None:
    """Leave out that a tensor of a formula stays: "only gamma", "gamma stays"."""
    match = pattern("kept tensor").fullmatch(said)
    name = next((g for g in match.groups() if g), "").lower() if match is not None else ""
    return "" if any(name in step.variables for step in known.steps) else None


def _without_factor(said: str, known: Request) -> str | None:
    """Write "undo the scaling" as a step less, where one step alone multiplies or divides by a number."""
    if pattern("no factor").fullmatch(said) is None or len(known.steps) == 1:
        return None
    factors = [s.operator for s in known.steps if s.operator in _DROPS and _number(s.operands)]
    return f"drop the {factors[0]}" if len(factors) == 1 else None


def _number(operands: tuple[object, ...]) -> bool:
    return len(operands) == 1 and isinstance(operands[0], int | float)


def _heads(said: str, known: Request) -> str | None:
    """Write another number of heads as the shapes of an attention whose tensors are all alike."""
    match, shapes = pattern("heads").fullmatch(said), known.shapes[0] if len(known.shapes) == 1 else ()
    first = known.steps[0]
    if match is None or not _ATTENTION.match(first.formula or first.operator):
        return None
    if len({*shapes}) != 1 or len(shapes[0]) != len("bhsd"):
        return None
    batch, _, *rest = shapes[0]
    shape = (batch, int(next(g for g in match.groups() if g)), *rest)
    return f"{', '.join(first.variables or ('q', 'k', 'v'))} are {'x'.join(map(str, shape))}"


def _tensor(said: str, known: Request) -> str | None:
    """Write "b 其实每通道一个，形状 1x256x1x1" as the tensor's shape, where the text says nothing else of it."""
    match = pattern("tensor of another shape").fullmatch(said)
    name = match["name"].lower() if match is not None else ""
    first, given = known.steps[0], known.shapes[0] if len(known.shapes) == 1 else ()
    names = first.variables if first.formula is not None else ("a", "b")
    if match is None or name not in names or not given:
        return None
    shape = tuple(map(int, re.findall(r"\d+", match["shape"])))
    turned = len(given) == len(names) and (*given[names.index(name)][:-2], *given[names.index(name)][:-3:-1])
    return None if shape == turned else f"{name} 改成 {match['shape']}"


def _turned(said: str, known: Request) -> str | None:
    """Write "说反了，要换成 NCHW" of a change of layouts as the one that goes back."""
    if pattern("turned round").match(said) is None or [s.operator for s in known.steps] != ["permute"]:
        return None
    told, dims = _LAYOUT.findall(said), known.steps[0].attributes.get("dims")
    rest = pattern("turned round").sub("", said, count=1)
    if "permute (" in rest:
        return rest
    if len(told) != 1 or not isinstance(dims, tuple) or len(dims) != len(told[0]):
        return None
    inverse = tuple(dims.index(at) for at in range(len(dims)))
    return re.sub(
        rf"(?:要|应该|(?<![a-z])(?:should be|to|into)(?![a-z]))*(?:换|改|转)?[成为到]? ?{told[0]}",
        f"permute {inverse}",
        rest,
    )


def as_a_whole(text: str, known: Request) -> str:
    """Return a follow-up as what the whole of it says of a known operator."""
    if not known.steps:
        return text
    if (written := _stored(text, known)) is not None:
        return written
    if found := of_the_known(text, known):
        return found
    parts = clauses(text)
    for one, two in itertools.pairwise(parts):  # "before the sum, x should be multiplied by 0.99"
        begin = text.index(one)
        both = text[begin : text.index(two, begin + len(one)) + len(two)]
        if found := of_the_known(both, known):
            return text.replace(both, found, 1)
    return text


def without_repeats(text: str) -> str:
    """Return a follow-up without a clause that was written twice."""
    seen: list[str] = []
    for part in clauses(text):
        if part in seen:
            at = text.rindex(part)
            text = f"{text[:at].rstrip(' ,，;；')}{text[at + len(part) :]}"
        seen.append(part)
    return text


def _stored(text: str, known: Request) -> str | None:
    """Write that one of a product's two tensors is given transposed, told by its shape: "k 没转置过，是 24x128x64"."""
    told = _SHAPES.findall(text)
    given = known.shapes[0] if len(known.shapes) == 1 else ()
    if pattern("transposes").search(text) is None or len(told) != 1 or len(given) != len("ab"):
        return None
    if pattern("of a stored tensor").fullmatch(_SHAPES.sub("#", text).strip(" .。!！")) is None:
        return None
    shape = tuple(map(int, re.findall(r"\d+", told[0])))
    stored = [i for i, s in enumerate(given) if (*s[:-2], *reversed(s[-2:])) == shape and s != shape]
    product = known.steps[0].formula or known.steps[0].operator
    if len(stored) != 1 or re.fullmatch(r"[a-z]\w* @ [a-z]\w*|matmul|mm|bmm", product) is None:
        return None
    return f"{('first', 'second')[stored[0]]} arrives as {told[0]}, so transpose its last two dims"


def kept_value(part: str, known: Request) -> str | None:
    """Leave out that a value stays as it is beside a step more: "上界还是 1", "stride still 2", "上界不变"."""
    match = pattern("kept value").fullmatch(plainly(part))
    if match is None:
        return None
    told = {n.rstrip("0123456789"): v for n, v in match.groupdict().items() if v}
    names = aliases(told["name"].lower().strip())
    values = [v for step in known.steps for n, v in values_of(step) if n in names]
    return "" if values and ("value" not in told or told["value"] in map(str, values)) else None


def with_axis_alone(text: str, known: Request) -> str:
    """Return a follow-up that names its axis by a number without what says the same of it in words.

    "no i want one sum per row, so dim 1" and "不按行了，按列，dim=0" say no more than the number.
    """
    rank = len(known.shape or ())
    if not rank or not any("dim" in step.attributes for step in known.steps):
        return text
    parts = clauses(text)
    told = [(p, m) for p in parts if (m := pattern("axis by number").fullmatch(_sized(plainly(p), known)))]
    axes = {
        int(next(g for g in m.groups() if g)) % rank
        for _, m in told
        if -rank <= int(next(g for g in m.groups() if g)) < rank
    }
    if len(axes) != 1:
        return text
    beside = [p for p in parts if all(p is not t for t, _ in told)]
    others = [p for p in beside if not pattern("axis in words").fullmatch(plainly(p))]
    if any(re.search(r"(?<![a-z])(?:also|too|both)(?![a-z])|也(?!就是)|都", p) for p in parts):
        return text
    return ", ".join([f"dim={axes.pop()}", *others])


def _sized(said: str, known: Request) -> str:
    """Leave out what size an axis has, in brackets, or write its number for the size: "10 的那一维"."""
    shape = known.shape or ()
    found = re.fullmatch(
        r"(.*?)[(（](?:the |大小(?:为|是)?)?(\d+)(?: ?(?:的?那一?个?[维轴]|one|axis|dim))?[)）]", said
    )
    if found is not None and shape.count(int(found[2])) == 1:
        return found[1].strip()
    return said


@cache
def _rules() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(operators), re.compile(said, re.I), written)
        for operators, said, written in follow_up_words()["of the known"]
    )
