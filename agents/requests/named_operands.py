"""Read a chain that takes named tensors on its way: "upsample top (2, 8, 4, 4) by 2 and add lateral (2, 8, 8, 8)".

Every shape stands beside a name, so the tensors are those of one case. What is said before a tensor is added,
subtracted or multiplied by is read by itself, with the tensors that are left; then the tensor comes in addition, as in
a follow-up, and what is said behind goes on from there. A tensor that does not fit there is asked about.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from akgen.agents.requests.added_tensors import with_tensor
from akgen.agents.requests.needs import missing, with_type
from akgen.agents.requests.places import FLOATS, type_places
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.program import input_count
from akgen.agents.requests.request import ChainStep, Request, Shape
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.specified.layout import SpecifiedText
from akgen.agents.requests.specified.tensors import SpecifiedTensor, told_tensors
from akgen.agents.requests.stated import stated_length, stated_result
from akgen.knowledge.operators import find_operators, operator_named
from akgen.tools.core.dtypes import DType

Read = Callable[[str, Request], Request | None]
_PAIR = 2
_VERBS = {"add": "+", "multiply by": "*", "subtract": "-"}
_MENTION = (
    r"(?:(?<![A-Za-z])(?:(?P<add>adds?|adding|plus|sum with)|(?P<sub>subtracts?|subtracting|minus)"
    r"|(?P<mul>(?:multipl(?:y|ies|ied)|scale|gate)(?: (?:it|that|the (?:result|output)|everything))? (?:by|with)))"
    r"(?: (?:it|that|the (?:result|output)) (?:to|with))?"
    r"|(?P<dot>times|dot|matmul(?:tiply)?(?:ed)? (?:by|with))"
    r"|(?P<add_zh>加上|加)|(?P<sub_zh>减去|减掉|减)|(?P<mul_zh>乘以|乘上|乘))"
    r"\s*(?:(?:the|an?|my|its|back|in|on|一个|一条|上)\s*)*"
    r"(?:(?:residual|skip|shortcut|identity|bias|scale|gate|tensor|input|残差|偏置|门控|张量|输入)\s*)?"
)
_AFTER = re.compile(
    r"\s*(?:to (?:it|that|the (?:result|output))|on top(?: of (?:it|that))?|element-?wise|at the end|逐元素|进去|上去)",
    re.I,
)
_BESIDE = r"(?:再|最后|然后)*(?:和|与|跟)\s*(?:残差|residual|shortcut|skip|偏置)?\s*"
_JOINED_TO = re.compile(r"\s*(?:做|进行)?(?:逐元素)?(?:相加|求和|(?P<mul>相乘))")
_JOINTS = re.compile(
    r"(?:[\s,，;；。.:、]|(?<![a-z])(?:and|then|finally|next|afterwards|after that|followed by|lastly)(?![a-z])"
    r"|然后|再|最后|接着|之后|并且?)*",
    re.I,
)
_OF_ALL = re.compile(  # beside a type
    r"(?:全部?|都是?|均为?|全都?|是|为|的|all|both|everything|everywhere|in|is|are|of|them|dtype|type|tensors?|inputs?|[\s,，.。])*",
    re.I,
)
_EQUATION = re.compile(r"[A-Za-z_]\w* ?=(?!=) ?(?!(?:true|false|none)\b)[A-Za-z(]", re.I)


class Taken(NamedTuple):
    """Where a text takes a tensor in addition, and how."""

    begin: int
    end: int
    verb: str
    tensor: SpecifiedTensor


def with_named_operands(said: str, read: Read) -> Request | None:
    """Return the request of a text whose tensors all have names; None where it is not understood whole.

    `read` reads a text that goes on from what is known.
    """
    stated = stated_result(said)
    stated = stated if stated.anything else stated_length(said) or stated
    layout = SpecifiedText(stated.rest if stated.anything else said)
    text = layout.text
    tensors = [
        t
        for t in told_tensors(layout)
        if operator_named(t.name) is None
        or (t.shape is not None and not text[t.begin :].startswith(f"{t.name}("))  # "sqrt(64)"
    ]
    if len({t.name for t in tensors}) != len(tensors) or any(t.shape is None for t in tensors):
        return None
    if len(tensors) < _PAIR or _EQUATION.search(text) or not layout.aligned:
        return None
    taken = _mentions(text, tensors)
    given = [t for t in tensors if t.name not in {m.tensor.name for m in taken}]
    kinds = {d for d in FLOATS if type_places((text,), d)} if taken and given else set()
    if len(kinds) > 1 or not taken or not given or any(t.dtype not in (None, *kinds) for t in tensors):
        return None
    behind = _behind(text, tensors, taken, kinds)
    if behind is None:
        return None
    request = _begun(text, tensors, taken, kinds, behind, read)
    for first in _firsts(text, tensors, taken, kinds):
        request = request or _read_all([first, *behind], taken, read)
    if request is None or input_count(request) != len(request.shapes[0]):
        return None
    if stated.shapes and {result_shape(request)} != {*stated.shapes}:
        return None
    return request


def _mentions(text: str, tensors: list[SpecifiedTensor]) -> list[Taken]:
    """Return where the text takes a tensor in addition, in order; nothing where it takes one twice."""
    found: list[Taken] = []
    for tensor in tensors:
        said = re.compile(rf"{_MENTION}(?P<name>{re.escape(tensor.name)})(?![\w.])", re.I)
        for match in said.finditer(text):
            groups = {name.partition("_")[0] for name, value in match.groupdict().items() if value}
            verbs = {"add": "add", "sub": "subtract", "mul": "multiply by", "dot": "times"}
            verb = next(v for k, v in verbs.items() if k in groups)
            after = _AFTER.match(text, match.end())
            end = after.end() if after is not None else match.end()
            found.append(Taken(match.start(), end, verb, tensor))
        for match in re.finditer(rf"{_BESIDE}{re.escape(tensor.name)}(?![\w.])", text, re.I):
            joined = _JOINED_TO.match(text, max(match.end(), tensor.end if tensor.begin < match.end() else 0))
            if joined is not None:
                verb = "multiply by" if joined["mul"] else "add"
                found.append(Taken(match.start(), joined.end(), verb, tensor))
    return sorted(found) if len({m.tensor.name for m in found}) == len(found) else []


def _behind(
    text: str, tensors: list[SpecifiedTensor], taken: list[Taken], kinds: set[DType]
) -> list[str] | None:
    """Return what is said behind each tensor that is taken; None where that names a tensor once more."""
    blank = _blanked(text, tensors, kinds)
    ends = [*(m.begin for m in taken[1:]), len(text)]
    parts = [_plain(blank[m.end : end]) for m, end in zip(taken, ends, strict=True)]
    parts = ["" if _OF_ALL.fullmatch(p) else p for p in parts]
    again = any(re.search(rf"(?<![\w.]){re.escape(t.name)}(?![\w.])", p) for t in tensors for p in parts)
    return None if again else parts


def _firsts(
    text: str, tensors: list[SpecifiedTensor], taken: list[Taken], kinds: set[DType]
) -> Iterator[str]:
    """Yield the ways to write what is said before the first tensor that is taken, with the tensors of that part."""
    given = [t for t in tensors if t.name not in {m.tensor.name for m in taken}]
    others = [t for t in tensors if t not in given]
    named = rf"(?<![\w.-]){re.escape(given[0].name)}(?![\w.-])"
    first = taken[0].begin
    apart = _plain(_blanked(text, tensors, kinds)[:first])
    shapes = [f"{t.name} [{', '.join(map(str, t.shape or ()))}]" for t in given]
    if not apart:
        return
    types = [d.value for d in kinds]
    if len(given) == 1:
        shapes = [re.sub(r"\A\w+", "x", shapes[0])]
        yield ", ".join([re.sub(rf" ?{named}", "", apart), *shapes, *types])
    yield ", ".join([apart, *shapes, *types])
    if all(t.end <= first for t in given):
        beside = _plain(_blanked(text, others, kinds)[:first])
        if len(given) == 1:
            beside = re.sub(named, "x", beside)
        yield ", ".join([beside, *types])


def _blanked(text: str, tensors: list[SpecifiedTensor], kinds: set[DType]) -> str:
    """Return a text, place for place, without the declarations of tensors and the types."""
    spans = [(t.begin, t.end) for t in tensors]
    spans += [(p.begin, p.end) for d in kinds for p in type_places((text,), d)]
    for begin, end in spans:
        text = text[:begin] + "\0" * (end - begin) + text[end:]
    return text


def _plain(part: str) -> str:
    """Return a part without what joins it to the others."""
    part = re.sub(r"(?:\s*[,，;；]){2,}", ",", re.sub("[\0 ]+", " ", part))
    match = _JOINTS.match(part)
    return _without_tail(part[match.end() :] if match is not None else part)


def _without_tail(part: str) -> str:
    """Return a part without the words that join it to what follows."""
    while (shorter := re.sub(rf"{_JOINTS.pattern[:-1]}+\Z", "", part, flags=re.I)) != part:
        part = shorter
    return part.strip()


def _begun(
    text: str,
    tensors: list[SpecifiedTensor],
    taken: list[Taken],
    kinds: set[DType],
    behind: list[str],
    read: Read,
) -> Request | None:
    """Return the request of a chain that begins with a tensor alone: "a (16, 12) times b (12, 24), plus c (24,)"."""
    given = [t for t in tensors if t.name not in {m.tensor.name for m in taken}]
    before = _plain(_blanked(text, given, kinds)[: taken[0].begin])
    before = re.sub(rf"(?<![\w.]){re.escape(given[0].name)}(?![\w.])", " ", before).strip()
    if len(given) != 1 or len(kinds) > 1 or any(len(t.name) > 1 and operator_named(t.name) for t in tensors):
        return None
    types = "".join(f", {d.value}" for d in kinds)
    if before and _silent(before, read) is False:
        return None
    first, other = given[0], taken[0].tensor
    sign = _sign(taken[0].verb, first.shape or (), other.shape or ())
    names = (first.name.lower(), other.name.lower())
    if sign is None or names[0] == names[1]:
        return None
    step = ChainStep(operator="formula", formula=f"{names[0]} {sign} {names[1]}", variables=names)
    request = Request(steps=(step,), shapes=((first.shape or (), other.shape or ()),), dtypes=tuple(kinds))
    request = with_type(request)
    if behind[0] and (request := _further(behind[0] + types, request, read)) is None:  # type: ignore[assignment]
        return None
    return _read_on(request, taken[1:], behind[1:], read)


def _silent(words: str, read: Read) -> bool:
    """Say whether words in front of a chain say nothing: whether a request is read with them as without them."""
    if find_operators(words.lower()):
        return False
    plain = read("relu, x [4, 4], float32", Request())
    return read(f"{words} relu, x [4, 4], float32", Request()) == plain


def _sign(verb: str, here: Shape, shape: Shape) -> str | None:
    """Return the sign of a verb; None where it may be a product of matrices or of elements, or neither fits."""
    elements = all(a == b or 1 in (a, b) for a, b in zip(reversed(here), reversed(shape), strict=False))
    product = min(len(here), len(shape)) > 1 and here[-1] == shape[-2]
    if verb in _VERBS and verb != "multiply by":
        return _VERBS[verb] if elements else None
    if verb == "multiply by":  # of matrices or of elements: only one of them is what the words say
        return "*" if elements and not product else None
    return None if elements == product else "@" if product else "*"


def _read_all(parts: list[str], taken: list[Taken], read: Read) -> Request | None:
    request = read(parts[0], Request())
    if request is None or missing(request) or len(request.shapes) != 1 or request.source is not None:
        return None
    return _read_on(request, taken, parts[1:], read)


def _further(behind: str, known: Request, read: Read) -> Request | None:
    """Return what is known with the steps that are said behind it."""
    request = read(f"then {behind}" if behind.isascii() else f"然后 {behind}", known)
    if request is None or missing(request) or request.steps[: len(known.steps)] != known.steps:
        return None
    return request if request.shapes == known.shapes else None


def _read_on(request: Request | None, taken: list[Taken], parts: list[str], read: Read) -> Request | None:
    for mention, behind in zip(taken, parts, strict=True):
        if request is None:
            return None
        here, shape = result_shape(request), mention.tensor.shape or ()
        sign = None if here is None else _sign(mention.verb, here, shape)
        if sign is None:
            return None
        request = _with(mention, sign, shape, request)
        if request is None:
            return None
        if behind:
            request = _further(behind, request, read)
    return request


def _with(mention: Taken, sign: str, shape: Shape, request: Request) -> Request | None:
    """Return the request with the tensor that is taken, a vector called bias like any other."""
    name, sizes = mention.tensor.name.lower(), ", ".join(map(str, shape))
    if sign == "@":
        step = ChainStep(operator="formula", formula=f"x @ {name}", variables=("x", name))
        whole = len(request.shapes[0]) == sum(max(1, len(s.variables)) for s in request.steps[:1])
        if name == "x" or not whole or len(request.steps) > 1:
            return None
        return request.model_copy(
            update={"steps": (*request.steps, step), "shapes": ((*request.shapes[0], shape),)}
        )
    verb = "multiply by" if sign == "*" else mention.verb
    for called in dict.fromkeys((name, f"{name}_in")):
        try:
            found = with_tensor(f"{verb} {called} [{sizes}]", request)
        except Unclear:
            return None
        if found is not None:
            return found
    return None
