"""Read a text whose types are those of inputs, of results and of values on the way, as far as one reading agrees.

Every mention of a type is tried as each thing that it may be the type of: the rest of the text is read without it, and
PyTorch says on tensors without numbers what comes out. A reading counts if all types that are told are found where they
are told. One that is left, or several that compute the same, is taken.
"""

import itertools
import re
from collections.abc import Callable, Sequence

from akgen.agents.requests.needs import missing
from akgen.agents.requests.program import chain_reference
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.tidied import ACCUMULATES, adding_words
from akgen.agents.requests.typed.computed import result_types
from akgen.agents.requests.typed.mentions import Role, TypeMention, told_types
from akgen.agents.requests.typed.mixed import mixed_request, with_result
from akgen.agents.requests.whole_numbers import accumulated
from akgen.knowledge.operators import find_operators
from akgen.tools.core.dtypes import DType

Read = Callable[[str, Request], Request | None]
_MOST = 24  # readings that are tried
_MOST_MENTIONS = 5
_WORDS = re.compile(r"[a-z0-9\u4e00-\u9fff]", re.I)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_SHAPED = re.compile(
    r"[\s,，]*(?:of |with )?(?:shape|size|形状|大小)?[\s:：=]*[\[(（]?\d+[\s,，x×*\])）]", re.I
)
_HALF = (DType.FLOAT16, DType.BFLOAT16)
_SMALL = (DType.INT8, DType.UINT8, DType.INT16)


def typed_request(text: str, known: Request, read: Read) -> Request | None:
    """Return the request of a text by what its types may be of; None if no reading, or more than one, agrees."""
    mentions = told_types(text)
    if len(mentions) > _MOST_MENTIONS:
        return None
    if not mentions:
        return mixed_request(text, (), read) if known.empty else None
    found: dict[int, list[Request]] = {}
    for roles in _assignments(text, mentions):
        left = roles.count("kept")
        if any(fewer < left for fewer in found):
            break
        request = _with_roles(text, list(zip(mentions, roles, strict=True)), known, read)
        if request is not None and request not in found.get(left, ()):
            found.setdefault(left, []).append(request)
    best = found[min(found)] if found else []
    return best[0] if len(best) == 1 else None


def _assignments(text: str, mentions: Sequence[TypeMention]) -> list[tuple[Role, ...]]:
    """Return what the mentions may be, those first that leave none as it stands; not all of them as they stand.

    A conversion before which and behind which something is computed is one on the way; the last one makes the result.
    """
    for note in [m for m in mentions if m.roles == ("note",)]:
        text = text[: note.begin] + " " * (note.end - note.begin) + text[note.end :]
    ways = [
        tuple(
            r
            for r in m.roles
            if r != ("result" if _goes_on(text[m.end :]) else "way") or "way" not in m.roles
        )
        for m in mentions
    ]
    every = [r for r in itertools.product(*ways) if {*r} != {"kept"}]
    return sorted(every, key=lambda roles: roles.count("kept"))[:_MOST]


def _goes_on(behind: str) -> bool:
    """Say whether something is computed by what stands behind a type."""
    said = [n.operator for n in find_operators(behind) if n.operator != "cast"]
    return bool(said) or re.match(r"[\s,，;；]*(?:then|and|再|然后)?\s*[-+*/]\s*[\d(a-z]", behind) is not None


def _with_roles(
    text: str, told: Sequence[tuple[TypeMention, Role]], known: Request, read: Read
) -> Request | None:
    inside = [text[m.begin : m.end] for m, role in told if role == "inside"]
    if any(map(ACCUMULATES.search, inside)) and not adding_words().search(text):
        return None
    results = [m.dtype for m, role in told if role == "result" and m.dtype is not None]
    rest = _rest(text, told)
    if _WORDS.search(rest):
        request = read(rest, known)
        if request is None and known.empty and all(map(_fits_mixed, told)):
            return mixed_request(rest, results, read)
        if request is None or request == known:
            return None
    else:
        request = known
    if request.source is not None:
        return with_result(request, results) if all(map(_fits_mixed, told)) else None
    if not request.steps or missing(request) or len(request.dtypes) != 1:
        return None
    if any(m.dtype not in request.dtypes for m, role in told if role == "given"):
        return None
    if not all(_inside(m.dtype, request.dtypes[0]) for m, role in told if role == "inside"):
        return None
    first = request.steps[0]
    if first.operator == "cast" and first.attributes.get("dtype") == request.dtypes[0].value:
        return None  # a conversion to what it is
    natural = result_types(request)
    if natural is None or (request.assumed and _of_what(natural, results)):
        return None
    if any(
        m.needs == "natural" and m.dtype and m.dtype.value not in natural
        for m, role in told
        if role == "result"
    ):
        return None
    if not all(_has_operators(said, request) for said in inside):
        return None
    for dtype in results:
        converted = _converted(request, dtype)
        if converted is None:
            return None
        request = converted
    whole = any(m.dtype is DType.INT32 for m, role in told if role == "inside")
    if whole and request.dtypes[0] in _SMALL and not _adds_up(request):
        return None
    end = result_types(request)
    if end is None or not {d.value for d in results[-1:]} <= {*end}:
        return None
    built = chain_reference(request)
    kept = {m.dtype.value for m, role in told if role == "kept" and m.roles[0] == "result" and m.dtype}
    if any(name not in end and f"torch.{name}" not in built for name in kept):
        return None
    return request if all(_holds(m, request) for m, role in told if role == "note") else None


def _fits_mixed(told: tuple[TypeMention, Role]) -> bool:
    """Say whether a mention may be one of tensors of several types, which are computed with in the widest."""
    mention, role = told
    return role in ("result", "kept") or (role == "inside" and mention.dtype is DType.FLOAT32)


def _rest(text: str, told: Sequence[tuple[TypeMention, Role]]) -> str:
    """Return the text without the mentions; a type on the way as a conversion of its own."""
    for mention, role in reversed(told):
        if role == "kept":
            continue
        put = ", output " if role == "result" and _SHAPED.match(text, mention.end) else ", "
        if role == "way" and mention.dtype is not None:
            zh = _CHINESE.search(text) is not None
            put = f"，转成 {mention.dtype.value}，再" if zh else f", cast to {mention.dtype.value}, then "
        text = f"{text[: mention.begin]}{put}{text[mention.end :]}"
    given = list(dict.fromkeys(m.dtype.value for m, role in told if role == "given" and m.dtype))
    text = ", ".join([text.rstrip(" .。;；"), *given])
    text = re.sub(r"(?:\s*[,，]\s*)+(?=[,，.。;；:：)）]|\Z)", "", text)
    return re.sub(r"\A[\s,，;；.。]+|(?<=[,，;；.。])(?:\s*[,，])+", "", text).strip()


def _inside(inner: DType | None, given: DType) -> bool:
    """Say whether arithmetic in a type is what the reference of tensors of another one does anyway."""
    wide = {DType.FLOAT32: _HALF, DType.INT32: _SMALL}
    return inner is not None and (inner is given or given in wide.get(inner, ()))


def _has_operators(said: str, request: Request) -> bool:
    """Say whether a request has the operators of which words say in which type they compute: "softmax in fp32"."""
    built = chain_reference(request).lower().replace("attention", "attention softmax")
    return all(
        w in built for w in re.findall(r"softmax|norm|sum|mean|exp|variance|归一化|均值|求和", said.lower())
    )


def _of_what(natural: Sequence[str], results: Sequence[DType]) -> bool:
    """Say whether results are converted of tensors whose type nobody said: "softmax, output fp16"."""
    return any(DType(n).is_float for n in natural) and any(d.value not in natural for d in results)


def wraps_around(text: str, request: Request) -> bool:
    """Say whether sums that shall be of 32 bits would wrap around in 8: "int8 matmul, accumulate in int32"."""
    whole = any(m.dtype is DType.INT32 for m in told_types(text) if m.roles[0] == "inside")
    small = bool(request.steps) and len(request.dtypes) == 1 and request.dtypes[0] in _SMALL
    return whole and small and not _adds_up(request)


def _adds_up(request: Request) -> bool:
    """Say whether small whole numbers are put together in wider ones."""
    first = request.steps[0]
    return "torch.int32" in (first.formula or "") or first.operator in ("sum", "cumsum", "prod")


def _converted(request: Request, wanted: DType) -> Request | None:
    """Return the request with its result in a type; None of several results, or of one that is converted already."""
    end = result_types(request)
    while len(request.steps) > 1 and request.steps[-1].operator == "cast":
        shorter = request.model_copy(update={"steps": request.steps[:-1]})
        if result_types(shorter) != end:
            break
        request = shorter  # what it is anyway
    if end is None or end == (wanted.value,):
        return end and request
    if len(end) != 1 or request.steps[-1].operator == "cast":
        return request if wanted.value in end else None
    steps = (*request.steps, ChainStep(operator="cast", attributes={"dtype": wanted.value}))
    return request.model_copy(update={"steps": accumulated(steps, request.dtypes)})


def _holds(note: TypeMention, request: Request) -> bool:
    """Say whether a request does what a note says of it."""
    if note.needs == "rounds":
        return any(
            "round(" in (s.formula or "") or s.operator in ("round", "quantize") for s in request.steps
        )
    casts = [s.attributes.get("dtype") for s in request.steps if s.operator == "cast"]
    return bool(casts) and not DType(str(casts[-1])).is_float and request.dtypes[0].is_float
