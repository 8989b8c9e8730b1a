"""Find what a specification returns, in which order, with which shapes and types."""

import ast
import re
from collections.abc import Mapping, Set
from typing import NamedTuple

from akgen.agents.requests.request import Shape
from akgen.agents.requests.specified.layout import SpecifiedText, type_words
from akgen.agents.requests.specified.statements import ToldStatement, value_at
from akgen.agents.requests.specified.tensors import NAME, SHAPE, SpecifiedTensor, dtype_of, shape_of
from akgen.tools.core.dtypes import DType

_LEAD = re.compile(
    r"(?:(?<![A-Za-z_])(?:return(?:s|ing)?|outputs?|outs?|results?)(?![A-Za-z_0-9])(?! ?=)|输出|返回|结果)"
    r"(?:[\s:：]|(?<![A-Za-z])(?:is|are|of|the|both|all|in (?:this )?order|tensors?|shape|dtype|type|as|in"
    r"|a|an|has)(?![A-Za-z])"
    r"|依次|分别|顺序|[为是]|两个|三个|四个|\d 个|形状|类型|均|都|也)*",
    re.I,
)
_ARROW = re.compile(r"->|→|=>|(?<=[,(;，（])\s*(?:(?:of )?shape|形状)[ :=为是]*(?=[\[(\d])", re.I)
_CAST = (
    r"(?<![A-Za-z])(?:(?:cast|converted|rounded) )?(?:as|(?:in)?to)(?![A-Za-z])(?=\s+(?:an? )?{0})"
    r"|(?:转[为成到]?|存成)\s*(?={0})"
)
_NEW = r"(?:(?:the|new|updated|both|its|a) |新的?|更新后的? ?)*"
_JOINT = re.compile(r"\s*(?:[,，、;；/&]|and(?![A-Za-z])|和|与|以及|\n)\s*(?:[-*•]\s*)?(?:and )?")


class Wanted(NamedTuple):
    """A result: an expression, and its shape and type as far as they are said."""

    tree: ast.expr
    shape: Shape | None = None
    dtype: DType | None = None


def told_results(
    layout: SpecifiedText, statements: list[ToldStatement], tensors: list[SpecifiedTensor], given: Set[str]
) -> list[Wanted] | None:
    """Return the results in order; what says them is marked. None where it is not clear which they are."""
    assigned = [n for s in statements if s.begin >= 0 for n in s.names]
    said = {t.name: t for t in tensors if t.name in assigned}
    wanted: list[Wanted] | None = None
    loose: list[tuple[Shape | None, DType | None]] = []
    of: list[tuple[str, Shape | None, DType | None]] = []
    for match in layout.matches(_LEAD):
        items = _items(layout, match.end(), {*assigned, *given})
        if items is not None:
            trees, end = items
            if wanted is not None:
                return None
            wanted = trees
            layout.take(match.start(), end, "returned")
        elif (typed := _typed(layout, match.end())) is not None:
            before = [s for s in statements if len(s.names) == 1 and 0 <= s.end <= match.start()]
            near = [s for s in before if not layout.text[s.end : match.start()].strip(" ,，(（")]
            if near and len(assigned) > 1:  # "s = ... (输出 fp32), q = ..., 输出 int8"
                of.append((near[-1].names[0], *typed[:2]))
            else:
                loose.append(typed[:2])
            layout.take(match.start(), typed[2], "returned")
        else:
            layout.take(*match.span(), "returned")
    begin = min((s.end for s in statements if s.begin >= 0), default=0)
    casts = [m for m in layout.matches(re.compile(_CAST.format(type_words()), re.I)) if m.start() >= begin]
    told: set[str] = {t.name for t in tensors if t.name in assigned and t.dtype is not None} - given
    for match in [*layout.matches(_ARROW), *casts]:
        typed = _typed(layout, match.end())
        if typed is None:
            return None
        last = max((s for s in statements if s.end <= match.start()), key=lambda s: s.end, default=None)
        if last is None or len(last.names) > 1:
            return None
        if match in casts and layout.text[last.end : match.start()].strip(" ,，"):
            return None  # of what?
        of.append((last.names[0], *typed[:2]))
        layout.take(match.start(), typed[2], "returned")
    for name, shape, dtype in of:
        told |= {name} if dtype is not None else set()
        earlier = said.get(name)
        said[name] = SpecifiedTensor(
            name, shape or (earlier and earlier.shape), dtype or (earlier and earlier.dtype), 0, 0
        )
    if wanted is None:
        used = _used(statements)
        wanted = [Wanted(ast.Name(n)) for n in dict.fromkeys(assigned) if n not in used]
    if told - {w.tree.id for w in wanted if isinstance(w.tree, ast.Name)}:
        return None  # what comes between has a type of its own
    return _with_said(wanted, said, loose)


def _items(layout: SpecifiedText, begin: int, known: Set[str]) -> tuple[list[Wanted], int] | None:
    """Return the names or expressions that stand in a list, and where it ends."""
    found: list[Wanted] = []
    at = end = begin
    pattern = _item()
    while (match := pattern.match(layout.text, at)) is not None and match["name"] in known:
        said = match["shape"] or match["shape_b"]
        shape = shape_of(said) if said else None
        kind = next((match[k] for k in ("t1", "t2", "t3") if match[k]), None)
        if re.match(r" ?[-+*/@^(\[]", layout.text[match.end("name") :]) and not (shape or kind):
            break
        found.append(Wanted(ast.Name(match["name"]), shape, dtype_of(kind) if kind else None))
        end = match.end()
        joint = _JOINT.match(layout.text, end)
        if joint is None:
            return found, end
        at = joint.end()
    stopped = re.match(NAME, layout.text[at:])
    if found and not (stopped and stopped[0] in known):
        return found, end
    limit = min(
        [*(m.start() for m in re.finditer(r"[;；。\n]", layout.text[begin:])), len(layout.text) - begin]
    )
    read = value_at(layout, begin, begin + limit, known)
    if read is None or not layout.free(begin, read[1]):
        return (found, end) if found else None
    tree, end = read
    trees = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    if not any(isinstance(n, ast.Name) for n in ast.walk(tree)):
        return None
    return [Wanted(t) for t in trees], end


def _item() -> re.Pattern[str]:
    kind = type_words()
    return re.compile(
        rf"{_NEW}(?P<name>{NAME})"
        rf"(?:(?:\s*[:(（]\s*|\s+(?:is |as |in )?)(?:(?P<t1>{kind})\s*,?\s*(?:(?P<shape>{SHAPE}))?"
        rf"|(?P<shape_b>{SHAPE})\s*,?\s*(?P<t2>{kind})?)\s*[)）]?|\s*\((?P<t3>scalar|标量)\))?",
        re.I,
    )


def _typed(layout: SpecifiedText, begin: int) -> tuple[Shape | None, DType | None, int] | None:
    """Return a shape, a type or both that stand at a place, and where they end."""
    kind = type_words()
    match = re.compile(
        rf"\s*(?:(?P<t1>{kind})\s*,?\s*(?P<s1>{SHAPE})?|(?P<s2>{SHAPE})\s*,?\s*(?P<t2>{kind})?)", re.I
    ).match(layout.text, begin)
    if match is None or not layout.free(*match.span()):
        return None
    shape = match["s1"] or match["s2"]
    typed = match["t1"] or match["t2"]
    return (shape_of(shape) if shape else None), (dtype_of(typed) if typed else None), match.end()


def _used(statements: list[ToldStatement]) -> set[str]:
    """Return the names whose value a later statement, or one that defines an earlier one, takes."""
    return {
        n.id for s in statements for n in ast.walk(s.tree) if isinstance(n, ast.Name) and n.id not in s.names
    }


def _with_said(
    wanted: list[Wanted], said: Mapping[str, SpecifiedTensor], loose: list[tuple[Shape | None, DType | None]]
) -> list[Wanted] | None:
    """Give the results the shapes and types that are said of their names, or of the only result."""
    found = []
    for result in wanted:
        tensor = said.get(result.tree.id) if isinstance(result.tree, ast.Name) else None
        if tensor is not None:
            if any(a is not None and b is not None and a != b
                   for a, b in ((result.shape, tensor.shape), (result.dtype, tensor.dtype))):  # fmt: skip
                return None
            result = result._replace(shape=result.shape or tensor.shape, dtype=result.dtype or tensor.dtype)
        found.append(result)
    shapes = list(dict.fromkeys(s for s, _ in loose if s is not None))
    types = list(dict.fromkeys(t for _, t in loose if t is not None))
    if len(shapes) > 1 or len(types) > 1 or (shapes and len(found) != 1):
        return None
    if len(found) > 1 and any(not t.is_float for t in types):
        return None  # of which of them?
    for at, result in enumerate(found):
        if types and result.dtype not in (None, types[0]) and len(found) == 1:
            return None
        shape = shapes[0] if shapes else None
        if shape and result.shape and shape != result.shape:
            return None
        found[at] = result._replace(
            shape=result.shape or shape, dtype=result.dtype or (types[0] if types else None)
        )
    return found or None
