"""Find every tensor that a text tells, however: named, counted, listed with one shape for all, or by shape alone.

`declarations` finds names that stand beside a shape or a type. This adds lengths of vectors behind their name ("gamma
64"), one shape for all that are named or typed ("a, b, c, all 8x16"), shapes without names ("(64, 16) and (64, 24)")
and counts of tensors ("three 4x8 tensors"), in the order in which they are told.
"""

import re

from akgen.agents.requests.declarations import Declarations, DeclaredTensor, declarations
from akgen.agents.requests.marks import words
from akgen.agents.requests.sizes import number

_N = r"\d[\d_]*k?"
_SHAPE = re.compile(
    rf"[\[(] ?{_N}(?: ?, ?{_N})* ?,? ?[\])]|(?<![\w.\-]){_N}(?:(?: ?[x*×] ?| by ){_N})+(?![\w.])", re.I
)
_ENDS = r"(?=\s*(?:[,.;，。；、)）\n|]|\Z|(?:and|each|all|both)\b|[和与都均]|(?:fp|bf|float|int)\d))(?!\.\d)"
_VECTOR = re.compile(
    r"(?<![\w.])(?P<names>(?:gamma|beta|bias|weights?|scales?|shift|slopes?|running_mean|running_var|mean|var|b|g"
    r"|权重|偏置|均值|方差)(?:\s*(?:,|/|&|、|and|和|与)\s*(?:and )?(?:gamma|beta|bias|weights?|scales?|shift"
    r"|running_mean|running_var|mean|var|b|权重|偏置|均值|方差))*)"
    rf"(?P<link> ?(?:is|are|of|has|both|each|都是|是|为|各|[:：])? ?)(?<![\w.])(?P<size>\d+){_ENDS}",
    re.I,
)
_INDEXED = re.compile(
    r"(?<![\w.])(?P<names>idx|ids?|index|indices|labels?|targets?|索引|下标|标签)"
    rf"(?P<type> ?[:：]? ?(?:u?int\d+) )(?P<size>\d+){_ENDS}",
    re.I,
)
_COUNTED = re.compile(
    r"(?<![a-z0-9_.])(?P<count>two|three|four|five|six|seven|eight|[2-8])"
    r"(?P<between>(?: (?:fp\d+|bf16|float\d*|half|u?int\d+|equal|input|same-shaped|different|separate))*"
    rf"(?: {_SHAPE.pattern})?(?: (?:fp\d+|bf16|float\d*|half|u?int\d+))?) "
    r"(?:tensors?|inputs?|matrices|vectors?|arrays?|operands)(?![a-z])"
    rf"|(?P<count_zh>[两二三四五六七八2-8]) ?个(?P<between_zh>(?:{_SHAPE.pattern}|[^,，。;；\n]){{0,24}}?)"
    r"(?:张量|输入|矩阵|向量|tensors?)",
    re.I,
)
_ALL = re.compile(
    r"(?:(?<![a-z])(?:everything|all(?: of (?:them|shape))?|each|both|every (?:one|tensor))(?: (?:is|are|of|in|has))*"
    r"|[两二三四五六]个?都是?|全部?是?|都是?|均为?|各)\s*(?:the )?(?:same )?(?:shape|size|形状)?(?: of)?[\s:：,，]*\Z",
    re.I,
)
_LISTED = re.compile(
    r"(?<![\w.])(?P<names>(?!(?:is|of|on|in|to|by|at|or|an?|as|no|it|my|x2|x3)\b(?!\s*[,、/]))[a-z](?:\d|_\w+)?"
    r"(?:\s*(?:,|/|&|、|and|和|与)\s*(?:and )?(?!(?:is|of|on|in|to|by|at|or|an|as|no|it|my)\b)"
    r"[a-z](?:\d|_\w+)?(?![\w.]))+)"
)
_FACTOR = re.compile(r"(?<![\w.*+\-/])x([23])(?=\s*(?:[:：]|is|是)?\s*[\[(]\s*\d)", re.I)
_ARTICLE = re.compile(
    rf"(?<![\w.'])a(?=\s*(?:[:：]|is|of|是|为)?\s*(?:{_SHAPE.pattern})"
    r"(?! ?(?:fp\d+ |bf16 |float )?(?:tensor|matri|vector|array)))"
)
_SECOND = re.compile(rf"(?<![\w.])[bB]\s*(?:[:：]|is|of|是|为)?\s*(?:{_SHAPE.pattern})")
_OF_ATTRIBUTE = re.compile(
    r"(?:strides?|padding|pads?|dilations?|kernel(?:[ _]size)?|window|dims?|axis|axes|perm(?:ute|utation)?|size|shifts?"
    r"|步长|填充|膨胀|核)(?: ?[=:：]| is| of|为)? ?\Z",
    re.I,
)
_CALLED = re.compile(r"[A-Za-z0-9_]\Z")  # sqrt(16)
_PAIRED = re.compile(r"(?<![\w.'])a(?=\s*(?:,|/|、|and|和|与)\s*b(?![\w']))")  # no article
_BOTH = re.compile(r"(?<![\w.])(gamma|weight|scale) (beta|bias|shift)(?=[ :(\[])", re.I)
_KINDS = ("cache", "matrix", "tensor", "vector", "table")
_SHORT = 2
_ZH = {"两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}


def told_operands(said: str) -> Declarations | None:
    """Return all tensors that a text tells and the text without them; None where it is not clear which there are."""
    found = declarations(_with_vectors(_with_letters(said)))
    if found is None:
        return None
    found = _without_kinds(found)
    found, count = _counted(found)
    found = _with_loose(_with_listed(found), count)
    if found is None or any(t.shape is None for t in found.tensors):
        return None
    if count is not None and count != len(found.tensors):
        return None
    tensors = tuple(t._replace(name="a") if t.name == "a0" else t for t in found.tensors)
    return found._replace(tensors=tensors, rest=re.sub(r"(?<![a-z0-9_])a0(?![a-z0-9_])", "a", found.rest))


def _with_letters(said: str) -> str:
    """Write "a (8, 64) ... b (64, 32)" with a capital, so that it is no article, and x2 so that it is no factor."""
    said = _FACTOR.sub(r"x_\1", _BOTH.sub(r"\1, \2", said))
    said = _ARTICLE.sub("A", said) if _SECOND.search(said) else said
    return _PAIRED.sub("a0", said)


def _without_kinds(found: Declarations) -> Declarations:
    """Drop what only says of which kind the tensor before it is, "v cache", where it has the same shape."""
    kept: list[DeclaredTensor] = []
    for tensor in found.tensors:
        before = kept[-1] if kept else None
        if (
            before is not None
            and tensor.name in _KINDS
            and len(before.name) <= _SHORT
            and before.shape == tensor.shape
        ):
            continue
        kept.append(tensor._replace(name=re.sub(r"\Ax_(?=[23]\Z)", "x", tensor.name)))
    return found._replace(tensors=tuple(kept))


def _with_vectors(said: str) -> str:
    """Write lengths of vectors as shapes where an axis of that size is told, or the type of an index before it."""
    sizes = {number(n) for m in _SHAPE.finditer(said) for n in re.findall(_N, m[0])}

    def written(match: re.Match[str]) -> str:
        told = int(match["size"]) in sizes
        return f"{match['names']}{match['link']}[{match['size']}]" if told else match[0]

    said = _VECTOR.sub(written, said)
    return _INDEXED.sub(lambda m: f"{m['names']}{m['type']}[{m['size']}]", said)


def _counted(found: Declarations) -> tuple[Declarations, int | None]:
    """Return how many tensors a text counts, and the text without that; None where it counts none, or twice."""
    counts = list(_COUNTED.finditer(found.rest))
    if len(counts) != 1:
        return found, None
    (match,) = counts
    said = match["count"] or match["count_zh"]
    count = words()["numbers"].get(said) or _ZH.get(said) or int(said)
    rest = f"{found.rest[: match.start()]}{match['between'] or match['between_zh'] or ''} {found.rest[match.end() :]}"
    return found._replace(rest=rest), count


def _with_listed(found: Declarations) -> Declarations:
    """Give tensors without a shape, and letters in a list, the one shape that is told of all: "a, b, c, all 8x16"."""
    shapes = list(_SHAPE.finditer(found.rest))
    bare = [t for t in found.tensors if t.shape is None]
    listed = [m for m in _LISTED.finditer(found.rest) if not any(t.shape for t in found.tensors)]
    if len(shapes) != 1 or len(bare) < len(found.tensors) or len(listed) > 1:
        return found
    (match,) = shapes
    names = re.findall(r"[a-z]\w*", re.sub(r"\band\b", " ", listed[0]["names"])) if listed else []
    if not bare and not names:
        return found
    if bare and not (_ALL.search(found.rest[: match.start()]) or len(bare) > 1):
        return found
    before = listed[0].start() < match.start() if listed else True
    if names and not before:
        return found
    shape = tuple(number(n) for n in re.findall(_N, match[0]))
    new = [DeclaredTensor(n, shape, None) for n in dict.fromkeys(names) if n not in {t.name for t in bare}]
    tensors = (*(t._replace(shape=shape) for t in bare), *new)
    begin, end = match.span()
    lead = _ALL.search(found.rest[:begin])
    rest = f"{found.rest[: lead.start() if lead else begin]} , {found.rest[end:]}"
    if names:
        rest = rest.replace(listed[0]["names"], " , ", 1)
    return found._replace(tensors=tensors, rest=rest)


def _with_loose(found: Declarations, count: int | None) -> Declarations | None:
    """Take shapes without names for tensors in their order, and a shape that is counted for so many."""
    shapes = [
        m
        for m in _SHAPE.finditer(found.rest)
        if not _OF_ATTRIBUTE.search(found.rest[: m.start()]) and not _CALLED.search(found.rest[: m.start()])
    ]
    if found.tensors or not shapes:
        return found if not shapes else None
    told = [tuple(number(n) for n in re.findall(_N, m[0])) for m in shapes]
    if len(told) == 1 and count is not None:
        told *= count
    rest = found.rest
    for match in reversed(shapes):
        rest = f"{rest[: match.start()]} , {rest[match.end() :]}"
    return found._replace(
        tensors=tuple(DeclaredTensor(f"x{i}", s, None) for i, s in enumerate(told)), rest=rest
    )
