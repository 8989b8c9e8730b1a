"""Cases of one kind that are many and alike: `make test` runs one of so many, `pytest -m slow` the others."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], every: int, *, whole: bool = False) -> list[Any]:
    """Return the values as parameters; all but one of `every` are marked slow.

    A tuple is several parameters, or one, the `whole` tuple.
    """
    return [
        pytest.param(
            *(v if isinstance(v, tuple) and not whole else (v,)),
            marks=[pytest.mark.slow] if n % every else [],
        )
        for n, v in enumerate(values)
    ]
