"""Copies that read a tensor's bytes as elements of another width: they take numbers apart, or put them together.

Half the bytes of a float are a bfloat16, and half of those of an int64 an int32: such a copy is a conversion.
A complex number is a pair of floats and may be copied as one. Bytes that were allocated as such may hold anything.
"""

from collections.abc import Iterator, Sequence

from akgen.tools.core.call import Call
from akgen.tools.core.dtypes import DType
from akgen.tools.launched.record import flat
from akgen.tools.model_new.steps import Allocated, Copied, Delegation, Step, View


class Widths:
    """The type that each memory holds, as far as it is known, over the calls of a record."""

    def __init__(self, call: Call) -> None:
        self._held: list[DType | None] = _given(call)
        self._brought: dict[int, DType] = {}  # by copies

    def give_again(self, call: Call, given: Sequence[int]) -> None:
        """Take in the memory of a further call's own tensors, as `given_again` numbers it."""
        known = len(self._held)
        self._held += [dtype for n, dtype in zip(given, _given(call), strict=True) if n >= known]

    def recast(self, steps: Sequence[Step], returned: Sequence[View]) -> tuple[Delegation, ...]:
        """Return the first conversion by copying among checked steps, as something that computed; empty if none is."""
        return next(((Delegation(kind="computed", what=what),) for what in self._casts(steps, returned)), ())

    def _casts(self, steps: Sequence[Step], returned: Sequence[View]) -> Iterator[str]:
        for step in steps:
            if isinstance(step, Allocated):
                raw = step.dtype is None or step.dtype.size_bytes == 1
                self._held.append(None if raw else step.dtype)
            elif isinstance(step, Copied):
                if step.source.dtype != step.target.dtype:
                    yield f"a copy from {step.source.dtype} to {step.target.dtype}"
                if step.target.count == 0:
                    continue
                for view in (step.source, step.target):
                    if self._held[view.memory] is None:
                        self._held[view.memory] = view.dtype
                    yield from _other_width(self._held[view.memory], view)
                self._brought[step.target.memory] = step.target.dtype
        for view in returned:
            yield from _other_width(self._brought.get(view.memory), view)


def _other_width(held: DType | None, view: View) -> Iterator[str]:
    if held is not None and held.real.size_bytes != view.dtype.real.size_bytes and view.count:
        yield f"a conversion by copying, which takes {held} for {view.dtype}"


def _given(call: Call) -> list[DType | None]:
    return [t.dtype for value in call.inputs for t in flat(value)]
