"""Run references on small tensors: do two compute the same, has a result what is said of it?

The sources must be of this program's own making: they are executed. Sizes above 64 are made smaller where the tensors
are large; types of half precision become float32.
"""

import ast
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from akgen.tools.reference.likeness import BROKEN

_LARGEST = 64  # a size that is left as it is
_MOST_ELEMENTS = 1 << 16  # of all tensors together, where sizes are left as they are
_MOST_TENSORS = 4
_RELATIVE, _ABSOLUTE = 1e-3, 1e-4
_NEAR = 1e-3  # of a sum or norm that is said to be one
_SEEDS = (0, 1)
_BROKEN = (*BROKEN, AssertionError)
_HALVES = ("float16", "bfloat16")


class _ReferenceRun(NamedTuple):
    """A reference's model with weights drawn, and its inputs."""

    model: Callable[..., Any]
    inputs: list[torch.Tensor]


def agree(first: str, second: str, params: Mapping[str, Any]) -> bool:
    """Say whether both run and return the same for the inputs of a case, taken in one order."""
    orders: list[set[int]] = []
    for seed in _SEEDS:
        one, other = (_run_of(source, params, seed) for source in (first, second))
        if one is None or other is None or not len(one.inputs) == len(other.inputs) <= _MOST_TENSORS:
            return False
        wanted = _called(one.model, one.inputs)
        found = [_called(other.model, list(order)) for order in itertools.permutations(one.inputs)]
        orders.append({at for at, result in enumerate(found) if _close(result, wanted)})
    return bool(set.intersection(*orders))


def holds(source: str, params: Mapping[str, Any], claim: str) -> bool:
    """Say whether a reference runs and returns one tensor of which a claim of `CLAIMS` is true."""
    for seed in _SEEDS:
        run = _run_of(source, params, seed)
        result = None if run is None else _called(run.model, run.inputs)
        if not isinstance(result, torch.Tensor) or not CLAIMS[claim](result.double()):
            return False
    return True


def _run_of(source: str, params: Mapping[str, Any], seed: int) -> _ReferenceRun | None:
    sizes = _smaller_sizes(params)
    case = {k: [sizes.get(n, n) for n in v] if isinstance(v, list) else v for k, v in params.items()}
    case["dtype"] = "float32" if case.get("dtype") in _HALVES else case.get("dtype", "float32")
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = sizes.get(node.value, node.value)
    names: dict[str, Any] = {}
    try:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            exec(compile(tree, "reference", "exec"), names)
            inputs = names["get_inputs"](case)
            model = names["Model"](*names.get("get_init_inputs", lambda _: ())(case)).eval()
            for tensor in model.state_dict().values():
                if tensor.is_floating_point():
                    tensor.copy_(torch.rand_like(tensor) + 0.1)
    except _BROKEN:
        return None
    return _ReferenceRun(model, inputs) if all(isinstance(i, torch.Tensor) for i in inputs) else None


def _smaller_sizes(params: Mapping[str, Any]) -> dict[int, int]:
    shapes = [v for v in params.values() if isinstance(v, list)]
    if sum(math.prod(s) for s in shapes) <= _MOST_ELEMENTS:
        return {}
    return {n: _smaller(n) for n in itertools.chain.from_iterable(shapes) if n > _LARGEST}


def _smaller(size: int) -> int:
    while size > _LARGEST:
        size = size // 2 if size % 2 == 0 else size % _LARGEST + 2
    return size


def _called(model: Callable[..., Any], inputs: list[torch.Tensor]) -> Any:
    try:
        with torch.no_grad():
            return model(*inputs)
    except _BROKEN:
        return None


def _close(got: Any, wanted: Any) -> bool:
    if isinstance(got, tuple | list) and isinstance(wanted, tuple | list):
        return len(got) == len(wanted) and all(map(_close, got, wanted))
    if not isinstance(got, torch.Tensor) or not isinstance(wanted, torch.Tensor) or got.shape != wanted.shape:
        return False
    return bool(torch.allclose(got.double(), wanted.double(), _RELATIVE, _ABSOLUTE, equal_nan=True))


def _some_axis(of: Callable[[torch.Tensor, int], torch.Tensor]) -> Callable[[torch.Tensor], bool]:
    """Return a check that something is one along an axis."""
    return lambda result: any(
        bool(((of(result, axis) - 1).abs() < _NEAR).all()) for axis in range(result.ndim)
    )


CLAIMS: dict[str, Callable[[torch.Tensor], bool]] = {
    "sums to one": _some_axis(lambda result, axis: result.sum(axis)),
    "unit norm": _some_axis(lambda result, axis: result.square().sum(axis).sqrt()),
    "from zero to one": lambda result: bool((result >= 0).all() and (result <= 1).all()),
    "never negative": lambda result: bool((result >= 0).all()),
}
