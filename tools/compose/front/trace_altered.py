"""Trace a case once more with other numbers as attributes, so that those that are equal in every case differ once.

Only numbers with a fraction are altered: whole ones are sizes, counts and choices, on which a reference branches.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from akgen.tools.compose.front.trace import trace
from akgen.tools.compose.front.traced import TracedGraph
from akgen.tools.compose.scope import Unsupported
from akgen.tools.core.call import Attr
from akgen.tools.reference.module_loader import argument_names
from akgen.tools.reference.protocol import Binding, LoadedCase

_STEP = 1.0 / 64  # of a number, by which the first is altered; the others by multiples of it


class _AlteredCase:
    """A loaded case with other numbers among the arguments that are attributes."""

    def __init__(self, loaded: LoadedCase, args: tuple[Any, ...], attrs: tuple[Attr, ...]) -> None:
        self.model, self.example_args = loaded.model, args
        self.binding: Binding = replace(loaded.binding, attrs=attrs)
        self.sample, self.inputs_of = loaded.sample, loaded.inputs_of
        self.chosen, self.check = loaded.chosen, loaded.check


def trace_altered(loaded: LoadedCase) -> TracedGraph:
    """Return the graph of the case with every attribute altered that is a number and an argument of its name.

    Raises Unsupported where there is none, and as `trace` does.
    """
    changed = dict(_altered(loaded))
    if not changed:
        raise Unsupported("attribute", "no attribute is a number that can be altered")
    names = argument_names(loaded.model, len(loaded.example_args))
    args = tuple(changed.get(n, v) for n, v in zip(names, loaded.example_args, strict=True))
    attrs = tuple(Attr(name=a.name, value=changed.get(a.name, a.value)) for a in loaded.binding.attrs)
    return trace(_AlteredCase(loaded, args, attrs))


def _altered(loaded: LoadedCase) -> Iterator[tuple[str, float]]:
    """Yield the names of such attributes and what becomes of them: the sign stays, and on which side of 1 they lie."""
    names = argument_names(loaded.model, len(loaded.example_args))
    given = dict(zip(names, loaded.example_args, strict=True))
    for k, attr in enumerate(loaded.binding.attrs, 1):
        value = given.get(attr.name)
        if isinstance(value, float) and value == attr.value and math.isfinite(value) and value % 1:
            yield attr.name, value * (1.0 - k * _STEP / len(loaded.binding.attrs))


def read(loaded: LoadedCase) -> dict[str, Any]:
    """Answer in the reference process."""
    try:
        return {"graph": trace_altered(loaded).model_dump(mode="json")}
    except Unsupported as refused:
        return {"op": refused.op, "sentence": refused.sentence}
