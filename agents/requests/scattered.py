"""Read rows that are summed by index onto zeros: "scatter-add src (50, 16), index (50,), out (20, 16) from zeros"."""

import re

from akgen.agents.requests.accounted import unaccounted
from akgen.agents.requests.assumed import with_type
from akgen.agents.requests.bound_forms import read_beside, unnamed
from akgen.agents.requests.declarations import Declarations, DeclaredTensor
from akgen.agents.requests.request import ChainStep, Request
from akgen.tools.core.dtypes import DType

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


def onto_zeros(found: Declarations, result: DeclaredTensor, said: str) -> Request | None:
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
