"""Operators that PyTorch has no name for run as the reference writes them."""

from typing import Any

import pytest

from akgen.agents.requests.needs import way_of
from akgen.agents.requests.request import ChainStep, Request
from akgen.agents.requests.task import reference_for
from akgen.knowledge.operators import OperatorEntry, operators
from akgen.tools.core.dtypes import DType
from tests.sampled import sampled

COMPOSITES = [entry for entry in operators() if entry.source is not None]
WHOLE = (
    "kernel_size",
    "num_classes",
    "dim",
    "rows",
    "count",
    "k",
    "kv_heads",
    "position",
    "repeats",
    "window_size",
    "blocksize",
)
SHAPES = ((8,), (4, 8), (2, 4, 8), (2, 4, 8, 8))


def _runs(entry: OperatorEntry, shape: tuple[int, ...]) -> str | None:
    """Return why it does not run on a first tensor of the shape; None if it does."""
    needs = way_of(ChainStep(operator=entry.name)).needs
    said = {name: (8 if name == "num_classes" else 2) if name in WHOLE else 0.5 for name in needs}
    step = ChainStep(operator=entry.name, attributes=said)
    space: dict[str, Any] = {}
    exec(reference_for(Request(steps=(step,), dtypes=(DType.FLOAT32,), shapes=((shape,),))), space)
    params = {"shape": list(shape), "dtype": "float32"}
    try:
        space["Model"](*space["get_init_inputs"](params))(*space["get_inputs"](params))
    except (RuntimeError, IndexError, ValueError, TypeError) as wrong:
        return str(wrong)
    return None


@pytest.mark.parametrize("entry", sampled(COMPOSITES, 5), ids=lambda e: e.name)
def test_a_composite_runs(entry: OperatorEntry) -> None:
    found = [_runs(entry, shape) for shape in SHAPES]
    assert None in found, found
