"""Read what words and comments say of the tensors of a piece of code: "# x: (8, 100), idx: (8, 10) int64".

Shapes and types stand beside the code's own names. Indices are known by their use in the code, and masks and whole
numbers by their types.
"""

import ast
import re

from akgen.agents.requests import sizes
from akgen.agents.requests.counted import with_shapes
from akgen.agents.requests.declarations import declarations, ends_with_type
from akgen.agents.requests.marks import MarkedText, words
from akgen.agents.requests.pasted.extraction import ExtractedCode
from akgen.agents.requests.pasted.index_uses import Indexed, indices_of
from akgen.agents.requests.pasted.loops import by_index
from akgen.agents.requests.pasted.written_into import sizes_in, written_into
from akgen.agents.requests.request import Held, Request, RequestSource, Shape
from akgen.agents.requests.spelling import respelt
from akgen.tools.core.dtypes import DType
from akgen.tools.core.frozen import Frozen

_LABEL = re.compile(r"(?:\A|[\n.;,，。；])([^\n.;,，。；:：=\d]{1,48})[:：]\s*\Z")
_TITLE = re.compile(r"\s*[A-Za-z\u4e00-\u9fff][^:：,，;；。\d\[\n]{1,48}[:：]")
_SAME = re.compile(
    r"(?:,|of|with|in)? ?(?:the )?same (?:shape|size)(?: as [a-z]\w*)?(?![a-z])|同(?:样的?)?形状|形状相同"
)
_SIZES = r"[\[(]? ?\d+ ?(?:[x,] ?\d+ ?)*[\])]?"
_ZEROS = re.compile(
    rf"(?:(?:an? |the )?outputs?|out|result|输出)(?: is| of| shape|:|是|为)* ?(?P<before>{_SIZES})[,，;； ]*"
    r"(?:that |which |it |and )?(?:starts? (?:as|from|at|with)|initiali[sz]ed (?:to|with|as)|begins? as|filled with"
    r"|初始(?:化)?[为成]?|从|起始) ?(?:all )?(?:zeros?|全?零|0)(?:开始)?"
    rf"|(?:starts? from|into) (?:a |an )?(?:zeros?|zero(?:ed)?) (?:tensor|buffer|output)(?: of)?(?: shape)?"
    rf" ?(?P<shape>{_SIZES})"
    r"|(?:(?:starts?|starting|begin) (?:from|with|as) |从 ?|先 ?)?(?P<into>[a-z]\w*) ?"
    r"(?:=|starts? as|starts? from|is|是) ?(?:torch\.)?zeros ?\((?P<made>[\d, ()\[\]]+)\)(?: ?开始)?"
)
_VALUES = re.compile(
    r"(?:with |whose )?(?:values?|entries|ind(?:ices|exes)|ids) (?:is |are |all )?(?:in|between|from)"
    r" ?[\[(]?0 ?(?:\.\.+|,|-|to|and) ?(\d+)[\])]?"
)
_MADE = re.compile(r"(\w+) = torch\.zeros\(\(([\d, ]+)\)")
_OF_ALL = re.compile(
    r"(?:(?<![a-z])(?P<all>all|both|each)(?: of (?:them|these))?(?: (?P<count>two|three|four|five))?"
    r"(?: (?:tensors|inputs|operands))?(?: (?:are|is|have|has|of|shape|shapes|with|being|in))+"
    r"|(?P<count_zh>[两三四五])(?:个|者)?(?:张量|输入)?(?:的?形状)?(?:都|均)[是为]) ?"
    r"(?=[\[(] ?\d+|\d+ ?[x×*] ?\d)",
    re.I,
)
_COUNTED = re.compile(r"\d ?(?:rows|samples|points|tokens|frames|vectors)(?![a-z])")
_DENIES = re.compile(
    r"(?<![a-z])(?:not?|never|without|don'?t|except|instead|unless)(?![a-z])|不|别|非|无|除", re.I
)


class Beside(Frozen):
    """The request with what is said of its code's tensors, and the words that are left."""

    request: Request
    words: str


def with_tensors(request: Request, said: str, comments: str = "") -> Beside | None:
    """Return the request with the shapes and types that its tensors have in words and comments; None if they differ.

    Where only some tensors have a shape, all words are left as they are.
    """
    source = request.source
    names = (source.arguments or ()) if source is not None else ()
    as_it_is = Beside(request=request, words=said)
    if source is None or not names or source.brings != "nothing":
        return as_it_is
    spelt = {name.lower(): name for name in names}
    if len(spelt) < len(names):
        return as_it_is
    said = with_shapes(said) if _COUNTED.search(said) else said
    said = _OF_ALL.sub(lambda m: f"{', '.join(spelt)} " if _counts(m, len(names)) else m[0], said)
    found, noted = declarations(said, tuple(spelt)), declarations(comments, tuple(spelt))
    if found is not None and (alike := _SAME.search(said.lower())) is not None:
        shapes_said = [t.shape for t in found.tensors if t.shape is not None]
        if len(set(shapes_said)) == 1 and shapes_said[0] is not None:  # "mask bool, same shape"
            said = f"{said[: alike.start()]} {list(shapes_said[0])} {said[alike.end() :]}"
            found = declarations(said, tuple(spelt))
    if found is None or noted is None:
        return None
    shapes: dict[str, Shape] = {}
    types: dict[str, DType] = {}
    loose = {spelt[t.name] for t in (*noted.tensors, *found.tensors) if t.loosely}
    for tensor in (*noted.tensors, *found.tensors):
        name = spelt[tensor.name]
        if tensor.shape is not None and shapes.setdefault(name, tensor.shape) != tensor.shape:
            return None
        if tensor.dtype is not None and types.setdefault(name, tensor.dtype) is not tensor.dtype:
            return None
    if len(shapes) < len(names) and not (len(names) == 1 and types):
        return as_it_is
    made = {m[1]: tuple(map(int, re.findall(r"\d+", m[2]))) for m in _MADE.finditer(source.text)}
    indices = indices_of(ast.parse(source.text), {**made, **shapes})
    values = [name for name in names if name not in indices and types.get(name) is not DType.BOOL]
    if len(values) > 1 and [name for name in values if name in types] == values[-1:] and ends_with_type(said):
        types |= dict.fromkeys(values, types[values[-1]])  # "a of 512, b of 300, int32"
    kinds = {types[name] for name in values if name in types}
    floats = {t for t in types.values() if t.is_float}
    if len(floats) > 1:
        return None
    if not floats and len(kinds) == 1 and all(name in types for name in values):
        floats = kinds  # whole numbers, all of them
    special = [name for name in names if name in indices or types.get(name) not in floats]
    types = {name: t for name, t in types.items() if not (name in indices and name in loose)}
    held = {name: _held(types.get(name), indices.get(name), names, made) for name in special}
    for name in re.findall(r"\.index_copy\(\d+, (\w+)", source.text):
        if (drawn := held.get(name)) is not None:  # one write to a place, whose order nobody needs to know
            held[name] = drawn.model_copy(update={"draw": "distinct"})
    holds = {name: value for name, value in held.items() if value is not None}
    update: dict[str, object] = {"source": source.model_copy(update={"holds": holds})}
    if shapes:
        update["shapes"] = (tuple(shapes[name] for name in names),)
    if floats:
        update |= {"dtypes": tuple(floats), "assumed": False}
    return Beside(request=request.model_copy(update=update), words=_without_joints(found.rest))


def _counts(match: re.Match[str], tensors: int) -> bool:
    """Say whether words speak of all tensors: "all three are", "both of shape"; so many as there are."""
    said = match["count"] or match["count_zh"] or ("two" if match["all"].lower() == "both" else None)
    return (
        said is None
        or {**words()["numbers"], "两": 2, "三": 3, "四": 4, "五": 5}.get(said.lower()) == tensors
    )


def _without_joints(rest: str) -> str:
    """Return words without those that joined what was declared: "where , and ,"."""
    return re.sub(
        r"(?<![a-z])(?:where|with|given|for|and|of)(?![a-z])(?=\s*(?:,|\Z))|其中(?=\s*,)", " ", rest
    )


def without_label(found: ExtractedCode) -> str:
    """Return the words beside code without those that say what the code does: "take the last token: h[:, -1]"."""
    label = _LABEL.search(found.before.rstrip())
    before = found.before
    if label is not None and not _DENIES.search(label[1]):
        before = before[: label.start(1)]
    behind = found.behind
    if re.search(r"\w\[", found.code or ""):
        title = _TITLE.match(before)
        if title is not None and not _DENIES.search(title[0]):
            before = before[title.end() :]
        names = set(re.findall(r"\w+", (found.code or "").lower()))
        before = re.sub(words()["reads by index"], lambda m: m[0] if m[0] in names else " ", before.lower())
        before, behind = (_without_result(part, found) for part in (before, behind))
    return f"{before} {behind}"


def _without_result(said: str, found: ExtractedCode) -> str:
    """Return words without what says again what a statement writes into: "starts as zeros", "return the cache"."""
    sizes_said = {int(n) for n in re.findall(r"\d+", found.words)}
    said = _ZEROS.sub(" ", said.lower())
    for match in _VALUES.finditer(said):
        if int(match[1]) + 1 in sizes_said:
            said = said.replace(match[0], " ")
    name = re.match(r"\w+", found.code or "")
    returned = r"(?<![a-z])(?:and )?(?:returns?|outputs?|give|返回|输出)(?: the)?(?: updated| new| whole)?"
    return re.sub(rf"{returned} {name[0].lower()}(?![a-z0-9_])", " ", said) if name is not None else said


def indexed_source(found: ExtractedCode) -> RequestSource | None:
    """Return what a statement by index computes, "out[i] = table[ids[i]]"; None where the code is none, or not sure."""
    try:
        body = ast.parse(found.code or "").body
    except SyntaxError:
        return None
    if len(body) != 1:
        return None
    names = {n.id.lower() for n in ast.walk(body[0]) if isinstance(n, ast.Name)}
    said = declarations(f"{with_shapes(found.words.lower())}\n{found.comments}", tuple(sorted(names)))
    if said is None:
        return None
    shapes = {t.name: t.shape for t in said.tensors if t.shape is not None}
    spelt = {n.id.lower(): n.id for n in ast.walk(body[0]) if isinstance(n, ast.Name)}
    shapes = {spelt[name]: shape for name, shape in shapes.items() if name in spelt}
    subscripted = {
        n.value.id
        for n in ast.walk(body[0])
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
    }
    numbers = {n: shape[0] for n, shape in shapes.items() if n not in subscripted and len(shape) == 1}
    tensors = {n: shape for n, shape in shapes.items() if n in subscripted}
    tensors = tensors or _only_tensor(body[0], found)
    numbers |= sizes_in(body[0], tensors)
    zeros = _zeros(found) if isinstance(body[0], ast.Assign | ast.AugAssign) else None
    text = by_index(body[0], tensors, numbers) if zeros is None else None
    text = text or written_into(body[0], shapes, {}, zeros)
    if text is None:
        return None
    arguments = text[len("def indexed(") :].partition(")")[0].split(", ")
    return RequestSource(kind="code", name="indexed", text=text, entry="indexed", arguments=tuple(arguments))


def _zeros(found: ExtractedCode) -> Shape | None:
    """Return the shape of what starts as zeros, "output is 128x64, starts as zeros"; None where nothing does."""
    match = _ZEROS.search(found.words.lower())
    if match is None or (
        match["into"] and match["into"] != (found.code or "").lower().partition("[")[0].strip()
    ):
        return None
    said = re.findall(r"\d+", match["shape"] or match["before"] or match["made"])
    return tuple(map(int, said))


def _only_tensor(statement: ast.stmt, found: ExtractedCode) -> dict[str, Shape]:
    """Return the shape that stands alone among the words, where the statement reads one tensor."""
    given = statement.value if isinstance(statement, ast.Assign | ast.AugAssign) else statement
    read = {
        n.value.id for n in ast.walk(given) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)
    }
    text = MarkedText(respelt(found.words))
    sizes.take_counts(text)
    sizes.take_shapes(text)
    said = [m.value for m in text.sorted() if m.kind == "shape"]
    return {read.pop(): said[0][0]} if len(read) == 1 == len(said) and len(said[0]) == 1 else {}


def _held(
    dtype: DType | None, use: Indexed | None, names: tuple[str, ...], made: dict[str, Shape]
) -> Held | None:
    """Return what a tensor holds where that is not any number."""
    if dtype is DType.BOOL:
        return Held(draw="mask")
    if use is not None and (dtype is None or dtype in (DType.INT32, DType.INT64)):
        at = names.index(use.tensor) if use.tensor in names else None
        limit = (
            f'params["shape{at or ""}"][{use.axis}]' if at is not None else str(made[use.tensor][use.axis])
        )
        return Held(draw="entries", limit=limit, dtype=DType.INT32 if dtype is DType.INT32 else None)
    if dtype is not None and not dtype.is_float:
        return Held(draw="int8" if dtype is DType.INT8 else "integers", dtype=dtype)
    return None
