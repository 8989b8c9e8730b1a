"""Read a text whose tensors have types of their own: "x fp16 [64, 32], w int8 [32, 48], y = x @ w".

The text is read without these types, as it would be of tensors of one type. Its tensors are then given their types, by
name or in their order, and PyTorch says on tensors without numbers whether they fit together. Small whole numbers are
int32 where they meet each other, and of the others' type in a product of matrices, which takes none of two types.
"""

import ast
import re
from collections.abc import Callable, Sequence
from functools import cache

from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import forward_of
from akgen.agents.requests.request import Request
from akgen.agents.requests.specified.built import request_of
from akgen.agents.requests.specified.layout import SpecifiedText, type_words
from akgen.agents.requests.specified.program import NAME as FUNCTION
from akgen.agents.requests.specified.program import GivenTensor, MadeFunction, written
from akgen.agents.requests.specified.results import Wanted
from akgen.agents.requests.specified.statements import ToldStatement
from akgen.agents.requests.specified.tensors import NAME, SHAPE, SpecifiedTensor, dtype_of, shape_of
from akgen.tools.core.dtypes import DType

_NOUN = (
    r"(?:(?:tensors?|matrix|weights?|vector|activations?|inputs?|acts?|scales?|bias)(?![A-Za-z_]) ?"
    r"|权重|输入|张量|激活|的|\s)*"
)
_LINK = r"(?:[\s:：=(]|(?<![A-Za-z])(?:is|are|of|with|in|an?|shape|size|dtype|type)(?![A-Za-z])|是|为|的|形状|类型)*"

_NO_SIZE = "".join(rf"(?<![^A-Za-z0-9]{digits} )" for digits in (r"\d", r"\d\d", r"\d\d\d"))  # "16 x 32"


def mixed_request(
    text: str, results: Sequence[DType], read: Callable[[str, Request], Request | None]
) -> Request | None:
    """Return the request of a text whose tensors have several types; None where they fit in no way."""
    said = SpecifiedText(text).text
    tensors, bare = typed_tensors(said)
    if len({t.dtype for t in tensors} - {None}) < len(("one", "other")) or len({*results}) > 1:
        return None
    read_of = read(bare, Request())
    if read_of is None or missing(read_of) or not read_of.assumed or len(read_of.shapes) != 1:
        return None
    return _typed(read_of, tensors, next(iter(results), None))


def typed_tensors(text: str) -> tuple[list[SpecifiedTensor], str]:
    """Return the tensors that stand beside a shape, with their types, and the text without these types."""
    found: list[SpecifiedTensor] = []
    bare, at = "", 0
    matches = list(_tensors().finditer(text))
    nearest = [re.findall(NAME, m["names"])[-1] for m in matches]
    for match in matches:
        types = [k for k in ("t0", "t1", "t2", "t3", "t4") if match[k]]
        names = [n for n in re.findall(NAME, match["names"]) if n.lower() not in ("and", "both")]
        names = [n for n in names[:-1] if n not in nearest] + names[-1:]
        if len(types) > 1 or not names or any(dtype_of(n) for n in names):
            continue
        dtype = dtype_of(match[types[0]]) if types else None
        shape = shape_of(match["shape"])
        found += [SpecifiedTensor(n, shape, dtype, *match.span()) for n in names]
        bare += f"{text[at : match.start()]} {match['names']} {match['shape']}"
        at = match.end()
    return found, bare + text[at:]


@cache
def _tensors() -> re.Pattern[str]:
    kind, name = type_words(), rf"(?!{type_words()})(?!(?:of|with|by|and)\b){_NO_SIZE}{NAME}"
    return re.compile(
        rf"(?:(?P<t0>{kind})\s*{_NOUN}(?={NAME}))?(?P<names>{name}(?:\s*(?:,|、|\band\b|和)\s*{name})*){_LINK}"
        rf"(?:(?P<t1>{kind})\s*\)?\s*[,，]?{_LINK})?(?P<shape>{SHAPE})"
        rf"(?:\s*[(,，]?\s*(?P<t2>{kind})\s*\)(?!\s*\w)|\s*的?(?P<t3>(?<=[\s\])])\s*{kind})|\s*[,，]\s*(?P<t4>{kind})"
        rf"(?!\s*{_NOUN}{NAME}\s*[\[(\d]))?",
        re.I,
    )


def _typed(request: Request, tensors: Sequence[SpecifiedTensor], result: DType | None) -> Request | None:
    """Return a request with its tensors' types as a function of its own."""
    function = forward_of(request)
    if function is None:
        return None
    given = _given([*function.inputs], request, tensors)
    if given is None or not {*function.draws} <= {"real", "mask"}:
        return None
    lines = [ast.parse(line.replace("return ", "_ = ", 1)).body[0] for line in function.lines]
    statements = [
        ToldStatement((ast.unparse(a.targets[0]),), a.value, 0, 0) for a in lines if isinstance(a, ast.Assign)
    ]
    *before, last = statements
    trees = last.tree.elts if isinstance(last.tree, ast.Tuple) else [last.tree]
    if len(trees) > 1 and result is not None:
        return None
    wanted = [Wanted(t, None, result) for t in trees]
    made = written(before, wanted, given) or written([*_as_floats(given), *before], wanted, given)
    if made is None or (result is not None and not _ends_in(made, result)):
        return None
    return request_of(made, given, {}, assumed=False)


def _given(
    names: Sequence[str], request: Request, tensors: Sequence[SpecifiedTensor]
) -> list[GivenTensor] | None:
    """Return the function's tensors with shapes and types: by their names, or in their order where none is named."""
    shapes = request.shapes[0] if len(request.shapes[0]) == len(names) else request.shapes[0] * len(names)
    told = {t.name.lower(): t for t in tensors}
    if len(told) != len(names) or len(shapes) != len(names):
        return None
    found = [told.get(n) for n in names] if {*names} == told.keys() else list(told.values())
    given = []
    for name, shape, tensor in zip(names, shapes, found, strict=True):
        if tensor is None or tensor.dtype is None or tensor.shape != shape:
            return None
        given.append(GivenTensor(name, shape, tensor.dtype))
    return given


def _as_floats(given: Sequence[GivenTensor]) -> list[ToldStatement]:
    """Return statements that give whole numbers the type of the only floating-point tensors beside them."""
    floats = {t.dtype: t.name for t in given if t.dtype.is_float}
    whole = [t.name for t in given if not t.dtype.is_float and t.dtype is not DType.BOOL]
    if len(floats) != 1:
        return []
    kind = f"{next(iter(floats.values()))}.dtype"
    return [ToldStatement((n,), ast.parse(f"{n}.to({kind})", mode="eval").body, 0, 0) for n in whole]


def _ends_in(made: MadeFunction, dtype: DType) -> bool:
    return len(made.results) == 1 and made.results[0][1] == dtype.value


def with_result(request: Request, results: Sequence[DType]) -> Request | None:
    """Return the request of a specification with its only result in a type; None of other code."""
    source = request.source
    if (
        source is None
        or source.name != FUNCTION
        or len({*results}) != 1
        or request.assumed
        or not request.shapes
    ):
        return None
    head, returned = source.text.rstrip().rsplit("return ", 1)
    if isinstance(ast.parse(returned, mode="eval").body, ast.Tuple):
        return None
    text = f"{head}return ({returned}).to(torch.{results[0].value})\n"
    return request.model_copy(update={"source": source.model_copy(update={"text": text})})
