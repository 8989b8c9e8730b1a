"""Read one operator whose tensors are all told, by trying which tensor stands for which of its operands.

Names and types say what a tensor may be; what they leave open, the order says in which the tensors are told, and
PyTorch says which ways run on such shapes. One way that is left is taken. What is said beside the tensors is read as
any request is, and must be understood whole.
"""

import math
import re

from akgen.agents.requests.accounted import unaccounted
from akgen.agents.requests.asides import without_asides
from akgen.agents.requests.assumed import with_type
from akgen.agents.requests.attention_words import without_told
from akgen.agents.requests.bound_forms import read_beside, unnamed
from akgen.agents.requests.declarations import DeclaredTensor
from akgen.agents.requests.needs import missing, tensors_of
from akgen.agents.requests.operand_calls import is_variadic
from akgen.agents.requests.operand_search import only_step, steps_with
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.result_shapes import result_shape
from akgen.agents.requests.scattered import onto_zeros
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
    if len(results) == 1 and (summed := onto_zeros(found, results[0], said)) is not None:
        return summed
    if _SEVERAL.search(found.rest):
        return None
    understood = read_beside(unnamed(without_told(_uncalled(found.rest, tensors), tensors), found))
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
