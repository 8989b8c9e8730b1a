"""Read a chain that takes named tensors on its way: "upsample top (2, 8, 4, 4) by 2 and add lateral (2, 8, 8, 8)".

Every shape stands beside a name, so the tensors are those of one case. What is said before a tensor is added,
subtracted or multiplied by is read by itself, with the tensors that are left; then the tensor comes in addition, as in
a follow-up, and what is said behind goes on from there. A tensor that does not fit there is asked about.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from akgen.agents.requests.added_tensors import with_tensor
from akgen.agents.requests.needs import missing
from akgen.agents.requests.places import FLOATS, type_places
from akgen.agents.requests.problems import Unclear
from akgen.agents.requests.request import Request, Shape
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.specified.layout import SpecifiedText
from akgen.agents.requests.specified.tensors import SpecifiedTensor, told_tensors
from akgen.agents.requests.stated import stated_result
from akgen.knowledge.operators import operator_named
from akgen.tools.core.dtypes import DType

Read = Callable[[str, Request], Request | None]
_PAIR = 2
_VERBS = {"add": "+", "multiply by": "*", "subtract": "-"}
_MENTION = (
    r"(?:(?<![A-Za-z])(?:(?P<add>adds?|adding|plus|sum with)|(?P<sub>subtracts?|subtracting|minus)"
    r"|(?P<mul>(?:multipl(?:y|ies|ied)|scale|gate)(?: (?:it|that|the (?:result|output)|everything))? (?:by|with)))"
    r"(?: (?:it|that|the (?:result|output)) (?:to|with))?"
    r"|(?P<add_zh>加上|加)|(?P<sub_zh>减去|减掉|减)|(?P<mul_zh>乘以|乘上|乘))"
    r"\s*(?:(?:the|an?|my|its|back|in|on|一个|一条|上)\s*)*"
    r"(?:(?:residual|skip|shortcut|identity|bias|scale|gate|tensor|input|残差|偏置|门控|张量|输入)\s*)?"
)
_AFTER = re.compile(
    r"\s*(?:to (?:it|that|the (?:result|output))|on top(?: of (?:it|that))?|element-?wise|at the end|逐元素|进去|上去)",
    re.I,
)
_JOINTS = re.compile(
    r"(?:[\s,，;；。.:、]|(?<![a-z])(?:and|then|finally|next|afterwards|after that|followed by|lastly)(?![a-z])"
    r"|然后|再|最后|接着|之后|并且?)*",
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
    layout = SpecifiedText(stated.rest if stated.anything else said)
    text = layout.text
    tensors = [t for t in told_tensors(layout) if t.shape is not None or operator_named(t.name) is None]
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
    request: Request | None = None
    for first in _firsts(text, tensors, taken, kinds):
        request = request or _read_all([first, *behind], taken, read)
    if request is None or (stated.shapes and {result_shape(request)} != {*stated.shapes}):
        return None
    return request


def _mentions(text: str, tensors: list[SpecifiedTensor]) -> list[Taken]:
    """Return where the text takes a tensor in addition, in order; nothing where it takes one twice."""
    found: list[Taken] = []
    for tensor in tensors:
        said = re.compile(rf"{_MENTION}(?P<name>{re.escape(tensor.name)})(?![\w.])", re.I)
        for match in said.finditer(text):
            groups = {name.partition("_")[0] for name, value in match.groupdict().items() if value}
            verb = "add" if "add" in groups else "subtract" if "sub" in groups else "multiply by"
            after = _AFTER.match(text, match.end())
            end = after.end() if after is not None else match.end()
            found.append(Taken(match.start(), end, verb, tensor))
    return sorted(found) if len({m.tensor.name for m in found}) == len(found) else []


def _behind(
    text: str, tensors: list[SpecifiedTensor], taken: list[Taken], kinds: set[DType]
) -> list[str] | None:
    """Return what is said behind each tensor that is taken; None where that names a tensor once more."""
    blank = _blanked(text, tensors, kinds)
    ends = [*(m.begin for m in taken[1:]), len(text)]
    parts = [_plain(blank[m.end : end]) for m, end in zip(taken, ends, strict=True)]
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


def _read_all(parts: list[str], taken: list[Taken], read: Read) -> Request | None:
    request = read(parts[0], Request())
    if request is None or missing(request) or len(request.shapes) != 1 or request.source is not None:
        return None
    for mention, behind in zip(taken, parts[1:], strict=True):
        here, shape = result_shape(request), mention.tensor.shape or ()
        if here is None or (mention.verb == "multiply by" and _may_be_product(here, shape)):
            return None
        sizes = ", ".join(map(str, shape))
        try:
            request = with_tensor(f"{mention.verb} {mention.tensor.name.lower()} [{sizes}]", request)
        except Unclear:
            return None
        if request is None:
            return None
        if behind:
            known = request
            request = read(f"then {behind}" if behind.isascii() else f"然后 {behind}", known)
            if request is None or missing(request) or request.steps[: len(known.steps)] != known.steps:
                return None
    return request


def _may_be_product(here: Shape, shape: Shape) -> bool:
    """Say whether two matrices could be multiplied as such, too."""
    return len(here) == len(shape) == _PAIR and here[1] == shape[0]
