"""Find the types of what a request returns, on PyTorch's meta device."""

from functools import lru_cache

from akgen.agents.requests.program import chain_reference
from akgen.agents.requests.request import Request


def result_types(request: Request) -> tuple[str, ...] | None:
    """Return the names of the types of a chain's results; None where its reference raises."""
    shapes = request.shapes[0] if request.shapes else ()
    if not shapes or not request.dtypes:
        return None
    return _types(chain_reference(request), tuple(shapes), request.dtypes[0].value)


@lru_cache(256)
def _types(source: str, shapes: tuple[tuple[int, ...], ...], dtype: str) -> tuple[str, ...] | None:
    from akgen.tools.reference.meta_run import results_of_module  # imports torch: only where all was read

    params = {"dtype": dtype, **{f"shape{i or ''}": list(shape) for i, shape in enumerate(shapes)}}
    found = results_of_module(source, params)
    return None if found is None else tuple(r.dtype for r in found)
