"""Take the data type that a request means when it names none: PyTorch's default, float32.

Operators that PyTorch has for integers alone take int32, those that read nothing but indices int64. What was taken is
shown before work begins, and holds until somebody says another type.
"""

from akgen.agents.requests.needs import INDICES, entry_of, takes_integers, way_of
from akgen.agents.requests.request import Request
from akgen.tools.core.dtypes import DType


def with_type(request: Request) -> Request:
    """Return the request with the type that holds where none is said; as it is where the type must be asked for."""
    if request.complete or (request.dtypes and not request.assumed):
        return request
    dtype = assumed_type(request)
    return request.model_copy(
        update={"dtypes": () if dtype is None else (dtype,), "assumed": dtype is not None}
    )


def assumed_type(request: Request) -> DType | None:
    """Return the type of a request that names none; None if there is nothing to compute yet, or nothing follows."""
    if not request.steps:
        return None if request.source is None else DType.FLOAT32
    if any(map(takes_integers, request.steps)):
        return DType.INT32
    first = request.steps[0]
    if first.formula is None:
        if first.operator == "cast" and first.attributes.get("dtype") == DType.FLOAT32:
            return None  # a conversion to what it would be anyway: of which type?
        draws = entry_of(first).draws
        tensors = way_of(first).tensors
        if tensors and all(draws.get(t.name) in INDICES for t in tensors):
            return DType.INT64
    return DType.FLOAT32
