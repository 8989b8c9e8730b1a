"""Read one operator whose tensors are all told, by trying which tensor stands for which of its operands.

Names and types say what a tensor may be; what they leave open, the order says in which the tensors are told, and
PyTorch says which ways run on such shapes. One way that is left is taken. What is said beside the tensors is read as
any request is, and must be understood whole.

What words say of attention that its tensors' shapes say too, how many heads share one, is left out first. Rows that are
summed by index onto zeros, "scatter-add src (50, 16), index (50,), out (20, 16) from zeros", are such an operator too.
"""

import math
import re

from akgen.agents.requests.accounted import unaccounted
from akgen.agents.requests.asides import without_asides
from akgen.agents.requests.bound_forms import read_beside, unnamed
from akgen.agents.requests.declarations import Declarations, DeclaredTensor
from akgen.agents.requests.needs import missing, tensors_of, with_type
from akgen.agents.requests.operand_calls import is_variadic
from akgen.agents.requests.operand_search import only_step, steps_with
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.stated import stated_result
from akgen.agents.requests.told_operands import told_operands
from akgen.tools.core.dtypes import DType

_MOST = 8  # tensors
_RESULT = re.compile(r"out|output|outputs|result|results|res|输出|结果")
_LEAST = 2
_SEVERAL = re.compile(  # results
    r"(?<![a-z])(?:returns?|returning|outputs?|gives?|want)(?![a-z])[^.;\n]*"
    r"(?<![a-z])(?:and|also|both|plus|as well)(?![a-z])"
    r"|(?:返回|输出)[^。；;\n]*(?:和|与|及|以及|同时|、|两个)"
)
_LONGEST = 6000


def assigned_request(said: str) -> Request | None:
    """Return the request of a text whose tensors stand in one way for an operator's operands; None if not all is so."""
    if len(said) > _LONGEST:
        return None
    read = (_assigned(text) for text in dict.fromkeys((said, without_asides(said))))
    return next((request for request in read if request is not None), None)


def _assigned(said: str) -> Request | None:
    found = told_operands(said)
    stated = stated_result(said)
    if stated.anything and (found is None or not any(_RESULT.fullmatch(t.name) for t in found.tensors)):
        found = told_operands(stated.rest)
    if found is None or not _LEAST <= len(found.tensors) <= _MOST:
        return None
    results = [t for t in found.tensors if _RESULT.fullmatch(t.name)]
    tensors = tuple(t for t in found.tensors if t not in results)
    if len(results) == 1 and (summed := _onto_zeros(found, results[0], said)) is not None:
        return summed
    if _SEVERAL.search(found.rest):
        return None
    understood = read_beside(unnamed(_without_told(_uncalled(found.rest, tensors), tensors), found))
    if understood is None or len(tensors) < _LEAST:
        return None
    reading, read = understood
    first, *later = read.steps
    if first.formula is not None or first.index_dtype is not None or any(not _on_one(s) for s in later):
        return None
    kinds = {t.dtype for t in tensors if t.dtype is not None and t.dtype.is_float} | (
        set() if read.assumed else set(read.dtypes)
    )
    if len(kinds) > 1:
        return None
    wanted = {*stated.shapes} | {t.shape for t in results}
    kind = next(iter(kinds), DType.FLOAT32)
    if any(t.dtype not in (None, kind) for t in results):
        return None
    step = only_step(steps_with(first, tensors, kind, wanted if not later else set()))
    if step is None:
        return None
    request = read.model_copy(
        update={
            "steps": (step, *later),
            "dtypes": tuple(kinds),
            "assumed": False,
            "shapes": (tuple(t.shape or () for t in tensors),),
        }
    )
    request = with_type(request)
    if later and wanted and result_shape(request) not in wanted:
        return None
    plain = request.model_copy(update={"steps": read.steps})  # what is asked about the operator by its name
    lost = [w for r in (request, plain) for w in unaccounted(reading.text, said, r, Request())]
    return None if missing(request) or lost else _with_own_scale(request)


def _with_own_scale(request: Request) -> Request:
    """Leave out a scale that attention has anyway: PyTorch has it in full precision."""
    first, *later = request.steps
    said = re.search(r", scale=([\d.e-]+)", first.formula or "")
    width = request.shapes[0][0][-1:] or (1,)
    if said is None or not math.isclose(float(said[1]), width[0] ** -0.5, rel_tol=1e-5):
        return request
    formula = (first.formula or "").replace(said[0], "")
    return request.model_copy(update={"steps": (first.model_copy(update={"formula": formula}), *later)})


def _uncalled(rest: str, tensors: tuple[DeclaredTensor, ...]) -> str:
    """Drop the tensors in brackets behind what is called, "where(cond, x, y)", where their order is the told one."""
    names = r" ?, ?".join(re.escape(t.name) for t in tensors)
    return re.sub(rf"(?<=[a-z0-9_])\( ?{names} ?\)", " ", rest)


def open_list(request: Request) -> bool:
    """Say whether a request takes a list of tensors whose length nobody said: another number may be told."""
    first = request.steps[0] if request.steps else None
    return first is not None and first.formula is None and is_variadic(first.operator)


def _on_one(step: ChainStep) -> bool:
    if step.formula is not None:
        return len(step.variables) == 1
    return tensors_of(step) - sum(not isinstance(o, str) for o in step.operands) == 1


_SHARED = re.compile(
    r"(?:(?:every|each) )?(?P<count>\d+) (?:consecutive )?(?:query|q) heads? (?:share|per|use|for each|for every)s? "
    r"(?:(?:one|a|1|each|the same|every) )?(?:kv|key/value|key) heads?(?: \(consecutive heads\))?"
    r"|每 ?(?P<count_zh>\d+) ?个 ?(?:q|query) ?(?:head|头) ?共[享用]一?个? ?(?:kv|key) ?(?:head|头)"
)
_ADDED = re.compile(
    r"(?:,? ?(?:and |with |plus )*(?:an? )?additive(?= *,)"
    r"|(?:is |gets )?added to (?:the )?(?:attention )?(?:scores?|logits)"
    r"(?:,? ?(?:after (?:the )?scal(?:e|ing)|before (?:the )?softmax))*"
    r"|(?:还有|再加)?一?个?加性|加(?:在|到) ?(?:scores?|logits|分数) ?上(?: ?\( ?(?:scale|缩放) ?之?后 ?\))?)"
)
_GROUPED = re.compile(r"attention (?:with|using) (?:gqa|grouped[- ]query attention)(?![a-z])")
_PER = re.compile(r"q(?:uery)?")
_KEY = re.compile(r"k(?:ey)?s?")


def _without_told(rest: str, tensors: tuple[DeclaredTensor, ...]) -> str:
    """Return the words beside the tensors without those; numbers that the shapes contradict stay."""
    query = next((t.shape for t in tensors if _PER.fullmatch(t.name) and t.shape), None)
    key = next((t.shape for t in tensors if _KEY.fullmatch(t.name) and t.shape), None)
    if query is None or key is None or len(query) != len(key) or len(query) < len("bhsd"):
        return rest
    group = query[1] // key[1] if query[1] % key[1] == 0 else 0

    def kept(match: re.Match[str]) -> str:
        return " " if int(match["count"] or match["count_zh"]) == group else match[0]

    rest = _GROUPED.sub("gqa attention", _SHARED.sub(kept, rest))
    biases = [
        t for t in tensors if re.fullmatch(r"(?:\w*_)?(?:bias|mask)", t.name) and len(t.shape or ()) > 1
    ]
    return _ADDED.sub(" ", rest) if biases else rest


_ZEROS = re.compile(
    r"(?:,? ?(?:which |that )?(?:starts?|starting|begins?|beginning|initiali[sz]ed|initially|init|filled)(?: out)? )?"
    r"(?:(?:from|with|to|as|at|of|in) )?(?:all )?(?<![a-z\d.])(?:zeros?|0s)(?![a-z\d.])"
    r"|(?:初始|一开始|初值)(?:化|值)?(?:为|是|成)?全?(?:0|零)|从全?(?:0|零)(?:张量)?开始|全(?:0|零)(?:初始化)?"
)
_BELOW = (
    r"(?:,? ?(?:with |whose |所有)?(?:values?|entries|indices|值)(?: are| all)?"
    r" ?(?:<|below|less than|小于|都小于) ?{0}(?![\d.]))"
)
_SUMS = ("scatter_add", "index_add", "scatter_add_rows")
_ALONG = {"dim": 0}


def _onto_zeros(found: Declarations, result: DeclaredTensor, said: str) -> Request | None:
    """Return the request of rows summed onto zeros of the result's shape; None where not all of the text says that."""
    tensors = [t for t in found.tensors if t is not result]
    if len(tensors) != len(("src", "index")) or result.shape is None or not _ZEROS.search(found.rest):
        return None
    (src, src_shape), (index, index_shape) = ((t, t.shape or ()) for t in tensors)
    whole = index.dtype in (DType.INT32, DType.INT64) and not (src.dtype and not src.dtype.is_float)
    fits = index_shape == src_shape[:1] and src_shape[1:] == result.shape[1:]
    if not whole or not fits or result.dtype not in (None, src.dtype):
        return None
    rest = re.sub(_BELOW.format(result.shape[0]), " ", _ZEROS.sub(" ", found.rest))
    understood = read_beside(unnamed(rest, found))
    if understood is None:
        return None
    reading, read = understood
    named = [s.operator for s in read.steps]
    if len(named) != 1 or named[0] not in _SUMS or any(read.steps[0].attributes.items() - _ALONG.items()):
        return None
    step = ChainStep(
        operator="scatter_add_rows", attributes={"rows": result.shape[0]}, index_dtype=index.dtype
    )
    kinds = (src.dtype,) if src.dtype is not None else () if read.assumed else read.dtypes
    request = read.model_copy(
        update={"steps": (step,), "dtypes": kinds, "assumed": False, "shapes": ((src_shape, index_shape),)}
    )
    request = with_type(request)
    return None if unaccounted(reading.text, said, request, Request()) else request
